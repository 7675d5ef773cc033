"""Columns that no requirement ties together: searched apart from one another, and joined again."""
