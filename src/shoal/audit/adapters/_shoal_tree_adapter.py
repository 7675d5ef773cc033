"""Trees of Shoal seen as spans."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.audit._model_spans import ModelSpans, shorten
from shoal.audit._training_table import TrainingTable
from shoal.errors import SchemaError, TableError


def read_shoal_tree(model: Any, people: TrainingTable) -> ModelSpans:
    """Spans of a tree of :mod:`shoal.models`, which knows its own domain."""
    target = people.schema.target
    if target is None:
        raise SchemaError("a classifier's audit needs its target in the schema.")
    names = getattr(model, "feature_names_in_", people.attributes)
    lost = [str(name) for name in names if str(name) not in people.frame.names]
    if lost:
        raise SchemaError(f"the model was fitted on column {lost[0]!r}, which the table lacks.")
    rows = people.frame.select([str(name) for name in names]).native
    closed = {a.name for a in model.tree_.attributes if not a.public}
    used = {a.name for a in model.tree_.attributes}
    if closed != used & set(people.private):
        raise SchemaError(
            "the schema's private attributes are not those the tree was fitted with. Audit it "
            "with the schema it was fitted with, or fit it again."
        )
    spans, span_of_row = model.find_spans(rows, np.array(people.frame.values(target)))
    bins = model.bins_
    if spans.groups.n_rows != int(bins.population.sum()):
        raise TableError(
            f"this is not the training table: the tree counts {int(bins.population.sum())} rows "
            f"and the table has {spans.groups.n_rows}."
        )

    def explain(span: int) -> tuple[str, ...]:
        known = [bins.names[b] for b in spans.bins_of(span).tolist() if b < len(bins)]
        return shorten(list(dict.fromkeys(name.rpartition(",")[0] for name in known)))

    return ModelSpans(type(model).__name__, spans, span_of_row, bins, explain)
