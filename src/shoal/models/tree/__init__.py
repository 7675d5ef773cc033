"""k-anonymous decision trees."""
