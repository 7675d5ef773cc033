"""Leaves of a tree that one row can reach, node by node; a tree is a dict of nodes."""

from dataclasses import dataclass
from math import isnan, trunc


@dataclass(frozen=True)
class Split:
    """`codes` is None for a test of `value <= threshold`."""

    feature: int
    threshold: float
    left: int
    right: int
    missing_left: bool
    zero_missing: bool = False
    codes: frozenset | None = None

    def goes_left(self, value):
        if isnan(value) or (self.zero_missing and abs(value) <= 1e-35):
            return self.missing_left
        return value <= self.threshold if self.codes is None else trunc(value) in self.codes


def leaves(tree, row, closed, alive, node=0):
    """Leaves that a row can reach when the closed features are free, as far as nodes are alive."""
    if node not in tree:
        return frozenset([node])
    split = tree[node]
    if split.feature in closed:
        ways = [child for child in (split.left, split.right) if child in alive]
    else:
        ways = [split.left if split.goes_left(row[split.feature]) else split.right]
    return frozenset().union(*(leaves(tree, row, closed, alive, child) for child in ways))


def possible(tree, choices, node=0):
    """Nodes that some private values lead to.

    `choices` has, for each private attribute, the ways in which it can be: each a dict from
    feature to value.
    """
    if not all(choices):
        return frozenset()
    if node not in tree:
        return frozenset([node])
    split = tree[node]
    found = frozenset([node])
    for child, side in ((split.left, True), (split.right, False)):
        kept = [[way for way in ways if _agrees(split, way, side)] for ways in choices]
        found |= possible(tree, kept, child)
    return found


def _agrees(split, way, side):
    return split.feature not in way or split.goes_left(way[split.feature]) == side
