"""One column of two tables read alike: what share of each row falls on each value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.frames._frame import Frame
from shoal.schema import Schema
from shoal.schema._text import number, text
from shoal.tables._engine import STAR
from shoal.tables._label_cover import covers, read_band
from shoal.typing import Codes, Floats

MOST_VALUES = 20
"""Values of a column that are told apart; the rarer ones are taken together."""
N_BINS = 10
"""Parts of a column of numbers, with about as many raw rows in each."""
_MOST_PAIRS = 1 << 24
_ANYTHING = (-np.inf, np.inf, False)


@dataclass(frozen=True, eq=False)
class ColumnPair:
    """One column of the raw table and of the release.

    Parameters
    ----------
    name : str
        The column.
    raw, released : ndarray of float, shape (n_rows, n_values)
        Share of each row on each value; rows sum to 1.  A raw row lies on one value, a label is
        spread evenly over the values that it stands for.
    raw_numbers, released_numbers : ndarray or None
        Of a column of numbers: the number, or the middle of the range; NaN where missing.
    test, test_numbers : ndarray or None
        The same of rows that models are tested on, where there are any.
    """

    name: str
    raw: Floats
    released: Floats
    raw_numbers: Floats | None = None
    released_numbers: Floats | None = None
    test: Floats | None = None
    test_numbers: Floats | None = None

    @property
    def is_number(self) -> bool:
        """Whether the middle of a label means something."""
        return self.raw_numbers is not None


def pair_numbers(name: str, raw: Frame, released: Frame, test: Frame | None = None) -> ColumnPair:
    """A column of numbers or dates, cut into parts with about as many raw rows in each.

    A range is spread evenly over the raw values in it; without any it lies where its middle is.
    """
    points = _points(name, raw)
    values = np.unique(points[~np.isnan(points)])
    values = values if len(values) else np.zeros(1)
    edges = _edges(points, values)
    others = [released] if test is None else [released, test]
    placed = [_placed(_ranges(name, frame), values, edges) for frame in others]
    numbers = [points, *(middle for _, middle in placed)]
    raw_shares = _hot(_part(edges, points), len(edges) + 1)
    shares = _with_missing([raw_shares, *(block for block, _ in placed)], numbers)
    tested = () if test is None else (shares[2], numbers[2])
    return ColumnPair(name, shares[0], shares[1], points, numbers[1], *tested)


def _placed(
    ranges: tuple[Floats, Floats, NDArray[np.bool_]], values: Floats, edges: Floats
) -> tuple[Floats, Floats]:
    """Share of each range on each part, and its middle."""
    low, high, is_open = ranges
    least, most = (low == -np.inf), (high == np.inf)
    first, last = np.where(least, values[0], low), np.where(most, values[-1], high)
    middle = np.where(most & (low > last), low, np.where(least & (high < first), high, 0))
    middle = np.where(first <= last, (first + last) / 2, middle)
    middle[np.isnan(low)] = np.nan
    start = np.searchsorted(values, low, side="left")
    stop = np.searchsorted(values, high, side="right")
    stop = np.where(is_open & ~most, np.searchsorted(values, high, side="left"), stop)
    ends = np.concatenate([[0], np.searchsorted(values, edges, side="left"), [len(values)]])
    shares = _spread(
        start, np.maximum(stop, start), _hot(_part(edges, middle), len(edges) + 1), ends
    )
    return shares, middle


def _points(name: str, frame: Frame) -> Floats:
    if frame.types[name] == "number":
        return frame.numbers(name)
    codes, values = frame.factorize(name)
    return np.append([number(value) for value in values], np.nan)[codes]


def _ranges(name: str, frame: Frame) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Least and largest number that each cell may stand for; NaN twice where it is missing."""
    if name not in frame.names:
        low, high = (_points(f"{name}_{end}", frame) for end in ("low", "high"))
        return low, high, np.zeros(len(low), np.bool_)
    if frame.types[name] in ("number", "date"):
        points = _points(name, frame)
        return points, points, np.zeros(len(points), np.bool_)
    codes, labels = frame.factorize(name)
    bands = [_band(text(label)) for label in labels]
    ranges = np.array([*bands, (np.nan, np.nan, False)], np.float64)[codes]
    return ranges[:, 0], ranges[:, 1], ranges[:, 2] > 0


def _band(label: str | None) -> tuple[float, float, bool]:
    """What cannot be read says nothing: it may be anything."""
    band = read_band(str(label)) or read_band(str(label), dates=True)
    return band or _ANYTHING


def _edges(points: Floats, values: Floats) -> Floats:
    """Beginnings of all parts but the first; if there are few numbers, each is a part."""
    if len(values) <= N_BINS:
        return values[1:]
    known = points[~np.isnan(points)]
    cuts = np.unique(np.quantile(known, np.arange(1, N_BINS) / N_BINS, method="higher"))
    return cuts[cuts > values[0]]


def _part(edges: Floats, points: Floats) -> Codes:
    return np.searchsorted(edges, points, side="right").astype(np.int32)


def _hot(codes: Codes, n: int) -> Floats:
    return np.asarray(np.eye(n)[codes])


def _spread(start: Any, stop: Any, own: Floats, ends: Any) -> Floats:
    """Share of the values start to stop (without) in each part; `own` where there are none."""
    inside = np.clip(
        np.minimum(stop[:, None], ends[None, 1:]) - np.maximum(start[:, None], ends[None, :-1]),
        0,
        None,
    )
    total = inside.sum(axis=1, keepdims=True)
    return np.where(total > 0, inside / np.maximum(total, 1), own)


def _with_missing(blocks: list[Floats], numbers: list[Floats]) -> list[Floats]:
    """Add a part for missing values, if there are any."""
    gaps = [np.isnan(one) for one in numbers]
    if not any(gap.any() for gap in gaps):
        return blocks
    return [
        np.column_stack([np.where(gap[:, None], 0.0, block), gap.astype(np.float64)])
        for block, gap in zip(blocks, gaps, strict=True)
    ]


def pair_categories(
    name: str, raw: Frame, released: Frame, schema: Schema | None, test: Frame | None = None
) -> ColumnPair:
    """A column of categories: rare ones taken together, missing and unknown ones of their own.

    Labels are read as in a release (nodes of the schema's hierarchy, sets, masked ends, stars).
    """
    codes, values = raw.factorize(name)
    texts = [text(value) for value in values]
    position, n = _places(codes, len(texts))
    blocks = [_hot(np.append(position, n + 1)[codes].astype(np.int32), n + 2)]
    for frame in (released, test):
        if frame is not None:
            new_codes, labels = frame.factorize(name)
            shares = _label_shares(name, [text(label) for label in labels], texts, schema)
            wide = np.zeros((len(labels) + 1, n + 2))
            wide[:-1, :n] = shares[:, :-1] @ np.eye(n)[position]
            wide[:-1, n] = shares[:, -1]  # a value that the raw table has not
            wide[-1, n + 1] = 1.0  # missing
            blocks.append(wide[new_codes])
    used = np.any([block.sum(axis=0) > 0 for block in blocks], axis=0)
    before, after, *tested = (block[:, used] for block in blocks)
    return ColumnPair(name, before, after, test=tested[0] if tested else None)


def _label_shares(
    name: str, labels: list[str | None], values: list[str | None], schema: Schema | None
) -> Floats:
    """Share of each label on each value; the last column takes all other values."""
    flags = np.zeros((len(labels), len(values) + 1))
    is_label = schema is None or schema[name].role == "quasi-identifier"
    if is_label and values and len(labels) * len(values) <= _MOST_PAIRS:
        given = schema if schema is not None else Schema({name: {"role": "quasi-identifier"}})
        flags[:, :-1] = covers(name, labels, values, given).T
    else:
        code_of = {value: code for code, value in enumerate(values)}
        for row, label in enumerate(labels):
            if label == STAR:
                flags[row, :-1] = 1.0
            elif label in code_of:
                flags[row, code_of[label]] = 1.0
    flags[flags.sum(axis=1) == 0, -1] = 1.0
    return np.asarray(flags / flags.sum(axis=1, keepdims=True))


def _places(codes: Codes, n_values: int) -> tuple[NDArray[np.int64], int]:
    """Place of each value among those told apart: frequent ones first, the others together."""
    often = np.argsort(-np.bincount(codes[codes >= 0], minlength=n_values), kind="stable")
    n = min(n_values, MOST_VALUES)
    position = np.full(n_values, n - 1, np.int64)
    position[often[:n]] = np.arange(n)
    return position, n
