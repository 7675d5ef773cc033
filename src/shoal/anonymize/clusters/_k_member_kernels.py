"""Greedy k-member clustering over cells.  Arrays in, arrays out; no objects, no errors, no I/O."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.anonymize.clusters._group_loss import GroupColumns, pair_loss
from shoal.privacy.compiled._condition_kernels import CompiledModel, add_cell, allowed
from shoal.typing import Codes


class Members(NamedTuple):
    """The cells, and the label of the one group that grows."""

    columns: GroupColumns
    compiled: CompiledModel
    keys: Codes  # (n_cells, n_columns)
    left: NDArray[np.int64]  # cells in no group; those that the growing group took lie behind them
    low: Codes  # least and largest code of the growing group
    high: Codes


@kernel
def furthest_cell(members: Members, n_left: int, seed: int) -> int:
    """Which of the cells left it costs most to release together with `seed`."""
    columns, keys = members.columns, members.keys
    most, furthest = -1.0, 0
    for i in range(n_left):
        cell = members.left[i]
        loss = 0.0
        for j in range(keys.shape[1]):
            low = min(keys[cell, j], keys[seed, j])
            high = max(keys[cell, j], keys[seed, j])
            loss += pair_loss(columns, j, low, high)
        if loss > most:
            most, furthest = loss, i
    return furthest


@kernel
def cheapest_cell(members: Members, n_left: int, size: int, loss: float) -> int:
    """Which of the cells left raises the information loss of the growing group least.

    The group has `size` rows so far, and each of them loses `loss`.
    """
    columns, keys, low, high = members.columns, members.keys, members.low, members.high
    sizes = members.compiled.sizes
    least, cheapest = np.inf, -1
    for i in range(n_left):
        cell = members.left[i]
        rows = size + sizes[cell]
        # a sum of losses past this is no better than the best so far; with a population beside
        # the table, a group may begin with cells in which nobody of the table is
        bound = (least + size * loss) / rows if rows > 0 else np.inf
        total = 0.0
        for j in range(keys.shape[1]):
            total += pair_loss(columns, j, min(low[j], keys[cell, j]), max(high[j], keys[cell, j]))
            if total >= bound:
                break
        raised = rows * total - size * loss
        if total < bound and raised < least:
            least, cheapest = raised, i
            # a cell inside the label costs nothing, and none costs less
            if least <= 0.0:
                break
    return cheapest


@kernel
def widen(members: Members, cell: int, empty: bool) -> float:
    """Widen the growing group's label to cover a cell; returns what a row then loses."""
    key, low, high = members.keys[cell], members.low, members.high
    loss = 0.0
    for j in range(key.shape[0]):
        low[j] = key[j] if empty else min(low[j], key[j])
        high[j] = key[j] if empty else max(high[j], key[j])
        loss += pair_loss(members.columns, j, low[j], high[j])
    return loss


@kernel
def k_member(columns: GroupColumns, compiled: CompiledModel, keys: Codes) -> NDArray[np.int64]:
    """Groups grown one by one around far-apart seeds; -1 for cells that are left over.

    A cell that is allowed by itself is a group without loss and is not looked at again.
    """
    n, d = keys.shape
    group_of = np.full(n, -1, np.int64)
    histogram = np.zeros(compiled.n_codes, np.int64)
    left = np.empty(n, np.int64)
    members = Members(columns, compiled, keys, left, np.empty(d, np.int32), np.empty(d, np.int32))
    n_left, n_groups, rows_left = 0, 0, np.int64(0)
    for cell in range(n):
        add_cell(compiled, cell, 1, histogram)
        if allowed(compiled, compiled.sizes[cell], histogram):
            group_of[cell] = n_groups
            n_groups += 1
        else:
            left[n_left] = cell
            n_left += 1
            rows_left += compiled.sizes[cell]
        add_cell(compiled, cell, -1, histogram)
    seed = left[0] if n_left else 0
    while n_left > 0 and rows_left >= compiled.minimum_size:
        chosen = furthest_cell(members, n_left, seed)
        # as in the paper, the next group begins far from where the last one did
        seed = left[chosen]
        size, first = np.int64(0), n_left
        while True:
            cell = left[chosen]
            # taken cells gather behind the others, so that a group can be given back
            n_left -= 1
            left[chosen] = left[n_left]
            left[n_left] = cell
            loss = widen(members, cell, size == 0)
            size += compiled.sizes[cell]
            add_cell(compiled, cell, 1, histogram)
            if allowed(compiled, size, histogram) or n_left == 0:
                break
            chosen = cheapest_cell(members, n_left, size, loss)
        complete = allowed(compiled, size, histogram)
        for i in range(n_left, first):
            add_cell(compiled, left[i], -1, histogram)
            rows_left -= compiled.sizes[left[i]]
            if complete:
                group_of[left[i]] = n_groups
        if not complete:  # it took all that was left and is still not allowed
            break
        n_groups += 1
    return group_of
