"""A loss that no release goes below, from a price for every row.

If no group costs less than the prices of its rows come to, no release costs less than all prices
together.  Prices begin with what rows lose in a release, and are lowered until that is true of all
boxes that a group could be released as; then they are raised a little, and lowered where the boxes
found so far ask for it, again and again, for as much work as is given.
"""

from __future__ import annotations

import numpy as np

from shoal.anonymize.bounds._bound_kernels import pair_losses
from shoal.anonymize.bounds._price_kernels import (
    Boxes,
    Found,
    Table,
    Whole,
    least_rest,
    lower_prices,
    settle,
)
from shoal.anonymize.clusters._group_loss import GroupColumns
from shoal.typing import Codes, Counts, Floats

UNIT = 1e9
"""Losses are counted in billionths of a column, rounded down."""

MOST_ENDS = 256
"""Codes of a column that are told apart; of more, neighbours are taken together."""

MOST_RANGES = 1_000
"""Ranges of a column; where there were more, codes are taken together."""

_MOST_UNITS = 2**62
_SHARES = (0.4, 0.7)  # of what rows lose in the release: the first prices, cheap to check
_FIRST = 1_000
"""Cells that may be looked at to check the first prices, for each cell of the table.

They take up to 720 where others can be checked; where all rows differ, any number.
"""
_LEAST_FIRST, _MOST_FIRST = 5_000_000, 80_000_000  # the same in all: 0.1 s, some seconds
_FLAT = 0.6
"""Where those take too long, prices rise with this power of what rows lose.

What rows lose varies most where all differ.  Boxes with several of the dearest rows are worth least
for the price of all; most boxes that had to be checked had those.
"""
_FLAT_SHARES = (0.3, 0.45)  # of all that is lost, then
_FLAT_FIRST = 150_000_000  # cells that may be looked at for the first of these
_TURNS = 3  # so often prices are raised and all boxes gone through after that, if work is left
_ROUNDS = 30  # between two of them, over the boxes found
_RAISE, _SHORTER = 0.03, 0.7  # how much prices are raised, and what is left of it after a failure


def priced_loss(
    columns: GroupColumns,
    keys: Codes,
    sizes: Counts,
    least: int,
    row_loss: Floats,
    work: int,
) -> float:
    """Sum of losses that no grouping goes below; 0 if all boxes take more than the work to check.

    `row_loss` is what a row of each cell loses in a release, summed over columns, with which prices
    begin: the nearer it is to the least possible, the better.  `work` is how many cells are looked
    at in boxes.
    """
    most = int(keys.shape[1] * UNIT)
    if int(sizes.sum()) * most >= _MOST_UNITS:
        return 0.0
    boxes, table = make_boxes(columns, keys, sizes, least)
    rest = least_rest(boxes, table)
    start = np.minimum(np.floor(row_loss * UNIT).astype(np.int64), most)
    ceiling = int((sizes * start).sum())
    looks = min(work, max(_LEAST_FIRST, min(_MOST_FIRST, _FIRST * len(keys))))
    best = 0
    for shares, power, first_looks in ((_SHARES, 1.0, looks), (_FLAT_SHARES, _FLAT, _FLAT_FIRST)):
        parts: list[Found] = []
        left, prices = work, start
        rising = start.astype(np.float64) ** power
        rising *= ceiling / max(float((sizes * rising).sum()), 1.0)
        for turn in range(len(shares) + _TURNS):
            if turn < len(shares):
                asked = np.minimum(rising * shares[turn], most).astype(np.int64)
            else:
                asked = _settled(_joined(parts), table, prices, most, ceiling)
            lowered, most_looks = asked.copy(), left if turn else min(work, first_looks)
            looked, more = _lower_everywhere(boxes, table, rest, asked, lowered, most_looks)
            if looked < 0:
                break
            prices, left = asked, left - looked
            best = max(best, int((sizes * lowered).sum()))
            parts.append(more)
            if left < looked:
                break
        if parts:
            break
    return best / UNIT


def make_boxes(
    columns: GroupColumns, keys: Codes, sizes: Counts, least: int
) -> tuple[Boxes, Table]:
    """The ranges of each column, those with fewest first, and the cells by the codes they end at.

    Every label covers a range that loses no more than the label does.
    """
    made = []
    for j in range(keys.shape[1]):
        ends, low = MOST_ENDS, np.empty(0)
        while ends == MOST_ENDS or len(low) > MOST_RANGES:
            block = _blocks(keys[:, j], sizes, int(columns.n_codes[j]), ends)
            losses = _least_losses(columns, j, block)
            low, high = _widest_ranges(losses)
            ends //= 2
        made.append((block[keys[:, j]], losses, low, high))
    made.sort(key=lambda one: len(one[2]))
    codes, squares, lows, highs = zip(*made, strict=True)
    losses = [square[low, high] for square, low, high in zip(squares, lows, highs, strict=True)]
    boxes = Boxes(
        np.array([len(square) for square in squares], np.int64),
        np.cumsum([0, *map(len, lows)], dtype=np.int64),
        np.concatenate(lows),
        np.concatenate(highs),
        np.concatenate(losses),
        np.cumsum([0, *(square.size for square in squares)], dtype=np.int64),
        np.concatenate([square.ravel() for square in squares]),
    )
    return boxes, Table(np.array(codes, np.int32), sizes.astype(np.int64), least)


def _blocks(codes: Codes, sizes: Counts, n_codes: int, most: int) -> Whole:
    """Block of each code: its own, or, if there are many, a run of codes with its share of rows."""
    if n_codes <= most:
        return np.arange(n_codes)
    rows = np.cumsum(np.bincount(codes, weights=sizes, minlength=n_codes))
    share = rows * (most - 1) // max(rows[-1], 1)
    return np.unique(share, return_inverse=True)[1].astype(np.int64)


def _least_losses(columns: GroupColumns, column: int, block: Whole) -> Whole:
    """Least loss of a row whose label covers a code of one block and a code of another.

    In units, for each pair of blocks, the first of them first.
    """
    n, n_codes = int(block[-1]) + 1, len(block)
    first = np.searchsorted(block, np.arange(n))
    losses = np.full((n, n), np.iinfo(np.int64).max)
    begin = int(columns.first[column])
    if begin >= 0:  # widened to public lines, a label of distant codes may lose less than of near
        pairs = columns.table[begin : begin + n_codes**2].reshape(n_codes, n_codes)
        own = np.minimum.reduceat(np.minimum.reduceat(pairs, first, axis=0), first, axis=1)
        above = np.triu_indices(n, 1)
        losses[above] = np.floor(own[above] * UNIT)
    else:
        last = np.searchsorted(block, np.arange(n), "right") - 1
        for i in range(n):  # nearest codes of two blocks: of a tree, or a width, none loses less
            own = pair_losses(columns, column, int(last[i]), first[i + 1 :].astype(np.int32))
            losses[i, i + 1 :] = np.floor(own * UNIT)
    np.fill_diagonal(losses, 0)
    # a label may cover more than it has to, should that be cheaper
    losses = np.minimum.accumulate(losses, axis=0)
    return np.minimum.accumulate(losses[:, ::-1], axis=1)[:, ::-1]


def _widest_ranges(losses: Whole) -> tuple[Whole, Whole]:
    """First and last code of the ranges that no wider one is as cheap as; the cheapest first."""
    low, high = np.triu_indices(len(losses))
    padded = np.full((len(losses) + 2, len(losses) + 2), np.iinfo(np.int64).max)
    padded[1:-1, 1:-1] = losses
    own = losses[low, high]
    widest = (padded[low, high + 1] > own) & (padded[low + 1, high + 2] > own)
    low, high, own = low[widest], high[widest], own[widest]
    order = np.lexsort((low, own))
    return low[order], high[order]


def _lower_everywhere(
    boxes: Boxes, table: Table, rest: Whole, asked: Whole, prices: Whole, work: int
) -> tuple[int, Found]:
    """Lower prices until no box is worth anything; see :func:`lower_prices`."""
    looked, parts = 0, []
    for top in range(boxes.start[0], boxes.start[1]):
        more, own = lower_prices(boxes, table, rest, asked, prices, top, work - looked)
        parts.append(own)
        if more < 0:
            return -1, own
        looked += more
    return looked, _joined(parts)


def _joined(parts: list[Found]) -> Found:
    lengths = np.concatenate([[0], *(np.diff(one.start) for one in parts)])
    return Found(
        np.cumsum(lengths, dtype=np.int64),
        np.concatenate([one.loss for one in parts]),
        np.concatenate([one.cell for one in parts]),
    )


def _settled(found: Found, table: Table, prices: Whole, most: int, ceiling: int) -> Whole:
    """Prices at which the boxes that were found are worth nothing: the best of some rounds.

    `ceiling` is what a release loses: prices that come to more break some box that was not found.
    """
    best, best_prices, share = -1, prices, _RAISE
    prices = prices.copy()
    for number in range(_ROUNDS):
        settle(found, table.sizes, table.least, prices, number % 2 == 1)
        total = int((table.sizes * prices).sum())
        if total > best:
            best, best_prices = total, prices.copy()
        else:
            share *= _SHORTER
        if total >= ceiling:
            break
        prices = np.minimum(prices + (prices * share).astype(np.int64), most)
    return best_prices
