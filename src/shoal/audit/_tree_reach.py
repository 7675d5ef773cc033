"""Leaves of binary trees that people can reach when their private values are free."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.audit._feature_map import Features, PrivateFeatures
from shoal.typing import Flags, Floats

Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class BinaryTree:
    """Tests ``feature <= threshold`` (then left), by node; leaves have no children (-1)."""

    left: NDArray[np.intp]
    right: NDArray[np.intp]
    feature: NDArray[np.intp]
    threshold: Floats
    missing_left: Flags

    @classmethod
    def from_sklearn(cls, tree: Any) -> BinaryTree:
        """Read the `tree_` of a fitted scikit-learn tree."""
        missing = getattr(tree, "missing_go_to_left", np.zeros(tree.node_count))
        return cls(
            np.asarray(tree.children_left, np.intp),
            np.asarray(tree.children_right, np.intp),
            np.asarray(tree.feature, np.intp),
            np.asarray(tree.threshold, np.float64),
            np.asarray(missing, np.bool_),
        )

    @cached_property
    def _parent(self) -> NDArray[np.intp]:
        parent = np.zeros(len(self.left), np.intp)
        inner = np.flatnonzero(self.left >= 0)
        parent[self.left[inner]] = parent[self.right[inner]] = inner
        return parent

    @cached_property
    def leaves(self) -> NDArray[np.intp]:
        """Nodes without children."""
        return np.flatnonzero(self.left < 0)

    def goes_left(self, node: int, values: Floats) -> Flags:
        """Which values of the node's feature go left; scikit-learn compares single precision."""
        single = values.astype(np.float32)
        if self.missing_left[node]:
            return np.asarray(~(single > self.threshold[node]))
        return np.asarray(single <= self.threshold[node])

    def path(self, leaf: int, names: tuple[str, ...]) -> str:
        """The tests on the way to a leaf, in words."""
        tests: list[str] = []
        node = leaf
        while node != 0:
            parent = int(self._parent[node])
            sign = "<=" if self.left[parent] == node else ">"
            tests.append(f"{names[self.feature[parent]]} {sign} {self.threshold[parent]:g}")
            node = parent
        return " and ".join(reversed(tests)) or "no test"


def find_alive(tree: BinaryTree, private: tuple[PrivateFeatures, ...]) -> Flags:
    """Which nodes some private values lead to: the private tests above are jointly possible.

    The private part of a leaf's region is a product over attributes, so that tests are possible
    together when those of each attribute are.  An attribute may have several features (one-hot
    columns): its values are tried as a whole.
    """
    owner: dict[int, tuple[int, int]] = {}
    cells = []
    for place, one in enumerate(private):
        owner |= {int(feature): (place, at) for at, feature in enumerate(one.places)}
        cells.append(_cells(tree, one))
    alive = np.zeros(len(tree.left), np.bool_)
    stack: list[tuple[int, list[Flags]]] = [(0, [np.ones(len(one), np.bool_) for one in cells])]
    while stack:
        node, left_over = stack.pop()
        if not all(one.any() for one in left_over):
            continue
        alive[node] = True
        if tree.left[node] < 0:
            continue
        sides = [left_over, left_over]
        if int(tree.feature[node]) in owner:
            place, at = owner[int(tree.feature[node])]
            left = tree.goes_left(node, cells[place][:, at])
            sides = [[*left_over], [*left_over]]
            sides[0][place] = left_over[place] & left
            sides[1][place] = left_over[place] & ~left
        stack += [(int(tree.left[node]), sides[0]), (int(tree.right[node]), sides[1])]
    return alive


def _cells(tree: BinaryTree, private: PrivateFeatures) -> Floats:
    """One point for every way in which the tree's tests can cut the attribute's values."""
    if private.segment is None or not len(private.places):
        return private.points if len(private.places) else np.empty((1, 0))
    low, high = private.segment
    cuts = [0.0, 1.0]
    for at, feature in enumerate(private.places):
        if high[at] != low[at]:
            found = tree.threshold[(tree.feature == feature) & (tree.left >= 0)]
            cuts += ((found - low[at]) / (high[at] - low[at])).tolist()
    inside = np.unique(np.clip(cuts, 0.0, 1.0))
    share = np.concatenate([[0.0, 1.0], (inside[1:] + inside[:-1]) / 2])
    return np.concatenate([low + share[:, None] * (high - low), private.points])


def find_reach(tree: BinaryTree, features: Features) -> tuple[NDArray[np.int64], list[list[int]]]:
    """Number the rows by the set of leaves they can reach; the leaves behind each number.

    A test on a public feature divides the rows; at a private one they go both ways, and rows stay
    together when they agree on both sides.
    """
    alive = find_alive(tree, features.private)
    closed = features.is_private

    def walk(node: int, rows: Rows) -> tuple[NDArray[np.int64], list[list[int]]]:
        left, right = int(tree.left[node]), int(tree.right[node])
        if left < 0:
            return np.zeros(len(rows), np.int64), [[node]]
        feature = int(tree.feature[node])
        if not closed[feature]:
            goes = tree.goes_left(node, features.matrix[rows, feature])
            label = np.empty(len(rows), np.int64)
            reached: list[list[int]] = []
            for child, here in ((left, goes), (right, ~goes)):
                if here.any():
                    found, leaves = walk(child, rows[here])
                    label[here] = found + len(reached)
                    reached += leaves
            return label, reached
        if not (alive[left] and alive[right]):
            return walk(left if alive[left] else right, rows)
        (one, ones), (two, twos) = walk(left, rows), walk(right, rows)
        pairs, label = np.unique(one * len(twos) + two, return_inverse=True)
        return label, [ones[pair // len(twos)] + twos[pair % len(twos)] for pair in pairs.tolist()]

    return walk(0, np.arange(len(features.matrix)))
