"""Regions that the model does not allow are joined with a neighbour before they are solved.

Counts of all parts come from the engine and are exact, so a region that is solved is known to have
a solution: itself as one group (within each of the schema's limits).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.anonymize.regions._within_whole import WithinWhole
from shoal.privacy import PrivacyModel
from shoal.tables import FrequencyTable
from shoal.tables.engines.regions._cuts import Cut
from shoal.typing import Counts, Flags

_SMALL = 4
"""Regions smaller than this part of the wanted size are joined where the sum is not too large."""


def whole_of(parts: FrequencyTable) -> FrequencyTable:
    """The whole table as one group."""
    return parts.merge(np.zeros(parts.n_groups, np.int64), 1)


def join_parts(
    cut: Cut | int, parts: FrequencyTable, privacy: PrivacyModel, n_leaves: int, target: int
) -> list[int]:
    """Region of each leaf of the cuts, numbered from 0 in their order.

    Parameters
    ----------
    cut : Cut or int
        The cuts.
    parts : FrequencyTable
        Rows of each leaf with the same limits; keys are the leaf and the limits.
    privacy : PrivacyModel
        What every group has to meet.
    n_leaves, target : int
        Number of leaves, and rows that a region should have.
    """
    if not privacy.is_monotone:  # groups of two regions may be released alike, and be one group
        return [0] * n_leaves
    sizes = np.bincount(parts.keys[:, 0], weights=parts.sizes, minlength=n_leaves).astype(np.int64)
    joining = _Joining(parts, WithinWhole(privacy, whole_of(parts)), sizes, target)
    region_of = [0] * n_leaves
    for region, leaves in enumerate(joining.settle(cut)):
        for leaf in leaves:
            region_of[leaf] = region
    return region_of


@dataclass(frozen=True, eq=False)
class _Joining:
    parts: FrequencyTable
    privacy: WithinWhole
    sizes: Counts
    target: int

    @cached_property
    def _tops(self) -> tuple[NDArray[np.int64], Flags]:
        """Number of each part's limits, and whether all rows with the same are allowed together."""
        tops, top_of = np.unique(self.parts.keys[:, 1], return_inverse=True)
        top_of = top_of.reshape(-1)
        return top_of, self.privacy.holds(self.parts.merge(top_of, len(tops)))

    @cached_property
    def _fine_leaves(self) -> Flags:
        """:meth:`is_fine` for every leaf by itself, all at once: there may be thousands."""
        top_of, in_whole = self._tops
        holds, may = self.privacy.holds(self.parts), in_whole[top_of] & (self.parts.sizes > 0)
        fine = np.zeros(len(self.sizes), np.bool_)
        fine[self.parts.keys[may, 0]] = True
        fine[self.parts.keys[may & ~holds, 0]] = False
        return fine

    def settle(self, cut: Cut | int) -> list[list[int]]:
        """Regions below a cut; those that are not fine are joined as long as there are two."""
        if isinstance(cut, int):
            return [[cut]]
        regions = [region for part in cut.parts for region in self.settle(part)]
        rows = [int(self.sizes[region].sum()) for region in regions]
        number = 0
        while number < len(regions) and len(regions) > 1:
            other = _smaller_neighbour(rows, number)
            if not self._joins(regions[number], rows[number], rows[other]):
                number += 1
                continue
            first, second = sorted((number, other))
            regions[first] = regions[first] + regions.pop(second)
            rows[first] += rows.pop(second)
            number = first
        return regions

    def _joins(self, region: Sequence[int], rows: int, beside: int) -> bool:
        """Whether a region goes to its neighbour: it is small, or not fine."""
        small = rows * _SMALL < self.target and rows + beside <= self.target
        return small or not self.is_fine(region)

    def is_fine(self, region: Sequence[int]) -> bool:
        """Whether everybody who could be protected in the whole table can be in this region.

        Rows that share a group agree on their limits.  Rows with the same limits that are allowed
        as one group in the whole table have to be allowed as one group here, and there have to be
        some: a region of rows that nothing protects is no table to be solved.
        """
        if len(region) == 1:
            return bool(self._fine_leaves[region[0]])
        top_of, in_whole = self._tops
        inside = np.isin(self.parts.keys[:, 0], region)
        here = self.parts.merge(np.where(inside, top_of, -1), len(in_whole))
        there = (here.sizes > 0) & in_whole
        return bool(there.any() and self.privacy.holds(here)[there].all())


def _smaller_neighbour(rows: Sequence[int], number: int) -> int:
    beside = [n for n in (number - 1, number + 1) if 0 <= n < len(rows)]
    return min(beside, key=rows.__getitem__)
