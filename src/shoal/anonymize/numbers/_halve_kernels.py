"""A group cut into two."""

from __future__ import annotations

import numpy as np

from shoal._jit import kernel
from shoal.anonymize.numbers._bunches_kernels import (
    Bunches,
    Numbers,
    members_of,
    put,
    take_out,
)
from shoal.typing import Floats


@kernel
def cut(bunches: Bunches, group: int, free: int, k: int) -> float:
    """Cut a group where it spreads most, so that both parts weigh k; returns what that saves.

    -1 where no cut leaves both parts heavy enough.
    """
    members = _along(bunches, members_of(bunches, group), bunches.total[group], group)
    sides = bunches.points.shape[1]
    total, weight = np.zeros(sides), 0
    most, last = -1.0, -1
    for index in range(len(members) - 1):
        point = members[index]
        weight += bunches.weights[point]
        for side in range(sides):
            total[side] += bunches.weights[point] * bunches.points[point, side]
        rest = bunches.weight[group] - weight
        if weight < k or rest < k:
            continue
        between = 0.0  # what the sum of squares falls by, as in `point_cost`
        for side in range(sides):
            gap = total[side] / weight - (bunches.total[group, side] - total[side]) / rest
            between += gap * gap
        between *= weight * rest / (weight + rest)
        if between > most:
            most, last = between, index
    for index in range(last + 1):  # none without a place to cut
        take_out(bunches, members[index])
        put(bunches, members[index], free)
    return most


@kernel
def _along(bunches: Bunches, members: Numbers, total: Floats, group: int) -> Numbers:
    """Points of a group in order, from one end of it to the other."""
    one = _farthest(bunches, members, total / bunches.weight[group])
    # farthest from the farthest: nearly the longest line between two points, in two scans
    other = _farthest(bunches, members, bunches.points[one])
    line = np.empty(len(members))
    for index in range(len(members)):
        along = 0.0
        for side in range(bunches.points.shape[1]):
            step = bunches.points[other, side] - bunches.points[one, side]
            along += bunches.points[members[index], side] * step
        line[index] = along
    return members[np.argsort(line, kind="mergesort")]


@kernel
def _farthest(bunches: Bunches, members: Numbers, start: Floats) -> int:
    most, farthest = -1.0, members[0]
    for index in range(len(members)):
        apart = 0.0
        for side in range(len(start)):
            step = bunches.points[members[index], side] - start[side]
            apart += step * step
        if apart > most:
            most, farthest = apart, members[index]
    return farthest
