"""Every way to group a few cells, and the least loss among them."""

import numpy as np


def partitions(n):
    """Every partition of n things, as the group of each, numbered as they appear."""

    def extend(begun, n_groups):
        if len(begun) == n:
            yield begun
            return
        for group in range(n_groups + 1):
            yield from extend([*begun, group], max(n_groups, group + 1))

    yield from extend([], 0)


def least_loss(keys, sizes, least, loss_of):
    """Least loss of all rows when every group has at least so many; `loss_of` members, by row."""
    known = {}
    best = np.inf
    for group_of in partitions(len(keys)):
        total = 0.0
        for group in range(max(group_of) + 1):
            members = tuple(i for i, own in enumerate(group_of) if own == group)
            if sum(sizes[i] for i in members) < least:
                total = np.inf
                break
            if members not in known:
                known[members] = loss_of(keys[list(members)])
            total += sum(sizes[i] for i in members) * known[members]
        best = min(best, total)
    return best
