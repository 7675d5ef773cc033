"""Points in groups that change: each group a linked list, with its sums."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.typing import Floats

Numbers = NDArray[np.int64]

LEAST = 1e-12
"""What a step has to save, so that rounding errors do not go round in circles."""


class Bunches(NamedTuple):
    """Points in groups, each group a linked list.

    `total` and `weight` are the sums of each group; `first` is its first point, -1 for an empty
    group, and `after`, `before` are the neighbours of a point in the list.
    """

    points: Floats
    weights: Numbers
    group_of: Numbers
    total: Floats
    weight: Numbers
    first: Numbers
    after: Numbers
    before: Numbers


@kernel
def make_bunches(points: Floats, weights: Numbers, group_of: Numbers, room: int) -> Bunches:
    """Sum up the points of each group; there is room for more groups."""
    n, sides = points.shape
    bunches = Bunches(
        points,
        weights,
        group_of.copy(),
        np.zeros((room, sides)),
        np.zeros(room, np.int64),
        np.full(room, -1, np.int64),
        np.full(n, -1, np.int64),
        np.full(n, -1, np.int64),
    )
    for point in range(n):
        put(bunches, point, group_of[point])
    return bunches


@kernel
def put(bunches: Bunches, point: int, group: int) -> None:
    """Put a point that is in no group into one."""
    head = bunches.first[group]
    bunches.after[point], bunches.before[point] = head, -1
    if head >= 0:
        bunches.before[head] = point
    bunches.first[group] = point
    bunches.group_of[point] = group
    bunches.weight[group] += bunches.weights[point]
    for side in range(bunches.points.shape[1]):
        bunches.total[group, side] += bunches.weights[point] * bunches.points[point, side]


@kernel
def take_out(bunches: Bunches, point: int) -> None:
    """Take a point out of its group."""
    group = bunches.group_of[point]
    after, before = bunches.after[point], bunches.before[point]
    if before >= 0:
        bunches.after[before] = after
    else:
        bunches.first[group] = after
    if after >= 0:
        bunches.before[after] = before
    # sums are changed, not made anew: rounding adds up, which is why steps must save `LEAST`
    bunches.weight[group] -= bunches.weights[point]
    for side in range(bunches.points.shape[1]):
        bunches.total[group, side] -= bunches.weights[point] * bunches.points[point, side]


@kernel
def members_of(bunches: Bunches, group: int) -> Numbers:
    """The points of a group."""
    n, point = 0, bunches.first[group]
    while point >= 0:
        n += 1
        point = bunches.after[point]
    listed = np.empty(n, np.int64)
    point = bunches.first[group]
    for index in range(n):
        listed[index] = point
        point = bunches.after[point]
    return listed


@kernel
def squares_within(bunches: Bunches, group: int) -> float:
    """Squared distances from the mean of a group, by weight."""
    total = 0.0
    point = bunches.first[group]
    while point >= 0:
        for side in range(bunches.points.shape[1]):
            step = bunches.points[point, side] - bunches.total[group, side] / bunches.weight[group]
            total += bunches.weights[point] * step * step
        point = bunches.after[point]
    return total


@kernel
def point_cost(bunches: Bunches, point: int, group: int, joins: bool) -> float:
    """What the sum of squares rises when a point joins a group, or falls when it leaves."""
    weight, own = bunches.weight[group], bunches.weights[point]
    apart = 0.0
    for side in range(bunches.points.shape[1]):
        step = bunches.points[point, side] - bunches.total[group, side] / weight
        apart += step * step
    # Huygens: sets of weights w and W whose means are d apart lose d^2 w W / (w + W) more together
    # than each alone; a point that leaves is still part of the mean, hence the minus below
    if joins:
        return apart * own * weight / (weight + own)
    return apart * own * weight / (weight - own)
