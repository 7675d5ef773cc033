"""How little a release could lose at best: bounds that no grouping goes below."""
