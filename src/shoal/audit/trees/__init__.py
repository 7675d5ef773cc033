"""Which rows reach which leaf, over one tree or many together."""
