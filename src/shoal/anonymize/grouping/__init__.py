"""Hierarchies for categories that have none: groups computed from the rows, for a given k."""
