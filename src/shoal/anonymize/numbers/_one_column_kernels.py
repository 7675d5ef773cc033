"""The grouping of one column into runs that loses least, found exactly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.typing import Floats


@kernel
def group_line(values: Floats, weights: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Runs of rising values, each weighing at least k, with the least sum of squares.

    Where every value weighs 1, groups of a best grouping are runs.  Where values weigh more, groups
    that are none may lose less, since they weigh k where no run does.  No run of the best can be
    cut into two that weigh k: cutting never raises the sum of squares.  So the group that ends at a
    value begins among the few places where it weighs k, and before that less than k more.  Weights
    are positive and sum up to k or more.
    """
    n = len(values)
    weight, total, square = np.zeros(n + 1), np.zeros(n + 1), np.zeros(n + 1)
    for i in range(n):
        weight[i + 1] = weight[i] + weights[i]
        total[i + 1] = total[i] + weights[i] * values[i]
        square[i + 1] = square[i] + weights[i] * values[i] * values[i]
    best = np.full(n + 1, np.inf)
    begin = np.zeros(n + 1, np.int64)
    best[0] = 0.0
    last = 0  # the latest place at which a group that ends at `stop` may begin
    for stop in range(1, n + 1):
        if weight[stop] < k:
            continue
        while last + 1 < stop and weight[stop] - weight[last + 1] >= k:
            last += 1
        start = last
        while start >= 0 and weight[last] - weight[start] < k:
            own = weight[stop] - weight[start]
            mean = (total[stop] - total[start]) / own
            cost = square[stop] - square[start] - mean * mean * own
            if best[start] + cost < best[stop]:
                best[stop], begin[stop] = best[start] + cost, start
            start -= 1
    group_of = np.empty(n, np.int64)
    stop, group = n, 0
    while stop > 0:
        start = begin[stop]
        group_of[start:stop] = group
        stop, group = start, group + 1
    return group - 1 - group_of
