"""A path that knows how its file is to be read."""

from __future__ import annotations

from pathlib import Path

from shoal.tables._engine import OpenOptions

STANDARD = "-"
"""The name of standard input and of standard output."""


class TableFile(type(Path())):  # type: ignore[misc]
    """A file, a folder, a pattern, an address of a table in a database, or `-`, and how to read it.

    Every function that takes a path takes one; :func:`open_table` finds the options in it.

    Examples
    --------
    >>> file = TableFile.of("people.csv", OpenOptions(delimiter=";"))
    >>> file.name, file.options.delimiter
    ('people.csv', ';')
    >>> TableFile.of("sqlite:///house.db?table=people", OpenOptions()).address
    'sqlite:///house.db?table=people'
    """

    options = OpenOptions()
    address = ""

    @classmethod
    def of(cls, text: str, options: OpenOptions) -> TableFile:
        """The path that a text names, with options."""
        made = cls(text)
        made.options = options
        made.address = text
        return made
