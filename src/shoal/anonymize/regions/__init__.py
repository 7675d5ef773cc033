"""Methods on tables larger than memory: first cuts from a sample, then every region by itself."""
