"""A loss that no groups labelled with nodes go below, from a price for every row.

Let every row have a price.  A box, one node in each column, that is released with a set of at least
k of its rows is worth what their prices come to, less what they lose in it.  Take for each box the
set that is worth most.  Then all prices together, less the worth of all boxes that are worth
something, is a bound: a release consists of boxes, each used once (groups with the same label are
one), each row is in one of them, and no box in it is worth more than that.  So its loss, which is
all prices less the worth of its boxes, is not less.  Any prices give a true bound; good ones are
found by lowering those of rows that several boxes want and raising those that none does
(a subgradient of the Lagrangian dual).

Slow, and made to be compared with: every node of the whole lattice is gone through in every round.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from benchmarks._iterated import levels_of
from shoal.tables import FrequencyTable

_PATIENCE, _SHORTER = 6, 0.7  # rounds without a better bound, and what is left of a step then
_KEPT = 0.7  # of the direction before


class Lattice(NamedTuple):
    """Every node of every column, for each cell."""

    levels: NDArray[np.int64]  # (n_nodes, n_columns)
    codes: NDArray[np.int64]  # (n_columns, n_levels, n_cells)
    losses: NDArray[np.float64]
    room: NDArray[np.int64]  # codes of each column
    sizes: NDArray[np.int64]


def make_lattice(cells: FrequencyTable) -> Lattice:
    """The lattice of a table whose columns all have a hierarchy."""
    part, cost = levels_of(cells)
    levels = np.array(list(product(*(range(len(column)) for column in part))), np.int64)
    (n, d), width = cells.keys.shape, max(map(len, part))
    codes, losses = np.zeros((d, width, n), np.int64), np.zeros((d, width, n))
    for j in range(d):
        for level in range(len(part[j])):
            codes[j, level], losses[j, level] = part[j][level], cost[j][level]
    room = codes.max(axis=(1, 2)) + 1
    assert np.prod(room.astype(float)) < 2**62, "numbers of parts are too large"
    return Lattice(levels, codes, losses, room, np.asarray(cells.sizes, np.int64))


def priced_bound(
    cells: FrequencyTable, k: int, row_loss: NDArray[np.float64], n_rounds: int
) -> float:
    """Mean loss of a row and column that no release goes below.

    `row_loss` is what a row of each cell loses in some release, summed over columns: where prices
    begin, and what the bound cannot pass.
    """
    lattice = make_lattice(cells)
    sizes = lattice.sizes
    most = float((sizes * row_loss).sum())
    prices, step, wait = 0.9 * row_loss, 1.0, 0
    best, best_prices, along = 0.0, prices, np.zeros(len(sizes))
    for _ in range(n_rounds):
        taken = np.zeros(len(sizes), np.int64)
        order = np.argsort(-prices, kind="stable")
        bound = float((sizes * prices).sum()) - box_worth(*lattice, k, prices, order, taken)
        if bound > best:
            best, best_prices, wait = bound, prices, 0
        elif (wait := wait + 1) == _PATIENCE:
            step, wait, prices, along = step * _SHORTER, 0, best_prices, np.zeros(len(sizes))
            continue
        along = _KEPT * along + (1 - _KEPT) * (sizes - taken)
        length = float((along * along / sizes).sum())
        if length <= 0:
            break
        prices = np.maximum(0, prices + step * (most - bound) / length * along / sizes)
    return best / (cells.n_rows * cells.keys.shape[1])


@numba.njit(cache=True)
def _number_boxes(level, codes, room, order, slot, word_at, box_of):
    """Number the boxes of one node of the lattice; returns how many there are."""
    mask = slot.shape[0] - 1
    slot[:] = -1
    n_boxes = 0
    for cell in order:
        word = np.int64(0)
        for j in range(level.shape[0]):
            word = word * room[j] + codes[j, level[j], cell]
        at = np.int64((np.uint64(word) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(30)) & mask
        while slot[at] >= 0 and word_at[slot[at]] != word:
            at = (at + 1) & mask
        if slot[at] < 0:
            slot[at], word_at[n_boxes] = n_boxes, word
            n_boxes += 1
        box_of[cell] = slot[at]
    return n_boxes


@numba.njit(cache=True)
def box_worth(levels, codes, losses, room, sizes, k, prices, order, taken):
    """What all boxes are worth that are worth something; `taken` gets how often rows are in them.

    `order` lists cells by falling price.  Rows of one cell may be taken apart, which only lowers
    the bound.
    """
    n, n_slots = sizes.shape[0], 1024
    while n_slots < 2 * n:
        n_slots *= 2
    slot, word_at = np.empty(n_slots, np.int64), np.empty(n, np.int64)
    box_of, took = np.empty(n, np.int64), np.empty(n, np.int64)
    rows, inside, worth = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n)
    total = 0.0
    for level in levels:
        n_boxes = _number_boxes(level, codes, room, order, slot, word_at, box_of)
        rows[:n_boxes], inside[:n_boxes], worth[:n_boxes] = 0, 0, 0.0
        for cell in order:
            box, gain = box_of[cell], prices[cell]
            for j in range(level.shape[0]):
                gain -= losses[j, level[j], cell]
            took[cell] = sizes[cell] if gain > 0 else max(0, min(sizes[cell], k - rows[box]))
            rows[box] += took[cell]
            inside[box] += sizes[cell]
            worth[box] += took[cell] * gain
        for box in range(n_boxes):
            worth[box] = worth[box] if inside[box] >= k and worth[box] > 0 else 0.0
            total += worth[box]
        for cell in order:
            if worth[box_of[cell]] > 0:
                taken[cell] += took[cell]
    return total
