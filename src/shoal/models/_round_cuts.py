"""Where a private column is cut: at round numbers, not at the sum of two people's values."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from math import ceil, floor

import numpy as np

from shoal.schema._column import Kind

_EPOCH = dt.date(1970, 1, 1)
LAST_YEAR = dt.MAXYEAR - 1
DIGITS = 20
"""Powers of ten that are tried: more than a double has."""
LEAST_SHARE_AT_CUT = 0.1
"""A private column may be cut at a value that at least this share of the rows has: no fine, say.

A rarer value may be that of too few people for whoever audits the model by a larger k.
"""


def round_cut(low: float, high: float, kind: Kind = "numeric", *, at_low: bool = False) -> float:
    """The roundest number between `low` and `high`, which are somebody's values.

    Half-way between two values is their sum.  Of a fine that one person has, where all others have
    none, it tells that fine; of two people it tells each of them the other's value.  So does the
    round number next to half-way, to a digit: among numbers that are equally round the values must
    not choose.  The roundest is a multiple of 10, else of 5, of 2 or of 1, and so on by tens.

    Parameters
    ----------
    low, high : float
        Values between which nobody has one.
    kind : str
        Dates are cut where a period begins.
    at_low : bool
        Whether the cut may be `low` itself: only where a share of :data:`LEAST_SHARE_AT_CUT` has
        it.  In a dense column the roundest number is more often than not one person's.

    Examples
    --------
    >>> round_cut(0, 12_345.67, at_low=True), round_cut(0, 12_345.67)
    (0.0, 10000.0)
    >>> round_cut(41_204.5, 42_399.5), round_cut(140, 147), round_cut(41, 42)
    (42000.0, 145.0, 41.5)
    >>> round_cut(3_900, 57_000), round_cut(3_900, 98_765), round_cut(3_900, 101_000)
    (50000.0, 50000.0, 100000.0)
    """
    if kind == "date":
        for months in (120, 12, 1):
            start = _start_of_period(high, months)
            if start is not None and (low < start or (at_low and low == start)):
                return start
    exact = Decimal(low), Decimal(high)
    first = max(abs(end) for end in exact).adjusted() + 1
    for exponent in range(first, first - DIGITS, -1):
        for leading in (10, 5, 2):
            step = leading * Decimal(10) ** (exponent - 1)
            least = ceil(exact[0] / step) if at_low else floor(exact[0] / step) + 1
            most = ceil(exact[1] / step) - 1
            if least > most:
                continue
            cut = float(min(max(0, least), most) * step)  # the nearest to 0, wherever they lie
            if low < cut < high or (at_low and cut == low):
                return cut
    return low


def _start_of_period(high: float, months: int) -> float | None:
    """Days until the last period of so many months that begins before `high`."""
    if not -500_000 < high < 2_000_000:  # no date, or one that no calendar has
        return None
    day = _EPOCH + dt.timedelta(days=ceil(high) - 1)
    if not 1 <= day.year <= LAST_YEAR:
        return None
    number = (day.year * 12 + day.month - 1) // months * months
    if number < 12:
        return None
    return float(np.float64((dt.date(number // 12, number % 12 + 1, 1) - _EPOCH).days))
