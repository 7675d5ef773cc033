"""What the partitioning kernels share: columns, regions and working memory as arrays.

A region is a run of cells in ``work.order``.  A cut writes the part of each cell into
``work.part`` and the codes that lead to each part into ``part_low`` and ``part_high``, all from
the region's own first place on.  The last part is also the home of codes that lead to no other.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.typing import Codes, Counts, Flags, Floats


class RegionColumns(NamedTuple):
    """The quasi-identifiers as arrays; those of all columns lie one after another."""

    keys: Codes  # (n_columns, n_cells) codes
    is_tree: Flags  # split by the hierarchy; else by order
    first_code: NDArray[np.int64]  # one more than columns: part of `place` and `wanted`
    place: Floats  # of each code on a line of length 1; NaN for the missing value
    unit: Floats  # what a range of the column costs beside its length
    wanted: NDArray[np.int64]  # how many codes before this one a cut is wanted right after
    first_node: NDArray[np.int64]  # one more than columns: part of the next five
    parent: Codes
    start: Codes  # first leaf below each node
    stop: Codes  # one past the last one
    depth: Codes
    share: Floats  # of the column's values that the node covers; 0 for a leaf
    first_path: NDArray[np.int64]  # where the column's part of `path` begins
    path: Codes  # for each leaf the nodes above it by depth
    width: NDArray[np.int64]  # depths in the column's part of `path`


class RegionWork(NamedTuple):
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
    column: NDArray[np.int64]  # to be cut along, or found
    n_parts: NDArray[np.int64]  # found; 0 when no cut is allowed
    pivot: NDArray[np.int64]  # found: first cell behind a cut inside a code; -1 for none


class Scratch(NamedTuple):
    """Working memory of one thread, as long as the widest column; zero between calls."""

    rows: Counts
    slot: NDArray[np.int64]  # any value between calls, as the next one
    seen: NDArray[np.int64]
    is_off: Flags  # children that become parts of their own


@kernel
def lowest_node(columns: RegionColumns, column: int, low: int, high: int) -> int:
    """Deepest node that covers the leaves `low` to `high`."""
    base = columns.first_node[column]
    node = low
    while columns.stop[base + node] <= high:
        node = columns.parent[base + node]
    return node


@kernel
def column_loss(columns: RegionColumns, column: int, low: int, high: int) -> float:
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
