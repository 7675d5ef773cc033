"""Many texts put on a line at once: numbers by their worth, dates by their ends."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from shoal.judge._values import is_number, period
from shoal.typing import Flags, Floats

_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_MICROSECONDS_OF_A_DAY = 86_400_000_000
_SURE_SIGNS = 15
"""Decimals of so many digits differ as floats where they differ at all."""


class Places(NamedTuple):
    """Where texts stand on a line.

    Parameters
    ----------
    first, last : ndarray of float
        Least and largest place that a text stands for; NaN where it has none.
    exact : ndarray of bool
        Whether two of them that are equal here are equal indeed.
    """

    first: Floats
    last: Floats
    exact: Flags

    def of(self, codes: np.ndarray) -> Places:
        """Places by their numbers."""
        return Places(self.first[codes], self.last[codes], self.exact[codes])


def number_places(texts: Sequence[str | None]) -> Places:
    """Numbers; an exponent may make unequal ones equal floats, and so may many digits."""
    worth = np.array(
        [float(text) if text is not None and is_number(text) else np.nan for text in texts],
        np.float64,
    )
    exact = [
        text is not None and len(text) <= _SURE_SIGNS and "e" not in text and "E" not in text
        for text in texts
    ]
    return Places(worth, worth, np.array(exact, np.bool_))


def date_places(texts: Sequence[str | None]) -> Places:
    """Years, months, days and moments, in microseconds since 1970, which floats hold exactly.

    Microseconds of the years 1 to 9999 need 59 bits: what is beyond 53 is not `exact`.
    """
    first = np.full(len(texts), np.nan)
    last = np.full(len(texts), np.nan)
    days = [place for place, text in enumerate(texts) if text is not None and _DAY.fullmatch(text)]
    try:
        listed = np.array([texts[place] for place in days], "datetime64[D]")
    except ValueError:  # the 30th of February
        days, listed = [], np.empty(0, "datetime64[D]")
    first[days] = listed.astype(np.int64) * _MICROSECONDS_OF_A_DAY
    last[days] = first[days] + (_MICROSECONDS_OF_A_DAY - 1)
    is_day = np.zeros(len(texts), np.bool_)
    is_day[days] = True
    for place in np.flatnonzero(~is_day).tolist():
        ends = period(texts[place] or "")
        if ends is not None:
            first[place], last[place] = np.array(ends, "datetime64[us]").astype(np.int64)
    exact = (np.abs(first) < 2.0**53) & (np.abs(last) < 2.0**53)
    return Places(first, last, exact)
