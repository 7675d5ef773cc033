"""Where a region may be cut when only sizes count.  Arrays in, arrays out."""

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.anonymize.mondrian._region_arrays import (
    Region,
    RegionColumns,
    RegionTask,
    RegionWork,
    Scratch,
    lowest_node,
)
from shoal.anonymize.mondrian._tree_split_kernels import (
    close_nodes,
    list_below,
    list_children,
    mark_parts,
    next_rest,
    number_children,
    weigh_rests,
)
from shoal.privacy.compiled._condition_kernels import CompiledModel


@kernel
def cut_by_size(
    task: RegionTask, work: RegionWork, scratch: Scratch, region: Region
) -> tuple[int, int]:
    """Cut a region so that no part is below the smallest size: parts (0: none) and pivot."""
    columns, column = task.columns, region.column
    if columns.is_tree[column]:
        rising = list_children(task, work, scratch, region)
        n_off = _split_off(task, scratch, rising)
        if n_off < 0:
            rising, n_off = _split_deeper(task, work, scratch, region, rising)
        return number_children(columns, work, scratch, region, rising, n_off), -1
    # counting rows by code beats sorting, unless most codes between have no cell
    if task.relaxed or region.high - region.low > 8 * (region.end - region.begin):
        sort_by_code(columns, work, scratch, region)
        cut, pivot = cut_after(columns, work, _median_index(task, work, region), column)
    else:
        cut, pivot = _median_code(task, work, scratch, region), -1
    if cut < 0:
        return 0, -1
    number_sides(columns, work, region, cut, pivot)
    return 2, pivot


@kernel
def least_rows(compiled: CompiledModel) -> int:
    """Rows that a part needs at least: one, also when the model asks for none."""
    return max(1, compiled.minimum_size)


# -- by hierarchy -------------------------------------------------------------------------------


@kernel
def _split_off(task: RegionTask, scratch: Scratch, rising: NDArray[np.int64]) -> int:
    """Mark the children that become parts of their own: how many there are.

    0 when no such split is allowed, -1 when the small children are too few to stay together.
    """
    rows, n, least = scratch.rows, rising.shape[0], least_rows(task.compiled)
    n_small, n_rest = 0, 0
    while n_small < n and rows[rising[n_small]] < least:
        n_rest += rows[rising[n_small]]
        n_small += 1
    if n_small == n or (n_small > 0 and not task.partial):
        return 0
    if 0 < n_rest < least:
        return -1
    for s in range(n_small, n):
        scratch.is_off[rising[s]] = True
    return n - n_small


@kernel
def _split_deeper(
    task: RegionTask,
    work: RegionWork,
    scratch: Scratch,
    region: Region,
    children: NDArray[np.int64],
) -> tuple[NDArray[np.int64], int]:
    """Give the small children the fewest rows from below the others; mark the parts."""
    columns, column, least = task.columns, region.column, least_rows(task.compiled)
    top = lowest_node(columns, column, region.low, region.high)
    nodes = list_below(task, work, scratch, region, top, children)
    stands = np.empty(nodes.shape[0], np.bool_)
    n_rows = 0
    n_leaves = columns.first_code[column + 1] - columns.first_code[column]
    for index in range(nodes.shape[0]):
        stands[index] = scratch.rows[nodes[index]] >= least
        if nodes[index] < n_leaves:  # every row once
            n_rows += scratch.rows[nodes[index]]
    weigh_rests(columns, scratch, column, top, nodes, stands)
    chosen = next_rest(columns, scratch, column, nodes, least, n_rows, -1)
    n_off = 0
    if chosen >= 0:
        n_off = mark_parts(columns, work, scratch, region, top, nodes, chosen)
    return close_nodes(scratch, top, nodes, n_off), n_off


# -- by order -----------------------------------------------------------------------------------


@kernel
def _median_code(task: RegionTask, work: RegionWork, scratch: Scratch, region: Region) -> int:
    """Code after which to cut, as near to the median as allowed, wanted cuts first; -1: none."""
    columns, sizes, least = task.columns, task.compiled.sizes, least_rows(task.compiled)
    keys, rows, low = columns.keys[region.column], scratch.rows, region.low
    base = columns.first_code[region.column]
    n_rows = 0
    for i in range(region.begin, region.end):
        cell = work.order[i]
        rows[keys[cell] - low] += sizes[cell]
        n_rows += sizes[cell]
    n_left = 0
    best, best_balance, best_wanted = -1, 0, False
    for code in range(low, region.high + 1):
        n_left += rows[code - low]
        rows[code - low] = 0  # left as it was found
        balance = min(n_left, n_rows - n_left)
        wanted = columns.wanted[base + code + 1] > columns.wanted[base + code]
        if balance < least or best_wanted > wanted:
            continue
        if best_wanted < wanted or balance > best_balance:
            best, best_balance, best_wanted = code, balance, wanted
    return best


@kernel
def sort_by_code(
    columns: RegionColumns, work: RegionWork, scratch: Scratch, region: Region
) -> None:
    """Put a region's cells into its part of `spare`, by code; equal codes stay in order."""
    keys, order, spare = columns.keys[region.column], work.order, work.spare
    begin, end, low, high = region.begin, region.end, region.low, region.high
    n = end - begin
    if high - low > 8 * n:  # few cells in a wide column: sorting beats counting
        codes = np.empty(n, np.int64)
        for i in range(n):
            codes[i] = keys[order[begin + i]] * np.int64(n) + i  # code, then order, in one number
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
        code = keys[order[i]] - low
        spare[begin + slot[code]] = order[i]
        slot[code] += 1


@kernel
def _median_index(task: RegionTask, work: RegionWork, region: Region) -> int:
    """Index in the sorted region after which to cut; -1 when there is none."""
    columns, sizes, least = task.columns, task.compiled.sizes, least_rows(task.compiled)
    keys, spare = columns.keys[region.column], work.spare
    base, begin, end = columns.first_code[region.column], region.begin, region.end
    n_rows = 0
    for i in range(begin, end):
        n_rows += sizes[spare[i]]
    n_left = 0
    best, best_balance, best_wanted = -1, 0, False
    for i in range(begin, end - 1):
        n_left += sizes[spare[i]]
        inside = keys[spare[i]] == keys[spare[i + 1]]
        if inside and not task.relaxed:
            continue
        balance = min(n_left, n_rows - n_left)
        wanted = columns.wanted[base + keys[spare[i + 1]]] > columns.wanted[base + keys[spare[i]]]
        if balance < least or best_wanted > wanted:
            continue
        if best_wanted < wanted or balance > best_balance:
            best, best_balance, best_wanted = i, balance, wanted
    return best


@kernel
def cut_after(columns: RegionColumns, work: RegionWork, index: int, column: int) -> tuple[int, int]:
    """Code before a cut and pivot cell, for a cut after one index of the sorted region.

    A pivot is there only when the cut goes through equal codes.
    """
    if index < 0:
        return -1, -1
    before, after = work.spare[index], work.spare[index + 1]
    if columns.keys[column, before] == columns.keys[column, after]:
        return columns.keys[column, before], after
    return columns.keys[column, before], -1


@kernel
def number_sides(
    columns: RegionColumns, work: RegionWork, region: Region, cut: int, pivot: int
) -> None:
    """Write the parts of a cut in two: part 0 lies behind the cut, part 1 before it."""
    begin, column = region.begin, region.column
    keys = columns.keys[column]
    passed = False
    for i in range(begin, region.end):
        cell = work.order[i]
        code = keys[cell]
        passed = passed or cell == pivot  # cells keep their order, so later ones are behind it
        behind = code > cut or (passed and code == cut)
        work.part[i] = 0 if behind else 1
    work.part_low[begin] = cut if pivot >= 0 else cut + 1
    work.part_high[begin] = columns.first_code[column + 1] - columns.first_code[column] - 1
    work.part_low[begin + 1] = 0
    work.part_high[begin + 1] = cut
