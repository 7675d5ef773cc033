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
    columns: dict[str, Floats] = {}
    index_of = {labels.coding.name: index for index, labels in enumerate(recoded.labels)}
    for name in names:
        index = index_of.get(name)
        if index is None or recoded.labels[index].coding.kind not in ("numeric", "date"):
            raise ParameterError(
                f"ranges: {name!r} is neither a numeric nor a date quasi-identifier."
            )
        labels = recoded.labels[index]
        bounds = labels.bounds[recoded.codes[:, index]]
        numbers = labels.coding.numbers[recoded.cells.keys[:, index]]
        inside = (recoded.group_of >= 0) & ~np.isnan(numbers)
        weight = recoded.cells.sizes[inside]
        group = recoded.group_of[inside]
        n_groups = len(recoded.codes)
        rows = np.bincount(group, weights=weight, minlength=n_groups)
        total = np.bincount(group, weights=weight * numbers[inside], minlength=n_groups)
        mean = np.divide(total, rows, out=np.full(n_groups, np.nan), where=rows > 0)
        columns |= {f"{name}_min": bounds[:, 0], f"{name}_max": bounds[:, 1], f"{name}_mean": mean}
    return columns
