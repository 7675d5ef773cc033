"""Where a run of codes is split in two, to grow a hierarchy.  Arrays in, numbers out."""

import numpy as np

from shoal._jit import kernel
from shoal.anonymize.cuts._cut_kernels import entropy_of_counts
from shoal.typing import Counts


@kernel
def best_split(counts: Counts, low: int, high: int, least: int) -> tuple[float, int]:
    """Best split of codes low..high by information gain; -1 when none leaves `least` rows.

    Returns the gain in bits per row and the first code of the right part.
    """
    n_classes = counts.shape[1]
    left = np.zeros(n_classes, np.int64)
    right = np.zeros(n_classes, np.int64)
    for code in range(low, high + 1):
        for c in range(n_classes):
            right[c] += counts[code, c]
    total = right.sum()
    whole = entropy_of_counts(right)
    best, split = -1.0, -1
    rows = np.int64(0)
    for code in range(low, high):
        here = np.int64(0)
        for c in range(n_classes):
            left[c] += counts[code, c]
            right[c] -= counts[code, c]
            here += counts[code, c]
        rows += here
        # a code without rows splits like the one before it, which was tried
        if here == 0 or rows < least or total - rows < least:
            continue
        gain = (whole - entropy_of_counts(left) - entropy_of_counts(right)) / total
        if gain > best + 1e-12:  # less is rounding: ties go to the first
            best, split = gain, code + 1
    return best, split


@kernel
def middle_split(rows: Counts, low: int, high: int, least: int) -> int:
    """First code right of the most even split of codes low..high; -1 when none leaves `least`."""
    total = rows[low : high + 1].sum()
    before = np.int64(0)
    best, split = total + 1, -1
    for code in range(low, high):
        before += rows[code]
        if rows[code] == 0 or before < least or total - before < least:
            continue
        uneven = abs(total - 2 * before)
        if uneven < best:
            best, split = uneven, code + 1
    return split
