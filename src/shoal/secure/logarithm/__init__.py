"""Logarithms of shared counts."""
