"""What a release costs where it matters: discernibility column by column, weighted."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from shoal.errors import ParameterError
from shoal.tables import Recoded
from shoal.typing import Counts


def column_discernibility(recoded: Recoded) -> Counts:
    """Sum of squared sizes of the groups that each column's released values form alone.

    A suppressed row costs as many as the table has rows.
    """
    groups = recoded.groups
    found = np.empty(len(recoded.labels), np.int64)
    for column, labels in enumerate(recoded.labels):
        rows = np.bincount(
            recoded.codes[:, column], weights=groups.sizes, minlength=len(labels.texts)
        ).astype(np.int64)
        found[column] = (rows * rows).sum() + recoded.n_suppressed * recoded.cells.n_rows
    return found


def weighted_discernibility(recoded: Recoded, weights: Mapping[str, float]) -> float:
    """Discernibility of single columns, weighted by priority [XR08]_.

    Parameters
    ----------
    recoded : Recoded
        The release.
    weights : mapping of str to float
        Priority of quasi-identifiers; those not named count 0.

    References
    ----------
    .. [XR08] L. Xiong, K. Rangachari.  Towards application-oriented data anonymization.
       SIAM Workshop on Practical Privacy-Preserving Data Mining, 2008.
    """
    names = recoded.cells.names
    unknown = [name for name in weights if name not in names]
    if unknown:
        shown = ", ".join(map(repr, unknown))
        raise ParameterError(f"weights: {shown} not among the quasi-identifiers.")
    weight = np.array([float(weights.get(name, 0.0)) for name in names])
    if (weight < 0).any() or not weight.any():
        raise ParameterError("weights: give at least one positive weight and no negative one.")
    return float((weight * column_discernibility(recoded)).sum())
