"""Columns coarsened by their hierarchies before rows are counted, and the way back.

A global recoding sends every value to a node, alike in all rows.  If values are sent to nodes first
(the floor) and those to nodes above them, that is a global recoding too: whatever is found for the
coarse table holds for the rows behind it, group by group.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from shoal.anonymize._recoding import CutRecoding
from shoal.schema import Hierarchy
from shoal.schema._coding import Coding
from shoal.schema._tree_parts import ROOT_LABEL
from shoal.typing import Codes


class CoarseColumn(NamedTuple):
    """A column whose values are nodes of another's hierarchy.

    `code_of` has the coarse code of each code, `node_of` the node of the whole hierarchy that each
    node of the coarse one is.
    """

    coding: Coding
    code_of: Codes
    node_of: Codes


def floors_of(coding: Coding) -> list[Codes]:
    """Node of each leaf at each level, from the leaves to as high as limits let them.

    No node of a level is above another one: where a short branch has reached a node that stands
    above others, its leaves stay below it.
    """
    tree = coding.hierarchy
    assert tree is not None
    floors: list[Codes] = []
    for level in range(tree.n_levels):
        node = tree.levels[:, level]
        beyond = tree.depth[node] < tree.depth[coding.ceiling]
        apart = _apart(tree, np.where(beyond, coding.ceiling, node).astype(np.int32))
        if not floors or not np.array_equal(apart, floors[-1]):
            floors.append(apart)
    return floors


def _apart(tree: Hierarchy, floor: Codes) -> Codes:
    """Lower nodes that stand above another one, until none does."""
    leaves = np.arange(tree.n_leaves)
    while True:
        above = np.zeros(tree.n_nodes, np.bool_)
        climbed = tree.parent[np.unique(floor)]
        while (climbed >= 0).any():
            above[climbed[climbed >= 0]] = True
            climbed = tree.parent[climbed[climbed >= 0]]
        if not (high := above[floor]).any():
            return floor
        floor = floor.copy()
        for leaf in leaves[high].tolist():
            node = leaf
            while tree.parent[node] != floor[leaf]:
                node = int(tree.parent[node])
            floor[leaf] = node


def coarse_column(coding: Coding, floor: Codes) -> CoarseColumn:
    """The column with nodes as its values; `floor` has the node of each leaf, none above another.

    Examples
    --------
    >>> tree = Hierarchy.from_tree({"N": ["Kiel", "Bonn"], "S": ["Ulm"]})
    >>> city = Coding("city", "categorical", tree.labels[:3], np.full(3, np.nan), tree)
    >>> coarse = coarse_column(city, np.array([3, 3, 4], np.int32))
    >>> coarse.coding.texts, coarse.code_of.tolist(), coarse.node_of.tolist()
    (('N', 'S'), [0, 0, 1], [3, 4, 5])
    """
    tree = coding.hierarchy
    assert tree is not None
    if np.array_equal(floor, np.arange(tree.n_leaves)):
        return CoarseColumn(coding, floor, np.arange(tree.n_nodes, dtype=np.int32))
    first = np.unique(floor, return_index=True)[1]
    leaves = floor[np.sort(first)]  # in the order of the values: the missing one stays last
    # where nothing but the root is left, it is a value and, once more, what is above it
    kept = np.array([*leaves.tolist(), *_nodes_above(tree, leaves)], np.int32)
    new = np.full(tree.n_nodes, -1, np.int32)
    new[kept[::-1]] = np.arange(len(kept), dtype=np.int32)[::-1]
    parent = np.array([-1 if tree.parent[n] < 0 else new[tree.parent[n]] for n in kept], np.int32)
    if len(leaves) == 1 and leaves[0] == tree.root:
        parent[0] = 1
    levels = new[tree.levels[np.sort(first)]]
    own = np.arange(len(leaves), dtype=np.int32)
    levels = np.where(levels < 0, own[:, None], levels)
    levels[:, -1] = len(kept) - 1
    levels = np.column_stack([own, levels[:, (levels != own[:, None]).any(axis=0)]])
    small = Hierarchy(tuple(tree.labels[n] for n in kept), parent, levels)
    above = coding.ceiling[np.sort(first)] if len(coding.ceiling) else np.full(len(own), tree.root)
    texts = tuple(ROOT_LABEL if n == tree.root else tree.labels[n] for n in leaves)
    ceiling = np.where(above == leaves, own, new[above]).astype(np.int32)
    numbers = np.full(len(own), np.nan)
    made = Coding(coding.name, "categorical", texts, numbers, small, ceiling)
    return CoarseColumn(made, new[floor], kept)


def _nodes_above(tree: Hierarchy, leaves: Codes) -> list[int]:
    """Nodes above some others, children before parents; the root if there are none."""
    above = {tree.root}
    for leaf in leaves.tolist():
        node = int(tree.parent[leaf])
        while node >= 0 and node not in above:
            above.add(node)
            node = int(tree.parent[node])
    return sorted(above)


def lift(
    recoding: CutRecoding, codings: Sequence[Coding], columns: Sequence[CoarseColumn]
) -> CutRecoding:
    """The recoding of coarse columns, in terms of the values behind them."""
    nodes = tuple(
        column.node_of[own[column.code_of]].astype(np.int32)
        for own, column in zip(recoding.node_of, columns, strict=True)
    )
    hidden = [column.node_of[recoding.suppressed[:, i]] for i, column in enumerate(columns)]
    suppressed = np.column_stack(hidden).astype(np.int32).reshape(-1, len(columns))
    return CutRecoding(tuple(codings), nodes, suppressed)
