"""From a first grouping to the one that is released: complete, allowed, and improved."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from shoal.anonymize.clusters._group_kernels import Groups, make_groups, total_loss
from shoal.anonymize.clusters._group_loss import GroupColumns
from shoal.anonymize.clusters._refine_kernels import (
    absorb_cells,
    dissolve_groups,
    move_cells,
    repair_groups,
    split_groups,
)
from shoal.privacy.compiled._condition_kernels import CompiledModel
from shoal.typing import Codes

_ROUNDS = 6
LEAST_GAIN_OF_A_ROUND = 1e-3  # a round that saves less of the loss is the last


def improve(
    columns: GroupColumns,
    compiled: CompiledModel,
    keys: Codes,
    group_of: NDArray[np.int64],
    *,
    refine: bool,
    deadline: float = np.inf,
) -> tuple[NDArray[np.int64], bool]:
    """Each cell's group in the end, numbered from 0, and whether the time sufficed.

    `group_of` is the first grouping, -1 for cells that it left out; all cells together are
    allowed, or nothing can be done.
    """
    n_groups = int(group_of.max(initial=-1)) + 1
    if n_groups == 0:
        group_of, n_groups = np.zeros_like(group_of), 1
    room = max(2 * n_groups, n_groups + 8)  # splitting makes new groups
    groups = settle(make_groups(columns, compiled, keys, group_of, room))
    in_time = refine_groups(groups, deadline) if refine else True
    used = np.unique(groups.group_of)
    return np.searchsorted(used, groups.group_of), in_time


def settle(groups: Groups) -> Groups:
    """Find a group for cells that have none, and mend groups that are not allowed."""
    if absorb_cells(groups):
        # no group may take these cells one by one, but together they may be a group or mend one
        empty = int(np.flatnonzero(groups.size == 0)[0])
        group_of = np.where(groups.group_of < 0, empty, groups.group_of)
        groups = make_groups(
            groups.columns, groups.compiled, groups.keys, group_of, len(groups.size)
        )
    repair_groups(groups)
    return groups


def refine_groups(groups: Groups, deadline: float) -> bool:
    """Lower the loss until it hardly falls any more; returns whether the time sufficed."""
    before = total_loss(groups)
    for turn in range(_ROUNDS):
        # giving groups up is the dearest step and finds little after the first time
        for step in (dissolve_groups, move_cells) if turn == 0 else (move_cells,):
            if time.perf_counter() > deadline:
                return False
            step(groups)
        spare = int(np.flatnonzero(groups.size > 0).max(initial=-1)) + 1
        split_groups(groups, spare)
        after = total_loss(groups)
        if after > (1 - LEAST_GAIN_OF_A_ROUND) * before:
            break
        before = after
    return True
