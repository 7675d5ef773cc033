"""Files as people have them, and what should become of each."""
