"""Which adapter reads which model."""

from __future__ import annotations

from typing import Any

from shoal.audit._feature_map import input_columns, split_pipeline
from shoal.audit._linear_reading import find_winners, read_shoal_clusters, read_winners
from shoal.audit._people import People
from shoal.audit._predict_reading import read_predict
from shoal.audit._reading import Reading
from shoal.audit._rule_reading import is_rules, read_rule_set
from shoal.audit._tree_reading import read_shoal_tree, read_trees
from shoal.errors import ParameterError
from shoal.models import KAnonymousClustering, KAnonymousTreeClassifier

TREES = ("DecisionTree", "ExtraTree")
FORESTS = ("RandomForest", "ExtraTrees", "GradientBoosting")


def read_model(
    model: Any,
    people: People,
    *,
    threshold: float | None = None,
    check_table: bool = True,
    max_points: int = 10_000,
    random_state: int = 0,
) -> Reading:
    """Spans of any model that there is an adapter for."""
    if isinstance(model, KAnonymousTreeClassifier):
        return read_shoal_tree(model, people)
    if isinstance(model, KAnonymousClustering):
        return read_shoal_clusters(model, people, check_table=check_table)
    if is_rules(model):
        return read_rule_set(model, people, check_table=check_table)
    if callable(model) and not hasattr(model, "predict"):
        return read_predict(model, people, max_points=max_points, random_state=random_state)
    before, last = split_pipeline(model)
    name = type(last).__name__
    if hasattr(last, "tree_") and name.startswith(TREES):
        return read_trees(before, last, [last], people, check_table=check_table)
    if hasattr(last, "estimators_") and name.startswith(FORESTS):
        parts = [part for row in last.estimators_ for part in _flat(row)]
        return read_trees(before, last, parts, people, check_table=check_table)
    linear = find_winners(last, threshold)
    if linear is not None:
        return read_winners(before, last, *linear, people, check_table=check_table)
    if hasattr(model, "predict"):
        return read_predict(
            model.predict,
            people,
            columns=input_columns(model, people),
            kind=name,
            as_array=not hasattr(model, "feature_names_in_"),
            max_points=max_points,
            random_state=random_state,
        )
    raise ParameterError(
        f"no adapter reads {type(model).__name__}. Pass a fitted model, rules with antecedents "
        "and consequents, or a function of a table."
    )


def _flat(row: Any) -> list[Any]:
    return list(row) if hasattr(row, "__iter__") else [row]
