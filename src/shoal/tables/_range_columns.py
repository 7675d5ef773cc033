"""Numbers behind a released range, so that a recipient can compute with it."""

from collections.abc import Sequence

import numpy as np

from shoal.errors import ParameterError
from shoal.tables._recoded import Recoded
from shoal.typing import Floats


def range_columns(recoded: Recoded, names: Sequence[str]) -> dict[str, Floats]:
    """`NAME_min`, `NAME_max` and `NAME_mean` of each group, for numeric quasi-identifiers.

    The mean is the mean of the group's own rows; the group is at least as large as the privacy
    model asks, so it is an aggregate like any other released number.
    """
    found: dict[str, Floats] = {}
    known = {labels.coding.name: at for at, labels in enumerate(recoded.labels)}
    for name in names:
        at = known.get(name)
        if at is None or recoded.labels[at].coding.kind not in ("numeric", "date"):
            raise ParameterError(
                f"ranges: {name!r} is neither a numeric nor a date quasi-identifier."
            )
        labels = recoded.labels[at]
        bounds = labels.bounds[recoded.codes[:, at]]
        numbers = labels.coding.numbers[recoded.cells.keys[:, at]]
        inside = (recoded.group_of >= 0) & ~np.isnan(numbers)
        weight = recoded.cells.sizes[inside]
        group = recoded.group_of[inside]
        n_groups = len(recoded.codes)
        rows = np.bincount(group, weights=weight, minlength=n_groups)
        total = np.bincount(group, weights=weight * numbers[inside], minlength=n_groups)
        mean = np.divide(total, rows, out=np.full(n_groups, np.nan), where=rows > 0)
        found |= {f"{name}_min": bounds[:, 0], f"{name}_max": bounds[:, 1], f"{name}_mean": mean}
    return found
