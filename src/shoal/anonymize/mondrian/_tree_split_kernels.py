"""Parts of a region that is split by a hierarchy.  Arrays in, arrays out."""

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.anonymize.mondrian._region_arrays import (
    Region,
    RegionColumns,
    RegionWork,
    Scratch,
    lowest_node,
)
from shoal.typing import Flags


@kernel
def list_children(
    columns: RegionColumns, work: RegionWork, scratch: Scratch, region: Region
) -> NDArray[np.int64]:
    """Children of the region's node that occur, by rising rows; their rows are in `scratch`.

    Writes the child of each cell into `part`.
    """
    column, keys, rows = region.column, work.keys[region.column], scratch.rows
    base = columns.first_node[column]
    node = lowest_node(columns.parent, columns.stop, base, region.low, region.high)
    width = columns.width[column]
    path = columns.first_path[column] + columns.depth[base + node] + 1
    n_seen = 0
    for i in range(region.begin, region.end):
        child = columns.path[path + keys[i] * width]
        work.part[i] = child
        # `is_off` tells here what was seen; it is clear again before anything is marked in it
        if not scratch.is_off[child]:
            scratch.is_off[child] = True
            scratch.seen[n_seen] = child
            n_seen += 1
        rows[child] += work.sizes[i]
    n_nodes = columns.first_node[column + 1] - base
    rising = np.empty(n_seen, np.int64)
    for s in range(n_seen):
        child = scratch.seen[s]
        scratch.is_off[child] = False
        rising[s] = rows[child] * n_nodes + child  # one number to sort by: rows, then node
    if n_seen > 2:
        rising.sort()
    elif n_seen == 2 and rising[1] < rising[0]:
        rising[0], rising[1] = rising[1], rising[0]
    for s in range(n_seen):
        rising[s] %= n_nodes
    return rising


@kernel
def number_children(
    columns: RegionColumns,
    work: RegionWork,
    scratch: Scratch,
    region: Region,
    rising: NDArray[np.int64],
    n_off: int,
) -> int:
    """Write the parts of a split by children; the rest, or the largest child, comes last."""
    begin, column = region.begin, region.column
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
        # the rest is bounded by the whole column: it takes every code that leads nowhere else
        work.part_low[begin + n_off] = 0
        work.part_high[begin + n_off] = (
            columns.first_code[column + 1] - columns.first_code[column] - 1
        )
        n_parts += 1
    if n_parts < 2:
        return 0
    for i in range(begin, region.end):
        work.part[i] = scratch.slot[work.part[i]]
    return n_parts


# -- below the children -------------------------------------------------------------------------
#
# Small children that are too few to stay together need rows from others.  One child after another
# is opened on the way down to a node: what is large enough beside the way becomes a part, what is
# too small joins the rest, and so may the node itself.


@kernel
def list_below(
    columns: RegionColumns,
    work: RegionWork,
    scratch: Scratch,
    region: Region,
    top: int,
    children: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Nodes below the region's that occur, children before parents; their rows are in `scratch`.

    `children` are those that :func:`list_children` has counted.
    """
    column, keys, rows = region.column, work.keys[region.column], scratch.rows
    base, width = columns.first_node[column], columns.width[column]
    first = columns.depth[base + top] + 1
    for child in children:
        rows[child] = 0
    n_nodes = columns.first_node[column + 1] - base
    seen = np.empty(min(n_nodes, (region.end - region.begin) * width), np.int64)
    n_seen = 0
    for i in range(region.begin, region.end):
        leaf = keys[i]
        if not scratch.is_off[leaf]:  # rows do not tell: a cell may have none that counts
            scratch.is_off[leaf] = True
            seen[n_seen] = leaf
            n_seen += 1
        rows[leaf] += work.sizes[i]
    for index in range(n_seen):  # of the leaves: nodes above them are added behind
        leaf = seen[index]
        path = columns.first_path[column] + leaf * width
        for depth in range(first, columns.depth[base + leaf]):
            node = columns.path[path + depth]
            if not scratch.is_off[node]:
                scratch.is_off[node] = True
                seen[n_seen] = node
                n_seen += 1
            rows[node] += rows[leaf]
    nodes = seen[:n_seen]
    for node in nodes:
        scratch.is_off[node] = False
    # a node's number is above those of its children
    nodes.sort()
    return nodes


@kernel
def weigh_rests(
    columns: RegionColumns,
    scratch: Scratch,
    column: int,
    top: int,
    nodes: NDArray[np.int64],
    stands: Flags,
) -> None:
    """Find the nodes that can be opened (1 in `seen`) and the rows of the rest then (`slot`).

    A node can be opened when it and all nodes on the way to it stand alone: else its siblings, of
    which the rest would then consist, were never told apart.
    """
    base, rest, is_open = columns.first_node[column], scratch.slot, scratch.seen
    rest[top], is_open[top] = 0, 1
    for node in nodes:
        rest[node] = 0
    for index in range(nodes.shape[0]):
        if not stands[index]:
            # first each node's own small children; below, those beside the way to it are added
            rest[columns.parent[base + nodes[index]]] += scratch.rows[nodes[index]]
    for index in range(nodes.shape[0] - 1, -1, -1):  # parents before children
        node, above = nodes[index], columns.parent[base + nodes[index]]
        is_open[node] = 1 if stands[index] and is_open[above] == 1 else 0
        if is_open[node] == 1:
            rest[node] += rest[above]


@kernel
def next_rest(
    columns: RegionColumns,
    scratch: Scratch,
    column: int,
    nodes: NDArray[np.int64],
    least: int,
    n_rows: int,
    last: int,
) -> int:
    """The choice with the smallest rest of at least `least` rows that comes after `last`; -1: none.

    A choice is a number: rows of the rest, then the node counted from the top, then whether the
    node joins the rest (0) or is opened (1).
    """
    base, n = columns.first_node[column], nodes.shape[0]
    n_leaves = columns.first_code[column + 1] - columns.first_code[column]
    best = -1
    for index in range(n - 1, -1, -1):
        node = nodes[index]
        if scratch.seen[node] == 0:
            continue
        for way in range(2 if node >= n_leaves else 1):  # a leaf cannot be opened
            rest = scratch.slot[node]
            if way == 0:
                rest = scratch.slot[columns.parent[base + node]] + scratch.rows[node]
            # of equal rests parents go before their children, and joining before opening
            choice = rest * 2 * n + 2 * (n - 1 - index) + way
            if least <= rest < n_rows and choice > last and (best < 0 or choice < best):
                best = choice
    return best


@kernel
def mark_parts(
    columns: RegionColumns,
    work: RegionWork,
    scratch: Scratch,
    region: Region,
    top: int,
    nodes: NDArray[np.int64],
    choice: int,
) -> int:
    """Mark the nodes that become parts under a choice, and their cells; how many there are."""
    base, n = columns.first_node[region.column], nodes.shape[0]
    node = nodes[n - 1 - choice % (2 * n) // 2]
    joins = choice % 2 == 0
    last = columns.parent[base + node] if joins else node
    n_off = 0
    for other in nodes:
        if scratch.seen[other] == 0 or (joins and other == node):
            continue
        above = columns.parent[base + other]
        # beside the way to the last opened node: its parent lies on the way, and it does not
        if _covers(columns, base, above, last) and not _covers(columns, base, other, last):
            scratch.is_off[other] = True
            n_off += 1
    mark_cells(columns, work, scratch, region, top)
    return n_off


@kernel
def mark_cells(
    columns: RegionColumns, work: RegionWork, scratch: Scratch, region: Region, top: int
) -> None:
    """Write the marked node above each cell into `part`; `top` where there is none."""
    column = region.column
    base, width = columns.first_node[column], columns.width[column]
    first = columns.depth[base + top] + 1
    for i in range(region.begin, region.end):
        leaf = work.keys[column, i]
        path = columns.first_path[column] + leaf * width
        work.part[i] = top
        for depth in range(first, columns.depth[base + leaf] + 1):
            if scratch.is_off[columns.path[path + depth]]:
                work.part[i] = columns.path[path + depth]
                break  # marked nodes do not lie below one another, so there is no second


@kernel
def close_nodes(
    scratch: Scratch, top: int, nodes: NDArray[np.int64], n_off: int
) -> NDArray[np.int64]:
    """The marked nodes, and the region's own for the rest; forgets all rows."""
    parts = np.empty(n_off + 1, np.int64)
    n_parts = 0
    for node in nodes:
        scratch.rows[node] = 0
        if scratch.is_off[node]:
            parts[n_parts] = node
            n_parts += 1
    parts[n_off] = top
    return parts


@kernel
def _covers(columns: RegionColumns, base: int, node: int, other: int) -> bool:
    """Whether a node is another one or lies above it."""
    return (
        columns.start[base + node] <= columns.start[base + other]
        and columns.stop[base + other] <= columns.stop[base + node]
        and columns.depth[base + node] <= columns.depth[base + other]
    )
