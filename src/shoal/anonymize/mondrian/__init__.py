"""Mondrian: regions cut in two, and the labels of regions."""
