"""What the partitioning kernels share: columns, regions and working memory as arrays.

A region is a run of cells in ``work.order``.  A cut writes the part of each cell into
``work.part`` and the codes that lead to each part into ``part_low`` and ``part_high``, all from
the region's own beginning on.  The last part is also the home of codes that lead to no other.

Whoever is called for every region of a few cells takes the few arrays it needs: handing all of
them over costs more than what is done with them.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.privacy.compiled._condition_kernels import CompiledModel
from shoal.typing import Codes, Counts, Flags, Floats


class RegionColumns(NamedTuple):
    """The quasi-identifiers as arrays; those of all columns lie one after another.

    What column c has in `coordinate` and `wanted` begins at ``first_code[c]`` and ends before
    ``first_code[c + 1]``; `first_node` bounds its nodes in the five arrays that follow it, and
    `first_path` its paths.
    """

    keys: Codes  # (n_columns, n_cells) codes of each cell
    is_tree: Flags  # split by the hierarchy; else by order
    first_code: NDArray[np.int64]
    coordinate: Floats  # of each code on a line of length 1; NaN for the missing value
    unit: Floats  # what a range of the column costs beside its length
    wanted: NDArray[np.int64]  # running count: how many codes before this one end at a wanted cut
    first_node: NDArray[np.int64]
    parent: Codes
    start: Codes  # first leaf below each node
    stop: Codes  # one past the last one
    depth: Codes
    share: Floats  # of the column's values that the node covers; 0 for a leaf
    first_path: NDArray[np.int64]
    path: Codes  # for each leaf the nodes above it by depth
    width: NDArray[np.int64]  # depths in the column's part of `path`


class Scales(NamedTuple):
    """Of the columns what their losses need."""

    is_tree: Flags
    first_code: NDArray[np.int64]
    coordinate: Floats
    unit: Floats
    first_node: NDArray[np.int64]
    parent: Codes
    stop: Codes
    share: Floats


class RegionTask(NamedTuple):
    """What stays the same for all regions of a table."""

    columns: RegionColumns
    compiled: CompiledModel  # rows of each cell, and what every part has to meet
    stakes: Floats  # weight of each column in the loss
    loss: float  # weight of the drop in loss in a column's score
    partial: bool  # small siblings may stay together while others are split off
    relaxed: bool  # cuts may go through equal codes


class RegionWork(NamedTuple):
    """One entry per cell; regions own disjoint runs, so threads share it."""

    order: NDArray[np.int64]  # cells; within a region they keep the order of their combinations
    keys: Codes  # (n_columns, n_cells) codes of the cells as they lie in `order`: read in a row
    sizes: Counts  # rows of each of them, in the same order
    part: NDArray[np.int64]
    spare: NDArray[np.int64]
    part_low: Codes
    part_high: Codes


class Frontier(NamedTuple):
    """Regions that may still be split, and the cut of each."""

    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    column: NDArray[np.int64]  # that the region is cut along
    n_parts: NDArray[np.int64]  # 0 when no cut is allowed
    pivot: NDArray[np.int64]  # first cell behind a cut inside a code; -1 for none


class Region(NamedTuple):
    """A run of cells, a column to cut it along, and its least and largest code there."""

    begin: int
    end: int
    column: int
    low: int
    high: int


class Scratch(NamedTuple):
    """Working memory of one thread, as long as the widest column; zero between calls.

    Clearing what was touched is cheaper than new memory for each of many small regions.
    """

    rows: Counts
    slot: NDArray[np.int64]  # any value between calls, as the next one
    seen: NDArray[np.int64]
    is_off: Flags  # children that become parts of their own
    histograms: Counts  # (2, n_codes of the compiled model)


@kernel
def scales_of(columns: RegionColumns) -> Scales:
    """What the columns' losses need."""
    return Scales(
        columns.is_tree,
        columns.first_code,
        columns.coordinate,
        columns.unit,
        columns.first_node,
        columns.parent,
        columns.stop,
        columns.share,
    )


@kernel
def lowest_node(parent: Codes, stop: Codes, base: int, low: int, high: int) -> int:
    """Deepest node of a column that covers the leaves `low` to `high`; `base` is its first one."""
    node = low
    while stop[base + node] <= high:
        node = parent[base + node]
    return node


@kernel
def column_loss(scales: Scales, column: int, low: int, high: int) -> float:
    """Share of the column's domain that a release of the codes `low` to `high` leaves open."""
    if low == high:
        return 0.0
    if scales.is_tree[column]:
        base = scales.first_node[column]
        return scales.share[base + lowest_node(scales.parent, scales.stop, base, low, high)]
    base = scales.first_code[column]
    width = scales.coordinate[base + high] - scales.coordinate[base + low]
    if np.isnan(width):  # only '*' covers a missing value and others
        return 1.0
    return width + scales.unit[column]
