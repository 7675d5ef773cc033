"""Greedy k-member clustering over cells.  Arrays in, arrays out; no objects, no errors, no I/O."""

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.anonymize.clusters._group_loss import GroupColumns, pair_loss
from shoal.privacy.compiled._condition_kernels import CompiledModel, add_cell, allowed
from shoal.typing import Codes


@kernel
def furthest_cell(
    columns: GroupColumns, keys: Codes, left: NDArray[np.int64], n_left: int, seed: int
) -> int:
    """Place in `left` of the cell that it costs most to release together with `seed`."""
    best, place = -1.0, 0
    for at in range(n_left):
        cell = left[at]
        loss = 0.0
        for j in range(keys.shape[1]):
            low = min(keys[cell, j], keys[seed, j])
            high = max(keys[cell, j], keys[seed, j])
            loss += pair_loss(columns, j, low, high)
        if loss > best:
            best, place = loss, at
    return place


@kernel
def cheapest_cell(
    columns: GroupColumns,
    rules: CompiledModel,
    keys: Codes,
    left: NDArray[np.int64],
    n_left: int,
    low: Codes,
    high: Codes,
    size: int,
    loss: float,
) -> int:
    """Place in `left` of the cell that raises a group's information loss least."""
    best, place = np.inf, -1
    n_columns = keys.shape[1]
    for at in range(n_left):
        cell = left[at]
        rows = size + rules.sizes[cell]
        # a sum of losses past this is no better than the best so far
        bound = (best + size * loss) / rows
        total = 0.0
        for j in range(n_columns):
            total += pair_loss(columns, j, min(low[j], keys[cell, j]), max(high[j], keys[cell, j]))
            if total >= bound:
                break
        raised = rows * total - size * loss
        if total < bound and raised < best:
            best, place = raised, at
            if best <= 0.0:
                break
    return place


@kernel
def k_member(columns: GroupColumns, rules: CompiledModel, keys: Codes) -> NDArray[np.int64]:
    """Groups grown one by one around far-apart seeds; -1 for cells that are left over.

    A cell that is allowed by itself is a group without loss and is not looked at again.
    """
    n, n_columns = keys.shape
    group_of = np.full(n, -1, np.int64)
    histogram = np.zeros(rules.n_codes, np.int64)
    left = np.empty(n, np.int64)
    n_left, n_groups = 0, 0
    rows_left = np.int64(0)
    for cell in range(n):
        add_cell(rules, cell, 1, histogram)
        if allowed(rules, rules.sizes[cell], histogram):
            group_of[cell] = n_groups
            n_groups += 1
        else:
            left[n_left] = cell
            n_left += 1
            rows_left += rules.sizes[cell]
        add_cell(rules, cell, -1, histogram)
    low = np.empty(n_columns, np.int32)
    high = np.empty(n_columns, np.int32)
    seed = left[0] if n_left else 0
    while n_left > 0 and rows_left >= rules.minimum_size:
        place = furthest_cell(columns, keys, left, n_left, seed)
        seed = left[place]
        size, loss = np.int64(0), 0.0
        first = n_left
        while True:
            cell = left[place]
            # taken cells gather behind the others, so that a group can be given back
            n_left -= 1
            left[place] = left[n_left]
            left[n_left] = cell
            loss = 0.0
            for j in range(n_columns):
                if size == 0:
                    low[j] = keys[cell, j]
                    high[j] = keys[cell, j]
                else:
                    low[j] = min(low[j], keys[cell, j])
                    high[j] = max(high[j], keys[cell, j])
                loss += pair_loss(columns, j, low[j], high[j])
            size += rules.sizes[cell]
            add_cell(rules, cell, 1, histogram)
            if allowed(rules, size, histogram) or n_left == 0:
                break
            place = cheapest_cell(columns, rules, keys, left, n_left, low, high, size, loss)
        complete = allowed(rules, size, histogram)
        for at in range(n_left, first):
            add_cell(rules, left[at], -1, histogram)
            rows_left -= rules.sizes[left[at]]
            if complete:
                group_of[left[at]] = n_groups
        if not complete:
            break
        n_groups += 1
    return group_of
