"""Euclidean minimum spanning trees."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from scipy.spatial import cKDTree

from shoal.typing import Floats

FIRST = 16  # neighbours looked up at first

Edges = tuple[NDArray[np.intp], NDArray[np.intp], Floats]


def spanning_tree(points: Floats) -> Edges:
    """Exact minimum spanning tree: ends and lengths of its edges, by Boruvka over a k-d tree.

    Every round joins each component to the nearest point outside.  A point whose known neighbours
    are all in its own component is asked for more of them only while it could beat the best edge
    of its component, so that no edge is missed.  Memory is linear in the number of points but for
    points deep within dense, far-off components.
    """
    points = np.asarray(points, np.float64)
    distinct, kind = np.unique(points, axis=0, return_inverse=True)
    kind = kind.ravel()
    first = np.full(len(distinct), -1)
    first[kind[::-1]] = np.arange(len(points))[::-1]
    again = np.flatnonzero(first[kind] != np.arange(len(points)))
    a, b, length = _boruvka(distinct)
    return (
        np.concatenate([first[a], first[kind[again]]]).astype(np.intp),
        np.concatenate([first[b], again]).astype(np.intp),
        np.concatenate([length, np.zeros(len(again))]),
    )


def _boruvka(points: Floats) -> Edges:
    n = len(points)
    if n < 2:
        empty = np.empty(0, np.intp)
        return empty, empty, np.empty(0)
    tree = cKDTree(points)
    width = min(FIRST, n)
    far, near = tree.query(points, k=width)
    component = np.arange(n)
    ends: list[tuple[NDArray[np.intp], NDArray[np.intp], Floats]] = []
    while component.max() > 0:
        a, b, length = _nearest_outside(tree, points, component, near, far)
        order = np.argsort(length, kind="stable")
        chosen = order[np.unique(component[a][order], return_index=True)[1]]  # shortest of each
        a, b, length, component = _join(a[chosen], b[chosen], length[chosen], component)
        ends.append((a, b, length))
    a, b, length = (np.concatenate(part) for part in zip(*ends, strict=True))
    return a, b, length


def _join(
    a: NDArray[np.intp], b: NDArray[np.intp], length: Floats, component: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats, NDArray[np.intp]]:
    """Add edges between components; rings, which equal lengths can make, lose an edge."""
    n = int(component.max()) + 1
    low = np.minimum(component[a], component[b])
    high = np.maximum(component[a], component[b])
    order = np.argsort(length, kind="stable")
    key, first = np.unique((low * n + high)[order], return_index=True)
    place = order[first]
    # ranks from 1, since scipy takes a weight of 0 for no edge
    rank = 1.0 + np.argsort(np.argsort(length[place], kind="stable"), kind="stable")
    forest = minimum_spanning_tree(coo_matrix((rank, (key // n, key % n)), shape=(n, n)))
    kept = place[np.isin(rank, forest.data)]
    # scipy numbers components in 32 bits, in which the keys above would overflow
    joined = connected_components(forest, directed=False)[1].astype(np.intp)
    return a[kept], b[kept], length[kept], joined[component]


def _nearest_outside(
    tree: cKDTree,
    points: Floats,
    component: NDArray[np.intp],
    near: NDArray[np.intp],
    far: Floats,
) -> Edges:
    """For points that may be at the end of their component's best edge: the other end."""
    n = len(points)
    outside = component[near] != component[:, None]
    has = outside.any(axis=1)
    at = outside.argmax(axis=1)
    rows = np.flatnonzero(has)
    a, b, length = rows, near[rows, at[rows]], far[rows, at[rows]]
    best = np.full(component.max() + 1, np.inf)
    np.minimum.at(best, component[a], length)
    waiting, width = np.flatnonzero(~has), near.shape[1]
    bound = far[:, -1]
    waiting = waiting[bound[waiting] <= best[component[waiting]]]
    while len(waiting):
        width = min(2 * width, n)
        block = max(1, 4_000_000 // width)
        found = []
        for at_row in range(0, len(waiting), block):
            part = waiting[at_row : at_row + block]
            part = part[bound[part] <= best[component[part]]]
            if not len(part):
                continue
            reach, others = tree.query(points[part], k=width)
            outside = component[others] != component[part][:, None]
            has, place = outside.any(axis=1), outside.argmax(axis=1)
            hit = np.flatnonzero(has)
            found.append((part[hit], others[hit, place[hit]], reach[hit, place[hit]]))
            np.minimum.at(best, component[part[hit]], reach[hit, place[hit]])
            bound = bound.copy() if bound.base is not None else bound
            bound[part] = np.where(has, np.inf, reach[:, -1])
        for one in found:
            a, b, length = (np.concatenate(p) for p in zip((a, b, length), one, strict=True))
        waiting = waiting[bound[waiting] <= best[component[waiting]]]
    return a, b, length
