"""What a group's histogram says of it; plain numpy, shared by the models' own checks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal.typing import Counts, Floats

if TYPE_CHECKING:
    from shoal.tables._frequency import Histogram

_CHUNK = 2**21  # shares held at once: 16 MB


def n_distinct(histogram: Histogram) -> Counts:
    """Number of values in each group."""
    return np.bincount(
        histogram.group_of_entry, weights=histogram.counts > 0, minlength=histogram.n_groups
    ).astype(np.int64)


def entropies(histogram: Histogram, sizes: Counts) -> Floats:
    """Entropy of each group in nats."""
    share = histogram.counts / sizes[histogram.group_of_entry]
    terms = -share * np.log(share)
    sums = np.bincount(histogram.group_of_entry, weights=terms, minlength=histogram.n_groups)
    return sums.astype(np.float64)


def largest(histogram: Histogram, entries: Floats | Counts) -> Floats:
    """Largest of something given per entry, in each group; 0 for a group without entries."""
    most = np.zeros(histogram.n_groups)
    np.maximum.at(most, histogram.group_of_entry, entries)
    return most


def shares(histogram: Histogram, sizes: Counts) -> Iterator[tuple[slice, Floats]]:
    """Share of every value in every group, some groups at a time."""
    step = max(1, _CHUNK // max(1, histogram.coding.n_codes))
    for first in range(0, histogram.n_groups, step):
        part = slice(first, min(first + step, histogram.n_groups))
        inside = slice(int(histogram.start[part.start]), int(histogram.start[part.stop]))
        dense = np.zeros((part.stop - part.start, histogram.coding.n_codes))
        row = histogram.group_of_entry[inside] - first
        dense[row, histogram.codes[inside]] = histogram.counts[inside]
        dense /= np.maximum(sizes[part], 1)[:, None]
        yield part, dense


def overall(histogram: Histogram) -> Floats:
    """Share of every value in the whole table."""
    return histogram.totals / max(1, int(histogram.totals.sum()))


def natural_order(histogram: Histogram) -> NDArray[np.int64]:
    """Codes of the values that occur, smallest number first, missing last."""
    present = np.flatnonzero(histogram.totals)
    numbers = histogram.coding.numbers[present]
    return present[np.argsort(numbers, kind="stable")]  # NaN sorts last
