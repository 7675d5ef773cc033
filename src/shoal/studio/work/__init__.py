"""The process that works for a project: it opens tables, counts, releases and attacks."""
