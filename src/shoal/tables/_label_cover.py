"""Which raw values a released label stands for, read from its text alone."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from shoal.errors import SchemaError
from shoal.schema import Column, Schema
from shoal.schema._coding import make_coding
from shoal.schema._text import number, text
from shoal.tables._engine import STAR
from shoal.typing import Flags, Floats

Place: TypeAlias = Callable[[str], float]
"""Place of a value on the line of its column; NaN for what has none."""

Band: TypeAlias = tuple[float, float, bool]
"""Least and largest place, and whether the largest is left out."""


def covers(name: str, labels: Sequence[Any], values: Sequence[Any], schema: Schema) -> Flags:
    """Which raw values (rows) each released label (columns) stands for.

    A label is a raw value, a star, a range of an ordered column (``[20-29]``, ``[0.5-1)``,
    ``<18``, ``>=65``, ``[low to high]``), a node of the hierarchy, a code with its end masked
    (``537**``), or a set of these (``{a, b}``).
    """
    raw = [text(value) for value in values]
    known = [value for value in raw if value is not None]
    parse = _line(schema[name], values)
    places = np.array([math.nan if value is None else parse(value) for value in raw])
    above = _ancestors(name, schema[name], values)
    covered = np.zeros((len(raw), len(labels)), np.bool_)
    row_of: dict[str | None, list[int]] = {}
    for row, value in enumerate(raw):
        for word in {value, *above.get(value, ())}:
            row_of.setdefault(word, []).append(row)
    for column, label in enumerate(text(label) for label in labels):
        if label == STAR:
            covered[:, column] = True
            continue
        for part in _parts(label, known):
            covered[row_of.get(part, []), column] = True
            if part is not None:
                covered[:, column] |= _inside(part, parse, places)
                covered[:, column] |= _masked(part, raw)
    return covered


def read_range(label: str) -> tuple[float, float] | None:
    """The least and the largest number that a label may stand for; None when it is no range.

    Examples
    --------
    >>> read_range("[20-29]"), read_range(">=65"), read_range("37"), read_range("Paris")
    ((20.0, 29.0), (65.0, inf), (37.0, 37.0), None)
    """
    band = read_band(label)
    return None if band is None else (band[0], band[1])


def read_band(label: str, *, dates: bool = False) -> Band | None:
    """As :func:`read_range`, of dates, too (in days), and whether the largest is left out.

    Examples
    --------
    >>> read_band("[20-30)"), read_band("[1970-01-02 to 1970-01-31]", dates=True)
    ((20.0, 30.0, True), (1.0, 30.0, False))
    """
    parse = _date if dates else _number
    point = parse(label)
    if not math.isnan(point):
        return point, point, False
    return _band(label, parse)


def _parts(label: str | None, known: Sequence[str]) -> list[str | None]:
    """The members of a set, else the label itself; values with commas are found as they are."""
    if label is None or not (label.startswith("{") and label.endswith("}")):
        return [label]
    inner = label[1:-1]
    whole = [value for value in known if f", {value}, " in f", {inner}, "]
    return [*whole, *(part.strip() for part in inner.split(","))]


def _inside(label: str, parse: Place, places: Floats) -> Flags:
    band = _band(label, parse)
    if band is None:
        return np.zeros(len(places), np.bool_)
    low, high, is_open = band
    return (places >= low) & ((places < high) if is_open else (places <= high))


def _band(label: str, parse: Place) -> Band | None:
    """The range that a label writes out; None when it is none."""
    if label.startswith(">="):
        low = parse(label[2:])
        return None if math.isnan(low) else (low, math.inf, False)
    if label.startswith("<"):
        high = parse(label[1:])
        return None if math.isnan(high) else (-math.inf, high, True)
    is_open = label.endswith(")")
    inner = label[1:-1] if label.startswith("[") and label.endswith((")", "]")) else label
    for sign in (" to ", "-"):
        dash = inner.find(sign, 1)
        while dash >= 0:  # values may hold dashes themselves: dates, negative numbers
            low, high = parse(inner[:dash]), parse(inner[dash + len(sign) :])
            if low <= high:
                return low, high, is_open
            dash = inner.find(sign, dash + 1)
    return None


def _masked(label: str, raw: Sequence[str | None]) -> Flags:
    """Values that begin like a label whose end is starred, and are as long."""
    start = label.rstrip(STAR)
    if not start or start == label:
        return np.zeros(len(raw), np.bool_)
    return np.array(
        [v is not None and len(v) == len(label) and v.startswith(start) for v in raw], np.bool_
    )


def _line(column: Column, values: Sequence[Any]) -> Place:
    """How values of a column are placed on a line."""
    if column.kind == "date":
        return _date
    texts_only = any(isinstance(value, str) for value in values)
    if column.kind == "ordinal" and (column.order or texts_only):
        return _rank(column.order or sorted(str(text(v)) for v in values if text(v) is not None))
    return _number


def _number(value: str) -> float:
    try:
        return float(value)
    except ValueError:
        return math.nan


def _date(value: str) -> float:
    try:
        return number(np.datetime64(value).astype("datetime64[us]").item())
    except ValueError:
        return math.nan


def _rank(order: Sequence[str]) -> Place:
    ranks = {value: float(rank) for rank, value in enumerate(order)}
    alphabetical = list(order) == sorted(order)

    def place(value: str) -> float:
        if value in ranks:
            return ranks[value]
        # a value that only the release has still has its place where the order is that of text
        return bisect_left(order, value) - 0.5 if alphabetical and value else math.nan

    return place


def _ancestors(
    name: str, column: Column, values: Sequence[Any]
) -> dict[str | None, tuple[str, ...]]:
    """Labels of the nodes above each value; of the hierarchy that is built where none is given."""
    present = [value for value in values if text(value) is not None]
    if not present:
        return {}
    try:
        coding = make_coding(name, column, present, missing_to_root=True, build_hierarchy=True)
    except SchemaError:
        raise SchemaError(
            f"column {name!r}: its hierarchy does not hold the people's values, so that released "
            "labels cannot be matched to them."
        ) from None
    tree = coding.hierarchy
    assert tree is not None
    return {
        tree.labels[leaf]: tuple(str(tree.labels[node]) for node in tree.levels[leaf])
        for leaf in range(tree.n_leaves)
    }
