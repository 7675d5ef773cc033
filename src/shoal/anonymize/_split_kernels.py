"""Where regions may be cut when only sizes count.  Arrays in, arrays out.

A region is a run of cells in ``work.order``.  A cut writes the part of each cell into
``work.part`` and the codes that lead to each part into ``part_low`` and ``part_high``, all from
the region's own first place on.  The last part is also the home of codes that lead to no other.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.typing import Codes, Counts, Flags, Floats


class Columns(NamedTuple):
    """The quasi-identifiers as arrays; those of all columns lie one after another."""

    keys: Codes  # (n_columns, n_cells) codes
    is_tree: Flags  # split by the hierarchy; else by order
    first_code: NDArray[np.int64]  # one more than columns: part of `place` and `preferred`
    place: Floats  # of each code on a line of length 1; NaN for the missing value
    unit: Floats  # what a range of the column costs beside its length
    preferred: Flags  # whether a cut right after this code is wanted
    first_node: NDArray[np.int64]  # one more than columns: part of the next five
    parent: Codes
    start: Codes  # first leaf below each node
    stop: Codes  # one past the last one
    depth: Codes
    share: Floats  # of the column's values that the node covers; 0 for a leaf
    first_path: NDArray[np.int64]  # where the column's part of `path` begins
    path: Codes  # for each leaf the nodes above it by depth
    width: NDArray[np.int64]  # depths in the column's part of `path`


class Work(NamedTuple):
    """One entry per cell; regions own disjoint runs, so threads share it."""

    order: NDArray[np.int64]  # cells; within a region they keep the order of their combinations
    part: NDArray[np.int64]
    spare: NDArray[np.int64]
    part_low: Codes
    part_high: Codes


class Frontier(NamedTuple):
    """Regions that may still be split, and what was found for each."""

    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    column: NDArray[np.int64]  # to be cut along
    low: Codes  # least and largest code of that column
    high: Codes
    n_parts: NDArray[np.int64]  # found; 0 when no cut is allowed
    pivot: NDArray[np.int64]  # found: first cell behind a cut inside a code; -1 for none


class Scratch(NamedTuple):
    """Working memory of one thread, as long as the widest column; zero between calls."""

    rows: Counts
    slot: NDArray[np.int64]  # any value between calls, as the next one
    seen: NDArray[np.int64]
    is_off: Flags  # children that become parts of their own


@kernel
def lowest_node(columns: Columns, column: int, low: int, high: int) -> int:
    """Deepest node that covers the leaves `low` to `high`."""
    base = columns.first_node[column]
    node = low
    while columns.stop[base + node] <= high:
        node = columns.parent[base + node]
    return node


@kernel
def column_loss(columns: Columns, column: int, low: int, high: int) -> float:
    """Share of the column's domain that a release of the codes `low` to `high` leaves open."""
    if low == high:
        return 0.0
    if columns.is_tree[column]:
        node = lowest_node(columns, column, low, high)
        return columns.share[columns.first_node[column] + node]
    base = columns.first_code[column]
    width = columns.place[base + high] - columns.place[base + low]
    return (
        1.0 if np.isnan(width) else width + columns.unit[column]
    )  # with a missing value only '*' covers them


@kernel
def cut_by_size(
    columns: Columns, sizes: Counts, least: int, work: Work, frontier: Frontier,
    scratch: Scratch, partial: bool, relaxed: bool,
) -> None:  # fmt: skip
    """Cut each region along its column so that every part has at least `least` rows."""
    for region in range(frontier.begin.shape[0]):
        begin, end = frontier.begin[region], frontier.end[region]
        column, low, high = frontier.column[region], frontier.low[region], frontier.high[region]
        frontier.n_parts[region], frontier.pivot[region] = 0, -1
        if low == high:
            continue
        if columns.is_tree[column]:
            rising = list_children(columns, sizes, work, scratch, begin, end, column, low, high)
            n_off = _split_off(scratch, rising, least, partial)
            frontier.n_parts[region] = number_children(
                columns, work, scratch, begin, end, column, rising, n_off
            )
            continue
        if relaxed or high - low > 8 * (end - begin):
            sort_by_code(columns, work, scratch, begin, end, column, low, high)
            at = _median_place(columns, sizes, least, work, begin, end, column, relaxed)
            cut, pivot = cut_at(columns, work, at, column)
        else:
            cut = _median_code(columns, sizes, least, work, scratch, begin, end, column, low, high)
            pivot = -1
        if cut >= 0:
            number_sides(columns, work, begin, end, column, cut, pivot)
            frontier.n_parts[region], frontier.pivot[region] = 2, pivot


# -- by order -----------------------------------------------------------------------------------


@kernel
def _median_code(
    columns: Columns, sizes: Counts, least: int, work: Work, scratch: Scratch,
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
        wanted = columns.preferred[base + code]
        if balance < least or best_wanted > wanted:
            continue
        if best_wanted < wanted or balance > best_balance:
            best, best_balance, best_wanted = code, balance, wanted
    return best


@kernel
def sort_by_code(
    columns: Columns, work: Work, scratch: Scratch,
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
    columns: Columns, sizes: Counts, least: int, work: Work,
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
        wanted = not inside and columns.preferred[base + keys[spare[i]]]
        if balance < least or best_wanted > wanted:
            continue
        if best_wanted < wanted or balance > best_balance:
            best, best_balance, best_wanted = i, balance, wanted
    return best


@kernel
def cut_at(columns: Columns, work: Work, at: int, column: int) -> tuple[int, int]:
    """Code before a cut and pivot cell, for a cut after one place of the sorted region."""
    if at < 0:
        return -1, -1
    before, after = work.spare[at], work.spare[at + 1]
    if columns.keys[column, before] == columns.keys[column, after]:
        return columns.keys[column, before], after
    return columns.keys[column, before], -1


@kernel
def number_sides(
    columns: Columns, work: Work, begin: int, end: int, column: int, cut: int, pivot: int
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


# -- by hierarchy -------------------------------------------------------------------------------


@kernel
def list_children(
    columns: Columns, sizes: Counts, work: Work, scratch: Scratch,
    begin: int, end: int, column: int, low: int, high: int,
) -> NDArray[np.int64]:  # fmt: skip
    """Children of the region's node that occur, by rising rows; their rows are in `scratch`.

    Writes the child of each cell into `part`.
    """
    keys, rows = columns.keys[column], scratch.rows
    base = columns.first_node[column]
    node = lowest_node(columns, column, low, high)
    width = columns.width[column]
    path = columns.first_path[column] + columns.depth[base + node] + 1
    n_seen = 0
    for i in range(begin, end):
        cell = work.order[i]
        child = columns.path[path + keys[cell] * width]
        work.part[i] = child
        if not scratch.is_off[child]:
            scratch.is_off[child] = True
            scratch.seen[n_seen] = child
            n_seen += 1
        rows[child] += sizes[cell]
    n_nodes = columns.first_node[column + 1] - base
    rising = np.empty(n_seen, np.int64)
    for s in range(n_seen):
        child = scratch.seen[s]
        scratch.is_off[child] = False
        rising[s] = rows[child] * n_nodes + child
    rising.sort()
    for s in range(n_seen):
        rising[s] %= n_nodes
    return rising


@kernel
def _split_off(scratch: Scratch, rising: NDArray[np.int64], least: int, partial: bool) -> int:
    """Mark the children that become parts of their own; 0 when no such split is allowed."""
    rows, n = scratch.rows, rising.shape[0]
    n_small, n_rest = 0, 0
    while n_small < n and rows[rising[n_small]] < least:
        n_rest += rows[rising[n_small]]
        n_small += 1
    if n_small > 0:
        if not partial:
            return 0
        while n_small < n and n_rest < least:  # the smallest join the rest until it is large enough
            n_rest += rows[rising[n_small]]
            n_small += 1
    for s in range(n_small, n):
        scratch.is_off[rising[s]] = True
    return n - n_small


@kernel
def number_children(
    columns: Columns, work: Work, scratch: Scratch,
    begin: int, end: int, column: int, rising: NDArray[np.int64], n_off: int,
) -> int:  # fmt: skip
    """Write the parts of a split by children; the rest, or the largest child, comes last."""
    base = columns.first_node[column]
    n_parts = 0
    for child in rising:
        if n_off > 0 and scratch.is_off[child]:
            scratch.slot[child] = n_parts
            work.part_low[begin + n_parts] = columns.start[base + child]
            work.part_high[begin + n_parts] = columns.stop[base + child] - 1
            n_parts += 1
        else:
            scratch.slot[child] = n_off
        scratch.rows[child] = 0
        scratch.is_off[child] = False
    if n_off < rising.shape[0] and n_off > 0:
        work.part_low[begin + n_off] = 0
        work.part_high[begin + n_off] = (
            columns.first_code[column + 1] - columns.first_code[column] - 1
        )
        n_parts += 1
    if n_parts < 2:
        return 0
    for i in range(begin, end):
        work.part[i] = scratch.slot[work.part[i]]
    return n_parts
