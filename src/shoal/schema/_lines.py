"""Public lines: where ranges may end, chosen without looking at the rows of a release.

A range that ends at its members' values says that somebody has exactly that value.  So a released
range is widened to the lines around it: the finest bands of the column's hierarchy, what the
schema says (``lines = 5``, ``lines = "month"``), else months and years for dates, and round
numbers.  Without a word in the schema the spacing of round numbers follows the width of the range
(1, 2 or 5 times a power of ten, at least a quarter of the width, and at least 5 for whole
numbers), and dates of ranges wider than two years end with years.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import NamedTuple, TypeAlias

import numpy as np

from shoal.schema._builders import LEAST_STEP, round_step
from shoal.schema._coding import Coding
from shoal.schema._column import Kind
from shoal.schema._tree_parts import ROOT_LABEL
from shoal.typing import Codes

MONTHS_UNTIL = 731
"""Days up to which ranges of dates end with months, if the schema says nothing; then years."""

_SHARE_OF_WIDTH = 4  # a step is at least a quarter of the range
_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
_PERIOD = re.compile(r"^(\d{4})(?:-(\d\d)|-Q([1-4])|(s))?$")
_BAND = re.compile(r"^(\[?)(-?[^-\[\]]+?)-(-?[^-\[\])]+)([\])]?)$")  # files say 20-24, too
_EPOCH = dt.date(1970, 1, 1)


class PublicRange(NamedTuple):
    """A range between public lines: the codes that it covers, its text, and its ends.

    `low` and `high` are the first and last code covered; `least` and `most` the ends as written,
    on the number line, infinite where the range is open.  Of a range of all codes no more is said.
    """

    low: int
    high: int
    text: str = ROOT_LABEL
    least: float = -math.inf
    most: float = math.inf


Widen: TypeAlias = Callable[[int, int], PublicRange | None]
"""From the least and largest code of a group to its range; None where there are no lines."""


class _End(NamedTuple):
    """One side of a band: a number (None when it is open), and whether it belongs to the band."""

    value: Fraction | None
    inside: bool


def public_lines(coding: Coding) -> Widen:
    """How ranges of a column are widened to public lines.

    Columns that have none are ordinal ones without a hierarchy, whose ranges end at values.

    Examples
    --------
    >>> from shoal.schema import Column
    >>> from shoal.schema._coding import make_coding
    >>> age = make_coding("age", Column("quasi-identifier", "numeric"), [31, 34, 52, 58])
    >>> widen = public_lines(age)
    >>> widen(0, 1).text, widen(2, 3).text, widen(0, 3).text
    ('[30-34]', '[50-59]', '[30-59]')
    """
    if coding.bands is not None:
        return _by_bands(coding, coding.bands)
    if coding.kind == "date":
        return lambda low, high: _by_periods(coding, low, high)
    if coding.kind == "numeric":
        finite = np.isfinite(coding.numbers).tolist()  # a missing value has no number, either
        known = zip(coding.texts, finite, strict=True)
        exact = [Fraction(str(text)) if is_finite else None for text, is_finite in known]
        known_exactly = exact[: coding.n_values]
        whole = all(value is not None and value.denominator == 1 for value in known_exactly)
        # the same as integers, which are much quicker: solvers ask about every pair of values
        values = [int(value) if whole and value is not None else value for value in exact]
        numbers = coding.numbers[: coding.n_values].tolist()
        return lambda low, high: _by_steps(coding, values, numbers, whole, low, high)
    if coding.kind == "categorical":  # an alphabet is no public line
        return lambda low, high: PublicRange(0, coding.n_codes - 1)
    return lambda low, high: None


# -- bands of a hierarchy -----------------------------------------------------------------------


class _Band(NamedTuple):
    """A band that ranges begin or end with.

    `start` and `stop` are its first and last code; `least` and `most` its ends as its label writes
    them, None for a name; the others the same as numbers, and as ranges from or to it are written.
    """

    start: int
    stop: int
    label: str
    least: _End | None = None
    most: _End | None = None
    low: float = -math.inf
    high: float = math.inf
    opening: str = ""
    closing: str = ""


def _by_bands(coding: Coding, bands: Codes) -> Widen:
    tree = coding.hierarchy
    assert tree is not None
    band_of = bands.tolist()
    without_tree = replace(coding, hierarchy=None, ceiling=np.empty(0, np.int32))
    by_values = public_lines(without_tree) if coding.kind in ("numeric", "date") else None
    gaps = np.diff(coding.numbers[: coding.n_values])
    is_rising, is_whole_scale = bool((gaps > 0).all()), bool((gaps == 1).all())

    @cache  # a band is an end of many ranges
    def band(node: int) -> _Band:
        start, stop = int(tree.start[node]), int(tree.stop[node]) - 1
        if node < tree.n_leaves:  # of a branch that is shorter than others: a value is no line
            return _Band(start, stop, str(tree.labels[node]))
        return _read_band(coding, start, stop, str(tree.labels[node]))

    def widen(low: int, high: int) -> PublicRange:
        first, last = band_of[low], band_of[high]
        if tree.root in (first, last):  # a value that the hierarchy was not made for
            return PublicRange(0, coding.n_codes - 1)
        begin, end = band(first), band(last)
        named = begin.least is None or end.most is None
        if first == last or not named or coding.kind == "ordinal":
            return _between(coding, begin, end)
        # between bands with names: their first and last leaf may be somebody's own value
        if coding.kind == "numeric" and is_whole_scale:
            return _on_scale(coding, begin.start, end.stop)
        if by_values is not None and is_rising and not coding.is_limited:
            widened = by_values(begin.start, end.stop)
            assert widened is not None
            return widened
        node = int(tree.lowest_common_ancestor(first, last))
        whole = PublicRange(0, coding.n_codes - 1)
        return whole if node == tree.root else _between(coding, band(node), band(node))

    return widen


def _on_scale(coding: Coding, start: int, stop: int) -> PublicRange:
    """A range of a tree that lists every whole number, and none of them for being somebody's.

    Where the list begins and ends may follow the table: such a range is open.
    """
    if start == 0 and stop == coding.n_values - 1:
        return PublicRange(0, coding.n_codes - 1)
    first, last = (Fraction(str(coding.texts[code])) for code in (start, stop))
    least = _End(None, False) if start == 0 else _End(first, True)
    most = _End(None, False) if stop == coding.n_values - 1 else _End(last, True)
    low = -math.inf if least.value is None else float(first)
    high = math.inf if most.value is None else float(last)
    return PublicRange(start, stop, _text(coding, least, most), low, high)


def _read_band(coding: Coding, start: int, stop: int, label: str) -> _Band:
    ends = _band_ends(coding.kind, label)
    if ends is None:
        return _Band(start, stop, label)
    least, most = ends
    low = -math.inf if least.value is None else float(least.value)
    high = math.inf if most.value is None else float(most.value)
    inside = coding.numbers[start : stop + 1]
    if coding.kind == "numeric" and not ((low <= inside) & (inside <= high)).all():
        return _Band(start, stop, label)  # it only looks like a range
    return _Band(start, stop, label, least, most, low, high, *_halves(coding, least, most))


def _between(coding: Coding, first: _Band, last: _Band) -> PublicRange:
    """The range from one band to another, which may be the same."""
    start, stop = first.start, last.stop
    if first.least is None or last.most is None:  # a name, or ordinal: its order is the schema's
        numbers = coding.numbers
        joined = first.label if first is last else _join(coding.texts[start], coding.texts[stop])
        return PublicRange(start, stop, joined, float(numbers[start]), float(numbers[stop]))
    if first is last:
        text = first.label
    elif first.opening and last.closing:
        text = first.opening + last.closing
    else:
        text = _text(coding, first.least, last.most)
    return PublicRange(start, stop, text, first.low, last.high)


def _band_ends(kind: Kind, label: str) -> tuple[_End, _End] | None:
    """Both ends of a band as its label writes them; None for a name."""
    if kind == "date":
        period = _PERIOD.match(label)
        return _period_ends(period) if period else None
    if kind != "numeric":
        return None
    if label.startswith("<"):
        high = _fraction(label[1:])
        return None if high is None else (_End(None, False), _End(high, False))
    if label.startswith(">="):
        low = _fraction(label[2:])
        return None if low is None else (_End(low, True), _End(None, False))
    if (number := _fraction(label)) is not None:
        return _End(number, True), _End(number, True)
    ends = _BAND.match(label)
    low, high = (_fraction(ends[2]), _fraction(ends[3])) if ends else (None, None)
    if ends is None or low is None or high is None or (ends[1] == "") != (ends[4] == ""):
        return None
    return _End(low, True), _End(high, ends[4] != ")")


def _period_ends(period: re.Match[str]) -> tuple[_End, _End]:
    year, month, quarter, decade = period.groups()
    length = 1 if month else 3 if quarter else 120 if decade else 12
    first = int(year) * 12 + (int(month) - 1 if month else 3 * (int(quarter or 1) - 1))
    start, stop = month_start(first), month_start(first + length)
    return _End(Fraction(start), True), _End(Fraction(stop), False)


# -- steps and periods --------------------------------------------------------------------------


def _by_steps(
    coding: Coding,
    values: Sequence[Fraction | int | None],
    numbers: Sequence[float],
    whole: bool,
    low: int,
    high: int,
) -> PublicRange:
    least, most = values[low], values[high]
    if least is None or most is None:  # infinite
        return PublicRange(0, coding.n_codes - 1)
    step: Fraction | int
    if coding.lines is not None:
        step = Fraction(str(coding.lines))
    else:
        step = round_step(Fraction(most - least, _SHARE_OF_WIDTH), LEAST_STEP if whole else 0)
    inside = whole and step.denominator == 1  # then the end is the last number of the range
    step = int(step) if inside else step
    start, stop = least // step * step, (most // step + 1) * step
    end = stop - 1 if inside else stop
    text = f"[{start}-{end}]" if inside else f"[{_plain(start)}-{_plain(end)})"
    # all the codes that the range covers, and at least those that it was made for
    first = min(bisect_left(numbers, float(start)), low)
    last = max((bisect_right if inside else bisect_left)(numbers, float(end)) - 1, high)
    return PublicRange(first, last, text, float(start), float(end))


def _by_periods(coding: Coding, low: int, high: int) -> PublicRange | None:
    least, most = (math.floor(coding.numbers[code]) for code in (low, high))
    period = coding.lines or ("month" if most - least <= MONTHS_UNTIL else "year")
    length = _MONTHS[str(period)]
    first, last = (_month_of(day) // length * length for day in (least, most))
    start, stop = month_start(first), month_start(last + length)
    numbers = coding.numbers[: coding.n_values]
    first_code = min(int(np.searchsorted(numbers, float(start), "left")), low)
    last_code = max(int(np.searchsorted(numbers, float(stop), "left")) - 1, high)
    text = "".join(_halves(coding, _End(Fraction(start), True), _End(Fraction(stop), False)))
    return PublicRange(first_code, last_code, text, float(start), float(stop))


def _month_of(day: int) -> int:
    date = _EPOCH + dt.timedelta(days=day)
    return date.year * 12 + date.month - 1


def month_start(month: int) -> int:
    """Day, since 1970, on which a month begins; months are counted from the year 0."""
    year, index = divmod(month, 12)
    if year > dt.MAXYEAR:
        return (dt.date.max - _EPOCH).days + 1
    return (dt.date(max(year, 1), index + 1, 1) - _EPOCH).days


# -- texts --------------------------------------------------------------------------------------


def _text(coding: Coding, least: _End, most: _End) -> str:
    if least.value is None and most.value is None:
        return ROOT_LABEL
    if least.value is None:
        assert most.value is not None
        return f"<{_plain(most.value + 1 if most.inside else most.value)}"
    if most.value is None:
        return f">={_plain(least.value)}"
    return "".join(_halves(coding, least, most))


def _halves(coding: Coding, least: _End, most: _End) -> tuple[str, str]:
    """How a range is written that begins and ends so; nothing for a side that is open.

    Dates are days, both included; the day after, excluded, where values have a time of day.
    """
    opening = closing = ""
    is_date = coding.kind == "date"
    timed = is_date and coding.has_fractions  # of days
    if least.value is not None:
        day = _EPOCH + dt.timedelta(days=int(least.value)) if is_date else None
        opening = f"[{day} to " if is_date else f"[{_plain(least.value)}-"
    if most.value is not None and is_date:
        stop = min(int(most.value) - (not timed), (dt.date.max - _EPOCH).days)
        closing = f"{_EPOCH + dt.timedelta(days=stop)}{')' if timed else ']'}"
    elif most.value is not None:
        closing = f"{_plain(most.value)}{']' if most.inside else ')'}"
    return opening, closing


def _join(low: str | None, high: str | None) -> str:
    return f"[{low} to {high}]" if _fraction(str(low)) is None else f"[{low}-{high}]"


def _fraction(value: str | None) -> Fraction | None:
    try:
        return Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        return None


def _plain(value: Fraction | int) -> str:
    if value.denominator == 1:
        return str(value.numerator)
    return f"{(Decimal(value.numerator) / Decimal(value.denominator)).normalize():f}"
