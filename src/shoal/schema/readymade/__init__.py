"""Hierarchies that come with Shoal: public classifications, the same whatever the rows say."""
