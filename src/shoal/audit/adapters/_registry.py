"""All adapters, and which of them reads a model."""

from __future__ import annotations

from typing import Any

from shoal.audit.adapters._adapter import Adapter
from shoal.audit.adapters._centroid_adapter import CentroidAdapter
from shoal.audit.adapters._histogram_adapter import HistogramAdapter
from shoal.audit.adapters._lightgbm_adapter import LightGBMAdapter
from shoal.audit.adapters._linear_adapter import LinearAdapter
from shoal.audit.adapters._predict_adapter import PredictAdapter
from shoal.audit.adapters._rule_adapter import RuleAdapter
from shoal.audit.adapters._shoal_bayes_adapter import ShoalBayesAdapter
from shoal.audit.adapters._shoal_cluster_adapter import ShoalClusterAdapter
from shoal.audit.adapters._shoal_tree_adapter import ShoalTreeAdapter
from shoal.audit.adapters._sklearn_bayes_adapter import SklearnBayesAdapter
from shoal.audit.adapters._sklearn_tree_adapter import SklearnTreeAdapter
from shoal.audit.adapters._xgboost_adapter import XGBoostAdapter
from shoal.errors import ParameterError

# The first that recognizes a model reads it.  A dump of XGBoost is a list, as rules are, and is
# told apart more surely; whatever can predict comes last.
ADAPTERS: tuple[Adapter, ...] = (
    ShoalTreeAdapter(),
    ShoalClusterAdapter(),
    ShoalBayesAdapter(),
    XGBoostAdapter(),
    RuleAdapter(),
    LightGBMAdapter(),
    HistogramAdapter(),
    SklearnTreeAdapter(),
    SklearnBayesAdapter(),
    CentroidAdapter(),
    LinearAdapter(),
    PredictAdapter(),
)


def find_adapter(model: Any) -> Adapter:
    """The adapter that reads a model."""
    for adapter in ADAPTERS:
        if adapter.recognizes(model):
            return adapter
    raise ParameterError(
        f"no adapter reads {type(model).__name__}. Pass a fitted model, rules with antecedents "
        "and consequents, or a function of a table."
    )


def is_recognized(model: Any) -> bool:
    """Whether there is an adapter for a model."""
    return any(adapter.recognizes(model) for adapter in ADAPTERS)
