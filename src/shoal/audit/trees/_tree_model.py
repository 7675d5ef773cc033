"""One or many trees over one table, whichever library they come from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from shoal.audit._feature_map import Features
from shoal.audit._row_groups import RowGroups, renumber
from shoal.audit.trees._binary_tree import BinaryTree
from shoal.audit.trees._tree_reach import TreeReach, find_ends, find_reach
from shoal.errors import TableError
from shoal.typing import Floats

OTHERS = (
    "leaves count others than these people: it was trained on another table, or rows were drawn or "
    "weighted, by which leaves tell of some people more than of others"
)


@dataclass(frozen=True, eq=False)
class TreeModel:
    """What an adapter for trees hands on.

    Parameters
    ----------
    kind : str
        What the model is.
    features : Features
        Features of the rows, as the trees see them.
    trees : tuple of BinaryTree
        All trees: an attacker sees them all.
    n_classes : int or None
        Classes that the model knows; None when it predicts a number.
    rows : tuple of (ndarray or None)
        Training rows at each node of each tree; None where the model does not say.
    slack : float
        By how much these may be off, where they are computed from sums of weights.
    trained_on : int or None
        Number of training rows, if the model says so.
    notes : tuple of str
        Whatever the reader of the report has to know.
    apply : callable or None
        The library's own way to the leaves of one tree, where that is faster.
    unread : tuple of str
        Why values of leaves may tell of fewer people than are in them, where they tell anything.
    cuts : {"between", "at values", "in nodes", "drawn"}
        How the library chooses tests: half-way between two values of the table, at its values,
        half-way between two values of a node, or at random between the ends of a node.
    hides_rows : bool
        Whether trees were grown on rows of which nobody knows who they are: of a private class.
    """

    kind: str
    features: Features
    trees: tuple[BinaryTree, ...]
    n_classes: int | None
    rows: tuple[Floats | None, ...]
    slack: float = 0.0
    trained_on: int | None = None
    notes: tuple[str, ...] = ()
    apply: Callable[[int], RowGroups] | None = None
    unread: tuple[str, ...] = ()
    cuts: Literal["between", "at values", "in nodes", "drawn"] = "between"
    hides_rows: bool = False

    def __post_init__(self) -> None:
        n_features = len(self.features.names)
        if any(tree.tested.max(initial=-1) >= n_features for tree in self.trees):
            raise TableError("the model tests a feature that it does not have. It is damaged.")

    def ends(self, number: int) -> RowGroups:
        """The leaf of every row in one tree."""
        if self.apply is not None:
            return self.apply(number)
        reach = find_ends(self.trees[number], self.features.doubles)
        return reach.leaves[reach.label]

    def reach(self, number: int, ends: RowGroups) -> TreeReach:
        """The leaves that rows can reach in one tree: where they are, unless tests are private."""
        tree = self.trees[number]
        if self.features.is_private[tree.tested].any():
            return find_reach(tree, self.features)
        used, label = renumber(ends)
        return TreeReach(label, np.arange(len(used) + 1), used.astype(np.int64))

    def check(self, number: int, ends: RowGroups) -> None:
        """Refuse a table whose rows do not fill the leaves of a tree as the training rows did."""
        tree = self.trees[number]
        differ = self.n_differing(number, ends)
        if not differ:
            return
        why = f"{differ} of {len(tree.leaves)} leaves have other counts in the model"
        if self.trained_on is not None:
            why += f"; it was trained on {self.trained_on} rows and the table has {len(ends)}"
        if self.slack:  # counts come from weights
            why += ", unless rows were drawn or weighted in training"
        raise TableError(wrong_table_message(why))

    def n_differing(self, number: int, ends: RowGroups) -> int:
        """Leaves of a tree in which the model counts other rows; 0 where it does not count."""
        tree, rows = self.trees[number], self.rows[number]
        if rows is None:
            return 0
        counts = np.bincount(ends, minlength=len(tree.left))[tree.leaves]
        return int((np.abs(counts - rows[tree.leaves]) > self.slack).sum())


def wrong_table_message(why: str) -> str:
    """The sentence for a table that a model was not trained on."""
    return (
        f"this is not the training table: {why}. Give the training table, or check_table=False "
        "(--other-table) to see what the model says about these people."
    )
