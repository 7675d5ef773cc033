"""Trees and forests of scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from shoal.audit._feature_map import count_classes, find_features, last_step, split_pipeline
from shoal.audit._row_groups import RowGroups
from shoal.audit._training_table import TrainingTable
from shoal.audit.adapters._adapter import AdapterOptions, TreeAdapter
from shoal.audit.trees._binary_tree import BinaryTree
from shoal.audit.trees._leaf_values import uneven_leaves
from shoal.audit.trees._tree_model import TreeModel, wrong_table_message
from shoal.errors import TableError
from shoal.typing import Floats

TREES = ("DecisionTree", "ExtraTree")
FORESTS = ("RandomForest", "ExtraTrees", "GradientBoosting")
ENSEMBLES = ("Bagging", "AdaBoost", "Voting", "OneVsRestClassifier", "OneVsOneClassifier")
"""Wrappers whose output is a vote or a sum of members that all see the same features."""


class SklearnTreeAdapter(TreeAdapter):
    """One tree, or all trees of a forest or of gradient boosting."""

    name = "trees and forests of scikit-learn"

    def recognizes(self, model: Any) -> bool:
        """Whether this is a fitted tree or forest."""
        return _fitted_trees(last_step(model)) is not None

    def read_trees(self, model: Any, table: TrainingTable, options: AdapterOptions) -> TreeModel:
        """The trees, which compare single precision."""
        before, last = split_pipeline(model)
        parts = _fitted_trees(last) or []
        features = find_features(before, last, table, single=True)

        def apply(tree: int) -> RowGroups:
            return np.asarray(parts[tree].tree_.apply(features.matrix), np.int64)

        trees = TreeModel(  # which checks their tests, before anything follows them
            type(last).__name__,
            features,
            tuple(BinaryTree.from_sklearn(part.tree_) for part in parts),
            count_classes(last),
            _count_rows(last, parts, table.n_rows, options.check_table),
            trained_on=int(parts[0].tree_.n_node_samples[0]),
            apply=apply,
            cuts="drawn" if any(map(_draws_tests, parts)) else "in nodes",
            hides_rows=_is_of_pairs(last) and table.target_is_private,
        )
        return replace(trees, unread=uneven_leaves(last, features.matrix, table, options.k))


def _fitted_trees(model: Any) -> list[Any] | None:
    """All trees of a tree, a forest, or an ensemble of these; None where there is anything else."""
    kind = type(model).__name__
    if hasattr(model, "tree_") and kind.startswith(TREES):
        return [model]
    if not hasattr(model, "estimators_") or not kind.startswith((*FORESTS, *ENSEMBLES)):
        return None
    # boosting keeps a row of trees per round
    members = list(np.asarray(model.estimators_, object).ravel())
    if not members or not _see_all_features(model):
        return None
    trees: list[Any] = []
    for member in members:
        own = _fitted_trees(member)
        if own is None:
            return None
        trees += own
    return trees


def _draws_tests(tree: Any) -> bool:
    return getattr(tree, "splitter", "random") != "best"


def _is_of_pairs(model: Any) -> bool:
    """Whether members see the people of two classes each, at any depth."""
    return type(model).__name__.startswith("OneVsOne") or any(
        _is_of_pairs(one) for one in np.ravel(np.asarray(getattr(model, "estimators_", []), object))
    )


def _see_all_features(model: Any) -> bool:
    """Whether members were fitted on the columns of the whole, in their order."""
    drawn = getattr(model, "estimators_features_", ())
    n_features = int(getattr(model, "n_features_in_", 0))
    return all(np.array_equal(own, np.arange(n_features)) for own in drawn)


def _count_rows(
    model: Any, parts: Sequence[Any], n_rows: int, check_table: bool
) -> tuple[Floats | None, ...]:
    """Training rows at each node, where trees were not grown on rows that were drawn."""
    kind = type(model).__name__
    if kind.startswith(ENSEMBLES):  # members may be drawn, weighted, or of two classes only
        _check_bagging(model, parts, n_rows, check_table)
        return (None,) * len(parts)
    if not (getattr(model, "bootstrap", False) or getattr(model, "subsample", 1.0) != 1.0):
        return tuple(np.asarray(part.tree_.n_node_samples, np.float64) for part in parts)
    root = float(parts[0].tree_.weighted_n_node_samples[0])
    whole = getattr(model, "max_samples", None) is None and not hasattr(model, "subsample")
    plain = whole and getattr(model, "class_weight", None) is None
    if check_table and plain and round(root) != n_rows:
        why = f"{root:g} rows were drawn from it, and it has {n_rows}"
        raise TableError(wrong_table_message(why))
    return (None,) * len(parts)


def _check_bagging(model: Any, parts: Sequence[Any], n_rows: int, check_table: bool) -> None:
    """Refuse a table with fewer rows than a member was grown on."""
    most = max(int(part.tree_.n_node_samples[0]) for part in parts)
    if check_table and most > n_rows:
        why = f"a tree of {type(model).__name__} has {most} rows, and the table {n_rows}"
        raise TableError(wrong_table_message(why))
