"""Find the cheapest group for a cell without looking at every group.

Arrays in, arrays out; no objects, no errors, no I/O.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.anonymize.clusters._group_kernels import Groups, added_loss, allowed_with
from shoal.anonymize.clusters._group_loss import pair_loss
from shoal.typing import Codes


class Index(NamedTuple):
    """Groups sorted by their labels, so that a search can leave out runs of them."""

    group: NDArray[np.int64]
    low: Codes
    high: Codes
    shared: Codes  # leading columns in which a group's label equals that of the one before
    skip: Codes  # (n, n_columns): next entry whose label differs in columns 0 to j


@kernel
def index_groups(groups: Groups) -> Index:
    """Sort the groups that have cells by their labels."""
    n_codes = groups.columns.n_codes
    d = groups.keys.shape[1]
    order = np.flatnonzero(groups.size > 0)
    n = order.shape[0]
    word = np.empty(n, np.int64)
    # stable sorts from the last column to the first sort by all of them
    for j in range(d - 1, -1, -1):
        for i in range(n):
            word[i] = groups.low[order[i], j] * n_codes[j] + groups.high[order[i], j]
        order = order[np.argsort(word, kind="mergesort")]
    low, high = np.empty((n, d), np.int32), np.empty((n, d), np.int32)
    for i in range(n):
        low[i], high[i] = groups.low[order[i]], groups.high[order[i]]
    shared = np.zeros(n, np.int32)
    for i in range(1, n):
        j = 0
        while j < d - 1 and low[i, j] == low[i - 1, j] and high[i, j] == high[i - 1, j]:
            j += 1
        shared[i] = j
    skip = np.empty((n, d), np.int32)
    following = np.full(d, n, np.int32)
    for i in range(n - 1, -1, -1):
        skip[i] = following
        for j in range(shared[i], d):
            following[j] = i
    return Index(order, low, high, shared, skip)


@kernel
def cheapest_group(
    groups: Groups, index: Index, cell: int, own: int, most: float
) -> tuple[int, float]:
    """The group, other than `own`, whose loss a cell raises least, and by how much.

    Only groups that have cells, may take this one and whose loss rises by less than `most` count;
    -1 when there is none.  (A cell that is allowed alone might cost less in a new group; making
    groups is the business of the walk, of k-member and of splitting.)  Labels in the index may be
    older than the groups; a group is always judged as it is now.
    """
    columns = groups.columns
    key = groups.keys[cell]
    rows = groups.compiled.sizes[cell]
    # every group has at least so many rows, and all of them pay for a wider label
    least = max(1, groups.compiled.minimum_size)
    d = key.shape[0]
    n = index.group.shape[0]
    with_cell = np.zeros(d + 1)
    without = np.zeros(d + 1)
    best = -1
    i = 0
    while i < n:
        # sums over the columns shared with the entry before are still there
        j = index.shared[i]
        while j < d:
            low, high, code = index.low[i, j], index.high[i, j], key[j]
            loss = pair_loss(columns, j, low, high)
            without[j + 1] = without[j] + loss
            if code < low or code > high:
                loss = pair_loss(columns, j, min(low, code), max(high, code))
            with_cell[j + 1] = with_cell[j] + loss
            if least * (with_cell[j + 1] - without[j + 1]) + rows * with_cell[j + 1] >= most:
                break
            j += 1
        if j < d:  # the leading columns alone cost too much, in every group that shares them
            i = index.skip[i, j]
            continue
        group = index.group[i]
        i += 1
        if group == own or groups.size[group] == 0:
            continue
        raised = added_loss(groups, cell, group)
        if raised < most and allowed_with(groups, cell, group):
            most = raised
            best = group
    return best, most
