"""Labels of ranges, and their ends read back from them."""

import math
import re
from functools import lru_cache

_NUMBER = r"(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)"
_BAND = re.compile(rf"^\[?{_NUMBER}-{_NUMBER}[\])]?$")
_BELOW = re.compile(rf"^<{_NUMBER}$")
_ABOVE = re.compile(rf"^>={_NUMBER}$")
_RANGE = re.compile(r"^\[(.+) to (.+)\]$")


def range_label(low: str | None, high: str | None) -> str:
    """Label of the values from `low` to `high`; one value is its own label.

    Examples
    --------
    >>> range_label("20", "29"), range_label("1989-04-22", "2001-01-19"), range_label("7", "7")
    ('[20-29]', '[1989-04-22 to 2001-01-19]', '7')
    """
    low, high = str(low), str(high)
    if low == high:
        return low
    return f"[{low}-{high}]" if _is_number(low) and _is_number(high) else f"[{low} to {high}]"


@lru_cache(maxsize=4096)  # a release has many ranges between few values
def _is_number(value: str) -> bool:
    return re.fullmatch(_NUMBER, value) is not None


def range_ends(label: str | None) -> tuple[str, str] | None:
    """First and last value of a range of dates or other ordered text; None when it is no range.

    Examples
    --------
    >>> range_ends("[1989-04-22 to 2001-01-19]"), range_ends("[20-29]")
    (('1989-04-22', '2001-01-19'), None)
    """
    ends = _RANGE.match(label or "")
    return (ends[1], ends[2]) if ends else None


def band_bounds(label: str | None) -> tuple[float, float] | None:
    """Least and largest number that a label speaks of; None when it is no band.

    Examples
    --------
    >>> band_bounds("[20-29]"), band_bounds(">=65"), band_bounds("Kansas")
    ((20.0, 29.0), (65.0, inf), None)
    """
    if label is None:
        return None
    if ends := _BAND.match(label):
        low, high = float(ends[1]), float(ends[2])
        return (low, high) if low <= high else None
    if ends := _BELOW.match(label):
        return -math.inf, float(ends[1])
    if ends := _ABOVE.match(label):
        return float(ends[1]), math.inf
    return None
