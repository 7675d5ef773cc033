"""Clusters of Shoal."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.audit._linear_reach import name_outputs
from shoal.audit._model_spans import ModelSpans
from shoal.audit._training_table import TrainingTable
from shoal.audit.adapters._adapter import Adapter, AdapterOptions
from shoal.errors import ParameterError, TableError
from shoal.models import KAnonymousClustering
from shoal.privacy.spans._spans import Bins


class ShoalClusterAdapter(Adapter):
    """A clustering of :mod:`shoal.models`, by the rule that it releases."""

    name = "KAnonymousClustering"

    def recognizes(self, model: Any) -> bool:
        """Whether this is a published clustering of Shoal."""
        return isinstance(model, KAnonymousClustering)

    def read(self, model: Any, table: TrainingTable, options: AdapterOptions) -> ModelSpans:
        """Spans by the centroids that a row can be nearest to."""
        spans, span_of_row, bins = model.find_spans(_select(model, table), table.columns)
        if options.check_table:
            _check_populations(model, bins)
        explain = name_outputs(spans, bins)
        return ModelSpans(type(model).__name__, spans, span_of_row, bins, explain)


def _select(model: Any, table: TrainingTable) -> Any:
    """The columns that the model was fitted on; an error when they are not what they were."""
    names = [str(name) for name in getattr(model, "feature_names_in_", table.attributes)]
    if lost := [name for name in names if name not in table.frame.names]:
        raise TableError(f"the model was fitted on column {lost[0]!r}, which the table lacks.")
    private = {axis.name for axis in model.space_.axes if not axis.is_public}
    if private != set(table.private):
        raise ParameterError(
            "the schema's private columns are not those the clustering was fitted with."
        )
    if not hasattr(model, "feature_names_in_"):
        return np.column_stack([table.numbers(name) for name in names])
    return table.frame.select(names).native


def _check_populations(model: Any, bins: Bins) -> None:
    differ = int((bins.population != model.bins_.population).sum())
    if differ:
        raise TableError(
            f"this is not the training table: {differ} of {len(bins)} clusters have other counts "
            "in it. Give the training table, or check_table=False (--other-table)."
        )
