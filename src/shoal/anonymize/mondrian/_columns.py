"""Quasi-identifiers as the arrays that the partitioning kernels read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.anonymize.mondrian._region_arrays import RegionColumns
from shoal.schema._coding import Coding
from shoal.tables import FrequencyTable
from shoal.typing import Codes, Flags, Floats


def is_tree(coding: Coding) -> bool:
    """Whether a column is split by its hierarchy; ordered columns are split by their order."""
    return coding.hierarchy is not None and not coding.is_ordered


class _Column(NamedTuple):
    """One column; without the arrays of a tree where it is split by its order."""

    coordinate: Floats
    unit: float
    parent: Codes
    start: Codes
    stop: Codes
    depth: Codes
    share: Floats
    path: Codes


def make_columns(cells: FrequencyTable, wanted: Mapping[str, Flags]) -> RegionColumns:
    """Lay the quasi-identifiers out; `wanted` says after which codes a cut is welcome."""
    codings = cells.codings
    columns = [_lay_out(coding) for coding in codings]
    first_code, first_node, first_path = (
        np.cumsum([0, *sizes], dtype=np.int64)
        for sizes in (
            [coding.n_codes for coding in codings],
            [len(column.parent) for column in columns],
            [column.path.size for column in columns],
        )
    )
    return RegionColumns(
        keys=np.ascontiguousarray(cells.keys.T, np.int32),
        is_tree=np.array([is_tree(coding) for coding in codings], np.bool_),
        first_code=first_code,
        coordinate=np.concatenate([column.coordinate for column in columns]),
        unit=np.array([column.unit for column in columns]),
        wanted=np.cumsum(
            np.concatenate(
                [[False], *(wanted.get(c.name, np.zeros(c.n_codes, np.bool_)) for c in codings)]
            ),
            dtype=np.int64,
        ),
        first_node=first_node,
        parent=np.concatenate([column.parent for column in columns]),
        start=np.concatenate([column.start for column in columns]),
        stop=np.concatenate([column.stop for column in columns]),
        depth=np.concatenate([column.depth for column in columns]),
        share=np.concatenate([column.share for column in columns]),
        first_path=first_path,
        path=np.concatenate([column.path.ravel() for column in columns]),
        width=np.array([column.path.shape[1] for column in columns], np.int64),
    )


def _lay_out(coding: Coding) -> _Column:
    """Coordinates of the codes on a line of length 1, and the tree that the column is split by.

    As NCP in :func:`shoal.metrics._measure.label_loss`: numbers without a hierarchy have a length,
    other codes are counted, and a range of them costs one more than its length.
    """
    n_values = max(1, coding.n_codes - (coding.missing >= 0))
    if coding.hierarchy is None and coding.kind in ("numeric", "date"):
        numbers, unit = coding.numbers.astype(np.float64), 0.0
        least, most = np.nanmin(numbers, initial=np.inf), np.nanmax(numbers, initial=-np.inf)
        width = most - least if most > least else 1.0
        numbers = (numbers - (least if np.isfinite(least) else 0.0)) / width
    else:
        numbers, unit = np.arange(coding.n_codes) / n_values, 1.0 / n_values
    if coding.missing >= 0:
        numbers[coding.missing] = np.nan
    tree = coding.hierarchy
    if tree is None or not is_tree(coding):
        none = np.empty(0, np.int32)
        return _Column(numbers, unit, none, none, none, none, np.empty(0), none.reshape(0, 0))
    share = tree.n_leaves_below / max(1, tree.n_values)
    share[: tree.n_leaves] = 0.0  # a value released as itself loses nothing
    path = np.zeros((tree.n_leaves, int(tree.depth.max()) + 2), np.int32)
    node = np.arange(tree.n_leaves, dtype=np.int32)
    # by depth, so that a kernel finds the child that leads to a leaf without climbing
    while (inside := node >= 0).any():
        leaves = np.flatnonzero(inside)
        path[leaves, tree.depth[node[leaves]]] = node[leaves]
        node = np.where(inside, tree.parent[node], -1)
    return _Column(numbers, unit, tree.parent, tree.start, tree.stop, tree.depth, share, path)


def rank_keys(keys: Codes) -> NDArray[np.int64]:
    """Cells in the order of their combinations, first column first."""
    return np.lexsort(keys.T[::-1]).astype(np.int64)
