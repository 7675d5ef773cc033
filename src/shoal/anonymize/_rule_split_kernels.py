"""Where regions may be cut under any privacy model.  Arrays in, arrays out."""

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.anonymize._split_kernels import (
    Columns,
    Frontier,
    Scratch,
    Work,
    cut_at,
    list_children,
    number_children,
    number_sides,
    sort_by_code,
)
from shoal.privacy import Rules, add_cell, allowed
from shoal.typing import Counts, Flags


@kernel
def cut_by_rules(
    columns: Columns, rules: Rules, work: Work, frontier: Frontier, scratch: Scratch,
    counts: Counts, partial: bool, relaxed: bool,
) -> None:  # fmt: skip
    """Cut each region along its column so that the rules allow every part.

    `counts` are two histograms of zeros, shape (2, n_codes).
    """
    for region in range(frontier.begin.shape[0]):
        begin, end = frontier.begin[region], frontier.end[region]
        column, low, high = frontier.column[region], frontier.low[region], frontier.high[region]
        frontier.n_parts[region], frontier.pivot[region] = 0, -1
        if low == high:
            continue
        if columns.is_tree[column]:
            rising = list_children(
                columns, rules.sizes, work, scratch, begin, end, column, low, high
            )
            _sort_by_child(work, scratch, begin, end, rising)
            n_off = _split_off(rules, work, scratch, counts, rising, partial)
            frontier.n_parts[region] = number_children(
                columns, work, scratch, begin, end, column, rising, n_off
            )
            continue
        sort_by_code(columns, work, scratch, begin, end, column, low, high)
        at = _median_place(columns, rules, work, counts, begin, end, column, relaxed)
        if at >= 0:
            cut, pivot = cut_at(columns, work, at, column)
            number_sides(columns, work, begin, end, column, cut, pivot)
            frontier.n_parts[region], frontier.pivot[region] = 2, pivot


@kernel
def _median_place(
    columns: Columns, rules: Rules, work: Work, counts: Counts,
    begin: int, end: int, column: int, relaxed: bool,
) -> int:  # fmt: skip
    """Place in the sorted region after which to cut; -1 when there is none."""
    keys, spare = columns.keys[column], work.spare
    base = columns.first_code[column]
    least = max(1, rules.minimum_size)
    rows = np.zeros(2, np.int64)
    for i in range(begin, end):
        rows[1] += rules.sizes[spare[i]]
        add_cell(rules, spare[i], 1, counts[1])
    best, best_balance, best_wanted = -1, 0, False
    for i in range(begin, end - 1):
        rows[0] += rules.sizes[spare[i]]
        rows[1] -= rules.sizes[spare[i]]
        add_cell(rules, spare[i], 1, counts[0])
        add_cell(rules, spare[i], -1, counts[1])
        inside = keys[spare[i]] == keys[spare[i + 1]]
        if inside and not relaxed:
            continue
        balance = min(rows[0], rows[1])
        wanted = not inside and columns.preferred[base + keys[spare[i]]]
        if balance < least or best_wanted > wanted:
            continue
        if best_wanted < wanted or balance > best_balance:
            fits = True
            for side in range(2):
                fits = fits and _stands(rules, rows[side], counts[side])
            if fits:
                best, best_balance, best_wanted = i, balance, wanted
    counts[:] = 0
    return best


@kernel
def _sort_by_child(
    work: Work, scratch: Scratch, begin: int, end: int, rising: NDArray[np.int64]
) -> None:
    """Put a region's cells into `spare` by child: places ``seen[child]`` to ``slot[child]``."""
    slot = scratch.slot
    for child in rising:
        slot[child] = 0
    for i in range(begin, end):
        slot[work.part[i]] += 1
    total = begin
    for child in rising:
        n = slot[child]
        slot[child] = scratch.seen[child] = total
        total += n
    for i in range(begin, end):
        work.spare[slot[work.part[i]]] = work.order[i]
        slot[work.part[i]] += 1


@kernel
def _split_off(
    rules: Rules, work: Work, scratch: Scratch, counts: Counts,
    rising: NDArray[np.int64], partial: bool,
) -> int:  # fmt: skip
    """Mark the children that become parts of their own; 0 when no such split is allowed.

    Children that cannot stand alone form the rest; the smallest others join it until it can.  If
    none is left then, one child is tried against all others: with a monotone model this finds a
    split whenever there is one.
    """
    rows, is_off, n = scratch.rows, scratch.is_off, rising.shape[0]
    fits = np.zeros(n, np.bool_)
    n_off, n_rest = 0, 0
    for s in range(n):
        child = rising[s]
        _move(rules, work, scratch, child, 1, counts[0])
        fits[s] = _stands(rules, rows[child], counts[0])
        _move(rules, work, scratch, child, -1, counts[0])
        is_off[child] = fits[s]
        n_off += fits[s]
        if not fits[s]:
            n_rest += rows[child]
            _move(rules, work, scratch, child, 1, counts[1])
    if n_off < n and not partial:
        n_off = 0
    if 0 < n_off < n:
        for s in range(n):
            if _stands(rules, n_rest, counts[1]):
                break
            if fits[s]:
                n_rest += rows[rising[s]]
                _move(rules, work, scratch, rising[s], 1, counts[1])
                is_off[rising[s]] = False
                n_off -= 1
        if n_off == 0:
            n_off = _one_against_all(rules, work, scratch, counts[1], rising, fits, n_rest)
    counts[:] = 0
    return n_off


@kernel
def _one_against_all(
    rules: Rules, work: Work, scratch: Scratch, histogram: Counts,
    rising: NDArray[np.int64], fits: Flags, n_rows: int,
) -> int:  # fmt: skip
    """Split one child off; `histogram` is the whole region's.  The largest that will do."""
    for s in range(rising.shape[0] - 1, -1, -1):
        child = rising[s]
        if not fits[s]:
            continue
        _move(rules, work, scratch, child, -1, histogram)
        if _stands(rules, n_rows - scratch.rows[child], histogram):
            scratch.is_off[child] = True
            return 1
        _move(rules, work, scratch, child, 1, histogram)
    return 0


@kernel
def _move(
    rules: Rules, work: Work, scratch: Scratch, child: int, sign: int, histogram: Counts
) -> None:
    """Add a child's cells to a histogram, or take them away."""
    for place in range(scratch.seen[child], scratch.slot[child]):
        add_cell(rules, work.spare[place], sign, histogram)


@kernel
def _stands(rules: Rules, n_rows: int, histogram: Counts) -> bool:
    """Whether a part may stand alone; one without rows may not."""
    return n_rows > 0 and n_rows >= rules.minimum_size and allowed(rules, n_rows, histogram)
