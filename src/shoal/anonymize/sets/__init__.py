"""Columns of sets: k^m-anonymity, by generalizing items."""
