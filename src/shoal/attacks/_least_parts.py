"""What the least label of a group says of its members: a part of the label that holds somebody."""

from __future__ import annotations

import datetime as dt
import re
from fractions import Fraction

from shoal.schema import Column, Hierarchy
from shoal.schema._band_labels import range_ends
from shoal.schema._builders import LEAST_STEP, Intervals, round_step
from shoal.schema._days import Dates
from shoal.schema._hierarchy import Recipe
from shoal.schema._lines import MONTHS_UNTIL
from shoal.schema._tree_parts import ROOT_LABEL

_RANGE = re.compile(r"^\[(-?[^-\s\[\]]+)-(-?[^-\s\[\])]+)([\])])$")
_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120}


def parts_with_somebody(
    column: Column, tree: Hierarchy | None, label: str, ranges: str
) -> tuple[str, ...]:
    """Parts of a least label, each of which holds at least one member of the group.

    `tree` is the column's hierarchy where it does not depend on the data; `ranges` says how
    ordered columns were released: "lines", "exact" or "nodes".  Nothing is concluded from `*`,
    which may hide missing values, nor from labels whose lines the schema does not tell.

    Examples
    --------
    >>> age = Column("quasi-identifier", "numeric")
    >>> parts_with_somebody(age, None, "[31-38]", "exact")
    ('31', '38')
    >>> parts_with_somebody(age, None, "[30-39]", "lines")
    ('[30-34]', '[35-39]')
    """
    if label == ROOT_LABEL:
        return ()
    if tree is not None and column.kind == "categorical":
        return _children(tree, label)
    if ranges == "nodes":
        return ()
    has_no_lines = column.kind == "ordinal" and column.hierarchy is None
    if ranges == "exact" or has_no_lines:
        return range_ends(label) or _number_ends(label)
    if column.kind == "date":
        return _periods(column, label)
    return _steps(column, label) if column.kind == "numeric" else ()


def _children(tree: Hierarchy, label: str) -> tuple[str, ...]:
    """Both children of a node that has two: a lowest common node has members under both."""
    node = tree.find(label)
    if node < tree.n_leaves or node == tree.root:
        return ()
    below = tree.children(node)
    return tuple(str(tree.labels[child]) for child in below) if len(below) == 2 else ()


def _number_ends(label: str) -> tuple[str, ...]:
    ends = _RANGE.match(label)
    return (ends[1], ends[2]) if ends and ends[3] == "]" else ()


def _steps(column: Column, label: str) -> tuple[str, ...]:
    """The first and the last step of a range between round numbers."""
    ends = _RANGE.match(label)
    if ends is None or not isinstance(column.hierarchy, Intervals | None):
        return ()  # it ends with bands that people wrote, or around them
    whole = ends[3] == "]"
    start, stop = Fraction(ends[1]), Fraction(ends[2]) + whole
    step = _known_step(column) or _largest_step(start, stop, whole)
    if step is None or stop - start <= step:
        return ()
    return tuple(_band(low, low + step, whole) for low in (start, stop - step))


def _known_step(column: Column) -> Fraction | None:
    if column.lines is not None and not (column.limit or column.limit_level is not None):
        return Fraction(str(column.lines))
    if isinstance(column.hierarchy, Intervals):
        return Fraction(str(column.hierarchy.widths[0]))
    return None


def _largest_step(start: Fraction, stop: Fraction, whole: bool) -> Fraction | None:
    """Largest round step that could have produced the range, given its width."""
    length, step = stop - start, round_step((stop - start) / 4, LEAST_STEP if whole else 0)
    for _ in range(4):  # a range spans at least a step, and steps are a quarter of it or more
        if start % step == 0 and stop % step == 0 and _fits(length, step, whole):
            return step
        step = round_step(step * Fraction(2, 5))  # the next smaller one
    return None


def _fits(length: Fraction, step: Fraction, whole: bool) -> bool:
    """Whether some width of values between the ends asks for this step."""
    least = LEAST_STEP if whole else 0
    width = min(length, 4 * step)  # the widest that both allow
    return width > length - 2 * step and round_step(width / 4, least) == step


def _band(low: Fraction, high: Fraction, whole: bool) -> str:
    if whole:
        return f"[{low}-{high - 1}]" if high - low > 1 else str(low)
    return f"[{float(low):.12g}-{float(high):.12g})"


def _periods(column: Column, label: str) -> tuple[str, ...]:
    """The first and the last period of a range of dates."""
    ends = range_ends(label)
    if ends is None:
        return ()
    first, last = (dt.date.fromisoformat(end[:10]) for end in ends)
    stop = last + dt.timedelta(days=1)
    period = _period(column, first, stop)
    if period is None:
        return ()
    length = _MONTHS[period]
    begin, end = (day.year * 12 + day.month - 1 for day in (first, stop))
    if end - begin <= length:
        return ()
    return tuple(_days(month, month + length) for month in (begin, end - length))


def _period(column: Column, first: dt.date, stop: dt.date) -> str | None:
    if column.lines is not None and column.limit_level is None and not column.limit:
        return str(column.lines)
    if isinstance(column.hierarchy, Dates):
        return next(period for period in _MONTHS if period in column.hierarchy.periods)
    if isinstance(column.hierarchy, Recipe | Hierarchy):
        return None
    years = (first.month, first.day, stop.month, stop.day) == (1, 1, 1, 1)
    return "year" if years and (stop - first).days > MONTHS_UNTIL else "month"


def _days(begin: int, end: int) -> str:
    start, stop = (dt.date(month // 12, month % 12 + 1, 1) for month in (begin, end))
    return f"[{start} to {stop - dt.timedelta(days=1)}]"
