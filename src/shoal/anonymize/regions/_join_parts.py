"""Regions that the model does not allow are joined with a neighbour before they are solved.

Counts of all parts come from the engine and are exact, so a region that is solved is known to have
a solution: itself as one group (within each of the schema's limits).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.anonymize.regions._within_whole import WithinWhole
from shoal.privacy import PrivacyModel
from shoal.tables import FrequencyTable
from shoal.tables.engines.regions._cuts import Cut

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
    sizes: np.ndarray
    target: int

    def settle(self, cut: Cut | int) -> list[list[int]]:
        """Regions below a cut; those that are not fine are joined as long as there are two."""
        if isinstance(cut, int):
            return [[cut]]
        regions = [region for part in cut.parts for region in self.settle(part)]
        while len(regions) > 1 and (pair := self._pair(regions)) is not None:
            first, second = sorted(pair)
            regions[first] += regions.pop(second)
        return regions

    def _pair(self, regions: Sequence[list[int]]) -> tuple[int, int] | None:
        """Two neighbours to join: one is not fine, or both are small."""
        rows = [self._rows(region) for region in regions]
        for number, region in enumerate(regions):
            other = _smaller_neighbour(rows, number)
            small = rows[number] * _SMALL < self.target
            if small and rows[number] + rows[other] <= self.target:
                return number, other
            if not self.is_fine(region):
                return number, other
        return None

    def _rows(self, region: Sequence[int]) -> int:
        return int(self.sizes[region].sum())

    def is_fine(self, region: Sequence[int]) -> bool:
        """Whether everybody who could be protected in the whole table can be in this region.

        Rows that share a group agree on their limits.  Rows with the same limits that are allowed
        as one group in the whole table have to be allowed as one group here.
        """
        inside = np.isin(self.parts.keys[:, 0], region)
        if not self.parts.sizes[inside].sum():
            return False
        tops, group = np.unique(self.parts.keys[:, 1], return_inverse=True)
        group = group.reshape(-1)
        in_whole = self.privacy.holds(self.parts.merge(group, len(tops)))
        here = self.parts.merge(np.where(inside, group, -1), len(tops))
        there = (here.sizes > 0) & in_whole
        return bool(self.privacy.holds(here)[there].all())


def _smaller_neighbour(rows: Sequence[int], number: int) -> int:
    beside = [n for n in (number - 1, number + 1) if 0 <= n < len(rows)]
    return min(beside, key=rows.__getitem__)
