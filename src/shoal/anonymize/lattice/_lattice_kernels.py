"""Assess one node of a generalization lattice: what fails, and what it costs."""

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.typing import Codes, Counts, Flags, Floats

_DIRECT = 1 << 17  # pairs of classes that are numbered by a plain table


@kernel
def join_halves(
    first: Codes, n_first: int, second: Codes, n_second: int, sizes: Counts
) -> tuple[NDArray[np.int64], Counts]:
    """Group of each cell at a node, from its classes at two halves; and the groups' rows."""
    n = first.shape[0]
    group_of = np.empty(n, np.int64)
    rows = np.empty(n, np.int64)
    if n_first * n_second <= _DIRECT:
        number = np.full(n_first * n_second, -1, np.int32)
        found = 0
        for cell in range(n):
            key = np.int64(first[cell]) * n_second + np.int64(second[cell])
            if number[key] < 0:
                number[key] = found
                rows[found] = 0
                found += 1
            group_of[cell] = number[key]
            rows[number[key]] += sizes[cell]
        return group_of, rows[:found].copy()
    capacity = 4096
    word = np.empty(capacity, np.int64)
    slot = np.full(capacity, -1, np.int64)
    n_groups = 0
    for cell in range(n):
        key = np.int64(first[cell]) * n_second + np.int64(second[cell])
        mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
        at = np.int64(mixed >> np.uint64(33)) & (capacity - 1)
        while slot[at] >= 0 and word[at] != key:
            at = (at + 1) & (capacity - 1)
        group = slot[at]
        if group < 0:
            group = n_groups
            slot[at], word[at] = group, key
            rows[group] = 0
            n_groups += 1
            if 2 * n_groups > capacity:  # grow: put the words seen so far into a larger table
                old_slot, old_word = slot, word
                capacity *= 4
                slot = np.full(capacity, -1, np.int64)
                word = np.empty(capacity, np.int64)
                for place in range(old_slot.shape[0]):
                    if old_slot[place] >= 0:
                        again = np.uint64(old_word[place]) * np.uint64(0x9E3779B97F4A7C15)
                        to = np.int64(again >> np.uint64(33)) & (capacity - 1)
                        while slot[to] >= 0:
                            to = (to + 1) & (capacity - 1)
                        slot[to], word[to] = old_slot[place], old_word[place]
        group_of[cell] = group
        rows[group] += sizes[cell]
    return group_of, rows[:n_groups].copy()


@kernel
def failing_rows(rows: Counts, fine: Flags) -> int:
    """Rows in groups that are not allowed."""
    failing = 0
    for group in range(rows.shape[0]):
        if not fine[group]:
            failing += rows[group]
    return failing


@kernel
def additive_loss(
    group_of: NDArray[np.int64],
    fine: Flags,
    sizes: Counts,
    first: Floats,
    second: Floats,
    penalty: Floats,
) -> float:
    """Loss that adds up over cells: their own where the group is allowed, else `penalty`."""
    total = 0.0
    for cell in range(group_of.shape[0]):
        if fine[group_of[cell]]:
            total += sizes[cell] * (first[cell] + second[cell])
        else:
            total += sizes[cell] * penalty[cell]
    return total


@kernel
def squares(rows: Counts, fine: Flags, n_rows: int) -> tuple[float, float]:
    """Discernibility, and what it would be if nothing were suppressed."""
    kept, whole = 0.0, 0.0
    for group in range(rows.shape[0]):
        square = float(rows[group]) * float(rows[group])
        whole += square
        kept += square if fine[group] else float(rows[group]) * n_rows
    return kept, whole


@kernel
def minorities(
    group_of: NDArray[np.int64], rows: Counts, fine: Flags, classes: Counts
) -> tuple[float, float]:
    """Rows suppressed or outside their group's majority, and the same without suppression."""
    n, n_classes = classes.shape
    counts = np.zeros((rows.shape[0], n_classes), np.int64)
    for cell in range(n):
        for c in range(n_classes):
            counts[group_of[cell], c] += classes[cell, c]
    kept, whole = 0.0, 0.0
    for group in range(rows.shape[0]):
        most = 0
        for c in range(n_classes):
            most = max(most, counts[group, c])
        whole += rows[group] - most
        kept += rows[group] - most if fine[group] else rows[group]
    return kept, whole
