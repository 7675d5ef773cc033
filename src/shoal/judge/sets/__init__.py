"""The judge of columns of sets."""
