"""Boruvka's algorithm over a k-d tree.  Arrays in, arrays out."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.typing import Flags, Floats

DEEPEST = 128  # nodes that wait on a walk through a tree, at most


class Boxes(NamedTuple):
    """A k-d tree: node i has the children 2 i + 1 and 2 i + 2, and a run of points in its box."""

    start: NDArray[np.int64]
    stop: NDArray[np.int64]
    is_leaf: Flags
    low: Floats
    high: Floats


@kernel
def _distance(point: Floats, low: Floats, high: Floats) -> float:
    """Squared distance of a point from a box."""
    total = 0.0
    for d in range(len(point)):
        gap = max(low[d] - point[d], point[d] - high[d], 0.0)
        total += gap * gap
    return total


@kernel
def _nearest(
    points: Floats,
    boxes: Boxes,
    part: NDArray[np.int64],
    part_of_box: NDArray[np.int64],
    asked: int,
    bound: float,
) -> tuple[int, float]:
    """Nearest point of another part within a squared distance; -1 and the bound without one."""
    point, own = points[asked], part[asked]
    nearest, best = -1, bound
    node_at, gap_at = np.empty(DEEPEST, np.int64), np.empty(DEEPEST)
    node_at[0], gap_at[0], waiting = 0, 0.0, 1
    while waiting:
        waiting -= 1
        node = node_at[waiting]
        if gap_at[waiting] >= best or part_of_box[node] == own:  # too far, or all of its own
            continue
        if boxes.is_leaf[node]:
            for other in range(boxes.start[node], boxes.stop[node]):
                if part[other] == own:
                    continue
                total = 0.0
                for d in range(points.shape[1]):
                    gap = points[other, d] - point[d]
                    total += gap * gap
                if total < best:
                    nearest, best = other, total
            continue
        left, right = 2 * node + 1, 2 * node + 2
        near, far = left, right
        near_gap = _distance(point, boxes.low[left], boxes.high[left])
        far_gap = _distance(point, boxes.low[right], boxes.high[right])
        if far_gap < near_gap:
            near, far, near_gap, far_gap = right, left, far_gap, near_gap
        node_at[waiting], gap_at[waiting] = far, far_gap
        node_at[waiting + 1], gap_at[waiting + 1] = near, near_gap  # looked at first
        waiting += 2
    return nearest, best


@kernel
def _top(parent: NDArray[np.int64], node: int) -> int:
    while parent[node] != node:
        parent[node] = parent[parent[node]]  # halves the way for those who ask next
        node = parent[node]
    return node


@kernel
def _parts_of_boxes(boxes: Boxes, part: NDArray[np.int64], part_of_box: NDArray[np.int64]) -> None:
    """The part that all points of a box are in; -1 where they are in several."""
    for node in range(
        len(part_of_box) - 1, -1, -1
    ):  # children have higher numbers than their parent
        if boxes.is_leaf[node]:
            only = part[boxes.start[node]]
            for point in range(boxes.start[node] + 1, boxes.stop[node]):
                if part[point] != only:
                    only = -1
                    break
            part_of_box[node] = only
        else:
            left, right = part_of_box[2 * node + 1], part_of_box[2 * node + 2]
            part_of_box[node] = left if left == right else -1


@kernel
def _best_edges(
    points: Floats,
    boxes: Boxes,
    part: NDArray[np.int64],
    part_of_box: NDArray[np.int64],
    near: NDArray[np.int64],
    gap: Floats,
) -> tuple[NDArray[np.int64], Floats]:
    """For every part the point at which its shortest edge to another part begins, and its length.

    `near` and `gap` are kept between rounds: parts only grow, so that the nearest point outside
    stays the nearest until it is inside, and is never nearer afterwards.
    """
    n = len(points)
    best, begin = np.full(n, np.inf), np.full(n, -1, np.int64)
    # first what is known from earlier rounds: it bounds the searches that follow
    for point in range(n):
        if near[point] >= 0 and part[near[point]] == part[point]:
            # grown into its own part: its nearest neighbour outside is another one
            near[point] = -1
        if near[point] >= 0 and gap[point] < best[part[point]]:
            best[part[point]], begin[part[point]] = gap[point], point
    for point in range(n):
        own = part[point]
        if near[point] < 0 and gap[point] < best[own]:
            near[point], gap[point] = _nearest(points, boxes, part, part_of_box, point, best[own])
            if near[point] >= 0:
                best[own], begin[own] = gap[point], point
    return begin, best


@kernel
def boruvka(points: Floats, boxes: Boxes) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
    """Ends and squared lengths of the edges of a minimum spanning tree.

    In each round every part is joined by its shortest edge to another one.  A ring of such edges
    has one length all over, so that any one of them can be left out: the one that comes last.
    """
    n = len(points)
    part, parent = np.arange(n), np.arange(n)
    part_of_box = np.empty(len(boxes.start), np.int64)
    near, gap = np.full(n, -1, np.int64), np.zeros(n)
    one, two, length = np.empty(n - 1, np.int64), np.empty(n - 1, np.int64), np.empty(n - 1)
    joined = 0
    while joined < n - 1:
        _parts_of_boxes(boxes, part, part_of_box)
        begin, best = _best_edges(points, boxes, part, part_of_box, near, gap)
        for own in np.argsort(best, kind="mergesort"):
            if begin[own] < 0:
                break  # no part of this number
            a, b = begin[own], near[begin[own]]
            top_a, top_b = _top(parent, a), _top(parent, b)
            # an edge of this round may have joined the two already
            if top_a != top_b:
                parent[max(top_a, top_b)] = min(top_a, top_b)
                one[joined], two[joined], length[joined] = a, b, best[own]
                joined += 1
        for point in range(n):
            part[point] = _top(parent, point)
    return one, two, length
