"""Loss of a release by priority: discernibility column by column, weighted."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from shoal.errors import ParameterError
from shoal.tables._recoded import Labels, Recoded
from shoal.typing import Counts


def column_discernibility(recoded: Recoded, *, overlapping: bool = False) -> Counts:
    """Rows that each row cannot be told from by one column alone, summed, for each column.

    Rows with equal released values count, or with `overlapping` all rows whose released values may
    stand for the same raw value: a star then is like everything, not a group of its own.  A
    suppressed row costs as many as the table has rows.
    """
    totals = np.empty(len(recoded.labels), np.int64)
    for column, labels in enumerate(recoded.labels):
        rows = np.bincount(
            recoded.codes[:, column], weights=recoded.groups.sizes, minlength=len(labels.texts)
        ).astype(np.int64)
        alike = _overlapping_rows(labels, rows) if overlapping else rows
        totals[column] = (rows * alike).sum() + recoded.n_suppressed * recoded.cells.n_rows
    return totals


def _overlapping_rows(labels: Labels, rows: Counts) -> Counts:
    """Rows whose label shares a raw value with each label."""
    n_codes = labels.coding.n_codes
    ending = np.cumsum(np.bincount(labels.high, weights=rows, minlength=n_codes)).astype(np.int64)
    beginning = np.cumsum(np.bincount(labels.low, weights=rows, minlength=n_codes)).astype(np.int64)
    before = np.append(0, ending)[labels.low]
    after = rows.sum() - beginning[labels.high]
    return rows.sum() - before - after


def weighted_discernibility(
    recoded: Recoded, weights: Mapping[str, float], *, overlapping: bool = False
) -> float:
    """Discernibility of single columns, weighted by priority [XR08]_.

    Parameters
    ----------
    recoded : Recoded
        The release.
    weights : mapping of str to float
        Priority of quasi-identifiers; those not named count 0.
    overlapping : bool, default=False
        Count rows whose values may be the same, not only those that read the same.  The paper's
        definition (False) falls when a few rows are starred, or when ranges differ from group to
        group; this one is least for raw values.

    References
    ----------
    .. [XR08] L. Xiong, K. Rangachari.  Towards application-oriented data anonymization.
       SIAM Workshop on Practical Privacy-Preserving Data Mining, 2008.

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
    >>> weighted_discernibility(release.recoded, {"age": 0.5})
    9.0
    """
    names = recoded.cells.names
    unknown = [name for name in weights if name not in names]
    if unknown:
        shown = ", ".join(map(repr, unknown))
        raise ParameterError(f"weights: {shown} not among the quasi-identifiers.")
    weight = np.array([float(weights.get(name, 0.0)) for name in names])
    if (weight < 0).any() or not weight.any():
        raise ParameterError("weights: give at least one positive weight and no negative one.")
    return float((weight * column_discernibility(recoded, overlapping=overlapping)).sum())
