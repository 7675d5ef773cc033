"""Numbers that are no labels: means, rounded values, and values changed at random."""
