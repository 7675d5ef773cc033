"""Two neighbouring groups: points that change places, and both cut anew."""

from __future__ import annotations

from shoal._jit import kernel
from shoal.anonymize.numbers._bunches_kernels import (
    LEAST,
    Bunches,
    Numbers,
    members_of,
    put,
    squares_within,
    take_out,
)
from shoal.anonymize.numbers._halve_kernels import cut

_PARTNERS = 4  # neighbours that are tried, the nearest first: pairs of points are many


@kernel
def swap_points(bunches: Bunches, near: Numbers, group: int, k: int) -> float:
    """Let points of a group and of its nearest neighbours change places where that saves."""
    saved = 0.0
    own = members_of(bunches, group)
    for rank in range(min(near.shape[1], _PARTNERS + 1)):
        other = near[group, rank]
        if other == group or bunches.first[other] < 0:
            continue
        theirs = members_of(bunches, other)
        for i in range(len(own)):
            for j in range(len(theirs)):
                gain = _gain(bunches, own[i], theirs[j], k)
                if gain > LEAST:
                    one, two = own[i], theirs[j]
                    take_out(bunches, one)
                    take_out(bunches, two)
                    put(bunches, one, other)
                    put(bunches, two, group)
                    own[i], theirs[j] = two, one
                    saved += gain
    return saved


@kernel
def _gain(bunches: Bunches, one: int, two: int, k: int) -> float:
    """What is saved when two points of different groups change places; -1 where it is forbidden."""
    first, second = bunches.group_of[one], bunches.group_of[two]
    shift = bunches.weights[two] - bunches.weights[one]
    old, new = bunches.weight[first], bunches.weight[second]
    if old + shift < k or new - shift < k:  # weights differ: a group could get too light
        return -1.0
    before, after = 0.0, 0.0
    for side in range(bunches.points.shape[1]):
        # a sum of squares is a constant less total^2 / weight: what that rises by is saved
        a, b = bunches.total[first, side], bunches.total[second, side]
        moved = bunches.weights[two] * bunches.points[two, side]
        moved -= bunches.weights[one] * bunches.points[one, side]
        before += a * a / old + b * b / new
        after += (a + moved) ** 2 / (old + shift) + (b - moved) ** 2 / (new - shift)
    return after - before


@kernel
def recut_pairs(bunches: Bunches, near: Numbers, group: int, k: int) -> float:
    """Join a group with each of its nearest neighbours and cut it anew, where that saves."""
    saved = 0.0
    for rank in range(min(near.shape[1], _PARTNERS + 1)):
        other = near[group, rank]
        if other == group or bunches.first[other] < 0:
            continue
        before = squares_within(bunches, group) + squares_within(bunches, other)
        own, theirs = members_of(bunches, group), members_of(bunches, other)
        for point in theirs:
            take_out(bunches, point)
            put(bunches, point, group)
        cut(bunches, group, other, k)
        if bunches.first[other] >= 0:
            after = squares_within(bunches, group) + squares_within(bunches, other)
            if after < before - LEAST:
                saved += before - after
                continue
        # no better: everything goes back to where it was
        for point in own:
            take_out(bunches, point)
            put(bunches, point, group)
        for point in theirs:
            take_out(bunches, point)
            put(bunches, point, other)
    return saved
