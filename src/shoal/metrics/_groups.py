"""What a release costs, judged by the sizes and classes of its groups and what they hide."""

from __future__ import annotations

import numpy as np

from shoal.errors import SchemaError
from shoal.tables import FrequencyTable
from shoal.tables._frequency import Histogram
from shoal.tables._recoded import Recoded


def discernibility(recoded: Recoded) -> int:
    """Rows that each row cannot be told from, summed [BA05]_.

    The sum of squared group sizes; a suppressed row costs as many as the table has rows.

    References
    ----------
    .. [BA05] R. Bayardo, R. Agrawal.  Data privacy through optimal k-anonymization.  ICDE 2005.
       doi:10.1109/ICDE.2005.42

    Examples
    --------
    >>> from shoal.anonymize import Mondrian
    >>> from shoal.schema import Schema
    >>> people = {
    ...     "age": [21, 22, 34, 35, 61, 62],
    ...     "illness": ["flu", "flu", "cold", "flu", "gout", "cold"],
    ... }
    >>> schema = Schema(
    ...     {
    ...         "age": {"role": "quasi-identifier", "kind": "numeric"},
    ...         "illness": {"role": "sensitive", "target": True},
    ...     }
    ... )
    >>> release = Mondrian(schema, 2).fit(people).release_
    >>> discernibility(release.recoded)  # two groups of three
    18
    """
    sizes = recoded.groups.sizes
    return int((sizes * sizes).sum()) + recoded.n_suppressed * recoded.cells.n_rows


def average_group_size(recoded: Recoded) -> float:
    """Released rows per group; suppressed rows are in no group.  0 when nothing is released."""
    sizes = recoded.groups.sizes
    n_groups = int((sizes > 0).sum())
    return float(sizes.sum() / n_groups) if n_groups else 0.0


def classification_metric(recoded: Recoded, target: str) -> float:
    """Share of rows that are suppressed or outside their group's majority class: CM [Iye02]_.

    References
    ----------
    .. [Iye02] V. Iyengar.  Transforming data to satisfy privacy constraints.  KDD 2002.
       doi:10.1145/775047.775089
    """
    classes = target_histogram(recoded.groups, target)
    majority = np.zeros(classes.n_groups, np.int64)
    np.maximum.at(majority, classes.group_of_entry, classes.counts)
    n_rows = recoded.cells.n_rows
    return float((n_rows - majority.sum()) / n_rows) if n_rows else 0.0


def target_histogram(groups: FrequencyTable, target: str) -> Histogram:
    """Classes of each group, or an error that says what is missing."""
    if target not in groups.histograms:
        raise SchemaError(
            f"column {target!r} is not counted in this table. Make it the target in the schema."
        )
    return groups.histograms[target]


def non_uniform_entropy(recoded: Recoded) -> float:
    """Bits needed to guess the raw values from the release, over the bits from nothing [GT09]_.

    A value v released as a label costs -log2(n(v) / n(label)), where n counts the table's rows
    with the value, and with any value that the label covers; a suppressed row's label covers all.
    0 when everything is raw, 1 when nothing is left.

    References
    ----------
    .. [GT09] A. Gionis, T. Tassa.  k-anonymization with minimal loss of information.  IEEE TKDE
       21(2), 2009.  doi:10.1109/TKDE.2008.129
    """
    cells = recoded.cells
    n_rows = cells.n_rows
    suppressed = recoded.suppressed
    lost = most = 0.0
    for column, labels in enumerate(recoded.labels):
        code = cells.keys[:, column]
        rows = np.bincount(code, weights=cells.sizes, minlength=labels.coding.n_codes)
        share = rows[rows > 0] / max(1, n_rows)
        most += float(-(share * np.log2(share)).sum() * n_rows)
        if labels.is_raw.all() and not suppressed.any():
            continue  # nothing is left to guess
        before = np.concatenate([[0.0], np.cumsum(rows)])
        of_label = before[labels.high + 1] - before[labels.low]
        inside = np.full(len(code), float(n_rows))
        inside[~suppressed] = of_label[recoded.codes[recoded.group_of[~suppressed], column]]
        counted = cells.sizes > 0
        bits = np.log2(inside[counted] / rows[code[counted]])
        lost += float((cells.sizes[counted] * bits).sum())
    return lost / most if most > 0 else 0.0
