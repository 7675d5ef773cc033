"""Commands that mine across sites."""
