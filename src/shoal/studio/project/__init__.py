"""A project: one folder with schema, settings, releases and decisions, as readable files."""
