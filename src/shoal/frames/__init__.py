"""Dataframe libraries end here: columns in, codes out, and back."""
