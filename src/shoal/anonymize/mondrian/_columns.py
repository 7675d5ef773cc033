"""Quasi-identifiers as the arrays that the partitioning kernels read."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from shoal.anonymize.mondrian._region_arrays import RegionColumns, Scratch
from shoal.schema._coding import Coding
from shoal.tables import FrequencyTable
from shoal.typing import Codes, Flags, Floats


def is_tree(coding: Coding) -> bool:
    """Whether a column is split by its hierarchy; ordered columns are split by their order."""
    return coding.hierarchy is not None and not coding.is_ordered


def make_columns(cells: FrequencyTable, wanted: Mapping[str, Flags]) -> RegionColumns:
    """Lay the quasi-identifiers out; `wanted` says after which codes a cut is welcome."""
    codings = cells.codings
    trees = [_tree_arrays(coding) for coding in codings]
    lines = [_line(coding) for coding in codings]
    first_code, first_node, first_path = (
        np.cumsum([0, *sizes], dtype=np.int64)
        for sizes in (
            [coding.n_codes for coding in codings],
            [len(tree[0]) for tree in trees],
            [tree[5].size for tree in trees],
        )
    )
    return RegionColumns(
        keys=np.ascontiguousarray(cells.keys.T, np.int32),
        is_tree=np.array([is_tree(coding) for coding in codings], np.bool_),
        first_code=first_code,
        coordinate=np.concatenate([coordinate for coordinate, _ in lines]),
        unit=np.array([unit for _, unit in lines]),
        wanted=np.cumsum(
            np.concatenate(
                [[False], *(wanted.get(c.name, np.zeros(c.n_codes, np.bool_)) for c in codings)]
            ),
            dtype=np.int64,
        ),
        first_node=first_node,
        parent=np.concatenate([tree[0] for tree in trees]),
        start=np.concatenate([tree[1] for tree in trees]),
        stop=np.concatenate([tree[2] for tree in trees]),
        depth=np.concatenate([tree[3] for tree in trees]),
        share=np.concatenate([tree[4] for tree in trees]),
        first_path=first_path,
        path=np.concatenate([tree[5].ravel() for tree in trees]),
        width=np.array([tree[5].shape[1] for tree in trees], np.int64),
    )


def make_scratch(columns: RegionColumns, n_codes: int) -> Scratch:
    """Working memory for one thread; `n_codes` is the length of the model's histograms."""
    codes, nodes = np.diff(columns.first_code), np.diff(columns.first_node)
    widest = int(max(codes.max(), nodes.max())) + 2  # counting sort needs one slot more than codes
    return Scratch(
        rows=np.zeros(widest, np.int64),
        slot=np.zeros(widest, np.int64),
        seen=np.zeros(widest, np.int64),
        is_off=np.zeros(widest, np.bool_),
        histograms=np.zeros((2, n_codes), np.int64),
    )


def rank_keys(keys: Codes) -> NDArray[np.int64]:
    """Cells in the order of their combinations, first column first."""
    return np.lexsort(keys.T[::-1]).astype(np.int64)


def _line(coding: Coding) -> tuple[Floats, float]:
    """Coordinate of each code on a line of length 1, and what a range costs beside its length.

    As NCP in :func:`shoal.metrics._measure.label_loss`: numbers without a hierarchy have a length,
    other codes are counted.
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
    return numbers, unit


def _tree_arrays(coding: Coding) -> tuple[Codes, Codes, Codes, Codes, Floats, Codes]:
    tree = coding.hierarchy
    if tree is None or not is_tree(coding):
        none = np.empty(0, np.int32)
        return none, none, none, none, np.empty(0), none.reshape(0, 0)
    share = tree.n_leaves_below / max(1, tree.n_values)
    share[: tree.n_leaves] = 0.0  # a value released as itself loses nothing
    path = np.zeros((tree.n_leaves, int(tree.depth.max()) + 2), np.int32)
    node = np.arange(tree.n_leaves, dtype=np.int32)
    # by depth, so that a kernel finds the child that leads to a leaf without climbing
    while (inside := node >= 0).any():
        leaves = np.flatnonzero(inside)
        path[leaves, tree.depth[node[leaves]]] = node[leaves]
        node = np.where(inside, tree.parent[node], -1)
    return tree.parent, tree.start, tree.stop, tree.depth, share, path
