"""Parts of a model that no adapter reads: options, spare arrays of trees, keys of files."""
