"""Read the bounds of a band back from its label."""

import math
import re

_NUMBER = r"(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)"
_BAND = re.compile(rf"^\[?{_NUMBER}-{_NUMBER}[\])]?$")
_BELOW = re.compile(rf"^<{_NUMBER}$")
_ABOVE = re.compile(rf"^>={_NUMBER}$")


def band_bounds(label: str | None) -> tuple[float, float] | None:
    """Least and largest number that a label speaks of; None when it is no band.

    Examples
    --------
    >>> band_bounds("[20-29]"), band_bounds(">=65"), band_bounds("Kansas")
    ((20.0, 29.0), (65.0, inf), None)
    """
    if label is None:
        return None
    if found := _BAND.match(label):
        low, high = float(found[1]), float(found[2])
        return (low, high) if low <= high else None
    if found := _BELOW.match(label):
        return -math.inf, float(found[1])
    if found := _ABOVE.match(label):
        return float(found[1]), math.inf
    return None
