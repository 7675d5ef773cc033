"""Find the cheapest group for a cell without looking at every group.

Arrays in, arrays out; no objects, no errors, no I/O.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.anonymize.clusters._group_kernels import Groups, added_loss, allowed_with
from shoal.anonymize.clusters._group_loss import GroupColumns, pair_loss
from shoal.typing import Codes, Floats

_SLACK = 1e-9  # sums in another order differ by rounding; within it a group is judged exactly


class Index(NamedTuple):
    """Groups sorted by their labels, so that a search can leave out runs of them.

    A label is all codes that a group could take without losing more: those below its node of a
    tree, say.  So groups with other codes below one node share it.
    """

    group: NDArray[np.int64]
    low: Codes
    high: Codes
    shared: Codes  # leading columns in which a group's label equals that of the one before
    skip: Codes  # (n, n_columns): next entry whose label differs in columns 0 to j
    before: Floats  # (n, n_columns + 1): what a row loses in the first columns under the label


@kernel
def same_loss(columns: GroupColumns, column: int, low: int, high: int) -> tuple[int, int]:
    """The widest run of codes around others that loses no more than they do."""
    if columns.first[column] < 0 and columns.is_range[column]:  # every further code costs
        return low, high
    most = pair_loss(columns, column, low, high)
    # loss never falls as a run gets wider, so its ends are found by halving
    least = 0
    while least < low:
        middle = (least + low) // 2
        if pair_loss(columns, column, middle, high) <= most:
            low = middle
        else:
            least = middle + 1
    largest = columns.n_codes[column] - 1
    while high < largest:
        middle = (high + largest + 1) // 2
        if pair_loss(columns, column, low, middle) <= most:
            high = middle
        else:
            largest = middle - 1
    return low, high


@kernel
def index_groups(groups: Groups) -> Index:
    """Sort the groups that have cells by their labels."""
    n_codes = groups.columns.n_codes
    d = groups.keys.shape[1]
    used = np.flatnonzero(groups.size > 0)
    n = used.shape[0]
    low, high = np.empty((n, d), np.int32), np.empty((n, d), np.int32)
    for i in range(n):
        for j in range(d):
            low[i, j], high[i, j] = same_loss(
                groups.columns, j, groups.low[used[i], j], groups.high[used[i], j]
            )
    order = np.arange(n)
    word = np.empty(n, np.int64)
    # stable sorts from the last column to the first sort by all of them
    for j in range(d - 1, -1, -1):
        for i in range(n):
            word[i] = low[order[i], j] * n_codes[j] + high[order[i], j]
        order = order[np.argsort(word, kind="mergesort")]
    low, high = low[order], high[order]
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
        # where this entry's label differs from the one before, that one's runs end here
        for j in range(shared[i], d):
            following[j] = i
    before = np.zeros((n, d + 1))
    for i in range(n):
        for j in range(d):
            loss = pair_loss(groups.columns, j, low[i, j], high[i, j])
            before[i, j + 1] = before[i, j] + loss
    return Index(used[order], low, high, shared, skip, before)


@kernel
def cheapest_group(
    groups: Groups, index: Index, cell: int, own: int, most: float, likely: int
) -> tuple[int, float]:
    """The group, other than `own`, whose loss a cell raises least, and by how much.

    Only groups that have cells, may take this one and whose loss rises by less than `most` count;
    -1 when there is none.  (A cell that is allowed alone might cost less in a new group; making
    groups is the business of the walk, of k-member and of splitting.)  Labels in the index may be
    older than the groups; a group is always judged as it is now.  The `likely` group (-1: none) is
    looked at first, so that most others are seen to cost more by a column or two.
    """
    columns = groups.columns
    key = groups.keys[cell]
    rows = groups.compiled.sizes[cell]
    # every group has at least so many rows, and all of them pay for a wider label
    least = max(1, groups.compiled.minimum_size)
    size_only = groups.compiled.size_only  # asked here: calling a model takes longer than a look
    d = key.shape[0]
    n = index.group.shape[0]
    with_cell = np.zeros(d + 1)
    best = -1
    if likely >= 0 and likely != own and groups.size[likely] > 0:
        raised = added_loss(groups, cell, likely)
        fine = size_only and groups.size[likely] + rows >= least
        if raised < most and (fine or allowed_with(groups, cell, likely)):
            best, most = likely, raised
    i, known = 0, 0  # sums over so many columns are those of the entry before
    while i < n:
        group = index.group[i]
        size = max(least, groups.size[group])
        before = index.before[i]
        j = min(index.shared[i], known)
        beyond = group == own or groups.size[group] == 0
        while j < d and not beyond:
            low, high, code = index.low[i, j], index.high[i, j], key[j]
            if code < low or code > high:
                loss = pair_loss(columns, j, min(low, code), max(high, code))
                with_cell[j + 1] = with_cell[j] + loss
            else:
                with_cell[j + 1] = with_cell[j] + before[j + 1] - before[j]
            j += 1
            wider = with_cell[j] - before[j]
            # no label gets narrower: the columns that follow cost the cell what they cost others
            beyond = size * wider + rows * (wider + before[d]) >= most + _SLACK
        known = j
        if beyond:
            wider = with_cell[j] - before[j]
            # the leading columns alone cost too much, in every group that shares them
            alike = j > 0 and least * wider + rows * with_cell[j] >= most + _SLACK
            i = index.skip[i, j - 1] if alike else i + 1
            continue
        i += 1
        if best == group:
            continue
        raised = added_loss(groups, cell, group)
        fine = size_only and groups.size[group] + rows >= least
        if raised < most and (fine or allowed_with(groups, cell, group)):
            most = raised
            best = group
    return best, most
