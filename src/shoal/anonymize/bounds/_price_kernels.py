"""Prices of rows, lowered until no box is worth more than it costs.

A box is a range of codes in each column.  Released with a set of at least k of its rows, it is
worth what their prices come to, less what they lose in it.  Boxes are walked column by column: the
cells in the range of one column are sorted by the code of the next, so that each of its ranges is
a run of them.  Whatever follows, a cell gains no more than its price less what the ranges so far
lose and what the columns to come lose at least; where all gains of a run come to nothing, so does
every box in it.  Prices and losses are whole numbers, so that nothing is rounded.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.typing import Codes, Counts

Whole = NDArray[np.int64]
Cells = NDArray[np.int32]

_NEVER = -(2**62)
_LOOKS_WHEN_FOUND = 8  # at each cell of a box that is worth something


class Boxes(NamedTuple):
    """The ranges that boxes are made of; those of column j lie from start[j] to start[j + 1]."""

    n_codes: Whole
    start: Whole
    low: Whole
    high: Whole
    loss: Whole
    first: Whole  # where a column's part of `least` begins
    least: Whole  # loss of the cheapest range around two codes, as a square for each column


class Table(NamedTuple):
    """Cells by their codes, the rows of each, and how many a group needs."""

    keys: Codes  # (n_columns, n_cells): the codes of a column lie together
    sizes: Counts
    least: int


class Found(NamedTuple):
    """Boxes that were worth something: some of the cells in each, one after the other."""

    start: Whole
    loss: Whole
    cell: Cells


@kernel
def least_rest(boxes: Boxes, table: Table) -> Whole:
    """What a row of each cell loses at least in column j and those after it, in any group."""
    d, n = table.keys.shape
    rest = np.zeros((d + 1, n), np.int64)
    for j in range(d - 1, -1, -1):
        n_codes = boxes.n_codes[j]
        rows = np.zeros(n_codes + 1, np.int64)
        for i in range(n):
            rows[table.keys[j, i] + 1] += table.sizes[i]
        for code in range(n_codes):
            rows[code + 1] += rows[code]
        own = np.full(n_codes, 2**40, np.int64)
        for i in range(boxes.start[j], boxes.start[j + 1]):
            low, high = boxes.low[i], boxes.high[i]
            # a range with fewer rows than a group needs is part of no box
            if rows[high + 1] - rows[low] >= table.least:
                for code in range(low, high + 1):
                    own[code] = min(own[code], boxes.loss[i])
        for i in range(n):
            rest[j, i] = rest[j + 1, i] + own[table.keys[j, i]]
    return rest


@kernel
def level_down(cells: Cells, sizes: Counts, prices: Whole, loss: int, surplus: int) -> None:
    """Lower the prices of cells that are above a loss, all alike, until a surplus is gone."""
    by, before = np.int64(0), np.int64(-1)
    while by > before:
        before, short, rows = by, surplus, 0
        for cell in cells:
            gain = prices[cell] - loss
            if gain > by:
                rows += sizes[cell]
            elif gain > 0:
                short -= sizes[cell] * gain
        if rows > 0:
            # rounded up, so that no surplus is left; cells with less to give have given all of it
            by = max(by, -(-short // rows))
    for cell in cells:
        if prices[cell] > loss:
            prices[cell] -= min(by, prices[cell] - loss)


@kernel
def weigh(cells: Cells, sizes: Counts, prices: Whole, loss: int, least: int) -> tuple[int, int]:
    """What a box is worth that loses so much, 0 if nothing; and the least gain of a row in it.

    Where too few rows are worth more than they lose, it takes others, the dearest first, and of the
    last ones no more rows than it lacks.
    """
    worth, rows, nearest = np.int64(0), np.int64(0), np.int64(_NEVER)
    for cell in cells:
        gain = prices[cell] - loss
        if gain > 0:
            worth += sizes[cell] * gain
            rows += sizes[cell]
        else:
            nearest = max(nearest, gain)
    lack = least - rows
    if worth <= 0 or lack <= 0:  # too little to give, or rows enough
        return max(0, int(worth)), 0
    if worth + lack * nearest <= 0:
        return 0, 0
    # the largest gain from which on there are rows enough; one below -worth is too dear
    low, high = -worth, nearest
    while low < high:
        middle, rows, some = low + (high - low + 1) // 2, np.int64(0), worth
        for cell in cells:
            gain = prices[cell] - loss
            if middle <= gain <= 0:
                rows += sizes[cell]
                some += sizes[cell] * gain
        if rows >= lack:
            low = middle
        elif some + (lack - rows) * middle <= 0:
            return 0, 0
        else:
            high = middle - 1
    for cell in cells:
        gain = prices[cell] - loss
        if low < gain <= 0:
            worth += sizes[cell] * gain
            lack -= sizes[cell]
    return max(0, int(worth + lack * low)), int(low)


@kernel
def _sort_cells(cells: Cells, codes: Codes, begin: Whole, into: Cells) -> None:
    """Sort cells by their codes; those of a code begin at begin[code]."""
    begin[:] = 0
    for cell in cells:
        begin[codes[cell] + 1] += 1
    for code in range(begin.shape[0] - 1):
        begin[code + 1] += begin[code]
    following = begin[:-1].copy()
    for cell in cells:
        into[following[codes[cell]]] = cell
        following[codes[cell]] += 1


@kernel
def _add_up(
    cells: Cells, sizes: Counts, prices: Whole, lost: Whole, rows: Whole, gain: Whole
) -> None:
    """Sums from the first cell on: of rows, and of what each may gain beyond what is lost."""
    for i in range(cells.shape[0]):
        cell = cells[i]
        rows[i + 1] = rows[i] + sizes[cell]
        gain[i + 1] = gain[i] + sizes[cell] * max(0, prices[cell] - lost[cell])


@kernel
def _may_gain(
    cells: Cells, sizes: Counts, prices: Whole, rest: Whole, lost: int, least: int
) -> bool:
    """Whether any box within a run of cells can be worth something."""
    total, rows, nearest = np.int64(0), np.int64(0), np.int64(_NEVER)
    for cell in cells:
        gain = prices[cell] - lost - rest[cell]
        if gain > 0:
            total += sizes[cell] * gain
            rows += sizes[cell]
        else:
            nearest = max(nearest, gain)
    return bool(total > 0 and (rows >= least or total + (least - rows) * nearest > 0))


@kernel
def lower_prices(
    boxes: Boxes, table: Table, rest: Whole, asked: Whole, prices: Whole, top: int, budget: int
) -> tuple[int, Found]:
    """Lower prices until no box is worth anything whose first range is number `top`.

    Returns how many cells were looked at, -1 where that passes the budget and some box may still be
    worth something; and the boxes for which prices were lowered.
    """
    keys, sizes, least = table
    d, n = keys.shape
    cell, following = np.empty((d, n), np.int32), np.zeros(d, np.int64)
    rows, gain = np.zeros((d, n + 1), np.int64), np.zeros((d, n + 1), np.int64)
    begin = np.zeros((d, boxes.n_codes.max() + 1), np.int64)
    lost = np.zeros(d, np.int64)
    start, loss = np.zeros(2, np.int64), np.zeros(1, np.int64)
    members, n_found = np.zeros(64, np.int32), 0
    run, j, is_new, looked = np.arange(n).astype(np.int32), 0, True, n
    while j >= 0:
        if is_new:
            size, ends = run.shape[0], begin[j, : boxes.n_codes[j] + 1]
            _sort_cells(run, keys[j], ends, cell[j])
            _add_up(cell[j, :size], sizes, asked, lost[j] + rest[j], rows[j], gain[j])
            following[j], is_new = boxes.start[j], False
            if j == 0:
                following[0] = top
        i = following[j]
        # no range is left: back to the column before
        if i == boxes.start[j + 1] or (j == 0 and i > top):
            j -= 1
            continue
        following[j] += 1
        looked += 1
        # cells are sorted by code, so those of a range are a run, and sums tell its rows and gains
        low, high = begin[j, boxes.low[i]], begin[j, boxes.high[i] + 1]
        if rows[j, high] - rows[j, low] < least or gain[j, high] <= gain[j, low]:
            continue
        a, b = keys[j, cell[j, low]], keys[j, cell[j, high - 1]]
        if boxes.least[boxes.first[j] + a * boxes.n_codes[j] + b] < boxes.loss[i]:
            continue  # another range has these cells, and loses less
        looked += high - low
        if looked > budget:
            return -1, Found(start[: n_found + 1], loss[:n_found], members[: start[n_found]])
        run, own = cell[j, low:high], lost[j] + boxes.loss[i]
        if j < d - 1:
            if _may_gain(run, sizes, asked, rest[j + 1], own, least):
                j, is_new = j + 1, True
                lost[j] = own
                looked += high - low
            continue
        worth, lowest = weigh(run, sizes, asked, own, least)
        if worth <= 0:
            continue
        looked += _LOOKS_WHEN_FOUND * (high - low)
        # cells whose prices are a little lower may be taken when others have fallen
        lowest = own + min(lowest, -own // 8)
        most = start[n_found] + run.shape[0]
        while members.shape[0] < most:
            members = np.append(members, np.empty_like(members))
        if n_found == loss.shape[0]:
            start = np.append(start, np.empty_like(start))
            loss = np.append(loss, np.empty_like(loss))
        end = start[n_found]
        for member in run:
            if asked[member] >= lowest:
                members[end] = member
                end += 1
        loss[n_found], start[n_found + 1] = own, end
        n_found += 1
        # found at the prices asked, which stay; at the present ones it may be worth nothing
        worth, _ = weigh(run, sizes, prices, own, least)
        if worth > 0:
            level_down(run, sizes, prices, own, worth)
    return looked, Found(start[: n_found + 1], loss[:n_found], members[: start[n_found]])


@kernel
def settle(found: Found, sizes: Counts, least: int, prices: Whole, backwards: bool) -> None:
    """Lower prices until none of some boxes is worth anything, one after the other."""
    n = found.loss.shape[0]
    for i in range(n):
        # which prices pay depends on the order, so every other round goes backwards
        box = n - 1 - i if backwards else i
        cells = found.cell[found.start[box] : found.start[box + 1]]
        worth, _ = weigh(cells, sizes, prices, found.loss[box], least)
        if worth > 0:
            level_down(cells, sizes, prices, found.loss[box], worth)
