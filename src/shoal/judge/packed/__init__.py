"""Files of blocks and a list of them: whether every byte belongs to something that is listed."""
