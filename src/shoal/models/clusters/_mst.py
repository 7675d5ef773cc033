"""Euclidean minimum spanning trees."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import KDTree

from shoal.models.clusters._mst_kernels import Boxes, boruvka
from shoal.typing import Floats

LEAF = 16  # points in a leaf of the k-d tree, about

Edges = tuple[NDArray[np.intp], NDArray[np.intp], Floats]


def spanning_tree(points: Floats) -> Edges:
    """Exact minimum spanning tree: ends and lengths of its edges, by Boruvka over a k-d tree.

    Every round joins each component to the nearest point outside.  Boxes of the tree that lie in
    one component are passed over, and so are those farther away than the component's best edge:
    components that are dense and far apart cost no more than others.  Memory is linear in the
    number of points.  Equal points are joined by edges of length 0.
    """
    points = np.asarray(points, np.float64)
    distinct, kind = np.unique(points, axis=0, return_inverse=True)
    kind = kind.ravel()
    first = np.full(len(distinct), -1)
    first[kind[::-1]] = np.arange(len(points))[::-1]  # backwards: the first of equals stays
    again = np.flatnonzero(first[kind] != np.arange(len(points)))
    a, b, length = _distinct_tree(distinct)
    return (
        np.concatenate([first[a], first[kind[again]]]).astype(np.intp),
        np.concatenate([first[b], again]).astype(np.intp),
        np.concatenate([length, np.zeros(len(again))]),
    )


def _distinct_tree(points: Floats) -> Edges:
    if len(points) < 2:
        empty = np.empty(0, np.intp)
        return empty, empty, np.empty(0)
    data, order, nodes, bounds = (np.asarray(p) for p in KDTree(points, LEAF).get_arrays())
    boxes = Boxes(
        np.ascontiguousarray(nodes["idx_start"], np.int64),
        np.ascontiguousarray(nodes["idx_end"], np.int64),
        np.ascontiguousarray(nodes["is_leaf"], np.bool_),
        np.ascontiguousarray(bounds[0]),
        np.ascontiguousarray(bounds[1]),
    )
    a, b, squared = boruvka(np.ascontiguousarray(data[order]), boxes)
    return order[a], order[b], np.sqrt(squared)
