"""Iterated optima, slowly: each round the best full-domain generalization of the rows left.

A reference of the kind of ARX's local recoding, made to be compared with, not to be used.  Every
node of the whole lattice counts; of those that can release a share of the rows left in groups
that are large enough, the one with least loss is taken, its groups are released, and the search
begins again with the other rows.  Written without a line of the solver's code.
"""

from __future__ import annotations

from itertools import product

import numba
import numpy as np
from numpy.typing import NDArray

from shoal.tables import FrequencyTable

_SHARE = 0.01  # of the rows left, which a round has to release


def iterated_loss(cells: FrequencyTable, k: int, share: float = _SHARE) -> float:
    """Mean loss of a row and column; all columns need a hierarchy."""
    part, cost = levels_of(cells)
    levels = np.array(list(product(*(range(len(column)) for column in part))), np.int64)
    average = sum(
        np.array([(c * cells.sizes).sum() for c in column])[levels[:, j]]
        for j, column in enumerate(cost)
    )
    levels = levels[np.argsort(np.round(average, 9), kind="stable")]  # rounding breaks no ties
    width = max(map(len, part))
    n, d = cells.keys.shape
    codes, losses = np.zeros((d, width, n), np.int64), np.zeros((d, width, n))
    for j in range(d):
        for level in range(len(part[j])):
            codes[j, level], losses[j, level] = part[j][level], cost[j][level]
    room = np.array([max(int(c.max()) for c in column) + 1 for column in part], np.int64)
    assert np.prod(room.astype(float)) < 2**62, "numbers of parts are too large"
    total, rows, dearer = _rounds(levels, codes, losses, room, cells.sizes, k, share)
    rest = cells.n_rows - rows
    if rest > 0:  # too few for a group: nothing is told of them, nor of the group that they join
        total += rest * d + (dearer if rows else 0.0)
    return float(total / (cells.n_rows * d))


def levels_of(
    cells: FrequencyTable,
) -> tuple[list[list[NDArray[np.int64]]], list[list[NDArray[np.float64]]]]:
    """The node of each cell at each level of each column, numbered from 0, and what it costs."""
    parts, costs = [], []
    for codes, coding in zip(cells.keys.T, cells.codings, strict=True):
        tree = coding.hierarchy
        assert tree is not None
        part, cost, seen = [], [], set()
        for level in range(tree.n_levels):
            node = tree.levels[codes, level]
            number = np.unique(node, return_inverse=True)[1].astype(np.int64)
            if number.tobytes() in seen:
                continue
            seen.add(number.tobytes())
            below = tree.stop[node] - tree.start[node]
            part.append(number)
            cost.append((below - 1) / max(1, tree.n_leaves - 1))
        parts.append(part)
        costs.append(cost)
    return parts, costs


@numba.njit(cache=True)
def _release(levels, codes, losses, room, sizes, k, left, key, slot, table, rows):
    """Rows in groups large enough at a node, and their loss; `slot` gets each cell's group."""
    mask = table.shape[0] - 1
    table[:] = -1
    n_parts = 0
    for i in range(left.shape[0]):
        cell, word = left[i], np.int64(0)
        for j in range(levels.shape[0]):
            word = word * room[j] + codes[j, levels[j], cell]
        at = np.int64((np.uint64(word) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(30)) & mask
        while table[at] >= 0 and key[table[at]] != word:
            at = (at + 1) & mask
        if table[at] < 0:
            table[at], key[n_parts], rows[n_parts] = n_parts, word, 0
            n_parts += 1
        slot[i] = table[at]
        rows[table[at]] += sizes[cell]
    released, loss = 0, 0.0
    for i in range(left.shape[0]):
        if rows[slot[i]] >= k:
            released += sizes[left[i]]
            for j in range(levels.shape[0]):
                loss += sizes[left[i]] * losses[j, levels[j], left[i]]
    return released, loss


@numba.njit(cache=True)
def _room_for(n):
    """Size of a hash table of `n` words."""
    size = 1024
    while size < 2 * n:
        size *= 2
    return size


@numba.njit(cache=True)
def _told(levels, losses, cell):
    """What a row of a cell keeps at a node: 1 for each column, less its loss."""
    told = float(levels.shape[0])
    for j in range(levels.shape[0]):
        told -= losses[j, levels[j], cell]
    return told


@numba.njit(cache=True)
def _rounds(levels, codes, losses, room, sizes, k, share):
    """Loss of all rows that are released, how many these are, and the cheapest group to give up.

    Rows only leave, so what a node could release before bounds what it can release now.
    """
    n = sizes.shape[0]
    left = np.arange(n)
    most = np.full(levels.shape[0], sizes.sum())
    table = np.empty(_room_for(n), np.int64)
    key, slot, rows = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    total, done, rest, dearer = 0.0, 0, sizes.sum(), np.inf
    while rest >= k:
        wanted = max(float(k), share * rest)
        taken = -1
        small = _room_for(left.shape[0])
        for node in range(levels.shape[0]):
            if most[node] < wanted:
                continue
            most[node], loss = _release(
                levels[node], codes, losses, room, sizes, k, left, key, slot, table[:small], rows
            )
            if most[node] >= wanted:
                taken = node
                break
        if taken < 0:
            break
        total += loss
        done += most[taken]
        kept = 0
        for i in range(left.shape[0]):
            if rows[slot[i]] < k:
                left[kept] = left[i]
                kept += 1
                continue
            dearer = min(dearer, rows[slot[i]] * _told(levels[taken], losses, left[i]))
        left = left[:kept]
        rest -= most[taken]
        most[taken] = 0
    return total, done, dearer
