"""Attacks on keyed transforms: frequencies, brackets, reconstruction."""
