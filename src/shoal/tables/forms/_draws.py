"""Values drawn within labels, by what the labels of a whole column say together.

The margin of a column spreads the rows of every label evenly over the label.  A draw takes a piece
of its label in proportion to the margin, then any place in it alike.  Everything is counted in
whole units, so that a second reader can make the same draws from labels and seed.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ParameterError
from shoal.tables.forms._label_ends import LabelEnds, are_whole, closed
from shoal.typing import Codes, Flags

WEIGHT_BITS = 20
"""A row weighs two to this power in a margin: whole numbers, that others can make again."""

FINER = 2
"""Digits that draws have beyond those of the labels, where values are not whole."""

_MOST = 1 << 62
Units = NDArray[np.int64]


class Margin(NamedTuple):
    """How a column's rows spread over pieces between the ends of its labels.

    `starts` are the first units of the pieces and the unit after the last; `weights` belong to the
    pieces.
    """

    starts: Units
    weights: Units


def draw_values(
    ends: Mapping[int, LabelEnds], codes: Codes, seed: int, *, days: bool = False
) -> tuple[Units, Fraction, Flags]:
    """A draw for each row: how many units, how much a unit is, and where there is none.

    Parameters
    ----------
    ends : mapping of int to LabelEnds
        What the labels say, by their codes; a code that is absent stands for a missing value.
    codes : ndarray of int32
        Label of each row.
    seed : int
        Of the draws, 256 secret bits.
    days : bool
        Whether the units are days.
    """
    step = Fraction(1) if days else unit_of(ends)
    spans = label_spans(ends, step)
    counts = np.bincount(codes, minlength=max(ends, default=0) + 1)
    margin = make_margin({label: (span, int(counts[label])) for label, span in spans.items()})
    missing = ~np.isin(codes, list(spans))
    low, high = (np.zeros(len(counts), np.int64) for _ in range(2))
    for label, (first, last) in spans.items():
        low[label], high[label] = first, last
    units = _draw(margin, low[codes], high[codes], missing, seed)
    return units, step, missing


def unit_of(ends: Mapping[int, LabelEnds]) -> Fraction:
    """One for whole numbers, else two digits more than the labels have."""
    if are_whole(ends.values()):
        return Fraction(1)
    sides = [side for end in ends.values() for side in end[:2] if side is not None]
    digits = 0
    while any((side * 10**digits).denominator != 1 for side in sides) and digits < 12:
        digits += 1
    return Fraction(1, 10 ** (digits + FINER))


def label_spans(ends: Mapping[int, LabelEnds], step: Fraction) -> dict[int, tuple[int, int]]:
    """First and last unit of each label; an end that a label leaves open is that of all labels."""
    sides: dict[int, tuple[int | None, int | None]] = {}
    for label, end in ends.items():
        low, high = closed(end, whole=step == 1)
        last = None if high is None else int(high / step) - (end.open_high and step != 1)
        sides[label] = (None if low is None else int(low / step), last)
    known = [side for pair in sides.values() for side in pair if side is not None]
    if not known:
        return {}
    if max(map(abs, known)) >= _MOST:
        raise ParameterError("draws: numbers beyond 2^62 steps. Write intervals instead.")
    return {
        label: (
            min(known) if low is None else low,
            max([*known, low or min(known)]) if high is None else high,
        )
        for label, (low, high) in sides.items()
    }


def make_margin(spans: Mapping[int, tuple[tuple[int, int], int]]) -> Margin:
    """The margin of labels, given as their spans and their numbers of rows."""
    points = {first for (first, _), _ in spans.values()} | {
        last + 1 for (_, last), _ in spans.values()
    }
    starts = sorted(points)
    change = dict.fromkeys(starts, 0)
    for (first, last), count in spans.values():
        density = (count << 2 * WEIGHT_BITS) // (last - first + 1)
        change[first] += density
        change[last + 1] -= density
    weights, density = [], 0
    for start, stop in pairwise(starts):
        density += change[start]
        weights.append(max(density * (stop - start) >> WEIGHT_BITS, 1))
    return Margin(np.array(starts, np.int64), np.array(weights, np.int64))


def _draw(margin: Margin, low: Units, high: Units, missing: Flags, seed: int) -> Units:
    generator = np.random.default_rng(seed)
    chance = generator.integers(0, 2**63, size=(2, len(low)), dtype=np.int64)
    if not len(margin.weights):
        return np.zeros(len(low), np.int64)
    # a missing value draws too, from the first piece, and the draw is thrown away
    low = np.where(missing, margin.starts[0], low)
    high = np.where(missing, margin.starts[1] - 1, high)
    before = np.concatenate([[0], np.cumsum(margin.weights)])
    first = np.searchsorted(margin.starts, low)
    after = np.searchsorted(margin.starts, high + 1)
    total = before[after] - before[first]
    piece = np.searchsorted(before, before[first] + chance[0] % total, side="right") - 1
    size = np.diff(margin.starts)[piece]
    return np.where(missing, 0, margin.starts[piece] + chance[1] % size)
