"""Which column counts which people, and the spans that follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.models.bayes._bayes_column import BayesColumn, Labels
from shoal.privacy.spans._spans import Bins, PrivateColumns, Spans
from shoal.typing import Codes, Counts, Flags

UNCOUNTED = 0
"""Bin of people who are in no count."""


def draw_parts(n_rows: int, n_columns: int, seed: int) -> Codes:
    """Deal people out to columns: every column counts equally many, and nobody is counted twice."""
    part_of_row = np.arange(n_rows, dtype=np.int32) % max(n_columns, 1)
    np.random.default_rng(seed).shuffle(part_of_row)
    return part_of_row


@dataclass(frozen=True, eq=False)
class Counted:
    """Training rows as a classifier counts them.

    Parameters
    ----------
    part_of_row : ndarray of int32
        The column that counts each row.
    label_of_row : ndarray of int32
        Label of each row in that column, -1 for a value without one.
    class_of_row : ndarray of int32
        Class of each row.
    """

    part_of_row: Codes
    label_of_row: Codes
    class_of_row: Codes

    def count(self, part: int, n_labels: int, n_classes: int) -> Counts:
        """People with each label in each class, in one part."""
        rows = (self.part_of_row == part) & (self.label_of_row >= 0)
        cell = self.label_of_row[rows] * np.int64(n_classes) + self.class_of_row[rows]
        counts = np.bincount(cell, minlength=n_labels * n_classes)
        return counts.reshape(n_labels, n_classes).astype(np.int64)


def name_bins(columns: Sequence[BayesColumn], classes: Sequence[Any], n_rows: int) -> Bins:
    """What is published as bins: a label of a column with a class, and those in no count."""
    names = ["not counted"]
    for column in columns:
        labels = column.labels.names
        names += [f"{column.name} {label}, {own}" for label in labels for own in classes]
    counts = [column.counts.ravel() for column in columns]
    counted = np.concatenate([np.empty(0, np.int64), *counts])
    population = np.concatenate([[n_rows - counted.sum()], counted]).astype(np.int64)
    return Bins(tuple(names), population)


def find_bayes_spans(
    labels: Sequence[Labels],
    counted: Counted,
    n_classes: int,
    private: PrivateColumns,
    *,
    class_is_public: bool,
) -> tuple[Spans, NDArray[np.int64]]:
    """Spans: the bins that a person can be in, as far as the private values are not known."""
    public = np.array([own.attribute.public for own in labels], np.bool_)
    n_labels = np.array([len(own) for own in labels], np.int64)
    part = counted.part_of_row.astype(np.int64)
    silent: Flags = np.where(public[part], counted.label_of_row < 0, n_labels[part] == 0)
    known = np.where(public[part], counted.label_of_row, 0)
    own_class = counted.class_of_row if class_is_public else np.zeros(len(part), np.int32)
    keys = np.column_stack([part, known, own_class])
    keys[silent] = -1
    distinct, span_of_row = np.unique(keys, axis=0, return_inverse=True)
    first = 1 + n_classes * np.concatenate([[0], np.cumsum(n_labels)])
    members = [
        _bins_of(key, public, n_labels, first, n_classes, class_is_public)
        for key in distinct.tolist()
    ]
    start = np.concatenate([[0], np.cumsum([len(own) for own in members])]).astype(np.int64)
    bins = np.concatenate([np.empty(0, np.int64), *members]).astype(np.int32)
    span_of_row = span_of_row.reshape(-1).astype(np.int64)
    return Spans.from_members(span_of_row, start, bins, private), span_of_row


def _bins_of(
    key: list[int],
    public: Flags,
    n_labels: Counts,
    first: Counts,
    n_classes: int,
    class_is_public: bool,
) -> Counts:
    """Bins of one span; a value that nobody knows may be one that is not counted."""
    part, label, own_class = key
    if part < 0:
        return np.array([UNCOUNTED])
    labels = np.array([label]) if public[part] else np.arange(n_labels[part])
    classes = np.array([own_class]) if class_is_public else np.arange(n_classes)
    bins: Counts = (first[part] + labels[:, None] * n_classes + classes).ravel()
    return bins if public[part] else np.concatenate([[UNCOUNTED], bins])
