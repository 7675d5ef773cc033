"""Values made coarser by lines of the schema: rounded, and ended at a top and a bottom.

The lines are public, chosen without a look at the rows, so a coarse value tells of a person that
the value lies around it, and nothing of anybody else.  Databases and Python compute the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from shoal.errors import TableError
from shoal.schema import Column
from shoal.schema._text import is_missing
from shoal.typing import Codes


def coarse_values(column: Column, values: Sequence[Any]) -> list[Any]:
    """Values as they are released: whole numbers where all lines are whole.

    Examples
    --------
    >>> pay = Column("sensitive", "numeric", round_to=500, top=9000)
    >>> coarse_values(pay, [1249.5, 1250, 12_000, None])
    [1000, 1500, 9000, None]
    """
    return [None if is_missing(value) else _coarse(column, value) for value in values]


def coarse_pool(column: Column, codes: Codes, values: Sequence[Any]) -> tuple[list[Any], Codes]:
    """A column by its distinct coarse values, None the last, and the number of each row's.

    `codes` are places in `values`, -1 for a missing value.
    """
    coarse = coarse_values(column, values)
    number = {value: code for code, value in enumerate(dict.fromkeys(coarse))}
    code_of = np.array([*(number[value] for value in coarse), len(number)], np.int32)
    return [*number, None], code_of[codes]  # -1 reads the last entry


def coarse_sql(column: Column, value: str) -> str:
    """The same as an expression of SQL; `value` is the column's."""
    kept = value
    if column.round_to is not None:
        step = Fraction(str(column.round_to))
        scaled = f"CAST({value} AS DOUBLE) * {step.denominator}::DOUBLE / {step.numerator}::DOUBLE"
        kept = f"floor({scaled} + 0.5) * {step.numerator}::DOUBLE / {step.denominator}::DOUBLE"
        if step.denominator == 1:
            kept = f"CAST({kept} AS BIGINT)"
    if column.bottom is not None:
        kept = (
            f"CASE WHEN {kept} < {_line(column.bottom)} THEN {_line(column.bottom)} ELSE {kept} END"
        )
    if column.top is not None:
        kept = f"CASE WHEN {kept} > {_line(column.top)} THEN {_line(column.top)} ELSE {kept} END"
    return kept


def _coarse(column: Column, value: Any) -> Any:
    try:
        kept = value if isinstance(value, int | float) else float(value)
    except (TypeError, ValueError):
        raise TableError(
            "a column that is to be rounded, or to end at a top or bottom, has values that are no "
            "numbers. Clean them, or take round_to, bottom and top out of the schema."
        ) from None
    if column.round_to is not None:
        step = Fraction(str(column.round_to))
        units = math.floor(float(kept) * step.denominator / step.numerator + 0.5)
        kept = units * step.numerator if step.denominator == 1 else _ratio(units, step)
    if column.bottom is not None:
        kept = max(kept, _plain(column.bottom))
    if column.top is not None:
        kept = min(kept, _plain(column.top))
    return kept


def _ratio(units: int, step: Fraction) -> float:
    return float(units) * step.numerator / step.denominator


def _plain(line: float) -> float:
    return int(line) if float(line).is_integer() else float(line)


def _line(line: float) -> str:
    return f"{int(line)}" if float(line).is_integer() else f"{float(line)!r}::DOUBLE"
