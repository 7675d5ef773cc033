"""Releases whose rows stand for one of the source each: how their files are written and judged."""
