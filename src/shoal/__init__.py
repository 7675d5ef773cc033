"""Shoal: publish tables and models about people, and learn from data that cannot be pooled."""
