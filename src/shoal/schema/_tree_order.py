"""Trees as arrays of parents: depths, cycles, paths, and the order in which nodes are numbered."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.typing import Codes, Flags

Nodes = NDArray[np.int64]


def depths(parent: Codes | Nodes) -> Nodes:
    """Steps from the root (whose parent is -1) to each node of a tree."""
    depth = np.zeros(len(parent), np.int64)
    above = np.asarray(parent, np.int64)
    while (below_root := above >= 0).any():
        depth += below_root
        above = np.where(below_root, parent[above], -1)
    return depth


def cut_off(parent: Nodes, root: int) -> Flags:
    """Nodes from which no way leads to the root: those on a cycle, and those that hang on one.

    Every node jumps twice as far in each round, so that as many rounds suffice as the number of
    nodes has binary digits.
    """
    jump = parent.copy()
    jump[root] = root
    for _ in range(len(parent).bit_length()):
        jump = jump[jump]
    return jump != root


def paths(parent: Codes | Nodes, leaves: Nodes, depth: Nodes) -> Nodes:
    """Node at each depth on the way from the root to each leaf; -1 below the leaf."""
    path = np.full((len(leaves), int(depth[leaves].max(initial=0)) + 1), -1, np.int64)
    row, node = np.arange(len(leaves)), leaves
    while len(row):
        path[row, depth[node]] = node
        above = parent[node]
        row, node = row[above >= 0], above[above >= 0]
    return path


def number_nodes(parent: Nodes, rank: Nodes) -> Nodes:
    """Nodes in the order of their numbers: leaves as a walk meets them, then inner nodes.

    Siblings are visited by rising `rank`; an inner node follows all that is below it.
    """
    is_inner = np.zeros(len(parent), np.bool_)
    is_inner[parent[parent >= 0]] = True
    leaves, inner = np.flatnonzero(~is_inner), np.flatnonzero(is_inner)
    depth = depths(parent)
    path = paths(parent, leaves, depth)
    ranks = np.append(rank, -1)[path]
    walked = np.lexsort(ranks.T[::-1])
    stop = np.zeros(len(parent) + 1, np.int64)  # the last place is that of -1
    for nodes in path[walked].T:
        np.maximum.at(stop, nodes, np.arange(1, len(nodes) + 1))
    # of two nodes whose last leaf is the same, one is above the other
    finished = np.lexsort((-depth[inner], stop[inner]))
    return np.concatenate([leaves[walked], inner[finished]])
