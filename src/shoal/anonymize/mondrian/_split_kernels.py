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
from shoal.typing import Codes, Counts

_LOW_HALF = (1 << 32) - 1
_FEW = 40  # numbers: beyond, sorting by parts is quicker than putting each in its place


@kernel
def cut_tree_by_size(
    columns: RegionColumns,
    work: RegionWork,
    scratch: Scratch,
    region: Region,
    least: int,
    partial: bool,
) -> int:
    """Cut a region by children of its node so that no part is below `least` rows; 0: no parts."""
    rising = list_children(columns, work, scratch, region)
    n_off = _split_off(scratch, rising, least, partial)
    if n_off < 0:
        rising, n_off = _split_deeper(columns, work, scratch, region, rising, least)
    return number_children(columns, work, scratch, region, rising, n_off)


@kernel
def cut_relaxed_by_size(
    task: RegionTask, work: RegionWork, scratch: Scratch, region: Region
) -> tuple[int, int]:
    """Cut a region by order, also inside equal codes: parts (0: none) and pivot."""
    sort_by_code(work, scratch, region)
    index = _median_index(task, work, region)
    cut, pivot = cut_after(task.columns, work, index, region.column)
    if cut < 0:
        return 0, -1
    number_sides(task.columns, work, region, cut, pivot)
    return 2, pivot


@kernel
def least_rows(compiled: CompiledModel) -> int:
    """Rows that a part needs at least: one, also when the model asks for none."""
    return max(1, compiled.minimum_size)


# -- by hierarchy -------------------------------------------------------------------------------


@kernel
def _split_off(scratch: Scratch, rising: NDArray[np.int64], least: int, partial: bool) -> int:
    """Mark the children that become parts of their own: how many there are.

    0 when no such split is allowed, -1 when the small children are too few to stay together.
    """
    rows, n = scratch.rows, rising.shape[0]
    n_small, n_rest = 0, 0
    # children rise by rows, so the small ones are in front
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
    columns: RegionColumns,
    work: RegionWork,
    scratch: Scratch,
    region: Region,
    children: NDArray[np.int64],
    least: int,
) -> tuple[NDArray[np.int64], int]:
    """Give the small children the fewest rows from below the others; mark the parts."""
    column = region.column
    base = columns.first_node[column]
    top = lowest_node(columns.parent, columns.stop, base, region.low, region.high)
    nodes = list_below(columns, work, scratch, region, top, children)
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
def median_code(
    keys: Codes,
    sizes: Counts,
    wanted_until: NDArray[np.int64],
    low: int,
    high: int,
    least: int,
    rows: Counts,
) -> int:
    """Code after which to cut, as near to the median as allowed, wanted cuts first; -1: none.

    Parameters
    ----------
    keys, sizes : ndarray
        Code and rows of each cell of the region.
    wanted_until : ndarray
        For each code of the column how many before it end at a wanted cut.
    low, high, least : int
        Least and largest code of the region, and the rows that a side needs.
    rows : ndarray
        Zeros, as long as there are codes; left as they were found.
    """
    n_rows = 0
    for i in range(keys.shape[0]):
        rows[keys[i] - low] += sizes[i]
        n_rows += sizes[i]
    plain = wanted_until[high + 1] == wanted_until[low]
    n_left = 0
    best, best_balance, best_wanted = -1, 0, False
    for code in range(low, high + 1):
        n_left += rows[code - low]
        balance = min(n_left, n_rows - n_left)
        wanted = wanted_until[code + 1] > wanted_until[code]
        # a wanted cut beats any other; of equally even ones the first is taken
        better = best_wanted < wanted or (best_wanted == wanted and balance > best_balance)
        if balance >= least and better:
            best, best_balance, best_wanted = code, balance, wanted
        if plain and 2 * n_left >= n_rows:  # behind the median balance only falls
            break
    for i in range(keys.shape[0]):
        rows[keys[i] - low] = 0
    return best


@kernel
def median_of_few(
    keys: Codes,
    sizes: Counts,
    wanted_until: NDArray[np.int64],
    low: int,
    high: int,
    least: int,
    packed: NDArray[np.int64],
) -> int:
    """The same where cells are few in a wide column: they are sorted, in `packed`."""
    for i in range(keys.shape[0]):
        # code and place in one number: sorted by code, then by place
        packed[i] = np.int64(keys[i]) << 32 | i
    sort_few(packed, keys.shape[0])
    n_rows = 0
    for i in range(keys.shape[0]):
        n_rows += sizes[i]
    plain = wanted_until[high + 1] == wanted_until[low]
    n_left = 0
    best, best_balance, best_wanted = -1, 0, False
    for i in range(keys.shape[0] - 1):
        code, behind = packed[i] >> 32, packed[i + 1] >> 32
        n_left += sizes[packed[i] & _LOW_HALF]
        if code == behind:
            continue
        balance = min(n_left, n_rows - n_left)
        wanted = wanted_until[behind] > wanted_until[code]
        better = best_wanted < wanted or (best_wanted == wanted and balance > best_balance)
        if balance >= least and better:
            best, best_balance, best_wanted = code, balance, wanted
        if plain and 2 * n_left >= n_rows:
            break
    return best


@kernel
def median_of_some(
    keys: Codes,
    sizes: Counts,
    low: int,
    high: int,
    least: int,
    rows: Counts,
    packed: NDArray[np.int64],
) -> int:
    """The same where no cut is wanted: only cells about the median are sorted.

    Rows are counted in runs of codes, as many as there are cells.  The best cut is in the run that
    has the median, or before it: then it is behind the last code that has rows.
    """
    n, shift = keys.shape[0], 0
    while (high - low) >> shift >= n:
        shift += 1
    n_rows = 0
    for i in range(n):
        rows[(keys[i] - low) >> shift] += sizes[i]
        n_rows += sizes[i]
    run, n_left = 0, 0
    while 2 * (n_left + rows[run]) < n_rows:
        n_left += rows[run]
        run += 1
    best, best_balance, n_inside = -1, n_left, 0
    for i in range(n):
        own = (keys[i] - low) >> shift
        rows[own] = 0  # left as they were found
        if own == run:
            packed[n_inside] = np.int64(keys[i]) << 32 | i
            n_inside += 1
        elif own < run and sizes[i] > 0 and keys[i] > best:
            best = int(keys[i])
    if best_balance < least:
        best, best_balance = -1, 0
    sort_few(packed, n_inside)
    for i in range(n_inside):
        code = int(packed[i] >> 32)
        n_left += sizes[packed[i] & _LOW_HALF]
        if i + 1 < n_inside and packed[i + 1] >> 32 == code:
            continue
        balance = min(n_left, n_rows - n_left)
        if balance >= least and balance > best_balance:
            best, best_balance = code, balance
        if 2 * n_left >= n_rows:
            break
    return best


@kernel
def sort_few(packed: NDArray[np.int64], n: int) -> None:
    """Sort the first `n` numbers."""
    if n > _FEW:
        packed[:n].sort()
        return
    for i in range(1, n):  # putting few in place is quicker than starting a sort
        own, slot = packed[i], i
        while slot > 0 and packed[slot - 1] > own:
            packed[slot] = packed[slot - 1]
            slot -= 1
        packed[slot] = own


@kernel
def sort_by_code(work: RegionWork, scratch: Scratch, region: Region) -> None:
    """Put a region's cells into its part of `spare`, by code; equal codes stay in order."""
    keys, order, spare, slot = work.keys[region.column], work.order, work.spare, scratch.slot
    begin, end, low, high = region.begin, region.end, region.low, region.high
    n = end - begin
    if high - low > 8 * n:  # few cells in a wide column: sorting beats counting
        for i in range(n):  # by code, then place: both in one number, of 32 bits each
            slot[i] = np.int64(keys[begin + i]) << 32 | i
        sort_few(slot, n)
        for i in range(n):
            spare[begin + i] = order[begin + (slot[i] & _LOW_HALF)]
        return
    for code in range(high - low + 2):
        slot[code] = 0
    for i in range(begin, end):
        slot[keys[i] - low + 1] += 1
    for code in range(high - low):
        slot[code + 1] += slot[code]
    for i in range(begin, end):
        code = keys[i] - low
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
        # only a relaxed partition may part rows that are equal in the column it cuts
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
    keys = work.keys[column]
    passed = False
    for i in range(begin, region.end):
        passed = passed or work.order[i] == pivot  # cells keep their order: later ones are behind
        behind = keys[i] > cut or (passed and keys[i] == cut)
        work.part[i] = 0 if behind else 1
    work.part_low[begin] = cut if pivot >= 0 else cut + 1
    work.part_high[begin] = columns.first_code[column + 1] - columns.first_code[column] - 1
    work.part_low[begin + 1] = 0
    work.part_high[begin + 1] = cut
