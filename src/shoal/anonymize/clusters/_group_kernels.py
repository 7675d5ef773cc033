"""Groups of cells: join them, leave them, find the cheapest one for a cell.

Arrays in, arrays changed in place; no objects, no errors, no I/O.  A group keeps the least and
the largest code of its cells in every column, so its loss is known without looking at them.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.anonymize.clusters._group_loss import GroupColumns, pair_loss
from shoal.privacy.compiled._condition_kernels import CompiledModel, add_cell, allowed
from shoal.typing import Codes, Counts, Floats

_SLACK = 1e-9


class Groups(NamedTuple):
    """Cells in groups; a group without cells has size 0 and may be used again."""

    keys: Codes  # (n_cells, n_columns)
    group_of: NDArray[np.int64]  # one per cell; -1 is in none
    after: NDArray[np.int64]  # next and previous cell of the same group, -1 at the ends
    before: NDArray[np.int64]
    head: NDArray[np.int64]  # first cell of each group
    low: Codes  # (n_groups, n_columns): least and largest code
    high: Codes
    size: Counts  # rows
    loss: Floats  # of one row, summed over columns
    histogram: Counts  # (n_groups, n_codes) of the rules


class Index(NamedTuple):
    """Groups sorted by their labels, so that a search can leave out runs of them."""

    group: NDArray[np.int64]
    low: Codes
    high: Codes
    shared: Codes  # leading columns in which a group's label equals that of the one before
    skip: Codes  # (n, n_columns): next place where the label differs in columns 0 to j


@kernel
def make_groups(
    columns: GroupColumns,
    rules: CompiledModel,
    keys: Codes,
    group_of: NDArray[np.int64],
    n_groups: int,
) -> Groups:
    """Groups of the cells; `group_of` names each cell's group, -1 is in none."""
    n, d = keys.shape
    groups = Groups(
        keys,
        np.full(n, -1, np.int64),
        np.full(n, -1, np.int64),
        np.full(n, -1, np.int64),
        np.full(n_groups, -1, np.int64),
        np.zeros((n_groups, d), np.int32),
        np.zeros((n_groups, d), np.int32),
        np.zeros(n_groups, np.int64),
        np.zeros(n_groups, np.float64),
        np.zeros((n_groups, rules.n_codes), np.int64),
    )
    for cell in range(n - 1, -1, -1):
        if group_of[cell] >= 0:
            join(columns, rules, groups, cell, group_of[cell])
    return groups


@kernel
def _link(groups: Groups, cell: int, group: int) -> None:
    groups.group_of[cell] = group
    groups.after[cell] = groups.head[group]
    groups.before[cell] = -1
    if groups.head[group] >= 0:
        groups.before[groups.head[group]] = cell
    groups.head[group] = cell


@kernel
def _unlink(groups: Groups, cell: int) -> None:
    group = groups.group_of[cell]
    if groups.before[cell] >= 0:
        groups.after[groups.before[cell]] = groups.after[cell]
    else:
        groups.head[group] = groups.after[cell]
    if groups.after[cell] >= 0:
        groups.before[groups.after[cell]] = groups.before[cell]
    groups.group_of[cell] = -1


@kernel
def join(
    columns: GroupColumns, rules: CompiledModel, groups: Groups, cell: int, group: int
) -> None:
    """Put a cell that is in no group into one."""
    empty = groups.head[group] < 0
    _link(groups, cell, group)
    groups.size[group] += rules.sizes[cell]
    add_cell(rules, cell, 1, groups.histogram[group])
    loss = 0.0
    for j in range(groups.keys.shape[1]):
        code = groups.keys[cell, j]
        if empty or code < groups.low[group, j]:
            groups.low[group, j] = code
        if empty or code > groups.high[group, j]:
            groups.high[group, j] = code
        loss += pair_loss(columns, j, groups.low[group, j], groups.high[group, j])
    groups.loss[group] = loss


@kernel
def leave(columns: GroupColumns, rules: CompiledModel, groups: Groups, cell: int) -> None:
    """Take a cell out of its group."""
    group = groups.group_of[cell]
    _unlink(groups, cell)
    groups.size[group] -= rules.sizes[cell]
    add_cell(rules, cell, -1, groups.histogram[group])
    groups.loss[group] = label_without(
        columns, groups, group, -1, groups.low[group], groups.high[group]
    )


@kernel
def label_without(
    columns: GroupColumns, groups: Groups, group: int, cell: int, low: Codes, high: Codes
) -> float:
    """Loss of a row of a group that one cell has left (-1: none); `low`, `high` get its label."""
    d = groups.keys.shape[1]
    empty = True
    member = groups.head[group]
    while member >= 0:
        if member != cell:
            for j in range(d):
                code = groups.keys[member, j]
                if empty or code < low[j]:
                    low[j] = code
                if empty or code > high[j]:
                    high[j] = code
            empty = False
        member = groups.after[member]
    if empty:
        return 0.0
    loss = 0.0
    for j in range(d):
        loss += pair_loss(columns, j, low[j], high[j])
    return loss


@kernel
def allowed_without(rules: CompiledModel, groups: Groups, cell: int) -> bool:
    """Whether the rest of a cell's group may stay when the cell leaves, or nothing is left."""
    group = groups.group_of[cell]
    rest = groups.size[group] - rules.sizes[cell]
    if rest == 0:
        return True
    if rest < rules.minimum_size or rules.size_only:
        return rest >= rules.minimum_size
    add_cell(rules, cell, -1, groups.histogram[group])
    found = allowed(rules, rest, groups.histogram[group])
    add_cell(rules, cell, 1, groups.histogram[group])
    return found


@kernel
def allowed_with(rules: CompiledModel, groups: Groups, cell: int, group: int) -> bool:
    """Whether a group may take a cell."""
    size = groups.size[group] + rules.sizes[cell]
    if size < rules.minimum_size or rules.size_only:
        return size >= rules.minimum_size
    add_cell(rules, cell, 1, groups.histogram[group])
    found = allowed(rules, size, groups.histogram[group])
    add_cell(rules, cell, -1, groups.histogram[group])
    return found


@kernel
def total_loss(groups: Groups) -> float:
    """Loss of all rows, summed over columns."""
    total = 0.0
    for group in range(groups.size.shape[0]):
        total += groups.size[group] * groups.loss[group]
    return total


@kernel
def index_groups(columns: GroupColumns, groups: Groups) -> Index:
    """Sort the groups that have cells by their labels."""
    d = groups.keys.shape[1]
    order = np.flatnonzero(groups.size > 0)
    n = order.shape[0]
    word = np.empty(n, np.int64)
    for j in range(d - 1, -1, -1):
        for place in range(n):
            group = order[place]
            word[place] = groups.low[group, j] * columns.n_codes[j] + groups.high[group, j]
        order = order[np.argsort(word, kind="mergesort")]
    low = np.empty((n, d), np.int32)
    high = np.empty((n, d), np.int32)
    shared = np.zeros(n, np.int32)
    for place in range(n):
        low[place] = groups.low[order[place]]
        high[place] = groups.high[order[place]]
        if place > 0:
            j = 0
            while (
                j < d
                and low[place, j] == low[place - 1, j]
                and high[place, j] == (high[place - 1, j])
            ):
                j += 1
            shared[place] = min(j, d - 1)
    skip = np.empty((n, d), np.int32)
    following = np.full(d, n, np.int32)
    for place in range(n - 1, -1, -1):
        skip[place] = following
        for j in range(shared[place], d):
            following[j] = place
    return Index(order, low, high, shared, skip)


@kernel
def cheapest_group(
    columns: GroupColumns,
    rules: CompiledModel,
    groups: Groups,
    index: Index,
    cell: int,
    own: int,
    most: float,
) -> tuple[int, float]:
    """The group, other than `own`, whose loss a cell raises least, and by how much.

    Only groups that may take the cell and whose loss rises by less than `most` count; -1 when
    there is none.  Runs of groups whose leading columns alone cost too much are left out: every
    group has at least the model's minimum size.  Labels in the index may be older than the groups;
    a group is always judged as it is now.
    """
    key = groups.keys[cell]
    rows = rules.sizes[cell]
    least = max(1, rules.minimum_size)
    d = key.shape[0]
    n = index.group.shape[0]
    with_cell = np.zeros(d + 1)
    without = np.zeros(d + 1)
    best = -1
    place = 0
    while place < n:
        j = index.shared[place]
        while j < d:
            low, high, code = index.low[place, j], index.high[place, j], key[j]
            was = pair_loss(columns, j, low, high)
            without[j + 1] = without[j] + was
            if code < low or code > high:
                was = pair_loss(columns, j, min(low, code), max(high, code))
            with_cell[j + 1] = with_cell[j] + was
            if least * (with_cell[j + 1] - without[j + 1]) + rows * with_cell[j + 1] >= most:
                break
            j += 1
        if j < d:
            place = index.skip[place, j]
            continue
        group = index.group[place]
        place += 1
        if group == own or groups.size[group] == 0:
            continue
        raised = added_loss(columns, rules, groups, cell, group)
        if raised < most and allowed_with(rules, groups, cell, group):
            most = raised
            best = group
    return best, most


@kernel
def added_loss(
    columns: GroupColumns, rules: CompiledModel, groups: Groups, cell: int, group: int
) -> float:
    """How much the loss of all rows rises when a cell in no group joins one."""
    if groups.head[group] < 0:
        return 0.0
    loss = 0.0
    for j in range(groups.keys.shape[1]):
        code = groups.keys[cell, j]
        low = min(groups.low[group, j], code)
        high = max(groups.high[group, j], code)
        loss += pair_loss(columns, j, low, high)
    return groups.size[group] * (loss - groups.loss[group]) + rules.sizes[cell] * loss
