"""First cuts of a table's domain, where groups would be cut anyway.

They are Mondrian's cuts under the loss: the column whose cut takes away most loss for the bits it
spends, at the middle of an ordered column or between the children of a node.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.schema._coding import Coding
from shoal.typing import Codes, Flags, Floats

_MOST_PARTS = 64
"""Children of a node that are cut apart at once; beyond, they are cut at the middle."""


@dataclass(frozen=True, eq=False)
class DomainColumn:
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


def domain_columns(
    codings: Sequence[Coding], weights: Sequence[float] | Floats, is_ordered: Sequence[bool] | Flags
) -> list[DomainColumn]:
    """What cuts of each quasi-identifier are worth; ordered ones are cut at their middle."""
    columns = []
    for coding, weight, ordered in zip(codings, weights, is_ordered, strict=True):
        n = max(1, coding.n_codes)
        numbers = np.nan_to_num(coding.numbers, nan=np.nan)
        known = numbers[np.isfinite(numbers)] if len(numbers) else numbers
        places = np.linspace(0.0, 1.0, n)
        if len(known) > 1 and known[-1] > known[0] and (np.diff(known) >= 0).all():
            places = np.append((known - known[0]) / (known[-1] - known[0]), np.ones(n - len(known)))
        columns.append(DomainColumn(coding, places, bool(ordered), float(weight)))
    return columns


def cuts_by_worth(columns: Sequence[DomainColumn], keys: Codes) -> list[tuple[int, list[int]]]:
    """Columns with the first codes of their parts, the most worthy first; none where all is alike.

    Worth is the loss that a cut takes away for the bits that it spends.
    """
    worth, cuts = [], []
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
        worth.append(gain + 1e-6 * bits)  # the more even of equal cuts: parts are to be of one size
        cuts.append((number, starts))
    return [cuts[index] for index in np.argsort(-np.array(worth), kind="stable")]
