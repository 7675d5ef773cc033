"""A checker of releases that shares nothing with Shoal: it imports nothing from `shoal`.

It is given the table as plain Python values and what was claimed of its release, reads what was
written as a recipient would (bytes, cells, text as written), and says which promises are broken.
Every privacy model is computed here once more, from its definition, in plain Python.
"""
