"""Where a region may be cut when only sizes count.  Arrays in, arrays out."""

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.anonymize.mondrian._region_arrays import RegionColumns, RegionWork, Scratch, lowest_node
from shoal.anonymize.mondrian._tree_split_kernels import (
    close_nodes,
    list_below,
    list_children,
    mark_parts,
    next_rest,
    number_children,
    weigh_rests,
)
from shoal.typing import Counts


@kernel
def cut_by_size(
    columns: RegionColumns, sizes: Counts, least: int, work: RegionWork, scratch: Scratch,
    begin: int, end: int, column: int, low: int, high: int, partial: bool, relaxed: bool,
) -> tuple[int, int]:  # fmt: skip
    """Cut a region so that every part has at least `least` rows: parts (0: none) and pivot."""
    if columns.is_tree[column]:
        rising = list_children(columns, sizes, work, scratch, begin, end, column, low, high)
        n_off = _split_off(scratch, rising, least, partial)
        if n_off < 0:
            top = lowest_node(columns, column, low, high)
            rising, n_off = _split_deeper(
                columns, sizes, least, work, scratch, begin, end, column, top, rising
            )
        return number_children(columns, work, scratch, begin, end, column, rising, n_off), -1
    if relaxed or high - low > 8 * (end - begin):
        sort_by_code(columns, work, scratch, begin, end, column, low, high)
        at = _median_place(columns, sizes, least, work, begin, end, column, relaxed)
        cut, pivot = cut_at(columns, work, at, column)
    else:
        cut = _median_code(columns, sizes, least, work, scratch, begin, end, column, low, high)
        pivot = -1
    if cut < 0:
        return 0, -1
    number_sides(columns, work, begin, end, column, cut, pivot)
    return 2, pivot


# -- by hierarchy -------------------------------------------------------------------------------


@kernel
def _split_off(scratch: Scratch, rising: NDArray[np.int64], least: int, partial: bool) -> int:
    """Mark the children that become parts of their own: how many there are.

    0 when no such split is allowed, -1 when the small children are too few to stay together.
    """
    rows, n = scratch.rows, rising.shape[0]
    n_small, n_rest = 0, 0
    while n_small < n and rows[rising[n_small]] < least:
        n_rest += rows[rising[n_small]]
        n_small += 1
    if n_small == n or (n_small > 0 and not partial):
        return 0
    if 0 < n_rest < least:
        return -1
    for s in range(n_small, n):
        scratch.is_off[rising[s]] = True
    return n - n_small


@kernel
def _split_deeper(
    columns: RegionColumns, sizes: Counts, least: int, work: RegionWork, scratch: Scratch,
    begin: int, end: int, column: int, top: int, children: NDArray[np.int64],
) -> tuple[NDArray[np.int64], int]:  # fmt: skip
    """Give the small children the fewest rows from below the others; mark the parts."""
    nodes = list_below(columns, sizes, work, scratch, begin, end, column, top, children)
    stands = np.empty(nodes.shape[0], np.bool_)
    n_rows = 0
    for at in range(nodes.shape[0]):
        stands[at] = scratch.rows[nodes[at]] >= least
        if nodes[at] < columns.first_code[column + 1] - columns.first_code[column]:
            n_rows += scratch.rows[nodes[at]]
    weigh_rests(columns, scratch, column, top, nodes, stands)
    chosen = next_rest(columns, scratch, column, nodes, least, n_rows, -1)
    n_off = 0
    if chosen >= 0:
        n_off = mark_parts(columns, work, scratch, begin, end, column, top, nodes, chosen)
    return close_nodes(scratch, top, nodes, n_off), n_off


# -- by order -----------------------------------------------------------------------------------


@kernel
def _median_code(
    columns: RegionColumns, sizes: Counts, least: int, work: RegionWork, scratch: Scratch,
    begin: int, end: int, column: int, low: int, high: int,
) -> int:  # fmt: skip
    """Code after which to cut, as near to the median as allowed, wanted cuts first; -1: none."""
    keys, rows = columns.keys[column], scratch.rows
    base = columns.first_code[column]
    n_rows = 0
    for i in range(begin, end):
        cell = work.order[i]
        rows[keys[cell] - low] += sizes[cell]
        n_rows += sizes[cell]
    n_left = 0
    best, best_balance, best_wanted = -1, 0, False
    for code in range(low, high + 1):
        n_left += rows[code - low]
        rows[code - low] = 0
        balance = min(n_left, n_rows - n_left)
        wanted = columns.wanted[base + code + 1] > columns.wanted[base + code]
        if balance < least or best_wanted > wanted:
            continue
        if best_wanted < wanted or balance > best_balance:
            best, best_balance, best_wanted = code, balance, wanted
    return best


@kernel
def sort_by_code(
    columns: RegionColumns, work: RegionWork, scratch: Scratch,
    begin: int, end: int, column: int, low: int, high: int,
) -> None:  # fmt: skip
    """Put a region's cells into its part of `spare`, by code; equal codes stay in order."""
    keys, order, spare = columns.keys[column], work.order, work.spare
    n = end - begin
    if high - low > 8 * n:  # few cells in a wide column: sorting beats counting
        codes = np.empty(n, np.int64)
        for i in range(n):
            codes[i] = keys[order[begin + i]] * np.int64(n) + i
        codes.sort()
        for i in range(n):
            spare[begin + i] = order[begin + codes[i] % n]
        return
    slot = scratch.slot
    for code in range(high - low + 2):
        slot[code] = 0
    for i in range(begin, end):
        slot[keys[order[i]] - low + 1] += 1
    for code in range(high - low):
        slot[code + 1] += slot[code]
    for i in range(begin, end):
        at = keys[order[i]] - low
        spare[begin + slot[at]] = order[i]
        slot[at] += 1


@kernel
def _median_place(
    columns: RegionColumns, sizes: Counts, least: int, work: RegionWork,
    begin: int, end: int, column: int, relaxed: bool,
) -> int:  # fmt: skip
    """Place in the sorted region after which to cut; -1 when there is none."""
    keys, spare = columns.keys[column], work.spare
    base = columns.first_code[column]
    n_rows = 0
    for i in range(begin, end):
        n_rows += sizes[spare[i]]
    n_left = 0
    best, best_balance, best_wanted = -1, 0, False
    for i in range(begin, end - 1):
        n_left += sizes[spare[i]]
        inside = keys[spare[i]] == keys[spare[i + 1]]
        if inside and not relaxed:
            continue
        balance = min(n_left, n_rows - n_left)
        wanted = columns.wanted[base + keys[spare[i + 1]]] > columns.wanted[base + keys[spare[i]]]
        if balance < least or best_wanted > wanted:
            continue
        if best_wanted < wanted or balance > best_balance:
            best, best_balance, best_wanted = i, balance, wanted
    return best


@kernel
def cut_at(columns: RegionColumns, work: RegionWork, at: int, column: int) -> tuple[int, int]:
    """Code before a cut and pivot cell, for a cut after one place of the sorted region."""
    if at < 0:
        return -1, -1
    before, after = work.spare[at], work.spare[at + 1]
    if columns.keys[column, before] == columns.keys[column, after]:
        return columns.keys[column, before], after
    return columns.keys[column, before], -1


@kernel
def number_sides(
    columns: RegionColumns,
    work: RegionWork,
    begin: int,
    end: int,
    column: int,
    cut: int,
    pivot: int,
) -> None:
    """Write the parts of a cut in two: part 0 lies behind the cut, part 1 before it."""
    keys = columns.keys[column]
    passed = False
    for i in range(begin, end):
        cell = work.order[i]
        code = keys[cell]
        passed = passed or cell == pivot  # cells keep their order, so later ones are behind it
        behind = code > cut or (passed and code == cut)
        work.part[i] = 0 if behind else 1
    work.part_low[begin] = cut if pivot >= 0 else cut + 1
    work.part_high[begin] = columns.first_code[column + 1] - columns.first_code[column] - 1
    work.part_low[begin + 1] = 0
    work.part_high[begin + 1] = cut
