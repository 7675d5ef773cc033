"""Assess one node of a generalization lattice: what fails, and what it costs."""

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.typing import Codes, Counts, Flags, Floats

_DIRECT = 1 << 17  # pairs of groups that are numbered by a plain table, which then fits the cache
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio: spreads small numbers


@kernel
def join_halves(
    first: Codes, n_first: int, second: Codes, n_second: int, sizes: Counts
) -> tuple[NDArray[np.int64], Counts]:
    """Group of each cell at a node, from its groups at two halves; and the groups' rows.

    Groups are numbered in the order in which cells meet them.
    """
    if n_first * n_second <= _DIRECT:
        return _join_by_table(first, n_first, second, n_second, sizes)
    return _join_by_hash(first, second, n_second, sizes)


@kernel
def _join_by_table(
    first: Codes, n_first: int, second: Codes, n_second: int, sizes: Counts
) -> tuple[NDArray[np.int64], Counts]:
    n = first.shape[0]
    group_of = np.empty(n, np.int64)
    rows = np.empty(n, np.int64)
    number = np.full(n_first * n_second, -1, np.int32)
    n_groups = 0
    for cell in range(n):
        key = np.int64(first[cell]) * n_second + np.int64(second[cell])
        if number[key] < 0:
            number[key] = n_groups
            rows[n_groups] = 0
            n_groups += 1
        group_of[cell] = number[key]
        rows[number[key]] += sizes[cell]
    return group_of, rows[:n_groups].copy()


@kernel
def _join_by_hash(
    first: Codes, second: Codes, n_second: int, sizes: Counts
) -> tuple[NDArray[np.int64], Counts]:
    n = first.shape[0]
    group_of = np.empty(n, np.int64)
    rows = np.empty(n, np.int64)
    # grows with the groups: most nodes have far fewer than cells
    keys = np.empty(4096, np.int64)
    groups = np.full(4096, -1, np.int64)
    n_groups = 0
    for cell in range(n):
        key = np.int64(first[cell]) * n_second + np.int64(second[cell])
        slot = _slot(keys, groups, key)
        group = groups[slot]
        if group < 0:
            group = n_groups
            groups[slot], keys[slot] = group, key
            rows[group] = 0
            n_groups += 1
            if 2 * n_groups > groups.shape[0]:  # at most half full, so that probes end soon
                keys, groups = _enlarge(keys, groups)
        group_of[cell] = group
        rows[group] += sizes[cell]
    return group_of, rows[:n_groups].copy()


@kernel
def _slot(keys: NDArray[np.int64], groups: NDArray[np.int64], key: np.int64) -> int:
    """Where a key stands in the table, or may be put: tables are a power of two long."""
    last = groups.shape[0] - 1
    slot = np.int64((np.uint64(key) * _GOLDEN) >> np.uint64(33)) & last
    while groups[slot] >= 0 and keys[slot] != key:
        slot = (slot + 1) & last
    return slot


@kernel
def _enlarge(
    keys: NDArray[np.int64], groups: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The same groups in a table four times as long."""
    more_keys = np.empty(4 * keys.shape[0], np.int64)
    more_groups = np.full(4 * keys.shape[0], -1, np.int64)
    for old in range(groups.shape[0]):
        if groups[old] >= 0:
            slot = _slot(more_keys, more_groups, keys[old])
            more_groups[slot], more_keys[slot] = groups[old], keys[old]
    return more_keys, more_groups


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
    """Loss that adds up over cells: their own where the group is allowed, else `penalty`.

    A cell's own loss is what it costs at the first half and at the second.
    """
    total = 0.0
    for cell in range(group_of.shape[0]):
        if fine[group_of[cell]]:
            total += sizes[cell] * (first[cell] + second[cell])
        else:
            total += sizes[cell] * penalty[cell]
    return total


@kernel
def squares(rows: Counts, fine: Flags, n_rows: int) -> tuple[float, float]:
    """Discernibility, and what it would be if nothing were suppressed.

    The second is a floor under coarser nodes: joining groups raises their squares, and suppressing
    a group costs no less than its square.
    """
    kept, whole = 0.0, 0.0
    for group in range(rows.shape[0]):
        square = float(rows[group]) * float(rows[group])  # whole numbers would overflow
        whole += square
        kept += square if fine[group] else float(rows[group]) * n_rows
    return kept, whole


@kernel
def minorities(
    group_of: NDArray[np.int64], rows: Counts, fine: Flags, classes: Counts
) -> tuple[float, float]:
    """Rows suppressed or outside their group's majority, and the same without suppression.

    The second is a floor under coarser nodes: a joined group has one majority for two.
    """
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
