"""Trees seen as spans: one tree, or the joint spans of several."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from shoal.audit._model_spans import ModelSpans, shorten
from shoal.audit._row_groups import RowGroups, first_rows, join_labels, with_class
from shoal.audit._training_table import TrainingTable
from shoal.audit.fits._few_people import known_sums
from shoal.audit.fits._lone_numbers import lone_message, lone_sums
from shoal.audit.fits._sums_of_few import Part
from shoal.audit.trees._joint_spans import find_joint_spans
from shoal.audit.trees._leaf_values import OF_WEIGHTS
from shoal.audit.trees._lone_thresholds import lone_thresholds
from shoal.audit.trees._node_cuts import cuts_between_few
from shoal.audit.trees._tree_model import OTHERS, TreeModel
from shoal.audit.trees._tree_reach import TreeReach
from shoal.errors import TableError
from shoal.privacy.spans._spans import Bins, Spans
from shoal.schema._coding import code_column
from shoal.typing import Codes


def find_tree_spans(
    model: TreeModel, table: TrainingTable, *, check_table: bool, k: int = 1
) -> ModelSpans:
    """Spans of one tree, or the joint spans of several; fewer than `k` people are too few."""
    outcome, outcomes = _outcomes(model.n_classes, table)
    if len(model.trees) != 1:
        model_spans = find_joint_spans(model, table, outcome, outcomes, check_table=check_table)
    else:
        ends = model.ends(0)
        if check_table:
            model.check(0, ends)
        model_spans = _find_spans(model, table, outcome, outcomes, ends, model.reach(0, ends))
        if model.n_differing(0, ends):
            model_spans = replace(model_spans, unread=(OTHERS,))
    if not model_spans.spans.is_single.all():
        cuts = (*lone_thresholds(model, k), *cuts_between_few(model, k))
        told = (*model.unread, *_sums(model, table, k), *cuts)
        return replace(model_spans, unread=(*model_spans.unread, *told))
    weights = (reason for reason in model.unread if reason in OF_WEIGHTS)
    return replace(model_spans, unread=(*weights,) if table.columns else ())


def _sums(model: TreeModel, table: TrainingTable, k: int) -> tuple[str, ...]:
    """Whether leaves of a regression tell who is in them by what is known of everybody.

    Or, of a private target, what few have who are in leaves with others.
    """
    if model.n_classes is not None:
        return ()
    private = [one.name for one in model.features.private]
    target = () if table.schema.target is None else (table.schema.target,)
    cells = join_labels([model.ends(number) for number in range(len(model.trees))])
    lone = (lone_message(name, k) for name in lone_sums(table, target, cells, k))
    return (*known_sums(table, private, _parts(model)), *lone)


def _parts(model: TreeModel) -> Iterator[Part]:
    """The leaves that rows can reach, tree by tree."""
    for number, tree in enumerate(model.trees):
        ends = model.ends(number)
        reach = model.reach(number, ends)
        leaves = [reach.of(label) for label in range(len(reach.n_leaves))]
        yield reach.label, leaves, ends, len(tree.leaves)


def _outcomes(n_classes: int | None, table: TrainingTable) -> tuple[Codes, tuple[str, ...]]:
    """What a leaf tells besides itself, of each row: its class, or on which side of the mean."""
    target = table.schema.target
    if target is None:
        return np.zeros(table.n_rows, np.int32), ("",)
    if n_classes is None:
        numbers = table.numbers(target)
        above = numbers > np.nanmean(numbers)
        return above.astype(np.int32), (", target at most its mean", ", target above its mean")
    coding, codes = table.columns.get(target) or code_column(
        target, table.schema[target], *table.frame.factorize(target)
    )
    if n_classes > coding.n_codes:
        raise TableError(
            f"the model knows {n_classes} classes and the table has {coding.n_codes}: "
            "it is not the training table."
        )
    return codes, tuple(f", class {code}" for code in range(coding.n_codes))


def _find_spans(
    model: TreeModel,
    table: TrainingTable,
    outcome: Codes,
    outcomes: tuple[str, ...],
    ends: RowGroups,
    reach: TreeReach,
) -> ModelSpans:
    tree, n = model.trees[0], len(outcomes)
    leaves = tree.leaves
    names = tuple(
        f"leaf {leaf}{what}" for leaf in tree.number[leaves].tolist() for what in outcomes
    )
    rank = np.zeros(len(tree.left), np.int64)  # of each leaf among the leaves
    rank[leaves] = np.arange(len(leaves))
    bins = Bins.count(names, rank[ends] * n + outcome)
    span_of_row = with_class(table, reach.label, outcome)
    first = first_rows(span_of_row)
    own, everything, hidden = [], np.arange(n), table.target_is_private
    for row in first.tolist():
        first_bin = rank[np.sort(reach.of(int(reach.label[row])))] * n
        told = everything if hidden else outcome[row : row + 1]
        own.append((first_bin[:, None] + told).ravel())
    start = np.concatenate([[0], np.cumsum([len(one) for one in own])]).astype(np.int64)
    spans = Spans.from_members(
        span_of_row, start, np.concatenate(own).astype(np.int32), table.columns
    )

    def explain(span: int) -> tuple[str, ...]:
        stops = np.unique(leaves[spans.bins_of(span) // n])
        features = model.features.names
        return shorten(
            [f"leaf {tree.number[leaf]}: {tree.path(leaf, features)}" for leaf in stops.tolist()]
        )

    notes = (*model.notes, *model.features.notes)
    return ModelSpans(model.kind, spans, span_of_row, bins, explain, notes=notes)
