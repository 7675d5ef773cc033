"""File formats: a file each, with its suffixes and its reader, and the list of all of them."""
