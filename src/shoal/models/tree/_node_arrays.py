"""A fitted tree's arrays as plain lists, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.models.tree._route_kernels import Nodes

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
    found: list[Any] = array.tolist()
    return [None if value != value else value for value in found] if array.ndim == 1 else found


def nodes_from_dict(data: Mapping[str, Any]) -> Nodes:
    """Inverse of :func:`nodes_to_dict`."""
    arrays: dict[str, Any] = {}
    for name, dtype in _TYPES.items():
        values = [np.nan if value is None else value for value in data[name]]
        arrays[name] = np.array(values, dtype)
    return Nodes(**arrays)
