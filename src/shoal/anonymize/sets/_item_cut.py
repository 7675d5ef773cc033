"""Which node stands for each item: raised until no combination is rare, then lowered again.

*Lemma.*  Generalizing keeps what holds.  A combination of at most m nodes that a row has is the
image of a combination of as many of its items; if k rows have the items, k rows have the nodes.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.anonymize.sets._transactions import (
    Numbers,
    Transactions,
    count_combinations,
    generalize,
)
from shoal.errors import InfeasibleError
from shoal.schema import Hierarchy
from shoal.typing import Floats

_LOWERINGS = 400
"""Nodes that are tried to be lowered again, the dearest first."""


def find_cut(sets: Transactions, tree: Hierarchy, k: int, m: int) -> Numbers:
    """Node of each item such that every combination of at most m nodes is in k rows, or in none.

    Rare combinations are looked for by size, singles first; in each the node is raised whose
    parent costs least.  Then nodes are lowered again, the dearest first, where nothing becomes
    rare.
    """
    node_of = np.arange(tree.n_leaves, dtype=np.int64)
    occurrences = np.bincount(sets.items, minlength=tree.n_leaves).astype(np.float64)
    for size in range(1, m + 1):
        while len(rare := _rare(generalize(sets, node_of), size, k)):
            if size == 1 and (rare == tree.root).any():
                rows = int((np.diff(sets.start) > 0).sum())
                raise InfeasibleError(
                    f"every combination of at most {m} items in {k} rows",
                    required=k,
                    achieved=rows,
                    hint="So few rows have items at all. Lower k, or leave these rows out.",
                )
            node_of = _raise(rare, node_of, tree, occurrences)
    return _lower(sets, node_of, tree, occurrences, (k, m))


def holds(sets: Transactions, k: int, m: int) -> bool:
    """Whether no combination of at most m items is in fewer than k rows."""
    return all(not len(_rare(sets, size, k)) for size in range(1, m + 1))


def item_loss(node_of: Numbers, tree: Hierarchy, occurrences: Floats) -> float:
    """Mean share of the items that a released item stands for; 0 where all are as they were."""
    share = node_cost(tree)[node_of]
    return float((occurrences * share).sum() / max(occurrences.sum(), 1.0))


def node_cost(tree: Hierarchy) -> Floats:
    """What an item costs under each node: the share of all items below it; leaves cost nothing."""
    below = tree.n_leaves_below.astype(np.float64)
    return np.where(below > 1, below / tree.n_leaves, 0.0)


def _rare(sets: Transactions, size: int, k: int) -> Numbers:
    combinations, counts = count_combinations(sets, size)
    order = np.argsort(counts, kind="stable")
    rare: Numbers = combinations[order][counts[order] < k]
    return rare


def _raise(rare: Numbers, node_of: Numbers, tree: Hierarchy, occurrences: Floats) -> Numbers:
    """Raise a node of each rare combination, unless one of its nodes was raised before."""
    node_of, cost = node_of.copy(), node_cost(tree)
    raised: set[int] = set()
    total = np.concatenate([[0.0], np.cumsum(occurrences)])
    for combination in rare.tolist():
        if any(node in raised for node in combination):
            continue
        dearness = []
        for node in combination:
            above = int(tree.parent[node])
            if node == tree.root:
                continue
            rows = total[tree.stop[above]] - total[tree.start[above]]
            dearness.append((float(cost[above] * rows), above))
        _, above = min(dearness)
        inside = slice(int(tree.start[above]), int(tree.stop[above]))
        raised.update(np.unique(node_of[inside]).tolist())
        raised.add(above)
        node_of[inside] = above
    return node_of


def _lower(
    sets: Transactions,
    node_of: Numbers,
    tree: Hierarchy,
    occurrences: Floats,
    asked: tuple[int, int],
) -> Numbers:
    """Replace nodes by their children as long as nothing becomes rare."""
    cost = node_cost(tree)

    def dearest(node: int) -> float:
        inside = occurrences[tree.start[node] : tree.stop[node]].sum()
        return float(-cost[node] * inside)

    waiting = sorted(
        {int(node) for node in np.unique(node_of) if node >= tree.n_leaves}, key=dearest
    )
    for _ in range(_LOWERINGS):
        if not waiting:
            break
        node = waiting.pop(0)
        tried = node_of.copy()
        for child in _children(tree, node):
            tried[tree.start[child] : tree.stop[child]] = child
        if holds(generalize(sets, tried), *asked):
            node_of = tried
            waiting += [child for child in _children(tree, node) if child >= tree.n_leaves]
            waiting.sort(key=dearest)
    return node_of


def _children(tree: Hierarchy, node: int) -> Iterator[int]:
    for child in np.flatnonzero(tree.parent == node).tolist():
        if child != node:
            yield child
