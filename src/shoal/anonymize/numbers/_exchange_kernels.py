"""Groups improved by squared distance: points move, groups are given up, cut and cut anew."""

from __future__ import annotations

import numpy as np

from shoal._jit import kernel
from shoal.anonymize.numbers._bunches_kernels import (
    LEAST,
    Bunches,
    Numbers,
    members_of,
    point_cost,
    put,
    squares_within,
    take_out,
)
from shoal.anonymize.numbers._halve_kernels import cut
from shoal.anonymize.numbers._pair_kernels import recut_pairs, swap_points


@kernel
def sweep(bunches: Bunches, near: Numbers, k: int) -> float:
    """One round over all groups; `near` lists neighbours of each; returns what was saved.

    A point moves to the neighbour where it costs less, if its group still weighs k, or changes
    places with a point there; two neighbours are cut anew; a group that weighs less than 2 k is
    given up if its points cost less with the neighbours; a group that can be is cut into two.  No
    step raises the sum of squares.
    """
    saved = 0.0
    n_groups = len(near)
    for group in range(n_groups):
        if bunches.first[group] < 0:
            continue
        saved += _move_points(bunches, near, group, k)
        saved += swap_points(bunches, near, group, k)
        saved += recut_pairs(bunches, near, group, k)
        if bunches.weight[group] < 2 * k:
            saved += _give_up(bunches, near, group)
        free = 0
        while bunches.first[group] >= 0 and bunches.weight[group] >= 2 * k:
            # a number without points takes the new part
            while free < len(bunches.first) and bunches.first[free] >= 0:
                free += 1
            gain = cut(bunches, group, free, k) if free < len(bunches.first) else -1.0
            if gain < 0:
                break
            saved += gain
    return saved


@kernel
def _move_points(bunches: Bunches, near: Numbers, group: int, k: int) -> float:
    saved = 0.0
    point = bunches.first[group]
    while point >= 0:
        following = bunches.after[point]  # asked before the point is in another list
        if bunches.weight[group] - bunches.weights[point] >= k:  # its group can spare it
            gain = point_cost(bunches, point, group, False)
            best, target = _cheapest(bunches, near, group, point)
            if target >= 0 and gain - best > LEAST:
                take_out(bunches, point)
                put(bunches, point, target)
                saved += gain - best
        point = following
    return saved


@kernel
def _give_up(bunches: Bunches, near: Numbers, group: int) -> float:
    """Spread the points of a group over its neighbours, and take that back where it costs more."""
    before = squares_within(bunches, group)
    listed = members_of(bunches, group)
    cost, moved = 0.0, 0
    for index in range(len(listed)):
        best, target = _cheapest(bunches, near, group, listed[index])
        cost += best
        if target < 0 or cost >= before - LEAST:  # the points that follow only cost more
            break
        take_out(bunches, listed[index])
        put(bunches, listed[index], target)
        moved += 1
    # the group's own sum is gone, and its neighbours' sums rose by `cost`
    if moved == len(listed):
        return before - cost
    for index in range(moved):
        take_out(bunches, listed[index])
        put(bunches, listed[index], group)
    return 0.0


@kernel
def _cheapest(bunches: Bunches, near: Numbers, group: int, point: int) -> tuple[float, int]:
    best, target = np.inf, -1
    for rank in range(near.shape[1]):
        other = near[group, rank]
        if other < 0 or other == group or bunches.first[other] < 0:
            continue
        cost = point_cost(bunches, point, other, True)
        if cost < best:
            best, target = cost, other
    return best, target
