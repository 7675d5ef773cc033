"""First cuts of a table's domain, found in a sample: regions that a worker can hold.

A sample does: cuts that are a little off the middle make regions a little uneven, and no promise
rests on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import numpy as np
from numpy.typing import NDArray

from shoal.anonymize.cuts._first_cuts import DomainColumn, cuts_by_worth
from shoal.tables.engines.regions._cuts import Cut
from shoal.typing import Codes

LEAST_SAMPLE = 200_000
"""Rows that are drawn at least: the middle of a table is off by a part in a thousand."""

ROWS_PER_REGION = 64
"""Rows that are drawn for every region: its size is then known to an eighth."""

SLACK = 2**0.5
"""A region may be so much larger than wanted: halves are then as often too large as too small."""


def sample_size(n_rows: int, target: int) -> int:
    """Rows to draw for regions of `target` rows.

    Examples
    --------
    >>> sample_size(10**6, 10**5), sample_size(10**10, 500_000)
    (200000, 1280000)
    """
    return max(LEAST_SAMPLE, ROWS_PER_REGION * (n_rows // max(1, target)))


def plan_cuts(columns: Sequence[DomainColumn], sample: Codes, most: int) -> Cut | int:
    """Cut until no region has many more than `most` rows of the sample; numbered in order.

    A region whose rows are all alike stays as it is, however large.
    """
    numbers = count()
    most = int(most * SLACK)

    def grow(rows: NDArray[np.int64]) -> Cut | int:
        cuts = cuts_by_worth(columns, sample[rows]) if len(rows) > max(1, most) else []
        if not cuts:
            return next(numbers)
        column, starts = cuts[0]
        part = np.searchsorted(np.array(starts), sample[rows, column], side="right")
        return Cut(
            column, tuple(starts), tuple(grow(rows[part == n]) for n in range(len(starts) + 1))
        )

    return grow(np.arange(len(sample)))
