"""Loss of a release by the classes in its groups."""

from __future__ import annotations

import numpy as np

from shoal.errors import SchemaError
from shoal.tables import FrequencyTable
from shoal.tables._frequency import Histogram


def classification_metric(groups: FrequencyTable, n_rows: int, target: str) -> float:
    """Share of rows that are suppressed or outside their group's majority class: CM [Iye02]_.

    `n_rows` counts the rows of the table, those that are in no group among them.

    References
    ----------
    .. [Iye02] V. Iyengar.  Transforming data to satisfy privacy constraints.  KDD 2002.
       doi:10.1145/775047.775089
    """
    classes = target_histogram(groups, target)
    majority = np.zeros(classes.n_groups, np.int64)
    np.maximum.at(majority, classes.group_of_entry, classes.counts)
    return float((n_rows - majority.sum()) / n_rows) if n_rows else 0.0


def target_histogram(groups: FrequencyTable, target: str) -> Histogram:
    """Classes of each group, or an error that says what is missing."""
    if target not in groups.histograms:
        raise SchemaError(
            f"column {target!r} is not counted in this table. Make it the target in the schema."
        )
    return groups.histograms[target]
