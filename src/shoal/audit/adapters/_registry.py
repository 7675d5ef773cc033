"""Which adapter reads which model."""

from __future__ import annotations

from typing import Any

from shoal.audit._feature_map import input_columns, split_pipeline
from shoal.audit._model_spans import ModelSpans
from shoal.audit._training_table import TrainingTable
from shoal.audit.adapters._histogram_trees import MODELS as HISTOGRAMS, histogram_trees
from shoal.audit.adapters._lightgbm_trees import is_lightgbm, lightgbm_trees
from shoal.audit.adapters._linear_adapter import find_winners, read_shoal_clusters, read_winners
from shoal.audit.adapters._predict_adapter import read_predict
from shoal.audit.adapters._rule_adapter import is_rules, read_rule_set
from shoal.audit.adapters._shoal_tree_adapter import read_shoal_tree
from shoal.audit.adapters._sklearn_trees import sklearn_parts, sklearn_trees
from shoal.audit.adapters._xgboost_trees import is_xgboost, xgboost_trees
from shoal.audit.trees._tree_model import TreeModel
from shoal.audit.trees._tree_spans import read_trees
from shoal.errors import ParameterError
from shoal.models import KAnonymousClustering, KAnonymousTreeClassifier


def read_model(
    model: Any,
    people: TrainingTable,
    *,
    threshold: float | None = None,
    check_table: bool = True,
    max_points: int = 10_000,
    random_state: int = 0,
) -> ModelSpans:
    """Spans of any model that there is an adapter for."""
    if isinstance(model, KAnonymousTreeClassifier):
        return read_shoal_tree(model, people)
    if isinstance(model, KAnonymousClustering):
        return read_shoal_clusters(model, people, check_table=check_table)
    if is_rules(model) and not is_xgboost(model):
        return read_rule_set(model, people, check_table=check_table)
    if callable(model) and not hasattr(model, "predict"):
        return read_predict(model, people, max_points=max_points, random_state=random_state)
    before, last = split_pipeline(model)
    trees = _find_trees(before, last, people, check_table)
    if trees is not None:
        return read_trees(trees, people, check_table=check_table)
    name = type(last).__name__
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


def _find_trees(
    before: Any, last: Any, people: TrainingTable, check_table: bool
) -> TreeModel | None:
    """The trees of a model, as whichever library grew them keeps them."""
    if is_xgboost(last):
        return xgboost_trees(before, last, people)
    if is_lightgbm(last):
        return lightgbm_trees(before, last, people)
    if type(last).__name__ in HISTOGRAMS and hasattr(last, "_predictors"):
        return histogram_trees(before, last, people)
    parts = sklearn_parts(last)
    if parts is not None:
        return sklearn_trees(before, last, parts, people, check_table=check_table)
    return None
