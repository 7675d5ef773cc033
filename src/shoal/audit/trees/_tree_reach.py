"""Leaves of binary trees that people can reach when their private values are free."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.audit._feature_map import Features, PrivateFeatures
from shoal.audit.trees._binary_tree import BinaryTree
from shoal.audit.trees._reach_kernels import PrivateCells, find_possible, group_by_reach
from shoal.typing import Flags, Floats


class TreeReach(NamedTuple):
    """Rows numbered by the set of leaves they can reach, and the leaves behind each number."""

    label: NDArray[np.integer]
    start: NDArray[np.int64]
    leaves: NDArray[np.int64]

    @property
    def n_leaves(self) -> NDArray[np.int64]:
        """Leaves behind each number."""
        return np.diff(self.start)

    def of(self, label: int) -> NDArray[np.int64]:
        """Leaves behind one number."""
        return self.leaves[self.start[label] : self.start[label + 1]]


def find_alive(tree: BinaryTree, features: Features) -> Flags:
    """Which nodes some private values lead to: the private tests above are jointly possible.

    The private part of a leaf's region is a product over attributes, so that tests are possible
    together when those of each attribute are.  An attribute may have several features (one-hot
    columns): its values are tried as a whole.
    """
    owner = np.full(len(features.names), -1, np.int64)
    value_start = np.zeros(len(features.names), np.int64)
    cell_start, values, n_values = [0], [np.empty(0)], 0
    for attribute, one in enumerate(features.private):
        cells = features.rounded(_cells(tree, one))
        cell_start.append(cell_start[-1] + len(cells))
        for feature, column in zip(one.places.tolist(), cells.T, strict=True):
            owner[feature], value_start[feature] = attribute, n_values
            values.append(column)
            n_values += len(column)
    private = PrivateCells(owner, value_start, np.concatenate(values), np.array(cell_start))
    return find_possible(tree.depth, private, tree.arrays)


def _cells(tree: BinaryTree, private: PrivateFeatures) -> Floats:
    """At least one point in every cell that the tree's tests cut the attribute's values into."""
    if private.segment is None or not len(private.places):
        return private.points if len(private.places) else np.empty((1, 0))
    low, high = private.segment
    points = [tree.turning_points(int(feature)) for feature in private.places]
    if len(points) == 1:  # exactly these, since nothing else moves with them
        bottom, top = np.sort(private.segment[:, 0])
        inside = points[0][(points[0] >= bottom) & (points[0] <= top)]
        return np.concatenate([private.segment, inside[:, None], private.points])
    cuts = [0.0, 1.0]
    for bottom, top, turns in zip(low, high, points, strict=True):
        if top != bottom:
            cuts += ((turns - bottom) / (top - bottom)).tolist()
    inside = np.unique(np.clip(cuts, 0.0, 1.0))
    share = np.concatenate([inside, (inside[1:] + inside[:-1]) / 2])
    return np.concatenate([low + share[:, None] * (high - low), private.points])


def find_reach(tree: BinaryTree, features: Features) -> TreeReach:
    """Number the rows by the set of leaves they can reach.

    A test on a public feature sends a row one way; at a private one it goes both ways, as far as
    private values can.
    """
    return _walk(tree, features.doubles, features.is_private, find_alive(tree, features))


def find_ends(tree: BinaryTree, matrix: Floats) -> TreeReach:
    """Number the rows by the leaf they are in."""
    closed = np.zeros(matrix.shape[1], np.bool_)
    return _walk(tree, matrix, closed, np.ones(len(tree.left), np.bool_))


def _walk(tree: BinaryTree, matrix: Floats, closed: Flags, alive: Flags) -> TreeReach:
    return TreeReach(*group_by_reach(matrix, closed, alive, tree.arrays))
