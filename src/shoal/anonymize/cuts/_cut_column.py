"""One column of a problem over cuts: its hierarchy, and what lies below each node."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.anonymize.cuts._cut_kernels import entropy_of_counts, rows_by_node
from shoal.schema import Hierarchy
from shoal.schema._coding import Coding
from shoal.typing import Codes, Counts, Floats


@dataclass(frozen=True, eq=False)
class CutColumn:
    """A quasi-identifier with the cells' codes in it.

    Parameters
    ----------
    coding : Coding
        Its values, hierarchy and limits; there is a hierarchy.
    codes : ndarray of int32
        Code of each cell.
    sizes : ndarray of int64
        Rows of each cell.
    classes : ndarray of int64, shape (n_cells, n_classes)
        Rows of each cell by class.
    weight : float
        What a row's loss in this column counts.
    """

    coding: Coding
    codes: Codes
    sizes: Counts
    classes: Counts
    weight: float

    @property
    def tree(self) -> Hierarchy:
        """The hierarchy; every column of a problem has one."""
        assert self.coding.hierarchy is not None
        return self.coding.hierarchy

    @cached_property
    def rows_of_leaf(self) -> Counts:
        """Rows with each leaf."""
        return rows_by_code(self.codes, self.sizes, self.tree.n_leaves)

    @cached_property
    def rows_of_node(self) -> Counts:
        """Rows below each node."""
        return rows_by_node(self.rows_of_leaf, self.tree.start, self.tree.stop)

    @cached_property
    def classes_of_leaf(self) -> Counts:
        """Class counts of the rows with each leaf."""
        return classes_by_code(self.codes, self.classes, self.tree.n_leaves)

    @cached_property
    def bits_of_node(self) -> Floats:
        """Class entropy of the rows below each node, times their number."""
        tree, counts = self.tree, self.classes_of_leaf
        bits = np.zeros(tree.n_nodes)
        for node in range(tree.n_nodes):
            bits[node] = entropy_of_counts(counts[tree.start[node] : tree.stop[node]].sum(axis=0))
        return bits

    @cached_property
    def information(self) -> Floats:
        """I(G) of joining the children of each node: information lost per row, in bits."""
        tree, bits = self.tree, self.bits_of_node
        below = np.zeros(tree.n_nodes)
        np.add.at(below, tree.parent[:-1], bits[:-1])
        lost = np.where(np.arange(tree.n_nodes) >= tree.n_leaves, bits - below, 0.0)
        return np.maximum(lost / np.maximum(self.rows_of_node, 1), 0.0)

    @cached_property
    def loss_of_node(self) -> Floats:
        """NCP of one row released as each node, times the column's weight."""
        tree = self.tree
        loss = tree.n_leaves_below / max(tree.n_values, 1)
        loss[: tree.n_leaves] = 0.0
        return loss * self.weight

    @cached_property
    def ceiling_depth(self) -> Codes:
        """How far up values below each node may go: to ancestors at this depth or deeper.

        The limits of the leaves differ, and a node joins all its leaves: the deepest one binds.
        """
        tree = self.tree
        depth = np.zeros(tree.n_nodes, np.int32)
        depth[: tree.n_leaves] = tree.depth[self.coding.ceiling]
        for node in range(tree.n_nodes - 1):  # children come before parents
            above = tree.parent[node]
            depth[above] = max(depth[above], depth[node])
        return depth


def rows_by_code(codes: Codes, sizes: Counts, n_codes: int) -> Counts:
    """Rows of the cells with each code."""
    return np.bincount(codes, weights=sizes, minlength=n_codes).astype(np.int64)


def classes_by_code(codes: Codes, classes: Counts, n_codes: int) -> Counts:
    """Class counts of the cells with each code."""
    table = np.zeros((n_codes, classes.shape[1]), np.int64)
    np.add.at(table, codes, classes)
    return table
