"""Where a region may be cut under any privacy model.  Arrays in, arrays out."""

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.anonymize.mondrian._region_arrays import RegionColumns, RegionWork, Scratch, lowest_node
from shoal.anonymize.mondrian._split_kernels import cut_at, number_sides, sort_by_code
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
def cut_by_rules(
    columns: RegionColumns, rules: CompiledModel, work: RegionWork, scratch: Scratch,
    counts: Counts,
    begin: int, end: int, column: int, low: int, high: int, partial: bool, relaxed: bool,
) -> tuple[int, int]:  # fmt: skip
    """Cut a region so that the rules allow every part: parts (0: none) and pivot.

    `counts` are two histograms of zeros, shape (2, n_codes).
    """
    sort_by_code(columns, work, scratch, begin, end, column, low, high)
    if columns.is_tree[column]:
        rising = list_children(columns, rules.sizes, work, scratch, begin, end, column, low, high)
        n_off = _split_off(columns, rules, work, scratch, counts, begin, end, column, rising)
        if n_off < rising.shape[0] and not partial:
            for child in rising:
                scratch.is_off[child] = False
            n_off = 0
        elif n_off < 0:
            top = lowest_node(columns, column, low, high)
            rising, n_off = _split_deeper(
                columns, rules, work, scratch, counts, begin, end, column, top, rising
            )
        return number_children(columns, work, scratch, begin, end, column, rising, n_off), -1
    at = _median_place(columns, rules, work, counts, begin, end, column, relaxed)
    if at < 0:
        return 0, -1
    cut, pivot = cut_at(columns, work, at, column)
    number_sides(columns, work, begin, end, column, cut, pivot)
    return 2, pivot


@kernel
def _median_place(
    columns: RegionColumns, rules: CompiledModel, work: RegionWork, counts: Counts,
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
        wanted = columns.wanted[base + keys[spare[i + 1]]] > columns.wanted[base + keys[spare[i]]]
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
def _split_off(
    columns: RegionColumns, rules: CompiledModel, work: RegionWork, scratch: Scratch,
    counts: Counts,
    begin: int, end: int, column: int, children: NDArray[np.int64],
) -> int:  # fmt: skip
    """Mark the children that may stand alone: how many there are; -1 when the others may not."""
    n_off, n_rest = 0, 0
    for child in children:
        stands = _node_stands(columns, rules, work, counts[0], begin, end, column, child,
                              scratch.rows[child])  # fmt: skip
        scratch.is_off[child] = stands
        n_off += stands
        n_rest += 0 if stands else scratch.rows[child]
    if n_off == 0 or (n_rest > 0 and not _rest_stands(rules, work, scratch, counts[1], begin, end)):
        n_off = -1
        for child in children:
            scratch.is_off[child] = False
    return n_off


@kernel
def _split_deeper(
    columns: RegionColumns, rules: CompiledModel, work: RegionWork, scratch: Scratch,
    counts: Counts,
    begin: int, end: int, column: int, top: int, children: NDArray[np.int64],
) -> tuple[NDArray[np.int64], int]:  # fmt: skip
    """Give the rest the fewest rows with which it stands; else split one node off all others.

    With a model of which two allowed groups make an allowed one, this finds a split whenever some
    node can be split off.
    """
    nodes = list_below(columns, rules.sizes, work, scratch, begin, end, column, top, children)
    stands = np.empty(nodes.shape[0], np.bool_)
    n_rows = 0
    for i in range(begin, end):
        n_rows += rules.sizes[work.order[i]]
    for at in range(nodes.shape[0]):
        stands[at] = _node_stands(columns, rules, work, counts[0], begin, end, column, nodes[at],
                                  scratch.rows[nodes[at]])  # fmt: skip
    weigh_rests(columns, scratch, column, top, nodes, stands)
    n_off, chosen = 0, -1
    while n_off == 0:
        chosen = next_rest(columns, scratch, column, nodes, rules.minimum_size, n_rows, chosen)
        if chosen < 0:
            break
        n_off = mark_parts(columns, work, scratch, begin, end, column, top, nodes, chosen)
        if not _rest_stands(rules, work, scratch, counts[1], begin, end):
            n_off = 0
            for node in nodes:
                scratch.is_off[node] = False
    if n_off == 0:
        n_off = _one_against_all(
            columns, rules, work, scratch, counts[1], begin, end, column, top, nodes, stands
        )
    return close_nodes(scratch, top, nodes, n_off), n_off


@kernel
def _one_against_all(
    columns: RegionColumns, rules: CompiledModel, work: RegionWork, scratch: Scratch,
    histogram: Counts,
    begin: int, end: int, column: int, top: int, nodes: NDArray[np.int64], stands: Flags,
) -> int:  # fmt: skip
    """Split one node off all others: the largest that will do."""
    n = nodes.shape[0]
    order = np.empty(n, np.int64)
    for at in range(n):
        order[at] = scratch.rows[nodes[at]] * n + at
    order.sort()
    for place in range(n - 1, -1, -1):
        at = order[place] % n
        if not stands[at]:
            continue
        scratch.is_off[nodes[at]] = True
        mark_cells(columns, work, scratch, begin, end, column, top)
        if _rest_stands(rules, work, scratch, histogram, begin, end):
            return 1
        scratch.is_off[nodes[at]] = False
    return 0


@kernel
def _node_stands(
    columns: RegionColumns, rules: CompiledModel, work: RegionWork, histogram: Counts,
    begin: int, end: int, column: int, node: int, n_rows: int,
) -> bool:  # fmt: skip
    """Whether a node's cells may stand alone; the region is sorted by code."""
    if n_rows < rules.minimum_size:
        return False
    base = columns.first_node[column]
    first = _first_place(columns, work, begin, end, column, columns.start[base + node])
    stop = _first_place(columns, work, begin, end, column, columns.stop[base + node])
    for place in range(first, stop):
        add_cell(rules, work.spare[place], 1, histogram)
    stands = _stands(rules, n_rows, histogram)
    for place in range(first, stop):
        add_cell(rules, work.spare[place], -1, histogram)
    return stands


@kernel
def _first_place(
    columns: RegionColumns, work: RegionWork, begin: int, end: int, column: int, code: int
) -> int:
    """First place of the sorted region with at least this code."""
    while begin < end:
        middle = (begin + end) // 2
        if columns.keys[column, work.spare[middle]] < code:
            begin = middle + 1
        else:
            end = middle
    return begin


@kernel
def _rest_stands(
    rules: CompiledModel,
    work: RegionWork,
    scratch: Scratch,
    histogram: Counts,
    begin: int,
    end: int,
) -> bool:
    """Whether the cells that lie in no marked node may stay together."""
    n_rows = 0
    for i in range(begin, end):
        if not scratch.is_off[work.part[i]]:
            add_cell(rules, work.order[i], 1, histogram)
            n_rows += rules.sizes[work.order[i]]
    stands = _stands(rules, n_rows, histogram)
    for i in range(begin, end):
        if not scratch.is_off[work.part[i]]:
            add_cell(rules, work.order[i], -1, histogram)
    return stands


@kernel
def _stands(rules: CompiledModel, n_rows: int, histogram: Counts) -> bool:
    """Whether a part may stand alone; one without rows may not."""
    return n_rows > 0 and n_rows >= rules.minimum_size and allowed(rules, n_rows, histogram)
