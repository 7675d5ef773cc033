"""How a text file writes a table: found once when it is read, and kept for writing and judging."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class TextDialect:
    """What stands between the cells of a text file, and how its values are written.

    Parameters
    ----------
    encoding : str
        Python's name of the encoding.
    bom : bool
        Whether the file begins with a byte order mark.
    delimiter, quote, newline : str
        What stands between cells, around cells, and at the end of a line.
    escape : str
        What stands before a quote within quotes; empty where quotes are doubled.
    spaced : bool
        Whether blanks behind a delimiter are no part of the cell.
    names : tuple of str
        Names of the columns, in the order of the cells.
    start : int
        Lines before the first row: titles and the header.
    bad_lines : tuple of frozenset of int
        For each file, numbers of lines (from 1) that are left out because they are no rows.
    decimal : str
        What stands before the decimals of a number.
    grouped : mapping of str to (str, str)
        Columns whose numbers are not written the plain way: what stands before decimals, and
        between thousands.
    units : mapping of str to (str, str)
        Columns whose numbers all stand beside one unit: what stands before them, and behind.
    escaped : bool
        Whether cells that a spreadsheet would compute have an apostrophe in front.
    blanks : bool
        Whether cells of nothing but blanks are missing.
    missing : mapping of str to frozenset of str
        Words that stand for a missing value, by column.

    Examples
    --------
    >>> TextDialect(delimiter=";", decimal=",").delimiter
    ';'
    """

    encoding: str = "utf-8"
    bom: bool = False
    delimiter: str = ","
    quote: str = '"'
    newline: str = "\n"
    escape: str = ""
    spaced: bool = False
    names: tuple[str, ...] = ()
    start: int = 1
    bad_lines: tuple[frozenset[int], ...] = ()
    decimal: str = "."
    grouped: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    units: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    escaped: bool = False
    blanks: bool = False
    missing: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def as_written(self, numbers: Collection[str] = ()) -> TextDialect:
        """The same file taken by its letters: what is written differently is different.

        Columns of `numbers` keep how their numbers are written, which letters alone do not tell.
        """
        return replace(
            self,
            grouped={name: signs for name, signs in self.grouped.items() if name in numbers},
            units={name: unit for name, unit in self.units.items() if name in numbers},
            missing={name: words for name, words in self.missing.items() if name in numbers},
            blanks=False,
        )
