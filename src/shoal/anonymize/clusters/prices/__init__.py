"""Groups by prices: the generalization that pays best for the rows left."""
