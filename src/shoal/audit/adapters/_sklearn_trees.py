"""Trees and forests of scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from shoal.audit._feature_map import find_features
from shoal.audit._row_groups import RowGroups
from shoal.audit._training_table import TrainingTable
from shoal.audit.trees._binary_tree import BinaryTree
from shoal.audit.trees._tree_model import TreeModel, wrong_table_message
from shoal.errors import TableError
from shoal.typing import Floats

TREES = ("DecisionTree", "ExtraTree")
FORESTS = ("RandomForest", "ExtraTrees", "GradientBoosting")


def sklearn_parts(model: Any) -> list[Any] | None:
    """The fitted trees that a model consists of; None when it is no tree or forest."""
    name = type(model).__name__
    if hasattr(model, "tree_") and name.startswith(TREES):
        return [model]
    if hasattr(model, "estimators_") and name.startswith(FORESTS):
        return [part for row in model.estimators_ for part in _flat(row)]
    return None


def _flat(row: Any) -> list[Any]:
    return list(row) if hasattr(row, "__iter__") else [row]


def sklearn_trees(
    before: Any, model: Any, parts: Sequence[Any], people: TrainingTable, *, check_table: bool
) -> TreeModel:
    """Read one tree or all trees of a forest; they compare single precision."""
    features = find_features(before, model, people, single=True)

    def apply(place: int) -> RowGroups:
        return np.asarray(parts[place].tree_.apply(features.matrix), np.int64)

    return TreeModel(
        type(model).__name__,
        features,
        tuple(BinaryTree.from_sklearn(part.tree_) for part in parts),
        count_classes(model),
        _rows(model, parts, people.n_rows, check_table),
        trained_on=int(parts[0].tree_.n_node_samples[0]),
        apply=apply,
    )


def count_classes(model: Any) -> int | None:
    """Classes that a fitted estimator knows; None when it predicts a number."""
    return len(model.classes_) if hasattr(model, "classes_") else None


def _rows(
    model: Any, parts: Sequence[Any], n_rows: int, check_table: bool
) -> tuple[Floats | None, ...]:
    """Training rows at each node, where trees were not grown on rows that were drawn."""
    if not (getattr(model, "bootstrap", False) or getattr(model, "subsample", 1.0) != 1.0):
        return tuple(np.asarray(part.tree_.n_node_samples, np.float64) for part in parts)
    root = float(parts[0].tree_.weighted_n_node_samples[0])
    whole = getattr(model, "max_samples", None) is None and not hasattr(model, "subsample")
    plain = whole and getattr(model, "class_weight", None) is None
    if check_table and plain and round(root) != n_rows:
        why = f"{root:g} rows were drawn from it, and it has {n_rows}"
        raise TableError(wrong_table_message(why))
    return (None,) * len(parts)
