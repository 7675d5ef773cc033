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

from shoal._jit import array_kernel, kernel
from shoal.anonymize.clusters._group_loss import GroupColumns, pair_loss
from shoal.typing import Codes, Counts, Floats

MOST_LEVELS = 12
"""Losses of a column that are told apart; more are taken together, at the least of them."""

_SLACK = 1e-9
_MANY_CELLS = 3_000
"""From here on kernels are compiled, and a loop that ends early beats operations on arrays."""

_LOOKED_AT = 500
"""Cells by which the order of the columns is chosen."""


class Near(NamedTuple):
    """The cells that may be in a group with a row."""

    pair: Floats  # (n, n_columns): what a label for both loses
    total: Floats
    rows: Counts
    most: float  # what the row loses at most where it loses least: nothing dearer is looked for


@kernel
def pair_losses(columns: GroupColumns, column: int, own: int, codes: Codes) -> Floats:
    """What a label for a code and each of others loses."""
    low, high = np.minimum(codes, own), np.maximum(codes, own)
    first = columns.first[column]
    if first >= 0:
        return columns.table[first + low * columns.n_codes[column] + high]
    losses = np.empty(codes.shape[0])
    for i in range(codes.shape[0]):
        losses[i] = pair_loss(columns, column, low[i], high[i])
    return losses


@kernel
def _near_of_many(
    columns: GroupColumns, keys: Codes, cell: int, most: float
) -> tuple[NDArray[np.int64], Floats]:
    """Cells whose pair with a cell loses no more than `most`, and what each loses.

    There are fewer codes than cells: what a pair of codes loses is computed once for each code, and
    looked up for the cells.  The column that rules out most of some cells is looked at first.
    """
    n, d = keys.shape
    begin = np.zeros(d + 1, np.int64)
    begin[1:] = np.cumsum(columns.n_codes)
    losses, ruled_out = np.empty(begin[d]), np.zeros(d, np.int64)
    for j in range(d):
        own = losses[begin[j] : begin[j + 1]]
        for code in range(own.shape[0]):
            low, high = min(code, keys[cell, j]), max(code, keys[cell, j])
            own[code] = pair_loss(columns, j, low, high)
        # which column comes first costs time only: a few cells tell well enough
        for other in range(0, n, max(1, n // _LOOKED_AT)):
            ruled_out[j] += own[keys[other, j]] > most + _SLACK
    order = np.argsort(-ruled_out, kind="mergesort")
    cells, total, n_cells = np.empty(n, np.int64), np.empty(n), 0
    first, limit = order[0], most + _SLACK
    own = losses[begin[first] : begin[first + 1]]
    for other in range(n):
        i, lost = 1, own[keys[other, first]]  # `own`: of the column looked at first
        while i < d and lost <= limit:
            lost += losses[begin[order[i]] + keys[other, order[i]]]
            i += 1
        if lost <= limit:
            cells[n_cells], total[n_cells] = other, lost
            n_cells += 1
    return cells[:n_cells], total[:n_cells]


@kernel
def near_cells(
    columns: GroupColumns, keys: Codes, rows: Counts, cell: int, most: float, least: int
) -> Near:
    """Cells whose pair with a cell loses no more than `most`, or than a label for enough of them.

    A label for the nearest rows shows what is possible, which cells that are farther away cannot
    improve on: they would lose more by themselves.  Mostly it leaves a hundredth of the cells.
    """
    n, d = keys.shape
    if n > _MANY_CELLS:
        cells, total = _near_of_many(columns, keys, cell, most)
    else:
        cells, total = np.arange(n), np.zeros(n)
        for j in range(d):
            total = total + pair_losses(columns, j, keys[cell, j], keys[:, j][cells])
            # errs towards more cells, which can only lower the bound
            is_close = total <= most + _SLACK
            cells, total = cells[is_close], total[is_close]
    if cells.shape[0] > least:
        closest = cells[total <= np.partition(total, least - 1)[least - 1]]
        together = 0.0
        for j in range(d):
            together += pair_losses(columns, j, keys[cell, j], keys[:, j][closest]).max()
        if together < most:
            most = together
            is_close = total <= most + _SLACK
            cells, total = cells[is_close], total[is_close]
    pair = np.empty((cells.shape[0], d))
    for j in range(d):
        pair[:, j] = pair_losses(columns, j, keys[cell, j], keys[:, j][cells])
    return Near(pair, total, rows[cells], most)


@kernel
def nearest_bound(near: Near, least: int, most: float) -> float:
    """Pair loss of the nearest cells that have `least` rows together; `most` without them."""
    n_rows = 0
    for i in np.argsort(near.total, kind="mergesort"):
        n_rows += near.rows[i]
        # a group has as many rows, so one at least that is as far away as the last of these
        if n_rows >= least:
            return min(near.total[i], most)
    return most


@array_kernel
def column_levels(losses: Floats, level: NDArray[np.int64], cost: Floats) -> int:
    """Number the losses of one column from the least on; `cost` is the least of each number."""
    n = losses.shape[0]
    if n == 0:
        return 0
    order = np.argsort(losses, kind="mergesort")
    ordered = losses[order]
    own = np.zeros(n, np.int64)
    own[1:] = np.cumsum((ordered[1:] > ordered[:-1] + _SLACK).astype(np.int64))
    n_values = own[n - 1] + 1
    # levels joined here cost what the least of them does: the bound is weaker, but holds
    if n_values > MOST_LEVELS:
        own = own * MOST_LEVELS // n_values
    level[order] = own
    begins = np.flatnonzero(own[1:] > own[:-1]) + 1
    cost[0] = ordered[0]
    cost[1 : begins.shape[0] + 1] = ordered[begins]
    return begins.shape[0] + 1


@array_kernel
def cover_bound(near: Near, least: int, most: float, budget: int) -> float:
    """Least sum of losses, one for each column, within which there are `least` rows; -1: too dear.

    Columns are gone through one after the other, the rows that stay within the levels chosen so
    far being kept for each; `budget` is how many of them may be looked at.  A row is kept only
    while what it needs in the columns to come may still lead to less than the best cover so far.
    """
    n, d = near.pair.shape
    level, cost = np.empty((d, n), np.int64), np.empty((d, MOST_LEVELS))
    n_levels, worth = np.empty(d, np.int64), np.empty(d)
    for j in range(d):
        worth[j] = -near.pair[:, j].mean()
    # columns in which rows lose most come first, since they leave fewest rows for the others
    order = np.argsort(worth, kind="mergesort")
    for j in range(d):
        n_levels[j] = column_levels(near.pair[:, order[j]].copy(), level[j], cost[j])
    # what each row needs at least from a column on: its own level there, in each of them
    needs = np.zeros((d + 1, n))
    for j in range(d - 1, -1, -1):
        needs[j] = needs[j + 1] + cost[j][level[j]]
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
        own, left = kept[j, : n_kept[j]], best - _SLACK - spent[j] - cost[j, chosen[j]]
        own = own[(level[j][own] <= chosen[j]) & (needs[j + 1][own] < left)]
        if near.rows[own].sum() < least:  # too few rows, whatever the columns that follow allow
            continue
        kept[j + 1, : own.shape[0]] = own
        spent[j + 1], n_kept[j + 1] = spent[j] + cost[j, chosen[j]], own.shape[0]
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
        near = near_cells(columns, keys, rows, chosen[i], most[i], least)
        bounds[i] = nearest_bound(near, least, near.most)
        if bounds[i] < near.most - _SLACK:
            # -1, where it was too dear, leaves the weaker bound as it is
            bounds[i] = max(bounds[i], cover_bound(near, least, near.most, budget))
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
        # sums that stopped early are past `most`, which such cells cannot raise
        n_rows, bounds[i] = 0, most[i]
        for other in np.argsort(total, kind="mergesort"):
            n_rows += rows[other]
            if n_rows >= least:
                bounds[i] = min(total[other], most[i])
                break
    return bounds
