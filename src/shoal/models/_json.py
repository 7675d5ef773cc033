"""A fitted tree as JSON, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import TableError
from shoal.privacy import Bins, Spans
from shoal.tables import FrequencyTable
from shoal.typing import PathText

FORMAT, VERSION = "shoal-tree", 1


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
