"""Rounded values, and those that end at a top or bottom: made again from the source."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import floor

import numpy as np

from shoal.errors import GuaranteeError, InfeasibleError
from shoal.judge._text_table import TextColumn
from shoal.judge._values import is_missing, number
from shoal.schema import Column
from shoal.typing import Codes

_WITHHELD = "It is withheld; please report this defect."
_TIE = Fraction(1, 10**9)  # halves of binary numbers: both neighbours are nearest


def judge_coarse(
    name: str,
    written: TextColumn,
    own: TextColumn,
    values: Codes,
    column: Column,
    people: Codes | None = None,
) -> None:
    """Raise unless every cell is what the lines of the schema make of the source's value.

    Where the schema asks for it, enough people are at each line, or nobody is; `people` says who is
    behind each row, where it is not one person each.
    """
    room = max(len(own.texts), 1)
    packed, rows = np.unique(written.codes.astype(np.int64) * room + values, return_counts=True)
    wrong = sum(
        int(n)
        for pair, n in zip(packed.tolist(), rows.tolist(), strict=True)
        if not _fits(written.texts[pair // room], own.texts[pair % room], column)
    )
    if wrong:
        raise GuaranteeError(
            f"column {name!r}: {wrong} rows have values that its lines do not make. {_WITHHELD}"
        )
    for which in ("bottom", "top"):
        if column.beyond is not None and getattr(column, which) is not None:
            _require_people(name, written, column, which, people)


def _require_people(
    name: str, written: TextColumn, column: Column, which: str, people: Codes | None
) -> None:
    line = Fraction(str(getattr(column, which)))
    at_line = np.array(
        [
            not is_missing(text) and (said := number(text or "")) is not None and _same(said, line)
            for text in written.texts
        ],
        np.bool_,
    )
    rows = np.flatnonzero(at_line[written.codes])
    n_people = len(rows) if people is None else len(np.unique(people[rows]))
    if 0 < n_people < (column.beyond or 0):
        raise InfeasibleError(
            f"people at the {which} of column {name!r}",
            required=column.beyond or 0,
            achieved=n_people,
            hint=f"Move the {which} towards the middle: it is public, so choose a round number, "
            "not the value of somebody.",
        )


def _fits(cell: str | None, value: str | None, column: Column) -> bool:
    if is_missing(cell) or is_missing(value):
        return is_missing(cell) and is_missing(value)
    said, source = number(cell or ""), number(value or "")
    if said is None or source is None:
        return False
    return any(_same(said, kept) for kept in _coarse(source, column))


def _coarse(value: Decimal, column: Column) -> list[Fraction]:
    """What a value may become: one number, or two in the middle between multiples."""
    kept = [Fraction(value)]
    if column.round_to is not None:
        step = Fraction(str(column.round_to))
        position = Fraction(value) / step + Fraction(1, 2)
        near = {
            floor(position - _TIE * (1 + abs(position))),
            floor(position + _TIE * (1 + abs(position))),
        }
        kept = [units * step for units in near]
    if column.bottom is not None:
        kept = [max(one, Fraction(str(column.bottom))) for one in kept]
    if column.top is not None:
        kept = [min(one, Fraction(str(column.top))) for one in kept]
    return kept


def _same(said: Decimal, kept: Fraction) -> bool:
    return Fraction(said) == kept or float(said) == float(kept)
