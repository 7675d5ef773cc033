"""Linear classifiers, and linear regressions with a threshold."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.audit._feature_map import last_step
from shoal.audit._linear_reach import find_linear_spans
from shoal.audit._model_spans import ModelSpans
from shoal.audit._training_table import TrainingTable
from shoal.audit.adapters._adapter import Adapter, AdapterOptions
from shoal.errors import ParameterError
from shoal.privacy.spans._linear_spans import LinearSpans


class LinearAdapter(Adapter):
    """The class with the highest linear score, or the side of a threshold."""

    name = "linear models of scikit-learn"
    knows_its_table = False

    def recognizes(self, model: Any) -> bool:
        """Whether coefficients decide: all linear models but those with several outputs."""
        last = last_step(model)
        if not (hasattr(last, "coef_") and hasattr(last, "intercept_")):
            return False
        if hasattr(last, "classes_"):
            # classes are compared one against one here: the highest of linear scores need not win
            return type(last).__name__ not in ("SVC", "NuSVC")
        return len(np.atleast_2d(np.asarray(last.coef_))) == 1

    def read(self, model: Any, table: TrainingTable, options: AdapterOptions) -> ModelSpans:
        """Spans from the scores of classes, or from the possible sides of the threshold."""
        last = last_step(model)
        is_classifier = hasattr(last, "classes_")
        linear = _of_classes(last) if is_classifier else _of_sides(last, options.threshold)
        output = "class" if is_classifier else "side of the threshold"
        return find_linear_spans(
            model, linear, output, table, check_table=options.check_table, decided_by=options.k
        )


def _of_classes(model: Any) -> LinearSpans:
    weights = np.atleast_2d(np.asarray(model.coef_, np.float64))
    intercept = np.atleast_1d(np.asarray(model.intercept_, np.float64))
    if len(weights) == 1:  # of two classes only the difference is kept: the first scores 0
        weights = np.concatenate([np.zeros_like(weights), weights])
        intercept = np.concatenate([[0.0], intercept])
    return LinearSpans.highest(weights, intercept)


def _of_sides(model: Any, threshold: float | None) -> LinearSpans:
    if threshold is None:
        raise ParameterError(
            f"{type(model).__name__} predicts a number. Give threshold: what is released is "
            "whether the prediction exceeds it."
        )
    weights = np.atleast_2d(np.asarray(model.coef_, np.float64))
    intercept = np.atleast_1d(np.asarray(model.intercept_, np.float64))
    weights = np.concatenate([np.zeros_like(weights), weights])
    return LinearSpans.highest(weights, np.array([threshold, intercept[0]]))
