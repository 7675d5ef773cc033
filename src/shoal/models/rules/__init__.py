"""k-anonymous association rules."""
