"""Naive Bayes of Shoal."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.audit._model_spans import ModelSpans, shorten
from shoal.audit._training_table import TrainingTable
from shoal.audit.adapters._adapter import Adapter, AdapterOptions
from shoal.errors import SchemaError, TableError
from shoal.models import KAnonymousNaiveBayes


class ShoalBayesAdapter(Adapter):
    """A naive Bayes classifier of :mod:`shoal.models`, which knows who is counted by what."""

    name = "KAnonymousNaiveBayes"

    def recognizes(self, model: Any) -> bool:
        """Whether this is a published naive Bayes classifier of Shoal."""
        return isinstance(model, KAnonymousNaiveBayes)

    def read(self, model: Any, table: TrainingTable, options: AdapterOptions) -> ModelSpans:
        """Spans by the counts that a row can be in."""
        target = table.schema.target
        if target is None:
            raise SchemaError("a classifier's audit needs its target in the schema.")
        # whatever check_table says: counts of other rows would not be those that are published
        if table.n_rows != model.n_rows_:
            raise TableError(
                f"this is not the training table: the model counts {model.n_rows_} rows and the "
                f"table has {table.n_rows}."
            )
        classes = np.array(table.frame.values(target))
        spans, span_of_row, counted = model.find_spans(_select(model, table), classes)
        n_classes = len(model.classes_)
        differ = sum(
            bool((counted.count(part, len(own.labels), n_classes) != own.counts).any())
            for part, own in enumerate(model.columns_)
        )
        if differ:
            raise TableError(
                f"this is not the training table, or its rows are in another order: {differ} of "
                f"{len(model.columns_)} columns have other counts in it."
            )
        bins = model.bins_

        def explain(span: int) -> tuple[str, ...]:
            names = [bins.names[number] for number in spans.bins_of(span).tolist() if number]
            return shorten(list(dict.fromkeys(name.rpartition(",")[0] for name in names)))

        return ModelSpans(type(model).__name__, spans, span_of_row, bins, explain)


def _select(model: Any, table: TrainingTable) -> Any:
    """The columns that the model was fitted on; an error when they are not what they were."""
    names = [str(name) for name in getattr(model, "feature_names_in_", table.attributes)]
    if lost := [name for name in names if name not in table.frame.names]:
        raise SchemaError(f"the model was fitted on column {lost[0]!r}, which the table lacks.")
    attributes = [own.labels.attribute for own in model.columns_]
    private = {attribute.name for attribute in attributes if not attribute.public}
    known = {attribute.name for attribute in attributes}
    if private != known & set(table.private) or model.class_is_public_ == table.target_is_private:
        raise SchemaError(
            "the schema's private columns are not those the model was fitted with. Audit it "
            "with the schema it was fitted with, or fit it again."
        )
    return table.frame.select(names).native
