"""MDAV: groups of at least k rows around the points that lie farthest from the middle."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.typing import Floats


@kernel
def mdav(points: Floats, weights: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Group of each point; every group weighs at least k, unless all points weigh less.

    Weights are positive.  While the points that are left weigh 3 k or more, the one farthest from
    their mean takes its nearest neighbours until the group weighs k, and so does the one that lies
    farthest from the first.  What is left at the end is one group or two; points that weigh less
    than k together go to the groups whose first point is nearest.
    """
    n = len(points)
    group_of = np.full(n, -1, np.int64)
    left = np.arange(n)
    n_left, n_groups = n, 0
    weight_left = weights.sum()
    distance = np.empty(n)
    heads = np.empty(n, np.int64)  # the first point of each group
    while weight_left >= 2 * k:
        _squares(points, left, n_left, _mean(points, weights, left, n_left), distance)
        seed = left[np.argmax(distance[:n_left])]
        # of less than 3 k a second group could leave fewer than k behind
        turns = 2 if weight_left >= 3 * k else 1
        for _ in range(turns):
            if weight_left < 2 * k:
                break
            start = points[seed]
            heads[n_groups] = seed
            n_left, taken = _take(points, weights, left, n_left, seed, k, n_groups, group_of)
            weight_left -= taken
            n_groups += 1
            if n_left:
                _squares(points, left, n_left, start, distance)
                seed = left[np.argmax(distance[:n_left])]
    # what is left is less than 2 k: one more group, or too little for one
    if weight_left >= k or n_groups == 0:
        for i in range(n_left):
            group_of[left[i]] = n_groups
        return group_of
    for i in range(n_left):
        nearest, least = 0, np.inf
        for group in range(n_groups):
            apart = _square(points, left[i], heads[group])
            if apart < least:
                nearest, least = group, apart
        group_of[left[i]] = nearest
    return group_of


@kernel
def _take(
    points: Floats,
    weights: NDArray[np.int64],
    left: NDArray[np.int64],
    n_left: int,
    seed: int,
    k: int,
    group: int,
    group_of: NDArray[np.int64],
) -> tuple[int, int]:
    """Put the points nearest to `seed`, itself the first, into a group until it weighs k."""
    # every point weighs 1 at least, so k of them are enough
    room = min(k, n_left)
    near = np.full(room, np.inf)
    index_of = np.full(room, -1, np.int64)
    for i in range(n_left):
        # the seed goes first, before points that equal it
        apart = -1.0 if left[i] == seed else _square(points, left[i], seed)
        if apart >= near[room - 1]:
            continue
        slot = room - 1
        while slot > 0 and near[slot - 1] > apart:
            near[slot], index_of[slot] = near[slot - 1], index_of[slot - 1]
            slot -= 1
        near[slot], index_of[slot] = apart, i
    taken = 0
    for slot in range(room):
        if taken >= k:
            break
        point = left[index_of[slot]]
        group_of[point] = group
        taken += weights[point]
    kept = 0
    for i in range(n_left):
        if group_of[left[i]] < 0:
            left[kept] = left[i]
            kept += 1
    return kept, taken


@kernel
def _mean(
    points: Floats, weights: NDArray[np.int64], left: NDArray[np.int64], n_left: int
) -> Floats:
    total = np.zeros(points.shape[1])
    weight = 0
    for i in range(n_left):
        weight += weights[left[i]]
        for side in range(points.shape[1]):
            total[side] += weights[left[i]] * points[left[i], side]
    return total / weight


@kernel
def _squares(
    points: Floats, left: NDArray[np.int64], n_left: int, start: Floats, distance: Floats
) -> None:
    for i in range(n_left):
        total = 0.0
        for side in range(points.shape[1]):
            step = points[left[i], side] - start[side]
            total += step * step
        distance[i] = total


@kernel
def _square(points: Floats, one: int, other: int) -> float:
    total = 0.0
    for side in range(points.shape[1]):
        step = points[one, side] - points[other, side]
        total += step * step
    return total
