"""The least loss that a row can have in any group with enough rows.

Let a row's group lose ``c_j`` in column j.  Every other row of the group differs from it, in
column j, by a pair loss of at most ``c_j``: the label covers both.  So at least k rows of the table
differ from it by at most ``c_j`` in every column, and the row loses at least the least sum of such
``c_j``.  A weaker form adds the columns up first: the row loses at least as much as its pair with
the k-th nearest row, counting itself.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.anonymize.clusters._group_loss import GroupColumns, pair_loss
from shoal.typing import Codes, Counts, Floats

MOST_LEVELS = 12
"""Losses of a column that are told apart; more are taken together, at the least of them."""

_SLACK = 1e-9


class Near(NamedTuple):
    """The cells that may be in a group with a row."""

    pair: Floats  # (n, n_columns): what a label for both loses
    total: Floats
    rows: Counts


@kernel
def near_cells(columns: GroupColumns, keys: Codes, rows: Counts, cell: int, most: float) -> Near:
    """Cells whose pair with a cell loses no more than `most`."""
    n, d = keys.shape
    found = np.empty(n, np.int64)
    n_found = 0
    for other in range(n):
        total = 0.0
        j = 0
        while j < d and total <= most + _SLACK:
            low, high = keys[cell, j], keys[other, j]
            total += pair_loss(columns, j, min(low, high), max(low, high))
            j += 1
        if total <= most + _SLACK:
            found[n_found] = other
            n_found += 1
    near = Near(np.empty((n_found, d)), np.zeros(n_found), np.empty(n_found, np.int64))
    for i in range(n_found):
        near.rows[i] = rows[found[i]]
        for j in range(d):
            low, high = keys[cell, j], keys[found[i], j]
            near.pair[i, j] = pair_loss(columns, j, min(low, high), max(low, high))
            near.total[i] += near.pair[i, j]
    return near


@kernel
def nearest_bound(near: Near, least: int, most: float) -> float:
    """Pair loss of the nearest cells that have `least` rows together; `most` without them."""
    n_rows = 0
    for i in np.argsort(near.total, kind="mergesort"):
        n_rows += near.rows[i]
        if n_rows >= least:
            return min(near.total[i], most)
    return most


@kernel
def column_levels(losses: Floats, level: NDArray[np.int64], cost: Floats) -> int:
    """Number the losses of one column from the least on; `cost` is the least of each number."""
    order = np.argsort(losses, kind="mergesort")
    n_values = 0
    for i in range(order.shape[0]):
        n_values += i == 0 or losses[order[i]] > losses[order[i - 1]] + _SLACK
    value, n_levels = -1, 0
    for i in range(order.shape[0]):
        if i == 0 or losses[order[i]] > losses[order[i - 1]] + _SLACK:
            value += 1
            own = value if n_values <= MOST_LEVELS else value * MOST_LEVELS // n_values
            if own >= n_levels:
                cost[n_levels] = losses[order[i]]
                n_levels += 1
        level[order[i]] = n_levels - 1
    return n_levels


@kernel
def cover_bound(near: Near, least: int, most: float, budget: int) -> float:
    """Least sum of losses, one for each column, within which there are `least` rows; -1: too dear.

    Columns are gone through one after the other, the rows that stay within the levels chosen so
    far being kept for each; `budget` is how many of them may be looked at.
    """
    n, d = near.pair.shape
    level, cost = np.empty((d, n), np.int64), np.empty((d, MOST_LEVELS))
    n_levels = np.empty(d, np.int64)
    for j in range(d):
        n_levels[j] = column_levels(near.pair[:, j].copy(), level[j], cost[j])
    kept, n_kept = np.empty((d + 1, n), np.int64), np.zeros(d + 1, np.int64)
    kept[0], n_kept[0] = np.arange(n), n
    chosen, spent = np.full(d, -1, np.int64), np.zeros(d + 1)
    best, j, looked = most, 0, 0
    while j >= 0:
        chosen[j] += 1
        if chosen[j] == n_levels[j] or spent[j] + cost[j, chosen[j]] >= best - _SLACK:
            chosen[j] = -1  # no higher level can be better: back to the column before
            j -= 1
            continue
        looked += n_kept[j]
        if looked > budget:
            return -1.0
        n_rows, n_next = 0, 0
        for i in kept[j, : n_kept[j]]:
            if level[j, i] <= chosen[j]:
                kept[j + 1, n_next] = i
                n_next += 1
                n_rows += near.rows[i]
        if n_rows < least:
            continue
        spent[j + 1], n_kept[j + 1] = spent[j] + cost[j, chosen[j]], n_next
        if j == d - 1:
            best = float(spent[d])
        else:
            j += 1
    return best


@kernel
def row_bounds(
    columns: GroupColumns,
    keys: Codes,
    rows: Counts,
    chosen: NDArray[np.int64],
    most: Floats,
    least: int,
    budget: int,
) -> Floats:
    """Least loss of a row of each chosen cell; `most` is what it loses in a release."""
    bounds = np.empty(chosen.shape[0])
    for i in range(chosen.shape[0]):
        near = near_cells(columns, keys, rows, chosen[i], most[i])
        bounds[i] = nearest_bound(near, least, most[i])
        if bounds[i] < most[i] - _SLACK:
            bounds[i] = max(bounds[i], cover_bound(near, least, most[i], budget))
    return bounds


@kernel
def pair_bounds(
    columns: GroupColumns,
    keys: Codes,
    rows: Counts,
    chosen: NDArray[np.int64],
    most: Floats,
    least: int,
) -> Floats:
    """The weaker form of :func:`row_bounds`, for tables with many columns."""
    n, d = keys.shape
    bounds = np.empty(chosen.shape[0])
    total = np.empty(n)
    for i in range(chosen.shape[0]):
        cell = chosen[i]
        for other in range(n):
            total[other] = 0.0
            j = 0
            while j < d and total[other] <= most[i] + _SLACK:
                low, high = keys[cell, j], keys[other, j]
                total[other] += pair_loss(columns, j, min(low, high), max(low, high))
                j += 1
        n_rows, bounds[i] = 0, most[i]
        for other in np.argsort(total, kind="mergesort"):
            n_rows += rows[other]
            if n_rows >= least:
                bounds[i] = min(total[other], most[i])
                break
    return bounds
