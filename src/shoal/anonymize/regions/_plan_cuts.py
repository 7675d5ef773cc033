"""First cuts of a table's domain, found in a sample: regions that a worker can hold.

They are Mondrian's cuts under the loss: the column whose cut takes away most loss for the bits it
spends, at the middle of an ordered column or between the children of a node.  A sample does:
cuts that are a little off the middle make regions a little uneven, and no promise rests on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from shoal.anonymize.clusters._group_loss import is_range_column
from shoal.schema._coding import Coding
from shoal.tables.engines.regions._cuts import Cut
from shoal.typing import Codes, Floats

LEAST_SAMPLE = 200_000
"""Rows that are drawn at least: the middle of a table is off by a part in a thousand."""

ROWS_PER_REGION = 64
"""Rows that are drawn for every region: its size is then known to an eighth."""

SLACK = 2**0.5
"""A region may be so much larger than wanted: halves are then as often too large as too small."""

_MOST_PARTS = 64
"""Children of a node that are cut apart at once; beyond, they are cut at the middle."""


@dataclass(frozen=True, eq=False)
class PlanColumn:
    """What a cut of one column is worth.

    Parameters
    ----------
    coding : Coding
        What the codes stand for.
    places : ndarray of float
        Place of each code between 0 and 1, for ordered columns.
    is_ordered : bool
        Whether the column is cut at its middle, or between nodes.
    weight : float
        How much its loss counts.
    """

    coding: Coding
    places: Floats
    is_ordered: bool
    weight: float

    def loss(self, codes: Codes) -> float:
        """Share of the column's domain that a label over these codes covers."""
        low, high = int(codes.min()), int(codes.max())
        if self.is_ordered:
            return float(self.places[high] - self.places[low])
        tree = self.coding.hierarchy
        if tree is None:
            return float(low < high)
        node = int(tree.lowest_common_ancestor(np.array([low]), np.array([high]))[0])
        return float((tree.n_leaves_below[node] - 1) / max(1, tree.n_leaves - 1))

    def starts(self, codes: Codes) -> list[int]:
        """First codes of the parts of a cut, but the first part's; empty where there is none."""
        low, high = int(codes.min()), int(codes.max())
        if low == high:
            return []
        tree = self.coding.hierarchy
        if self.is_ordered or tree is None:
            return [_middle(codes)]
        node = int(tree.lowest_common_ancestor(np.array([low]), np.array([high]))[0])
        begins = np.sort(tree.start[np.flatnonzero(tree.parent == node)])
        begins = begins[(begins > low) & (begins <= high)]
        if len(begins) > _MOST_PARTS:
            return [int(begins[np.argmin(np.abs(begins - _middle(codes)))])]
        return [int(begin) for begin in begins]


def _middle(codes: Codes) -> int:
    """The code at which the upper half begins; never the least, so that both sides have rows."""
    middle = int(np.sort(codes)[len(codes) // 2])
    if middle > codes.min():
        return middle
    return int(codes[codes > middle].min())


def sample_size(n_rows: int, target: int) -> int:
    """Rows to draw for regions of `target` rows.

    Examples
    --------
    >>> sample_size(10**6, 10**5), sample_size(10**10, 500_000)
    (200000, 1280000)
    """
    return max(LEAST_SAMPLE, ROWS_PER_REGION * (n_rows // max(1, target)))


def plan_columns(codings: Sequence[Coding], weights: Sequence[float]) -> list[PlanColumn]:
    """What the planner knows of each quasi-identifier."""
    columns = []
    for coding, weight in zip(codings, weights, strict=True):
        n = max(1, coding.n_codes)
        numbers = np.nan_to_num(coding.numbers, nan=np.nan)
        known = numbers[np.isfinite(numbers)] if len(numbers) else numbers
        places = np.linspace(0.0, 1.0, n)
        if len(known) > 1 and known[-1] > known[0] and (np.diff(known) >= 0).all():
            places = np.append((known - known[0]) / (known[-1] - known[0]), np.ones(n - len(known)))
        columns.append(PlanColumn(coding, places, is_range_column(coding), float(weight)))
    return columns


def plan_cuts(columns: Sequence[PlanColumn], sample: Codes, most: int) -> Cut | int:
    """Cut until no region has many more than `most` rows of the sample; numbered in order.

    A region whose rows are all alike stays as it is, however large.
    """
    numbers = count()
    most = int(most * SLACK)

    def grow(rows: NDArray[np.int64]) -> Cut | int:
        best = _best_cut(columns, sample[rows]) if len(rows) > max(1, most) else None
        if best is None:
            return next(numbers)
        column, starts = best
        part = np.searchsorted(np.array(starts), sample[rows, column], side="right")
        return Cut(
            column, tuple(starts), tuple(grow(rows[part == n]) for n in range(len(starts) + 1))
        )

    return grow(np.arange(len(sample)))


def _best_cut(columns: Sequence[PlanColumn], keys: Codes) -> tuple[int, list[int]] | None:
    """The cut that takes away most loss for the bits that it spends; None where nothing differs."""
    best, worth = None, -1.0
    for number, column in enumerate(columns):
        codes = keys[:, number]
        starts = column.starts(codes)
        if not starts:
            continue
        part = np.searchsorted(np.array(starts), codes, side="right")
        sizes = np.bincount(part, minlength=len(starts) + 1)
        kept = sum(
            size * column.loss(codes[part == n]) for n, size in enumerate(sizes.tolist()) if size
        )
        share = sizes[sizes > 0] / len(codes)
        bits = float(-(share * np.log2(share)).sum())
        gain = column.weight * (column.loss(codes) - kept / len(codes)) / max(bits, 1e-9)
        # the more even of equal cuts: regions are to be of one size
        gain += 1e-6 * bits
        if gain > worth:
            best, worth = (number, starts), gain
    return best
