"""Routing rows through a fitted tree.  Arrays in, arrays out."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.typing import Codes, Counts, Flags, Floats

LEAF = -1


class Nodes(NamedTuple):
    """A fitted tree as parallel arrays; node 0 is the root.

    A test looks its row up in `child`: a categorical one at ``first + code``, an ordered one at
    ``first`` (value at most the threshold), ``first + 1`` (above it) or ``first + 2`` (missing).
    Where that says -1 (or the value is unknown) the row goes on to `other`, or stops at the node
    when `other` is -1.
    """

    slot: Codes  # view that is tested, LEAF where nothing is
    threshold: Floats  # NaN where the test is categorical
    first: Counts
    width: Counts  # number of entries in `child`
    child: Codes
    other: Codes
    parent: Codes
    counts: Counts  # (n_nodes, n_classes) training rows
    mass: Floats  # shares of the classes, weighted and coarse; equal to counts without weights


@kernel
def next_node(nodes: Nodes, node: int, code: int, value: float) -> int:
    """Where a row goes from a node; the node itself when it stops there."""
    branch = -1  # a value that the tree does not know has none
    if np.isnan(nodes.threshold[node]):
        if code >= 0:
            branch = code
    elif np.isnan(value):
        branch = 2
    else:
        branch = 0 if value <= nodes.threshold[node] else 1
    child = nodes.child[nodes.first[node] + branch] if branch >= 0 else -1
    if child < 0:
        child = nodes.other[node]
    return child if child >= 0 else node


@kernel
def route(nodes: Nodes, codes: Codes, values: Floats) -> NDArray[np.int64]:
    """Node at which each row stops; one line of `codes` and `values` per view."""
    n = codes.shape[1]
    stop = np.empty(n, np.int64)
    for row in range(n):
        node = 0
        while nodes.slot[node] != LEAF:
            view = nodes.slot[node]
            after = next_node(nodes, node, codes[view, row], values[view, row])
            if after == node:
                break
            node = after
        stop[row] = node
    return stop


@kernel
def step(nodes: Nodes, node: int, codes: Codes, values: Floats, lost: Flags, rows: Counts) -> Codes:
    """Where each of some rows goes from one node; -1 for a row whose value is missing."""
    following = np.empty(rows.shape[0], np.int32)
    for i in range(rows.shape[0]):
        row = rows[i]
        following[i] = -1 if lost[row] else next_node(nodes, node, codes[row], values[row])
    return following
