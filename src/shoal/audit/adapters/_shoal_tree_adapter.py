"""Trees of Shoal."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.audit._model_spans import ModelSpans, shorten
from shoal.audit._training_table import TrainingTable
from shoal.audit.adapters._adapter import Adapter, AdapterOptions
from shoal.audit.trees._lone_thresholds import half_way_message, lies_half_way
from shoal.audit.trees._node_cuts import EXACT, between_message, few_fit
from shoal.errors import SchemaError, TableError
from shoal.models import KAnonymousTreeClassifier
from shoal.models._input import read_input
from shoal.models.tree._node_arrays import is_weighted

WEIGHTED = "shares of classes are weighted, which tells people apart whose weights are known"


class ShoalTreeAdapter(Adapter):
    """A tree of :mod:`shoal.models`, which knows its own domain."""

    name = "KAnonymousTreeClassifier"

    def recognizes(self, model: Any) -> bool:
        """Whether this is a published tree of Shoal."""
        return isinstance(model, KAnonymousTreeClassifier)

    def read(self, model: Any, table: TrainingTable, options: AdapterOptions) -> ModelSpans:
        """Spans by the leaves that a row can reach."""
        target = table.schema.target
        if target is None:
            raise SchemaError("a classifier's audit needs its target in the schema.")
        classes = np.array(table.frame.values(target))
        spans, span_of_row = model.find_spans(_select(model, table), classes)
        bins = model.bins_
        # whatever check_table says: counts of other rows would not be those that are published
        if spans.groups.n_rows != int(bins.population.sum()):
            raise TableError(
                f"this is not the training table: the tree counts {int(bins.population.sum())} "
                f"rows and the table has {spans.groups.n_rows}."
            )

        def explain(span: int) -> tuple[str, ...]:
            known = [bins.names[b] for b in spans.bins_of(span).tolist() if b < len(bins)]
            return shorten(list(dict.fromkeys(name.rpartition(",")[0] for name in known)))

        held = _rare_names(model, table, options.k)
        weighted = (WEIGHTED,) if options.k > 1 and is_weighted(model.tree_.nodes) else ()
        cuts = (*_half_way(model, table, options.k), *_between_few(model, table, options.k))
        unread = (*weighted, *cuts)
        return ModelSpans(
            type(model).__name__, spans, span_of_row, bins, explain, unread=unread, held=held
        )


def _rare_names(model: Any, table: TrainingTable, k: int) -> tuple[str, ...]:
    """Private columns with values that tests name and fewer than k people have."""
    people = read_input(model, _select(model, table), reset=False)
    rows = model.tree_.look(people, {name: index for index, name in enumerate(people.names)})
    few = f"that fewer than {k} of the people have who may be there"
    return tuple(
        f"tests name {n_values:,} values of private column {name!r} {few}"
        for name, n_values in model.tree_.rare_names(rows, k).items()
        if name in table.private
    )


def _half_way(model: Any, table: TrainingTable, k: int) -> tuple[str, ...]:
    """Why tests may tell the number of fewer than k people: as earlier versions wrote them."""
    tree, messages = model.tree_, []
    for number, attribute in enumerate(tree.attributes):
        slots = [slot for slot, view in enumerate(tree.views) if view.attribute == number]
        if attribute.public or not attribute.ordered or attribute.order or not slots:
            continue
        people = read_input(model, _select(model, table), reset=False)
        column = attribute.places(people, people.names.index(attribute.name))
        cuts = tree.nodes.threshold[np.isin(tree.nodes.slot, slots)]
        if lies_half_way(column, cuts, k):
            messages.append(half_way_message(attribute.name, k))
    return tuple(messages)


def _between_few(model: Any, table: TrainingTable, k: int) -> tuple[str, ...]:
    """Tests below private ones that are no middle of two neighbours in the whole table.

    Earlier versions cut half-way between two people of the node.
    """
    people = read_input(model, _select(model, table), reset=False)
    known = {one.name: one for one in model.tree_.attributes if one.ordered}
    found = []
    for test in model.tree_.public_tests(people):
        if test.hidden and test.name in known:
            column = known[test.name].places(people, people.names.index(test.name))
            values = np.unique(column[np.isfinite(column)])
            above = int(np.searchsorted(values, test.threshold, side="right"))
            near = values[max(0, above - 1) : above + 1]
            if not np.isclose(near.mean(), test.threshold, rtol=EXACT, atol=0) and few_fit(
                column[test.cells], test.threshold, k
            ):
                found.append(between_message(test.name, k))
    return tuple(dict.fromkeys(found))


def _select(model: Any, table: TrainingTable) -> Any:
    """The columns that the tree was fitted on; an error when they are not what they were."""
    names = [str(name) for name in getattr(model, "feature_names_in_", table.attributes)]
    if lost := [name for name in names if name not in table.frame.names]:
        raise SchemaError(f"the model was fitted on column {lost[0]!r}, which the table lacks.")
    attributes = model.tree_.attributes
    private = {attribute.name for attribute in attributes if not attribute.public}
    if private != {attribute.name for attribute in attributes} & set(table.private):
        raise SchemaError(
            "the schema's private attributes are not those the tree was fitted with. Audit it "
            "with the schema it was fitted with, or fit it again."
        )
    return table.frame.select(names).native
