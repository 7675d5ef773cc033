"""Steps that lower the loss of groups of cells and keep every group allowed.

A step is made only when the loss of all rows falls and the groups it changes are allowed after
it, so any number of steps may be made in any order.  A search calls :func:`open_groups` and
:func:`refine_step`; the other kernels are compiled into these.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.anonymize.clusters._group_kernels import (
    Groups,
    allowed_without,
    join,
    label_without,
    leave,
    make_groups,
    total_loss,
)
from shoal.anonymize.clusters._group_loss import GroupColumns, pair_loss
from shoal.anonymize.clusters._rebuild_kernels import rebuild_groups
from shoal.anonymize.clusters._search_kernels import cheapest_group, index_groups
from shoal.privacy.compiled._condition_kernels import CompiledModel, add_cell, allowed
from shoal.typing import Codes, Counts

DISSOLVE, MOVE, SPLIT, REBUILD = range(4)
"""The steps of a round, in their order."""

_SLACK = 1e-9  # a gain below is rounding, and could be won again and again
_PATIENCE = 64  # groups in a row that cannot be given up, before others are not tried any more


class Halves(NamedTuple):
    """The two parts of a group that may be split; scratch, filled anew for every way to split."""

    low: Codes  # (2, n_columns): least and largest code
    high: Codes
    rows: Counts
    histogram: Counts  # (2, n_codes) of the compiled model


@kernel
def open_groups(
    columns: GroupColumns,
    compiled: CompiledModel,
    keys: Codes,
    group_of: NDArray[np.int64],
    settles: bool,
) -> tuple[Groups, float]:
    """Groups ready to be changed, with room for twice as many, and the loss of all rows.

    `group_of` is -1 for cells in no group.  With `settles` a group is found for these, and groups
    that are not allowed are joined with others.
    """
    n_groups = 0
    for group in group_of:
        n_groups = max(n_groups, group + 1)
    if n_groups == 0:
        group_of, n_groups = np.zeros_like(group_of), 1  # nothing to begin with: one group of all
    room = max(2 * n_groups, n_groups + 8)  # splitting makes new groups
    groups = make_groups(columns, compiled, keys, group_of, room)
    if settles:
        if absorb_cells(groups) > 0:
            # no group may take these cells one by one, but together they may be a group or mend one
            empty = 0
            while groups.size[empty] > 0:
                empty += 1
            settled = groups.group_of.copy()
            settled[settled < 0] = empty
            groups = make_groups(columns, compiled, keys, settled, room)
        repair_groups(groups)
    return groups, total_loss(groups)


@kernel
def refine_step(
    groups: Groups, step: int, n_near: int, n_tries: int, budget: int, state: int
) -> float:
    """Give groups up, move cells, split groups, or build neighbouring ones anew.

    Returns the loss of all rows then.  What comes after `step` is for :func:`rebuild_groups` alone.
    """
    if step == DISSOLVE:
        dissolve_groups(groups)
    elif step == MOVE:
        move_cells(groups)
    elif step == SPLIT:
        spare = groups.size.shape[0]
        while spare > 0 and groups.size[spare - 1] == 0:
            spare -= 1
        split_groups(groups, spare)
    else:
        rebuild_groups(groups, n_near, n_tries, budget, state)
    return total_loss(groups)


@kernel
def absorb_cells(groups: Groups) -> int:
    """Put every cell that is in no group into the group whose loss it raises least.

    Returns how many cells no group may take.
    """
    left = 0
    if (groups.group_of >= 0).all():
        return left
    index = index_groups(groups)
    for cell in range(groups.keys.shape[0]):
        if groups.group_of[cell] >= 0:
            continue
        group, _ = cheapest_group(groups, index, cell, -1, np.inf, -1)
        if group < 0:
            left += 1
        else:
            join(groups, cell, group)
    return left


@kernel
def move_cells(groups: Groups) -> int:
    """Move each cell to the group where it costs least, if its own group can spare it."""
    n, d = groups.keys.shape
    least, size_only = groups.compiled.minimum_size, groups.compiled.size_only
    index = index_groups(groups)
    low, high = np.empty(d, np.int32), np.empty(d, np.int32)
    likely = np.full(groups.size.shape[0], -1)  # where the last cell of each group went
    moved = 0
    for cell in range(n):
        own = groups.group_of[cell]
        if own < 0 or groups.loss[own] <= 0:
            continue
        rest = groups.size[own] - groups.compiled.sizes[cell]
        fine = size_only and rest >= least  # asked here: calling a model takes longer than that
        if not fine and not allowed_without(groups, cell):
            continue
        loss = label_without(groups, own, cell, low, high)
        saved = groups.size[own] * groups.loss[own] - rest * loss - _SLACK
        if saved <= 0:
            continue
        group, _ = cheapest_group(groups, index, cell, own, saved, likely[own])
        if group >= 0:
            # the next cell of this group may go there, too: tried first, it rules most others out
            likely[own] = group
            leave(groups, cell)
            join(groups, cell, group)
            moved += 1
    return moved


@kernel
def dissolve_groups(groups: Groups) -> int:
    """Give up groups whose cells, each in the group where it costs least, cost less elsewhere.

    Those that lose most are tried first; it ends where many in a row are better kept.
    """
    index = index_groups(groups)
    cells = np.empty(groups.keys.shape[0], np.int64)
    dissolved, failed = 0, 0
    for group in np.argsort(-groups.loss, kind="mergesort"):
        if groups.size[group] == 0 or groups.loss[group] <= 0:
            continue
        if failed == _PATIENCE:
            break
        n_cells = 0
        cell = groups.head[group]
        while cell >= 0:
            cells[n_cells] = cell
            n_cells += 1
            cell = groups.after[cell]
        budget = groups.size[group] * groups.loss[group] - _SLACK
        gone, target = 0, -1
        while gone < n_cells:
            target, raised = cheapest_group(groups, index, cells[gone], group, budget, target)
            if target < 0:
                break
            budget -= raised
            leave(groups, cells[gone])
            join(groups, cells[gone], target)
            gone += 1
        if gone == n_cells:
            dissolved, failed = dissolved + 1, 0
            continue
        failed += 1
        # one cell found no room: those that left come back
        for i in range(gone):
            leave(groups, cells[i])
            join(groups, cells[i], group)
    return dissolved


@kernel
def split_groups(groups: Groups, spare: int) -> int:
    """Split groups in two along one column, wherever both parts are allowed and loss falls.

    Codes up to a point go one way, the rest the other; of all columns and points the one that
    saves most is taken.  Groups from `spare` on are empty and take the new parts.
    """
    d = groups.keys.shape[1]
    halves = Halves(
        np.empty((2, d), np.int32),
        np.empty((2, d), np.int32),
        np.empty(2, np.int64),
        np.empty((2, groups.compiled.n_codes), np.int64),
    )
    group, n_split = 0, 0
    while group < spare and spare < groups.size.shape[0]:
        best, column, point = _SLACK, -1, 0
        if groups.loss[group] > 0 and groups.size[group] >= 2 * groups.compiled.minimum_size:
            for j in range(d):
                code = groups.low[group, j]
                while code < groups.high[group, j]:
                    saved = split_gain(groups, group, j, code, halves)
                    if saved > best:
                        best, column, point = saved, j, code
                    code = next_code(groups, group, j, code)
        if column < 0:
            group += 1
            continue
        cell = groups.head[group]
        while cell >= 0:
            following = groups.after[cell]
            if groups.keys[cell, column] > point:
                leave(groups, cell)
                join(groups, cell, spare)
            cell = following
        # `group` stays: what is left of it may be split again
        spare += 1
        n_split += 1
    return n_split


@kernel
def next_code(groups: Groups, group: int, column: int, code: int) -> int:
    """The next larger code of a group; between two of them every point splits alike."""
    following = groups.high[group, column]
    cell = groups.head[group]
    while cell >= 0:
        other = groups.keys[cell, column]
        if code < other and other < following:
            following = other
        cell = groups.after[cell]
    return following


@kernel
def rows_up_to(groups: Groups, group: int, column: int, point: int) -> int:
    """Rows of a group whose code is not above a point."""
    rows = 0
    cell = groups.head[group]
    while cell >= 0:
        if groups.keys[cell, column] <= point:
            rows += groups.compiled.sizes[cell]
        cell = groups.after[cell]
    return rows


@kernel
def split_gain(groups: Groups, group: int, column: int, point: int, halves: Halves) -> float:
    """Loss saved by splitting after a code; 0 when a part is not allowed."""
    columns, compiled = groups.columns, groups.compiled
    low, high, rows, histogram = halves.low, halves.high, halves.rows, halves.histogram
    if pair_loss(columns, column, groups.low[group, column], groups.high[group, column]) == 0:
        return 0.0
    within = rows_up_to(groups, group, column, point)
    if min(within, groups.size[group] - within) < compiled.minimum_size:
        return 0.0  # most points, and labels need not be made for them
    d = groups.keys.shape[1]
    rows[:] = 0
    histogram[:] = 0
    cell = groups.head[group]
    while cell >= 0:
        side = 1 if groups.keys[cell, column] > point else 0
        for j in range(d):
            code = groups.keys[cell, j]
            if rows[side] == 0 or code < low[side, j]:
                low[side, j] = code
            if rows[side] == 0 or code > high[side, j]:
                high[side, j] = code
        rows[side] += compiled.sizes[cell]
        add_cell(compiled, cell, 1, histogram[side])
        cell = groups.after[cell]
    saved = groups.size[group] * groups.loss[group]
    for side in range(2):
        if rows[side] == 0 or not allowed(compiled, rows[side], histogram[side]):
            return 0.0
        for j in range(d):
            saved -= rows[side] * pair_loss(columns, j, low[side, j], high[side, j])
    return saved


@kernel
def cheapest_merge(groups: Groups, group: int) -> int:
    """The group that it costs least to merge a group with; -1 if it is the only one."""
    columns = groups.columns
    best, least = -1, np.inf
    for other in range(groups.size.shape[0]):
        if other == group or groups.size[other] == 0:
            continue
        loss = 0.0
        for j in range(groups.keys.shape[1]):
            low = min(groups.low[group, j], groups.low[other, j])
            high = max(groups.high[group, j], groups.high[other, j])
            loss += pair_loss(columns, j, low, high)
        # what `group` itself loses now is the same for every other, so it is left out
        rise = (groups.size[group] + groups.size[other]) * loss
        rise -= groups.size[other] * groups.loss[other]
        if rise < least:
            best, least = other, rise
    return best


@kernel
def repair_groups(groups: Groups) -> int:
    """Join every group that is not allowed with others until it is; returns groups still not."""
    failing = 0
    for group in range(groups.size.shape[0]):
        while groups.size[group] > 0 and not allowed(
            groups.compiled, groups.size[group], groups.histogram[group]
        ):
            other = cheapest_merge(groups, group)
            if other < 0:
                failing += 1
                break
            # the other one gives up its number, so that this one is asked again until it is allowed
            cell = groups.head[other]
            while cell >= 0:
                following = groups.after[cell]
                leave(groups, cell)
                join(groups, cell, group)
                cell = following
    return failing
