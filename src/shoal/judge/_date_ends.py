"""Ends of ranges of dates: whether they are lines, or days that few people have.

Lines are the first days of years, and those of months where a range is of about two years at most,
where the schema sets months or quarters, and where a label of the tree names the period.  A moment
within a day is never one.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping, Sequence

from shoal.judge._values import period

_WIDEST = dt.timedelta(days=800)
"""Ranges of so many days may end with months: two years, and a month at either end."""

_NAMED = re.compile(r"(\d{4})(?:-Q([1-4])|(s))")
_DAY = dt.timedelta(days=1)

_Ends = tuple[str | None, str | None, bool]  # least and largest, and whether the latter is outside


def day_of(text: str) -> dt.date | None:
    """The day that a text stands for, the first of a month or year; None where it is no date."""
    ends = period(text)
    return None if ends is None else ends[0].date()


def dates_of_few(
    ranges: Iterable[_Ends],
    held: Mapping[dt.date | None, int],
    fewest: int,
    labels: Iterable[str],
    step: float | str | None,
) -> int:
    """Ranges that begin or end at a day that fewer than `fewest` people have, and at no line.

    Parameters
    ----------
    ranges : iterable of tuple
        Both ends as they are written, and whether the second lies outside.
    held : mapping of date to int
        People with each day.
    labels : iterable of str
        Bands of the tree.
    step : float, str or None
        What the schema says of lines.

    Examples
    --------
    >>> spring = ("2020-03-01", "2020-05-31", False)
    >>> birth = ("2020-03-14", "2020-05-31", False)
    >>> held = {dt.date(2020, 3, 1): 1, dt.date(2020, 3, 14): 1}
    >>> dates_of_few([spring, birth], held, 2, (), None)
    1
    """
    lines = {line for label in labels for line in _borders(label)}
    always = step in ("month", "quarter")
    n_few = 0
    for low, high, is_open in ranges:
        first = _end(low, beyond=False)
        last = _end(high, beyond=not is_open)
        is_near = None not in (first, last) and last[0] - first[0] <= _WIDEST  # type: ignore[index]
        for end, is_first in ((first, True), (last, False)):
            if end is None:
                continue
            line, is_midnight = end
            day = line if is_first or not is_midnight else line - _DAY
            if is_midnight and (line in lines or _is_line(line, months=always or is_near)):
                continue
            # a moment is told to the second: that others have the day hides nobody
            n_few += 0 < held.get(day, 0) < (fewest if is_midnight else float("inf"))
    return n_few


def _is_line(day: dt.date, *, months: bool) -> bool:
    return day == dt.date.max or (day.day == 1 and (months or day.month == 1))


def _end(text: str | None, *, beyond: bool) -> tuple[dt.date, bool] | None:
    """Where a range begins, or the day after its last; and whether that is no time of a day."""
    ends = period(text or "")
    if ends is None:
        return None
    if ends[0] != ends[1]:  # a day, a month or a year
        last = ends[1].date()
        after = last if last == dt.date.max else last + _DAY
        return (after if beyond else ends[0].date()), True
    return ends[0].date(), ends[0].time() == dt.time() and not beyond


def _borders(label: str) -> Sequence[dt.date]:
    """First day of the period that a label names, and the first behind it."""
    if named := _NAMED.fullmatch(label):
        year, quarter = int(named[1]), int(named[2] or 1)
        first = dt.date(max(year, 1), 3 * quarter - 2, 1)
        if named[3]:
            return [first] if year > dt.MAXYEAR - 10 else [first, dt.date(year + 10, 1, 1)]
        month = first.month + 3
        return [first, dt.date(year, month, 1)] if month < 13 else [first]
    low, sign, high = label.strip("[])").partition(" to ")
    both = (_end(low, beyond=False), _end(high if sign else low, beyond=not label.endswith(")")))
    return [end[0] for end in both if end is not None]
