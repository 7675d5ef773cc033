"""Where a region may be cut under any privacy model.  Arrays in, arrays out."""

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
from shoal.anonymize.mondrian._split_kernels import (
    cut_after,
    least_rows,
    number_sides,
    sort_by_code,
)
from shoal.anonymize.mondrian._tree_split_kernels import (
    close_nodes,
    list_below,
    list_children,
    mark_cells,
    mark_parts,
    next_rest,
    number_children,
    weigh_rests,
)
from shoal.privacy.compiled._condition_kernels import CompiledModel, add_cell, allowed
from shoal.typing import Counts, Flags


@kernel
def cut_by_conditions(
    task: RegionTask, work: RegionWork, scratch: Scratch, region: Region
) -> tuple[int, int]:
    """Cut a region so that the model allows every part: parts (0: none) and pivot."""
    columns, column = task.columns, region.column
    sort_by_code(work, scratch, region)
    if columns.is_tree[column]:
        rising = list_children(columns, work, scratch, region)
        n_off = _split_off(task, work, scratch, region, rising)
        if n_off < rising.shape[0] and not task.partial:  # all children stand alone, or no split
            for child in rising:
                scratch.is_off[child] = False
            n_off = 0
        elif n_off < 0:
            rising, n_off = _split_deeper(task, work, scratch, region, rising)
        return number_children(columns, work, scratch, region, rising, n_off), -1
    index = _median_index(task, work, scratch, region)
    if index < 0:
        return 0, -1
    cut, pivot = cut_after(columns, work, index, column)
    number_sides(columns, work, region, cut, pivot)
    return 2, pivot


@kernel
def _median_index(task: RegionTask, work: RegionWork, scratch: Scratch, region: Region) -> int:
    """Index in the sorted region after which to cut; -1 when there is none.

    One cell after another goes from the upper side to the lower, so both histograms are kept up
    to date and the model is asked only where a cut would be better than the best so far.
    """
    columns, compiled, counts = task.columns, task.compiled, scratch.histograms
    keys, spare = columns.keys[region.column], work.spare
    base, begin, end = columns.first_code[region.column], region.begin, region.end
    least = least_rows(compiled)
    rows = np.zeros(2, np.int64)
    for i in range(begin, end):
        rows[1] += compiled.sizes[spare[i]]
        add_cell(compiled, spare[i], 1, counts[1])
    best, best_balance, best_wanted = -1, 0, False
    for i in range(begin, end - 1):
        rows[0] += compiled.sizes[spare[i]]
        rows[1] -= compiled.sizes[spare[i]]
        add_cell(compiled, spare[i], 1, counts[0])
        add_cell(compiled, spare[i], -1, counts[1])
        inside = keys[spare[i]] == keys[spare[i + 1]]
        if inside and not task.relaxed:
            continue
        balance = min(rows[0], rows[1])  # largest nearest to the median
        wanted = columns.wanted[base + keys[spare[i + 1]]] > columns.wanted[base + keys[spare[i]]]
        if balance < least or best_wanted > wanted:
            continue
        if best_wanted < wanted or balance > best_balance:
            fits = True
            # asked last: under most models this takes far longer than the sums above
            for side in range(2):
                fits = fits and _stands(compiled, rows[side], counts[side])
            if fits:
                best, best_balance, best_wanted = i, balance, wanted
    # both sides are still counted; the next region wants them empty
    counts[:] = 0
    return best


@kernel
def _split_off(
    task: RegionTask,
    work: RegionWork,
    scratch: Scratch,
    region: Region,
    children: NDArray[np.int64],
) -> int:
    """Mark the children that may stand alone: how many there are; -1 when the others may not."""
    n_off, n_rest = 0, 0
    for child in children:
        stands = _node_stands(task, work, scratch, region, child)
        scratch.is_off[child] = stands
        n_off += stands
        n_rest += 0 if stands else scratch.rows[child]
    if n_off == 0 or (n_rest > 0 and not _rest_stands(task, work, scratch, region)):
        # nothing stands alone, or what is left over does not: rows from below others are needed
        n_off = -1
        for child in children:
            scratch.is_off[child] = False
    return n_off


@kernel
def _split_deeper(
    task: RegionTask,
    work: RegionWork,
    scratch: Scratch,
    region: Region,
    children: NDArray[np.int64],
) -> tuple[NDArray[np.int64], int]:
    """Give the rest the fewest rows that make it allowed; else split one node off all others.

    With a model of which two allowed groups make an allowed one, this finds a split whenever some
    node can be split off.
    """
    columns, compiled, column = task.columns, task.compiled, region.column
    base = columns.first_node[column]
    top = lowest_node(columns.parent, columns.stop, base, region.low, region.high)
    nodes = list_below(columns, work, scratch, region, top, children)
    stands = np.empty(nodes.shape[0], np.bool_)
    n_rows = 0
    for i in range(region.begin, region.end):
        n_rows += work.sizes[i]
    for index in range(nodes.shape[0]):
        stands[index] = _node_stands(task, work, scratch, region, nodes[index])
    weigh_rests(columns, scratch, column, top, nodes, stands)
    n_off, chosen = 0, -1
    while n_off == 0:
        # rests by rising rows: the first that the model allows is the smallest
        chosen = next_rest(columns, scratch, column, nodes, compiled.minimum_size, n_rows, chosen)
        if chosen < 0:
            break
        n_off = mark_parts(columns, work, scratch, region, top, nodes, chosen)
        if not _rest_stands(task, work, scratch, region):
            n_off = 0
            for node in nodes:
                scratch.is_off[node] = False
    if n_off == 0:
        n_off = _one_against_all(task, work, scratch, region, top, nodes, stands)
    return close_nodes(scratch, top, nodes, n_off), n_off


@kernel
def _one_against_all(
    task: RegionTask,
    work: RegionWork,
    scratch: Scratch,
    region: Region,
    top: int,
    nodes: NDArray[np.int64],
    stands: Flags,
) -> int:
    """Split one node off all others: the largest that will do."""
    n = nodes.shape[0]
    order = np.empty(n, np.int64)
    for index in range(n):
        order[index] = scratch.rows[nodes[index]] * n + index  # rows, then node, in one number
    order.sort()
    for rank in range(n - 1, -1, -1):
        index = order[rank] % n
        if not stands[index]:
            continue
        scratch.is_off[nodes[index]] = True
        mark_cells(task.columns, work, scratch, region, top)
        if _rest_stands(task, work, scratch, region):
            return 1
        # the others do not stand without this node: take it back and try a smaller one
        scratch.is_off[nodes[index]] = False
    return 0


@kernel
def _node_stands(
    task: RegionTask, work: RegionWork, scratch: Scratch, region: Region, node: int
) -> bool:
    """Whether a node's cells may stand alone; the region is sorted by code."""
    columns, compiled, n_rows = task.columns, task.compiled, scratch.rows[node]
    if n_rows < compiled.minimum_size:
        return False
    base = columns.first_node[region.column]
    first = _first_index(columns, work, region, columns.start[base + node])
    stop = _first_index(columns, work, region, columns.stop[base + node])
    histogram = scratch.histograms[0]
    for i in range(first, stop):
        add_cell(compiled, work.spare[i], 1, histogram)
    stands = _stands(compiled, n_rows, histogram)
    for i in range(first, stop):  # taken away again: cheaper than clearing a wide histogram
        add_cell(compiled, work.spare[i], -1, histogram)
    return stands


@kernel
def _first_index(columns: RegionColumns, work: RegionWork, region: Region, code: int) -> int:
    """First index of the sorted region with at least this code."""
    begin, end = region.begin, region.end
    while begin < end:
        middle = (begin + end) // 2
        if columns.keys[region.column, work.spare[middle]] < code:
            begin = middle + 1
        else:
            end = middle
    return begin


@kernel
def _rest_stands(task: RegionTask, work: RegionWork, scratch: Scratch, region: Region) -> bool:
    """Whether the cells that lie in no marked node may stay together."""
    compiled, histogram = task.compiled, scratch.histograms[1]
    n_rows = 0
    for i in range(region.begin, region.end):
        # `part` names a child, or the marked node above a cell; what has no mark is the rest
        if not scratch.is_off[work.part[i]]:
            add_cell(compiled, work.order[i], 1, histogram)
            n_rows += work.sizes[i]
    stands = _stands(compiled, n_rows, histogram)
    for i in range(region.begin, region.end):
        if not scratch.is_off[work.part[i]]:
            add_cell(compiled, work.order[i], -1, histogram)
    return stands


@kernel
def _stands(compiled: CompiledModel, n_rows: int, histogram: Counts) -> bool:
    """Whether a part may stand alone; one without rows may not."""
    return n_rows > 0 and n_rows >= compiled.minimum_size and allowed(compiled, n_rows, histogram)
