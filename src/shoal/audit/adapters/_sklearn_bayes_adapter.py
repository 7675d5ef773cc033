"""Naive Bayes of scikit-learn: counts of categories, means and variances."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.audit._feature_map import Features, find_features, last_step, split_pipeline
from shoal.audit._model_spans import ModelSpans
from shoal.audit._training_table import TrainingTable
from shoal.audit.adapters._adapter import Adapter, AdapterOptions
from shoal.audit.trees._tree_model import wrong_table_message
from shoal.errors import SchemaError, TableError
from shoal.privacy.spans._spans import Bins, Spans

COUNTED = "category_count_"
TOGETHER = (
    "counts of several columns over the same people can be subtracted from one another, so that "
    "people are told apart by all public columns together"
)

WEIGHTED = (
    "counts in which people do not count alike: it was fitted with weights, by which sums tell "
    "who is in them, or to another table"
)


class SklearnBayesAdapter(Adapter):
    """CategoricalNB, which keeps counts, and GaussianNB, which keeps means and variances."""

    name = "CategoricalNB and GaussianNB of scikit-learn"

    def recognizes(self, model: Any) -> bool:
        """Whether it is one, fitted."""
        last = last_step(model)
        kept = {"CategoricalNB": COUNTED, "GaussianNB": "theta_"}.get(type(last).__name__)
        return kept is not None and hasattr(last, kept)

    def read(self, model: Any, table: TrainingTable, options: AdapterOptions) -> ModelSpans:
        """Spans by what the kept numbers are counts or means of."""
        before, last = split_pipeline(model)
        target = table.schema.target
        if target is None:
            raise SchemaError("a classifier's audit needs its target in the schema.")
        classes = _classes(last, table.frame.values(target), table, options)
        if not hasattr(last, COUNTED):
            return _read_means(last, classes, table, options.k)
        features = find_features(before, model, table)
        read = _read_counts(last, features, classes, table)
        even = not table.columns or _counts_alike(last, features, classes)
        return read if even else replace(read, unread=(WEIGHTED,))


def _classes(
    last: Any, values: Any, table: TrainingTable, options: AdapterOptions
) -> NDArray[np.int64]:
    """Number of each row's class; an error for another table."""
    number = {value: index for index, value in enumerate(last.classes_.tolist())}
    classes = np.array([number.get(value, -1) for value in values], np.int64)
    fitted = int(last.class_count_.sum())
    if (options.check_table and fitted != table.n_rows) or (classes < 0).any():
        raise TableError(wrong_table_message(f"the model was fitted on {fitted} rows"))
    return classes


def _read_counts(
    last: Any, features: Features, classes: NDArray[np.int64], table: TrainingTable
) -> ModelSpans:
    """Counts of (category, class) for every feature, over the same people."""
    told = table.target_is_private
    known = np.flatnonzero(~features.is_private)
    categories = features.matrix.astype(np.int64)
    if (categories >= last.n_categories_).any():
        raise TableError(wrong_table_message("the model lacks categories of it"))
    # beside a public class, counts of public columns tell nothing private
    keys = categories[:, known] if told else classes[:, None] * features.is_private.any()
    group, first = np.zeros(table.n_rows, np.int64), np.zeros(1, np.int64)
    if keys.shape[1]:
        _, first, group = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    members = _members(last, features, categories[first], None if told else classes[first])
    start = np.arange(len(first) + 1, dtype=np.int64) * members.shape[1]
    span_of_row = group.reshape(-1).astype(np.int64)
    spans = Spans.from_members(span_of_row, start, members.ravel().astype(np.int32), table.columns)

    def explain(span: int) -> tuple[str, ...]:
        return tuple(features.names[j] for j in known) if told else ("its class",)

    several = (TOGETHER,) if told and len(known) > 1 else ()
    return ModelSpans(
        "CategoricalNB", spans, span_of_row, _name_bins(last, features), explain,
        notes=(*features.notes, *several),
    )  # fmt: skip


def _counts_alike(last: Any, features: Features, classes: NDArray[np.int64]) -> bool:
    """Whether the counts that are kept are those of the rows, each counted once."""
    n_classes = len(last.classes_)
    categories = features.matrix.astype(np.int64)
    for own, kept in zip(categories.T, last.category_count_, strict=True):
        counts = np.bincount(classes * kept.shape[1] + own, minlength=kept.size)
        if not np.array_equal(counts.reshape(n_classes, -1), kept):
            return False
    return True


def _members(
    last: Any,
    features: Features,
    categories: NDArray[np.int64],
    own_class: NDArray[np.int64] | None,
) -> NDArray[np.int64]:
    """Counts that each group can be in, rising; the first one where nothing private is told."""
    n_classes = len(last.classes_)
    offset = n_classes * np.concatenate([[0], np.cumsum(last.n_categories_)[:-1]])
    n_groups = len(categories)
    blocks = []
    every = np.arange(n_classes)
    for j, is_private in enumerate(features.is_private.tolist()):
        if not is_private and own_class is not None:
            continue
        own = np.arange(last.n_categories_[j])[None, :] if is_private else categories[:, j, None]
        cls = every[None, :] if own_class is None else own_class[:, None]
        cells = offset[j] + own[:, :, None] * n_classes + cls[:, None, :]
        blocks.append(np.broadcast_to(cells, (n_groups, *cells.shape[1:])).reshape(n_groups, -1))
    if not blocks:
        return np.zeros((n_groups, 1), np.int64)
    return np.sort(np.concatenate(blocks, axis=1), axis=1)


def _name_bins(last: Any, features: Features) -> Bins:
    """A category of a feature with a class, by number: categories may be people's values."""
    names = [
        f"{name} category {category}, class {number}"
        for name, n_categories in zip(features.names, last.n_categories_.tolist(), strict=True)
        for category in range(n_categories)
        for number in range(len(last.classes_))
    ]
    counts = [own.T.ravel() for own in last.category_count_]
    return Bins(tuple(names), np.concatenate(counts).astype(np.int64))


def _read_means(last: Any, classes: NDArray[np.int64], table: TrainingTable, k: int) -> ModelSpans:
    """Means and variances by class: those of few people are nearly their values."""
    counts = last.class_count_.astype(np.int64)
    few = counts < k
    group = np.where(few[classes], classes + 1, 0)
    distinct, span_of_row = np.unique(group, return_inverse=True)
    n_bins = max(len(counts), 2)
    start = np.arange(len(distinct) + 1, dtype=np.int64) * n_bins
    bins = np.tile(np.arange(n_bins, dtype=np.int32), len(distinct))
    span_of_row = span_of_row.reshape(-1).astype(np.int64)
    spans = Spans.from_members(span_of_row, start, bins, table.columns)
    names = tuple(f"class {number}" for number in range(n_bins))
    population = np.bincount(classes, minlength=n_bins).astype(np.int64)

    def explain(span: int) -> tuple[str, ...]:
        number = int(distinct[span]) - 1
        if number < 0:
            return ("means and variances of the large classes",)
        return (f"means and variances of class {number} are those of {counts[number]} rows",)

    unread = (
        "means and variances by class are sums over people; whether they can be solved for one "
        "of them is not known",
    )
    return ModelSpans("GaussianNB", spans, span_of_row, Bins(names, population), explain,
                      unread=unread)  # fmt: skip
