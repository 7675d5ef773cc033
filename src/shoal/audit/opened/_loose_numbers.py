"""Numbers that lie about in lists, between other things or in lists of different lengths."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from shoal.typing import Floats

LISTS = (list, tuple, set, frozenset)
FEWEST = 3
MOST = 1_000_000
_LARGEST = 1e300
_FIRST = dt.datetime(1970, 1, 1)


def loose_numbers(piece: Any) -> Floats | None:
    """Numbers of a list and of lists in it, one after another; None where there are too few.

    Examples
    --------
    >>> loose_numbers([31.5, print, [2, [True]], 1 + 4j])
    array([31.5,  2. ,  1. ,  4. ])
    >>> loose_numbers(["no", "number"])
    """
    if type(piece) not in LISTS:
        return None
    numbers = []
    for number in _walk(piece, 0):
        numbers.append(number)
        if len(numbers) > MOST:
            break
    return np.array(numbers, np.float64) if len(numbers) >= FEWEST else None


def _walk(piece: Any, depth: int) -> Iterator[float]:
    for one in piece:
        if type(one) in LISTS and depth < 50:
            yield from _walk(one, depth + 1)
        else:
            yield from (number for number in numbers_of(one) if -_LARGEST < number < _LARGEST)


def numbers_of(one: Any) -> list[float]:
    """A value as the numbers that it tells; none of a text or a flag."""
    kind = type(one)
    if issubclass(kind, bool | np.bool_):
        return []
    if issubclass(kind, int | float | np.integer | np.floating | Decimal | Fraction):
        return _of_number(one)
    if issubclass(kind, complex | np.complexfloating):
        return [float(one.real), float(one.imag)]
    if kind.__name__ == "Interval":
        return [*numbers_of(getattr(one, "left", None)), *numbers_of(getattr(one, "right", None))]
    return _of_time(one)


def _of_number(one: Any) -> list[float]:
    try:
        return [float(one)]
    except OverflowError:  # a whole number beyond all floats
        return []


def _of_time(one: Any) -> list[float]:
    match one:
        case dt.timedelta():
            return [one.total_seconds()]
        case dt.datetime():
            return [(one.replace(tzinfo=None) - _FIRST).total_seconds()]
        case dt.date():
            return [float(one.toordinal())]
        case dt.time():
            return [one.hour * 3600.0 + one.minute * 60 + one.second + one.microsecond / 1e6]
    return []
