"""Files of strangers: audited in a process of its own, from which plain data comes back."""
