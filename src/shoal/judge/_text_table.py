"""A table as text: what a reader of the file sees, and nothing that a library makes of it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.typing import Codes

BLOCK = 1 << 22
"""Rows that are worked on together, so that what is in between takes little memory."""


@dataclass(frozen=True, eq=False)
class TextColumn:
    """One column: the distinct texts in it, and which of them stands in each row.

    Parameters
    ----------
    codes : ndarray of int
        Place in `texts` of each row's text, in as few bytes as do.
    texts : tuple of str or None
        Distinct texts; None where nothing is written.
    """

    codes: Codes
    texts: tuple[str | None, ...] = field(repr=False)

    def unused(self) -> int:
        """How many texts are stored with the column while no row has them."""
        used = np.zeros(len(self.texts), np.bool_)
        for start in range(0, len(self.codes), BLOCK):
            used[self.codes[start : start + BLOCK]] = True
        return int((~used).sum())


@dataclass(frozen=True, eq=False)
class TextTable:
    """Columns of equal length.

    Parameters
    ----------
    columns : mapping of str to TextColumn
        In the order of the table.
    n_rows : int
        Rows of every column.
    side_doors : tuple of str
        What a reader finds besides the cells: metadata, an index, values that no row has.
    """

    columns: Mapping[str, TextColumn]
    n_rows: int
    side_doors: tuple[str, ...] = field(default=())

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self.columns)


def narrow(codes: NDArray[Any], n_texts: int) -> Codes:
    """The same codes in as few bytes as `n_texts` of them need: large tables have many rows."""
    kind = np.int8 if n_texts < 2**7 else np.int16 if n_texts < 2**15 else np.int32
    slim: Codes = codes.astype(kind, copy=False)
    return slim


def take(values: NDArray[Any], rows: NDArray[Any]) -> NDArray[Any]:
    """``values[rows]``; NumPy makes wide numbers of all rows at once, which takes much memory."""
    taken = np.empty(len(rows), values.dtype)
    for start in range(0, len(rows), BLOCK):
        taken[start : start + BLOCK] = values[rows[start : start + BLOCK]]
    return taken


def make_column(codes: NDArray[Any], values: list[Any]) -> TextColumn:
    """A column of values that are no texts yet; values of equal text become one."""
    number: dict[str | None, int] = {}
    of_value = [number.setdefault(plain_text(value), len(number)) for value in values]
    if len(number) == len(values) and all(of == at for at, of in enumerate(of_value)):
        return TextColumn(narrow(codes, len(number)), tuple(number))
    return TextColumn(narrow(np.array(of_value, np.int32), len(number))[codes], tuple(number))


def plain_text(value: Any) -> str | None:
    """What a value is written as; None for nothing.  Equal values may have different texts."""
    if value is None or type(value) is str:
        return value
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dt.datetime):
        return None if value != value else value.isoformat(" ")
    if isinstance(value, bytes):
        return value.hex()
    if type(value).__name__ in ("NAType", "NaTType"):  # pandas' own; they equal nothing
        return None
    return None if value != value else str(value)
