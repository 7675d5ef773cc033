"""How many groups there are of each size: all that estimators look at."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.errors import ParameterError


class SizeCounts(NamedTuple):
    """Sizes that occur, rising, and the number of groups of each."""

    sizes: NDArray[np.int64]
    groups: NDArray[np.int64]

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return int(self.groups.sum())

    @property
    def n_rows(self) -> int:
        """Number of rows in them."""
        return int((self.sizes * self.groups).sum())

    def of(self, size: int) -> int:
        """Number of groups of one size."""
        return int(self.groups[self.sizes == size].sum())


def count_sizes(sizes: ArrayLike | SizeCounts) -> SizeCounts:
    """Count the sizes of groups, unless they are counted; those without rows are left out."""
    if isinstance(sizes, SizeCounts):
        return sizes
    given = np.asarray(sizes)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu") or (given < 0).any():
        raise ParameterError("sizes must be whole numbers of rows, one for each group.")
    distinct_sizes, groups = np.unique(given[given > 0].astype(np.int64), return_counts=True)
    if not len(distinct_sizes):
        raise ParameterError("sizes: there is no group with rows. Give a table that has rows.")
    return SizeCounts(distinct_sizes, groups.astype(np.int64))
