"""Tables larger than memory: their rows keyed by region, and each region solved where it lies."""
