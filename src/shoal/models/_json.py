"""A fitted tree as JSON, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import TableError
from shoal.models._attributes import Attribute
from shoal.models._nodes import FittedTree, View
from shoal.models._route_kernels import Nodes
from shoal.privacy import Bins, Spans
from shoal.tables import FrequencyTable
from shoal.typing import PathText

FORMAT, VERSION = "shoal-tree", 1

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


def tree_to_dict(tree: FittedTree) -> dict[str, Any]:
    """Attributes, views and nodes as plain lists."""
    return {
        "attributes": [attribute.to_dict() for attribute in tree.attributes],
        "views": [view.to_dict() for view in tree.views],
        "nodes": {name: _plain(array) for name, array in tree.nodes._asdict().items()},
        "class_is_public": tree.class_is_public,
    }


def _plain(array: NDArray[Any]) -> list[Any]:
    """Lists, with None for NaN, which JSON does not have."""
    found: list[Any] = array.tolist()
    return [None if value != value else value for value in found] if array.ndim == 1 else found


def tree_from_dict(data: Mapping[str, Any], n_classes: int) -> FittedTree:
    """Inverse of :func:`tree_to_dict`."""
    arrays = {}
    for name, dtype in _TYPES.items():
        values = data["nodes"][name]
        if name == "threshold":
            values = [np.nan if value is None else value for value in values]
        arrays[name] = np.array(values, dtype)
    for name in ("counts", "mass"):
        arrays[name] = arrays[name].reshape(-1, n_classes)
    return FittedTree(
        tuple(Attribute.from_dict(attribute) for attribute in data["attributes"]),
        tuple(View(v["attribute"], v["level"], tuple(v["labels"])) for v in data["views"]),
        Nodes(**arrays),
        data["class_is_public"],
    )


def spans_from_dict(data: Mapping[str, Any]) -> Spans:
    """Spans without private values, as they are published."""
    widths = [len(bins) for bins in data["bins"]]
    start = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
    bins = np.array([b for own in data["bins"] for b in own], np.int32)
    sizes = np.array(data["population"], np.int64)
    return Spans(start, bins, FrequencyTable((), np.empty((len(sizes), 0), np.int32), sizes))


def bins_from_dict(data: Mapping[str, Any]) -> Bins:
    """Bins as they are published."""
    return Bins(tuple(data["names"]), np.array(data["population"], np.int64))


def classes_to_dict(classes: NDArray[Any]) -> dict[str, Any]:
    """Class labels with their type, so that predictions compare equal after loading."""
    return {"type": classes.dtype.str, "values": classes.tolist()}


def classes_from_dict(data: Mapping[str, Any]) -> NDArray[Any]:
    """Inverse of :func:`classes_to_dict`."""
    return np.array(data["values"], np.dtype(data["type"]))


def read_json(source: PathText) -> Mapping[str, Any]:
    """Read a tree file; an error that says what it is not."""
    path = Path(source)
    try:
        data = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise TableError(f"cannot read {path.name}: {error.strerror}.") from None
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise TableError(f"{path.name} is not JSON.") from None
    return check_format(data)


def check_format(data: Any) -> Mapping[str, Any]:
    """Raise unless this is a tree of a version that is known."""
    if not isinstance(data, Mapping) or data.get("format") != FORMAT:
        raise TableError("this is not a tree written by Shoal.")
    if data.get("version") != VERSION:
        raise TableError(
            f"the tree has version {data.get('version')!r}, and this release of Shoal reads "
            f"version {VERSION}."
        )
    return data
