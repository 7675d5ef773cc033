"""What it costs to release a set of codes of one column under one label, ready for kernels.

Codes of a tree's leaves follow a walk through the tree, so the lowest common ancestor of a set of
leaves is that of its least and its largest code.  A group of cells is therefore described by two
codes per column, whether the column is released as nodes of a tree or as ranges of values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.metrics._measure import Measure, label_loss
from shoal.schema._coding import Coding
from shoal.tables._recoded import node_labels, public_range_labels
from shoal.typing import Codes, Flags, Floats

_TABLE_LIMIT = 1024  # 8 MB of look-up table; columns with more codes compute their loss
LINES_LIMIT = 128
"""Values of a column up to which it is known what its ranges lose once they are widened to lines.

A label is written for every pair of them."""
_KEPT = "_lines_table"


class GroupColumns(NamedTuple):
    """Loss of every column, as arrays.

    A column either has its losses in `table` (``table[first + low * n_codes + high]``), or, with
    ``first`` below 0, computes them from the positions of its codes or by climbing its tree.
    """

    n_codes: NDArray[np.int64]
    first: NDArray[np.int64]
    table: Floats
    is_range: Flags
    missing: NDArray[np.int64]
    weight: Floats
    start: NDArray[np.int64]  # where a computed column's part of the next arrays begins
    position: Floats  # of a code, in units of loss, where a range begins with it (ranges)
    parent: NDArray[np.int64]  # of a node (trees)
    stop: NDArray[np.int64]
    loss: Floats  # of a node; for ranges, the position of a code where a range ends with it


def is_range_column(coding: Coding) -> bool:
    """Whether runs of codes are runs of values, so that a range says more than a node."""
    numbers = coding.numbers[: coding.n_codes - (coding.missing >= 0)]
    if not coding.is_ordered or np.isnan(numbers).any():
        return False
    return bool((np.diff(numbers) > 0).all())


def make_columns(
    codings: Sequence[Coding],
    is_range: Flags,
    weights: Floats,
    measure: Measure = "loss",
    *,
    exact: bool = True,
    by_band: bool = False,
) -> GroupColumns:
    """Prepare the losses of all columns; those of trees need a hierarchy.

    A node costs what :func:`shoal.metrics._measure.label_loss` says, times the column's weight.  A
    range costs its width; with `exact` false, that of the range between public lines, unless the
    column has so many values that looking all of them up would take long.  With `by_band`, ranges
    of such columns cost all of the bands that they begin and end in: what nearly every one of them
    is released as, but no bound.
    """
    first: list[int] = []
    start: list[int] = []
    table: list[Floats] = []
    computed: tuple[list[Any], ...] = ([], [], [], [])
    filled = made = 0
    for coding, ranges, weight in zip(codings, is_range, weights, strict=True):
        if coding.n_codes <= _TABLE_LIMIT:
            first.append(filled)
            start.append(0)
            as_is = exact or coding.n_codes > LINES_LIMIT
            if as_is and by_band and ranges and coding.bands is not None:
                own = _banded_table(coding)
            else:
                own = loss_table(coding, bool(ranges), measure, exact=as_is)
            table.append(own.ravel() * weight)
            filled += coding.n_codes**2
            continue
        first.append(-1)
        start.append(made)
        arrays = _range_arrays(coding, by_band) if ranges else _tree_arrays(coding, measure)
        for into, part in zip(computed, arrays, strict=True):
            into.append(part)
        made += len(arrays[0])
    position, parent, stop, loss = computed
    return GroupColumns(
        np.array([coding.n_codes for coding in codings], np.int64),
        np.array(first, np.int64),
        np.concatenate([np.empty(0), *table]),
        np.asarray(is_range, np.bool_),
        np.array([coding.missing for coding in codings], np.int64),
        np.asarray(weights, np.float64),
        np.array(start, np.int64),
        np.concatenate([np.empty(0), *position]),
        np.concatenate([np.empty(0, np.int64), *parent]),
        np.concatenate([np.empty(0, np.int64), *stop]),
        np.concatenate([np.empty(0), *loss]),
    )


def loss_table(
    coding: Coding, is_range: bool, measure: Measure = "loss", *, exact: bool = True
) -> Floats:
    """Loss of the label for every pair of codes, the least and the largest of a group.

    With `exact` false, ranges are widened to public lines: that table is made once, and kept with
    the coding, since the search and the bound on what is lost ask for it.
    """
    kept = vars(coding)
    if is_range and not exact and _KEPT in kept:
        known: Floats = kept[_KEPT]
        return known
    if is_range and not exact:
        low, high = np.triu_indices(coding.n_codes)
        whole = (low == 0) & (high == coding.n_codes - 1) & (coding.n_codes > 1)
        labels, label = public_range_labels(
            coding, low.astype(np.int32), high.astype(np.int32), whole, all_is_star=True
        )
        table = np.zeros((coding.n_codes, coding.n_codes))
        table[low, high] = table[high, low] = label_loss(labels)[label]
        table.setflags(write=False)
        kept[_KEPT] = table
        return table
    codes = np.arange(coding.n_codes, dtype=np.int32)
    low, high = np.meshgrid(codes, codes, indexing="ij")
    if not is_range:
        tree = coding.hierarchy
        assert tree is not None
        return label_loss(node_labels(coding), measure)[tree.lowest_common_ancestor(low, high)]
    position = code_positions(coding)
    table = np.abs(position[high] - position[low])
    if coding.missing >= 0:  # a missing value lies nowhere between the others
        table[coding.missing, :] = table[:, coding.missing] = 1.0
        table[coding.missing, coding.missing] = 0.0
    return table


def code_positions(coding: Coding) -> Floats:
    """Where each code lies between 0 and 1: by rank with a hierarchy, by number without one."""
    n_values = coding.n_codes - (coding.missing >= 0)
    position = np.zeros(coding.n_codes)
    if coding.hierarchy is None and coding.kind in ("numeric", "date"):
        numbers = coding.numbers[:n_values]
        width = numbers[-1] - numbers[0] if n_values else 0.0
        position[:n_values] = (numbers - numbers[0]) / width if width > 0 else 0.0
    else:
        position[:n_values] = np.arange(n_values) / max(1, n_values - 1)
    return position


def _range_arrays(coding: Coding, by_band: bool) -> tuple[Floats, Codes, Codes, Floats]:
    n = coding.n_codes
    ends = _band_positions(coding) if by_band else (code_positions(coding),) * 2
    return ends[0], np.zeros(n, np.int32), np.zeros(n, np.int32), ends[1]


def _band_positions(coding: Coding) -> tuple[Floats, Floats]:
    """Where the band of each code begins and ends; the code itself where there are no bands."""
    position, tree = code_positions(coding), coding.hierarchy
    if coding.bands is None or tree is None:
        return position, position
    last = np.minimum(tree.stop[coding.bands], coding.n_values) - 1
    return position[tree.start[coding.bands]], position[np.maximum(last, 0)]


def _banded_table(coding: Coding) -> Floats:
    """Loss of ranges of one column, each as wide as its bands."""
    codes = np.arange(coding.n_codes)
    first, last = _band_positions(coding)
    table = np.maximum(last[None, :] - first[:, None], 0.0)
    table = np.triu(table, 1) + np.triu(table, 1).T
    if coding.missing >= 0:
        table[coding.missing, :] = table[:, coding.missing] = codes != coding.missing
    return table


def _tree_arrays(coding: Coding, measure: Measure) -> tuple[Floats, Codes, Codes, Floats]:
    tree = coding.hierarchy
    assert tree is not None
    return np.zeros(tree.n_nodes), tree.parent, tree.stop, label_loss(node_labels(coding), measure)


@kernel
def pair_loss(columns: GroupColumns, column: int, low: int, high: int) -> float:
    """Loss of one row whose group spans the codes from `low` to `high`."""
    first = columns.first[column]
    if first >= 0:
        return columns.table[first + low * columns.n_codes[column] + high]
    if low == high:
        return 0.0
    start = columns.start[column]
    if columns.is_range[column]:
        if high == columns.missing[column]:
            return columns.weight[column]
        width = columns.loss[start + high] - columns.position[start + low]
        return columns.weight[column] * width
    node = low  # a leaf; climb until the node covers the other end too
    while columns.stop[start + node] <= high:
        node = columns.parent[start + node]
    return columns.weight[column] * columns.loss[start + node]
