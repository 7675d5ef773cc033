"""k-anonymous clusters."""
