"""Groups of cells: make them, join them, leave them.

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


class Groups(NamedTuple):
    """Cells in groups; a group without cells has size 0 and may be used again.

    The cells of a group are a linked list, since cells leave and join all the time.
    """

    columns: GroupColumns
    compiled: CompiledModel  # its cells are numbered like those of `keys`
    keys: Codes  # (n_cells, n_columns)
    group_of: NDArray[np.int64]  # one per cell; -1 is in none
    after: NDArray[np.int64]  # next and previous cell of the same group, -1 at the ends
    before: NDArray[np.int64]
    head: NDArray[np.int64]  # first cell of each group
    low: Codes  # (n_groups, n_columns): least and largest code
    high: Codes
    size: Counts  # rows
    loss: Floats  # of one row, summed over columns
    histogram: Counts  # (n_groups, n_codes) of the compiled model


@kernel
def make_groups(
    columns: GroupColumns,
    compiled: CompiledModel,
    keys: Codes,
    group_of: NDArray[np.int64],
    n_groups: int,
) -> Groups:
    """Groups of the cells; `group_of` names each cell's group, -1 is in none."""
    n, d = keys.shape
    groups = Groups(
        columns,
        compiled,
        keys,
        np.full(n, -1, np.int64),
        np.full(n, -1, np.int64),
        np.full(n, -1, np.int64),
        np.full(n_groups, -1, np.int64),
        np.zeros((n_groups, d), np.int32),
        np.zeros((n_groups, d), np.int32),
        np.zeros(n_groups, np.int64),
        np.zeros(n_groups, np.float64),
        np.zeros((n_groups, compiled.n_codes), np.int64),
    )
    # a cell joins at the head, so going backwards leaves every list in rising order
    for cell in range(n - 1, -1, -1):
        if group_of[cell] >= 0:
            join(groups, cell, group_of[cell])
    return groups


@kernel
def join(groups: Groups, cell: int, group: int) -> None:
    """Put a cell that is in no group into one."""
    columns, compiled = groups.columns, groups.compiled
    head = groups.head[group]
    groups.group_of[cell] = group
    groups.after[cell] = head
    groups.before[cell] = -1
    groups.head[group] = cell
    if head >= 0:
        groups.before[head] = cell
    groups.size[group] += compiled.sizes[cell]
    add_cell(compiled, cell, 1, groups.histogram[group])
    loss = 0.0
    for j in range(groups.keys.shape[1]):
        code = groups.keys[cell, j]
        if head < 0 or code < groups.low[group, j]:
            groups.low[group, j] = code
        if head < 0 or code > groups.high[group, j]:
            groups.high[group, j] = code
        loss += pair_loss(columns, j, groups.low[group, j], groups.high[group, j])
    groups.loss[group] = loss


@kernel
def leave(groups: Groups, cell: int) -> None:
    """Take a cell out of its group."""
    group = groups.group_of[cell]
    before, after = groups.before[cell], groups.after[cell]
    if before >= 0:
        groups.after[before] = after
    else:
        groups.head[group] = after
    if after >= 0:
        groups.before[after] = before
    groups.group_of[cell] = -1
    groups.size[group] -= groups.compiled.sizes[cell]
    add_cell(groups.compiled, cell, -1, groups.histogram[group])
    # the ends of a range are not known without the cell: look at those that stay
    groups.loss[group] = label_without(groups, group, -1, groups.low[group], groups.high[group])


@kernel
def label_without(groups: Groups, group: int, cell: int, low: Codes, high: Codes) -> float:
    """Loss of a row of a group that one cell has left (-1: none); `low`, `high` get its label."""
    columns = groups.columns
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
def allowed_without(groups: Groups, cell: int) -> bool:
    """Whether the rest of a cell's group may stay when the cell leaves, or nothing is left."""
    compiled = groups.compiled
    group = groups.group_of[cell]
    rest = groups.size[group] - compiled.sizes[cell]
    if rest == 0:
        return True
    if rest < compiled.minimum_size or compiled.size_only:
        return rest >= compiled.minimum_size
    # changing the group's own histogram and back is cheaper than copying it
    add_cell(compiled, cell, -1, groups.histogram[group])
    answer = allowed(compiled, rest, groups.histogram[group])
    add_cell(compiled, cell, 1, groups.histogram[group])
    return answer


@kernel
def allowed_with(groups: Groups, cell: int, group: int) -> bool:
    """Whether a group may take a cell."""
    compiled = groups.compiled
    size = groups.size[group] + compiled.sizes[cell]
    if size < compiled.minimum_size or compiled.size_only:
        return size >= compiled.minimum_size
    add_cell(compiled, cell, 1, groups.histogram[group])
    answer = allowed(compiled, size, groups.histogram[group])
    add_cell(compiled, cell, -1, groups.histogram[group])
    return answer


@kernel
def added_loss(groups: Groups, cell: int, group: int) -> float:
    """How much the loss of all rows rises when a cell in no group joins one."""
    if groups.head[group] < 0:
        return 0.0
    columns = groups.columns
    loss = 0.0
    for j in range(groups.keys.shape[1]):
        code = groups.keys[cell, j]
        low = min(groups.low[group, j], code)
        high = max(groups.high[group, j], code)
        loss += pair_loss(columns, j, low, high)
    return groups.size[group] * (loss - groups.loss[group]) + groups.compiled.sizes[cell] * loss


@kernel
def total_loss(groups: Groups) -> float:
    """Loss of all rows, summed over columns."""
    total = 0.0
    for group in range(groups.size.shape[0]):
        total += groups.size[group] * groups.loss[group]
    return total
