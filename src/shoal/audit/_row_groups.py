"""Rows that are told apart, as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal.audit._training_table import TrainingTable
from shoal.tables._frequency import group_keys
from shoal.typing import Codes

RowGroups: TypeAlias = NDArray[np.integer[Any]]
AT_ONCE = 8  # labellings joined in one go: more columns make longer keys than they save rounds


def renumber(label: RowGroups) -> tuple[RowGroups, RowGroups]:
    """Numbers in use, rising, and each label's rank among them: `np.unique` without sorting."""
    used = np.flatnonzero(np.bincount(label))
    rank = np.zeros(int(used[-1]) + 1, np.int64)
    rank[used] = np.arange(len(used))
    return used, rank[label]


def first_rows(label: RowGroups) -> RowGroups:
    """First row of each number; all numbers from 0 on are in use."""
    first = np.zeros(int(label.max()) + 1, np.int64)
    first[label[::-1]] = np.arange(len(label))[::-1]
    return first


def with_class(table: TrainingTable, label: RowGroups, outcome: Codes) -> NDArray[np.int64]:
    """Rows of one reach are told apart by the target when that is public."""
    if table.target_is_private or table.schema.target is None:
        return label.astype(np.int64, copy=False)
    both = label.astype(np.int64) * (int(outcome.max()) + 1) + outcome
    return np.unique(both, return_inverse=True)[1]


def join_labels(labels: Sequence[RowGroups]) -> NDArray[np.int64]:
    """Number the rows so that equal numbers mean equal in every labelling."""
    n_rows = len(labels[0])
    joint = np.zeros(n_rows, np.int64)
    for first in range(0, len(labels), AT_ONCE):
        columns = [joint, *labels[first : first + AT_ONCE]]
        joint, n_groups = group_keys(np.column_stack([c.astype(np.int32) for c in columns]))
        if n_groups == n_rows:
            break  # everybody is alone already
    return joint
