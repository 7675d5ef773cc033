"""Rows of a text file, one by one: where DuckDB gives up, and where lines have to be named."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from shoal.errors import TableError
from shoal.tables.engines.formats.text._bytes import Encoded, open_text
from shoal.tables.engines.formats.text._shape import Shape


class LeftOut(NamedTuple):
    """Lines of a file that are left out, numbered from 1."""

    bad: frozenset[int]
    """No rows: of another shape than the table."""

    empty: frozenset[int]
    """Rows of empty cells, as spreadsheets write them below and between the rows of people."""


_END = "\x1a"
"""What old systems write behind the last line."""

_UNCLOSED = "a quotation mark is opened and not closed, or closed within a cell"


def clean_file(
    path: Path, encoded: Encoded, shape: Shape, target: Path, *, skip: bool, keep_empty: bool
) -> LeftOut:
    """Write the rows of a file the plain way; returns the lines left out.

    A line that is no row is an error with its number, unless such lines are to be skipped.
    """
    bad: dict[int, str] = {}
    empty: set[int] = set()
    with open_text(path, encoded) as text, target.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n")
        for line, row in _rows(text, shape, bad):
            # blanks are what the database takes for nothing
            if line and not keep_empty and not "".join(row).strip(" "):
                empty.add(line)
            else:
                writer.writerow(row)
    if bad and not skip:
        raise TableError(_explain(path, bad))
    return LeftOut(frozenset(bad), frozenset(empty))


def _rows(
    text: Iterable[str], shape: Shape, bad: dict[int, str]
) -> Iterator[tuple[int, list[str]]]:
    """Rows with the number of their line; 0 where a row takes several lines."""
    wide = len(shape.names)
    lines = _Lines(text, shape.start)
    with _long_cells():
        while True:
            reader = csv.reader(
                lines,
                delimiter=shape.delimiter,
                quotechar=shape.quote,
                escapechar=shape.escape or None,
                doublequote=not shape.escape,
                strict=True,
                skipinitialspace=shape.spaced,
            )
            try:
                for row in reader:
                    if len(row) > wide and not any(cell.strip() for cell in row[wide:]):
                        del row[wide:]  # commas behind the last cell
                    if row == [_END]:
                        pass
                    elif shape.has_header and _is_header(row, shape):
                        bad[lines.first] = "the names of the columns come again"
                    elif len(row) == wide or (not row and wide == 1):
                        yield lines.only, row or [""]
                    elif row and any(cell.strip() for cell in row):
                        cells = "1 cell" if len(row) == 1 else f"{len(row)} cells"
                        bad[lines.first] = f"{cells} where the table has {wide} columns"
                        if lines.give_back():
                            break  # a row of several lines: only its first is at fault
                    lines.next_row()
                else:
                    return
            except csv.Error:
                bad[lines.first] = _UNCLOSED
                lines.give_back()
            lines.next_row()


def _is_header(row: list[str], shape: Shape) -> bool:
    return [cell.strip() for cell in row] == list(shape.names)


class _Lines:
    """Lines that can be given back, so that one bad line takes no other with it."""

    def __init__(self, text: Iterable[str], skipped: int) -> None:
        self._source = iter(text)
        for _ in range(skipped):
            next(self._source, None)
        self.first = skipped + 1
        self._row: list[str] = []
        self._back: list[str] = []

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        line = self._back.pop() if self._back else next(self._source)
        self._row.append(line)
        return line

    @property
    def only(self) -> int:
        """The line of this row, where it takes one."""
        return self.first if len(self._row) == 1 else 0

    def next_row(self) -> None:
        """What was read so far is a row, or none."""
        self.first += len(self._row)
        self._row = []

    def give_back(self) -> bool:
        """Read all lines of this row but its first again; whether there are any."""
        again = self._row[1:]
        self._back.extend(reversed(again))
        del self._row[1:]
        return bool(again)


@contextmanager
def _long_cells() -> Iterator[None]:
    before = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _explain(path: Path, bad: dict[int, str]) -> str:
    line = min(bad)
    others = len(bad) - 1
    lines = "1 more line is no row" if others == 1 else f"{others} more lines are no rows"
    more = f", and {lines} either" if others else ""
    return (
        f"{path.name}, line {line}: {bad[line]}{more}. Mend the file, or leave such lines out with "
        "--skip-bad-rows, which says how many they are."
    )
