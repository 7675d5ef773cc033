"""What a released label says in numbers: its least and its largest value, read from its text."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from shoal.schema._lines import month_start
from shoal.schema._tree_parts import ROOT_LABEL

_EPOCH = dt.date(1970, 1, 1)
_NUMBER = r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_RANGE = re.compile(rf"^\[({_NUMBER})-({_NUMBER})([\])])$")
_BELOW = re.compile(rf"^<({_NUMBER})$")
_ABOVE = re.compile(rf"^>=({_NUMBER})$")
_DAYS = re.compile(r"^\[(.+) to (.+)([\])])$")
_PERIOD = re.compile(r"^(\d{4})(?:-(\d\d)|-Q([1-4])|(s))?$")


class LabelEnds(NamedTuple):
    """Least and largest value that a label allows; None where it sets no end.

    Dates count days since 1970.  `open_high` says that `high` itself is not allowed.
    """

    low: Fraction | None
    high: Fraction | None
    open_high: bool = False


ANYTHING = LabelEnds(None, None)
"""What a star says."""


def label_ends(label: str, kind: str) -> LabelEnds | None:
    """The ends of a label of a numeric or a date column; None where it is a name.

    Examples
    --------
    >>> [label_ends(label, "numeric") for label in ("[20-29]", "adult")]
    [LabelEnds(low=Fraction(20, 1), high=Fraction(29, 1), open_high=False), None]
    >>> label_ends(">=65", "numeric").high, label_ends("*", "numeric") == ANYTHING
    (None, True)
    >>> [int(end) for end in label_ends("1970-02", "date")[:2]]
    [31, 58]
    """
    if label == ROOT_LABEL:
        return ANYTHING
    return _date_ends(label) if kind == "date" else _number_ends(label)


def are_whole(ends: Iterable[LabelEnds]) -> bool:
    """Whether all labels speak of whole numbers: `[20-25)` does not, and `<18` may."""
    return all(
        (end.low is None or not end.open_high)
        and all(side is None or side.denominator == 1 for side in end[:2])
        for end in ends
    )


def closed(ends: LabelEnds, *, whole: bool) -> tuple[Fraction | None, Fraction | None]:
    """Both ends; of whole numbers the last one that is allowed."""
    if ends.open_high and whole and ends.high is not None:
        return ends.low, ends.high - 1
    return ends.low, ends.high


def _number_ends(label: str) -> LabelEnds | None:
    if (number := _fraction(label)) is not None:
        return LabelEnds(number, number)
    if match := _RANGE.match(label):
        return LabelEnds(Fraction(match[1]), Fraction(match[2]), match[3] == ")")
    if match := _BELOW.match(label):
        return LabelEnds(None, Fraction(match[1]), open_high=True)
    if match := _ABOVE.match(label):
        return LabelEnds(Fraction(match[1]), None)
    return None


def _fraction(text: str) -> Fraction | None:
    return Fraction(text) if re.fullmatch(_NUMBER, text) else None


def _date_ends(label: str) -> LabelEnds | None:
    if match := _DAYS.match(label):
        first, last = _days(match[1]), _days(match[2])
        if first is None or last is None:
            return None
        return LabelEnds(first[0], last[0] - 1 if match[3] == ")" else last[1])
    days = _days(label)
    return None if days is None else LabelEnds(*days)


def _days(text: str) -> tuple[Fraction, Fraction] | None:
    """First and last day of a day, a month, a quarter, a year or a decade."""
    if match := _PERIOD.match(text):
        year, month, quarter, decade = match.groups()
        first = int(year) * 12 + (int(month) - 1 if month else 3 * (int(quarter or 1) - 1))
        length = 1 if month else 3 if quarter else 120 if decade else 12
        if month and not 1 <= int(month) <= 12:
            return None
        return Fraction(month_start(first)), Fraction(month_start(first + length) - 1)
    try:
        day = Fraction((dt.datetime.fromisoformat(text).date() - _EPOCH).days)
    except ValueError:
        return None
    return day, day
