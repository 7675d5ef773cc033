"""Means of groups, rounded to public steps: numbers that stay numbers.

A mean is made from the values of the group and not from its label, so it tells more than a label.
It is the mean of a whole group: where a value is missing in one of its rows there is none.
"""

from __future__ import annotations

import math
from decimal import Decimal, InvalidOperation
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.errors import TableError
from shoal.schema._coding import Coding
from shoal.tables._recoded import Recoded
from shoal.tables.forms._forms import ORDERED, TypedColumn
from shoal.typing import Flags, Floats

DIGITS = 4
"""Digits that means have at most, counted from the first of the largest number."""

_LARGEST = 2**63 - 1
_FINEST = 12  # decimals beyond which a number is taken for as fine as that


def mean_step(coding: Coding) -> Fraction:
    """What means of a column are rounded to.

    `lines` of the schema, if they are a number; else one day for dates, and for numbers the decimal
    place with which they are written, or the one that leaves four digits of the largest, whichever
    is coarser.  Of the rows only that place and the largest number's length count.

    Examples
    --------
    >>> from shoal.schema import Column
    >>> from shoal.schema._coding import make_coding
    >>> age = make_coding("age", Column("quasi-identifier", "numeric"), [31, 34, 52])
    >>> pay = make_coding("pay", Column("quasi-identifier", "numeric"), [1234.56, 98765.43])
    >>> mean_step(age), mean_step(pay)
    (Fraction(1, 1), Fraction(10, 1))
    """
    if coding.kind == "date":
        return Fraction(1)
    if isinstance(coding.lines, int | float):
        return Fraction(str(coding.lines))
    known = coding.numbers[np.isfinite(coding.numbers)]
    largest = float(np.abs(known).max(initial=0.0))
    own = min((decimal_place(value) for value in coding.texts if value is not None), default=0)
    if largest > 0:
        own = max(own, math.floor(math.log10(largest)) + 1 - DIGITS)
    return Fraction(10) ** own


def decimal_place(text: str) -> int:
    """Power of ten of the last digit that a number is written with, not above 0."""
    try:
        exponent = Decimal(text).normalize().as_tuple().exponent
    except InvalidOperation:
        return 0
    return max(-_FINEST, min(0, exponent)) if isinstance(exponent, int) else 0


def mean_column(
    recoded: Recoded, column: int, group: NDArray[np.int64]
) -> dict[str, TypedColumn] | None:
    """The means that stand for a column, row by row; None where it keeps its labels.

    `group` is each row's group.
    """
    coding = recoded.labels[column].coding
    if coding.kind not in ORDERED:
        return None
    step = mean_step(coding)
    units, missing = mean_units(recoded, column)
    if coding.kind == "date":
        made = TypedColumn("date", units[group], missing[group])
    elif int(np.abs(units).max(initial=1)) * step.numerator > _LARGEST:  # no whole number holds it
        numbers = np.array([float(unit * step) for unit in units.tolist()])
        made = TypedColumn("number", numbers[group], missing[group])
    elif step.denominator == 1:
        made = TypedColumn("whole", (units * step.numerator)[group], missing[group])
    else:
        numbers = units * step.numerator / step.denominator
        made = TypedColumn("number", numbers[group], missing[group])
    return {coding.name: made}


def mean_units(recoded: Recoded, column: int) -> tuple[NDArray[np.int64], Flags]:
    """Rounded mean of each group, in steps, and where there is none."""
    step = mean_step(recoded.labels[column].coding)
    mean, missing = group_means(recoded, column)
    if not np.isfinite(mean[~missing]).all():
        raise TableError(
            f"column {recoded.labels[column].coding.name!r} holds infinite numbers, which have no "
            "mean. Clean them, or use a method that writes labels."
        )
    units = np.rint(np.where(missing, 0.0, mean) * step.denominator / step.numerator)
    return units.astype(np.int64), missing


def group_means(recoded: Recoded, column: int) -> tuple[Floats, Flags]:
    """Mean of each group, one row for a person, and where there is none.

    A person with several rows counts with one of them, the row by which solvers count people.
    """
    cells, n_groups = recoded.cells, len(recoded.codes)
    numbers = cells.codings[column].numbers[cells.keys[:, column]]
    inside = recoded.group_of >= 0
    group, weight = recoded.group_of[inside], cells.sizes[inside]
    absent = np.isnan(numbers[inside])
    numbers = np.where(absent, 0.0, numbers[inside])
    people = np.bincount(group, weights=weight, minlength=n_groups)
    total = np.bincount(group, weights=weight * numbers, minlength=n_groups)
    missing = people <= 0
    missing[group[absent]] = True
    return total / np.maximum(people, 1), missing
