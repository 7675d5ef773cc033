"""A fitted tree's arrays as plain lists, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import TableError
from shoal.models.tree._route_kernels import LEAF, Nodes
from shoal.typing import Floats

_TYPES = {
    "slot": np.int32,
    "threshold": np.float64,
    "first": np.int64,
    "width": np.int64,
    "child": np.int32,
    "other": np.int32,
    "parent": np.int32,
    "counts": np.int64,
    "mass": np.float64,
}


def nodes_to_dict(nodes: Nodes) -> dict[str, Any]:
    """Lists, with None for NaN, which JSON does not have."""
    return {name: _plain(array) for name, array in nodes._asdict().items()}


def _plain(array: NDArray[Any]) -> list[Any]:
    numbers: list[Any] = array.tolist()
    return [None if value != value else value for value in numbers] if array.ndim == 1 else numbers


def nodes_from_dict(data: Mapping[str, Any]) -> Nodes:
    """Inverse of :func:`nodes_to_dict`."""
    arrays: dict[str, Any] = {}
    for name, dtype in _TYPES.items():
        values = [np.nan if value is None else value for value in data[name]]
        arrays[name] = np.array(values, dtype)
    return Nodes(**arrays)


def hide_weights(nodes: Nodes, least: int) -> Nodes:
    """Nodes that hold no weight and no sum of weights, and predict the same classes.

    Classes have their weighted shares in hundredths, times the rows; in nodes of fewer than
    `least` rows, where these would be shares of few people, their rows.
    """
    counts, rows, winner = nodes.counts, nodes.counts.sum(axis=1), nodes.mass.argmax(axis=1)
    hundredths = np.rint(100 * nodes.mass / nodes.mass.sum(axis=1, keepdims=True))
    shares = _with_winner(hundredths, winner) * rows[:, None] / 100
    people = _with_winner(counts.astype(np.float64), winner)
    return nodes._replace(mass=np.where((rows < least)[:, None], people, shares))


def is_weighted(nodes: Nodes) -> bool:
    """Whether shares of classes tell more of weights than which class has most."""
    people = _with_winner(nodes.counts.astype(np.float64), nodes.mass.argmax(axis=1))
    return not np.array_equal(people, nodes.mass)


def _with_winner(numbers: Floats, winner: NDArray[np.intp]) -> Floats:
    """Numbers of each class; that of the winner is raised above the others where it is not."""
    shown, every = numbers.copy(), np.arange(len(numbers))
    lost = (shown.argmax(axis=1) != winner) | (shown[every, winner] == 0)
    shown[every[lost], winner[lost]] = numbers[lost].max(axis=1) + 1
    return shown


def check_nodes(nodes: Nodes, views: list[int]) -> None:
    """Raise unless every index stays within the tree: kernels follow them unchecked.

    `views` has the number of attributes, then the attribute of each view.
    """
    n_nodes, n_child = len(nodes.slot), len(nodes.child)
    inner = nodes.slot != LEAF
    number = np.arange(n_nodes)
    stop = nodes.first + nodes.width
    node_of_entry = np.repeat(number[inner], np.maximum(nodes.width[inner], 0))
    sound = (
        n_nodes > 0
        and all(0 <= attribute < views[0] for attribute in views[1:])
        and len({len(a) for a in nodes._replace(child=nodes.slot)}) == 1
        and nodes.counts.shape == nodes.mass.shape == (n_nodes, nodes.counts.shape[-1])
        and bool(((nodes.slot >= LEAF) & (nodes.slot < len(views) - 1)).all())
        and bool((nodes.first >= 0).all() and (nodes.width >= 0).all() and (stop <= n_child).all())
        and bool((nodes.width[~np.isnan(nodes.threshold) & inner] >= 3).all())
        and int(nodes.width[inner].sum()) == n_child == len(node_of_entry)
        and bool(((nodes.child < n_nodes) & (nodes.child >= -1)).all())
        and bool(((nodes.child < 0) | (nodes.child > node_of_entry)).all())
        and bool(((nodes.other == -1) | ((nodes.other > number) & (nodes.other < n_nodes))).all())
        and bool(nodes.parent[0] == -1 and (nodes.parent[1:] < number[1:]).all())
        and bool((nodes.parent[1:] >= 0).all() and (nodes.counts >= 0).all())
    )
    if not sound:
        raise TableError("the nodes of this tree are none: the file is damaged or was changed.")
