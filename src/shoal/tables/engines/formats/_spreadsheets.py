"""Cells and names of columns that a spreadsheet would compute.

A spreadsheet computes cells that begin with `=`, `+`, `-` or `@`, with the wide forms of these
signs, or with a tab or a line's end before one, and somebody may have put such a cell into the
source.  So cells of text that begin so, and are no plain numbers, get an apostrophe in front, and
so do those that have one already: taking one off gives the source's cell back.
"""

from __future__ import annotations

from collections.abc import Sequence

from shoal.errors import TableError

COMPUTED = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"
"""Signs at which a spreadsheet begins to compute: the last four are wide forms of the first."""

FORMULA = "^'*[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]"
PLAIN_NUMBER = r"[+-]?[0-9]+(?:[.,][0-9]+)*(?:[eE][+-]?[0-9]+)?"


def require_safe_names(names: Sequence[str]) -> None:
    """Refuse names of columns that a spreadsheet would compute."""
    unsafe = [name for name in names if name[:1] in COMPUTED and len(name) > 1]
    if unsafe:
        raise TableError(
            f"a spreadsheet would compute the name of column {unsafe[0]!r}. Rename it, or write "
            "the table as Parquet."
        )
