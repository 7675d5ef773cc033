"""Whether a clustering that was read is one that Shoal writes: the file may be anybody's."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any

import numpy as np

from shoal.models.clusters._cluster_space import Axis

FAR = 1e100
"""Beyond, squared distances are no numbers."""


def check_clusters(clustering: Any, data: Mapping[str, Any]) -> None:
    """Raise ValueError unless all parts fit together and would be written as they were read."""
    names, count = data["columns"]["names"], data["columns"]["count"]
    places = [axis.place for axis in clustering.space_.axes]
    _require(_is_whole(count) and count >= 1 and (names is None or len(names) == count))
    _require(names is None or (all(map(_is_text, names)) and len(set(names)) == count))
    _require(all(_is_whole(place) and 0 <= place < count for place in places))
    _require(len(places) > 0 and len(set(places)) == len(places))
    for axis in clustering.space_.axes:
        _check_axis(axis, names)
    _check_centres(clustering, sum(axis.width for axis in clustering.space_.axes))
    version = {"shoal": data["shoal"], "digest": data["digest"]}
    again = clustering.to_dict() | version
    _require(_is_text(data["shoal"]) and again == dict(data))
    json.dumps(again, allow_nan=False)  # which raises for numbers that are none


def _check_axis(axis: Axis, names: Any) -> None:
    _require(_is_text(axis.name) and (names is None or names[axis.place] == axis.name))
    _require(isinstance(axis.is_public, bool))
    numbers = [axis.spread, axis.origin, *([axis.low, axis.high] if axis.is_declared else [])]
    _require(all(map(_is_number, numbers)) and axis.spread > 0)
    _require(not axis.is_declared or axis.low <= axis.high)
    if axis.coding is not None and axis.table is not None:
        texts, tree = axis.coding.texts, axis.coding.hierarchy
        labels = () if tree is None else tree.labels
        _require(all(map(_is_text, texts)) and all(map(_is_text, labels)))
        _require(len(set(texts)) == len(texts) == len(axis.table))
        _require(tree is None or tree.labels[: tree.n_leaves] == tuple(texts))


def _check_centres(clustering: Any, width: int) -> None:
    centres, rows, bins, spans = (
        clustering.cluster_centers_, clustering.center_rows_, clustering.bins_, clustering.spans_
    )  # fmt: skip
    n = len(centres)
    _require(n >= 1 and centres.shape == (n, width) and bool((abs(centres) < FAR).all()))
    _require(_is_number(clustering.tie_) and clustering.tie_ >= 0)
    _require(rows.shape == (n,) and bool((rows >= 1).all()))
    _require(len(bins.names) == n and all(map(_is_text, bins.names)))
    _require(len(bins.population) == n and bool((np.asarray(bins.population) >= 0).all()))
    _require(len(spans.population) >= 1 and bool((spans.population >= 1).all()))
    _require(len(spans.start) == len(spans.population) + 1 and bool((spans.bins < n).all()))
    _require(bool((spans.bins >= 0).all()) and bool((np.diff(spans.start) >= 1).all()))
    rises = np.diff(spans.bins) > 0
    rises[spans.start[1:-1] - 1] = True  # from one span to the next
    _require(bool(rises.all()))
    total = int(rows.sum())
    _require(total == int(np.sum(bins.population)) == int(spans.population.sum()))


def _require(fits: bool) -> None:
    if not fits:
        raise ValueError


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)
