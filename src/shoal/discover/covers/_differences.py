"""Keys of a table through its difference sets; only those that matter are computed.

A table of n rows has n(n - 1) / 2 difference sets.  The searches start with none, propose the
best set of attributes that hits those known so far, and look at the rows that it fails to tell
apart: their difference sets refute the proposal and every one like it.  A proposal that tells
all rows apart is right, because each known difference set must be hit by any key.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from shoal.discover.covers._counting import in_small_keys
from shoal.discover.covers._hitting import (
    Budget,
    bits,
    minimal_hitting_sets,
    minimal_only,
    smallest_hitting_set,
)
from shoal.discover.sources._partition import CodeTable, Partition
from shoal.typing import Flags

_PAIRS_A_ROUND = 2_000
_GROWN_A_ROUND = 8


class DifferenceSets:
    """The minimal difference sets of a table that are known so far.

    Parameters
    ----------
    table : CodeTable
        Its rows must differ from one another.
    budget : Budget
        Without time left, fewer difference sets are learnt at once.
    """

    def __init__(self, table: CodeTable, budget: Budget) -> None:
        self._budget = budget
        self._whole = Partition.whole(table)
        self._columns = range(table.n_columns)
        # attributes that split most come first: rows are told apart after few of them
        together = [self._whole.split(j).together for j in self._columns]
        self._rank = sorted(self._columns, key=lambda j: together[j])
        # attributes that every key needs are cheap to find, and dear to find out one by one
        self.masks = [1 << j for j in _needed(self._whole, self._rank)]

    def refute(self, proposal: int) -> bool:
        """Learn from rows that `proposal` does not tell apart; False when there are none."""
        ordered = [j for j in self._rank if proposal >> j & 1]
        partition = self._whole.by(ordered)
        if not len(partition.order):
            return False
        learnt = masks_of(_differing(partition))
        for turn in range(_GROWN_A_ROUND):
            if not self._budget.goes_on():
                break
            learnt.append(self._grow(partition, proposal, turn))
        self.masks = minimal_only([*self.masks, *learnt])
        return True

    def _grow(self, partition: Partition, proposal: int, turn: int) -> int:
        # add attributes while some rows stay together: what is left out is a minimal difference set
        others = [j for j in reversed(self._rank) if not proposal >> j & 1]
        shift = turn * max(len(others) // _GROWN_A_ROUND, 1) % max(len(others), 1)
        difference = 0
        for j in others[shift:] + others[:shift]:
            finer = partition.refine(j)
            if len(finer.order):
                partition = finer
            else:
                difference |= 1 << j
        return difference


def smallest_key(
    table: CodeTable, costs: Sequence[float], budget: Budget
) -> tuple[int, bool, float]:
    """A key of least cost, whether that is proved, and a lower bound on the cost.

    Without proof the set returned need not be a key.
    """
    differences = DifferenceSets(table, budget)
    proposal, proved, bound = 0, True, 0.0
    while proved and differences.refute(proposal):
        if not budget.goes_on():
            return proposal, False, bound
        proposal, proved = smallest_hitting_set(differences.masks, costs, budget)
        if proved:
            bound = sum(costs[j] for j in bits(proposal))
    return proposal, proved, bound


def all_minimal_keys(table: CodeTable, max_size: int, budget: Budget) -> tuple[list[int], bool]:
    """Every minimal key of at most `max_size` attributes.

    And whether the budget sufficed to prove that there are no others.
    """
    among = in_small_keys(table, max_size)
    if not among and table.n_rows > 1:
        return [], True  # too few combinations of values for so many rows
    differences = DifferenceSets(table, budget)
    keys: set[int] = set()
    if not differences.refute(0):
        return [0], True  # at most one row: nothing needs telling apart
    while True:
        proposals = list(minimal_hitting_sets(differences.masks, among, max_size, budget))
        refuted = False
        for proposal in proposals:
            if proposal in keys or not _hits(proposal, differences.masks):
                continue
            if not budget.goes_on():
                break
            if differences.refute(proposal):
                refuted = True
            else:
                keys.add(proposal)
        if not refuted or budget.over:
            return sorted(keys, key=lambda key: (key.bit_count(), list(bits(key)))), not budget.over


def masks_of(differs: Flags) -> list[int]:
    """Difference sets of pairs, from which columns (first axis) tell each pair apart."""
    packed = np.unique(np.packbits(differs, axis=0, bitorder="little"), axis=1)
    return minimal_only(int.from_bytes(column.tobytes(), "little") for column in packed.T)


def _needed(partition: Partition, columns: list[int]) -> list[int]:
    """Those of `columns` without which some rows of `partition` stay together."""
    if not len(partition.order) or len(columns) < 2:
        return columns if len(partition.order) else []
    first, second = columns[: len(columns) // 2], columns[len(columns) // 2 :]
    return _needed(partition.by(second), first) + _needed(partition.by(first), second)


def _differing(partition: Partition) -> Flags:
    inside = np.ones(len(partition.order), np.bool_)
    inside[partition.start[:-1]] = False  # the first row of a group has no neighbour before it
    positions = np.flatnonzero(inside)
    if len(positions) > _PAIRS_A_ROUND:
        positions = positions[:: len(positions) // _PAIRS_A_ROUND + 1]
    codes = partition.table.codes
    return codes[:, partition.order[positions]] != codes[:, partition.order[positions - 1]]


def _hits(proposal: int, masks: Iterable[int]) -> bool:
    return all(proposal & mask for mask in masks)
