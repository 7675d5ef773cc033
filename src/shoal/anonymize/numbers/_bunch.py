"""Points in groups of at least k: which search runs, and on how many points at a time."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from shoal.anonymize.numbers._bunches_kernels import make_bunches
from shoal.anonymize.numbers._exchange_kernels import sweep
from shoal.anonymize.numbers._mdav_kernels import mdav
from shoal.anonymize.numbers._one_column_kernels import group_line
from shoal.typing import Floats

Search = Literal["auto", "mdav", "exchange", "exact"]
"""How groups are sought: MDAV, MDAV and then exchanges, or the best grouping of one column."""

PIECE = 8_192
"""Points that MDAV looks at together; it takes time with the square of their number."""

_NEIGHBOURS = 12
_ROUNDS = 30
_LEAST_GAIN = 1e-3  # a round that saves less of the sum of squares is the last

Groups = NDArray[np.int64]


def bunch(points: Floats, weights: NDArray[np.int64], k: int, search: Search) -> Groups:
    """Group of each point, numbered from 0; every group weighs at least k, or all is one group.

    Points that weigh nothing go with the nearest that do.

    Examples
    --------
    >>> ages = np.array([[21.0], [22.0], [34.0], [61.0], [62.0]])
    >>> bunch(ages, np.ones(5, np.int64), 2, "exact").tolist()
    [0, 0, 0, 1, 1]
    """
    heavy = np.flatnonzero(weights > 0)
    if weights.sum() < 2 * k or len(heavy) < 2:
        return np.zeros(len(points), np.int64)
    heavy_group = _search(np.ascontiguousarray(points[heavy]), weights[heavy], max(k, 1), search)
    group_of = np.empty(len(points), np.int64)
    group_of[heavy] = np.unique(heavy_group, return_inverse=True)[1].ravel()
    if len(heavy) < len(points):
        light = np.flatnonzero(weights <= 0)
        _, nearest = cKDTree(points[heavy]).query(points[light])
        group_of[light] = group_of[heavy[nearest]]
    return group_of


def sum_of_squares(points: Floats, weights: NDArray[np.int64], group_of: Groups) -> float:
    """Squared distances of the points from the means of their groups, by weight."""
    if not len(points):
        return 0.0
    n_groups = int(group_of.max()) + 1
    own = np.maximum(np.bincount(group_of, weights=weights, minlength=n_groups), 1e-300)
    total = 0.0
    for side in points.T:
        mean = np.bincount(group_of, weights=weights * side, minlength=n_groups) / own
        total += float((weights * (side - mean[group_of]) ** 2).sum())
    return total


def _search(points: Floats, weights: NDArray[np.int64], k: int, search: Search) -> Groups:
    if search == "exact" and points.shape[1] == 1:  # a missing value is a side of its own
        order = np.argsort(points[:, 0], kind="stable")
        group_of = np.empty(len(points), np.int64)
        group_of[order] = group_line(points[order, 0], weights[order], k)
        return group_of
    group_of, n_groups = np.empty(len(points), np.int64), 0
    for piece in _pieces(points, weights, np.arange(len(points)), k):
        own = mdav(np.ascontiguousarray(points[piece]), weights[piece], k)
        group_of[piece] = own + n_groups
        n_groups += int(own.max()) + 1
    return group_of if search == "mdav" else _exchange(points, weights, group_of, k)


def _pieces(points: Floats, weights: NDArray[np.int64], piece: Groups, k: int) -> list[Groups]:
    """Halves of halves, cut at the median of the side that spreads most."""
    if len(piece) <= PIECE:
        return [piece]
    side = int(np.argmax(points[piece].var(axis=0)))
    order = piece[np.argsort(points[piece, side], kind="stable")]
    halves = np.array_split(order, 2)
    if any(weights[half].sum() < k for half in halves):
        return [piece]
    return [part for half in halves for part in _pieces(points, weights, half, k)]


def _exchange(points: Floats, weights: NDArray[np.int64], group_of: Groups, k: int) -> Groups:
    """Rounds of exchanges, as long as one of them saves something."""
    for _ in range(_ROUNDS):
        group_of = np.unique(group_of, return_inverse=True)[1].ravel().astype(np.int64)
        n_groups = int(group_of.max()) + 1
        if n_groups < 2:
            break
        bunches = make_bunches(points, weights, group_of, int(weights.sum()) // k + 1)
        centres = bunches.total[:n_groups] / bunches.weight[:n_groups, None]
        wanted = min(_NEIGHBOURS + 1, n_groups)
        near = cKDTree(centres).query(centres, k=wanted)[1].reshape(n_groups, wanted)
        before = sum_of_squares(points, weights, group_of)
        saved = sweep(bunches, near.astype(np.int64), k)
        group_of = bunches.group_of
        if saved <= _LEAST_GAIN * before:
            break
    return group_of
