"""The levels of one column of a lattice, and what a row costs at each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.anonymize.cuts._cut_column import CutColumn
from shoal.anonymize.cuts._cut_problem import CutProblem
from shoal.metrics._measure import Measure, label_loss
from shoal.schema._coding import Coding
from shoal.tables._recoded import node_labels
from shoal.typing import Codes, Floats


def column_levels(column: CutColumn) -> list[Codes]:
    """Node of each leaf at each level that changes something for the values present."""
    present = np.unique(column.codes)
    levels: list[Codes] = []
    for nodes in _limited_levels(column.coding):
        if not levels or not np.array_equal(nodes[present], levels[-1][present]):
            levels.append(nodes)
    return levels


def code_losses(
    cut: CutProblem, levels: Sequence[Sequence[Codes]], metric: str
) -> list[list[Floats]]:
    """Loss of one row with each code, by column and level; between 0 and 1 on average."""
    losses = [
        [_level_loss(column, nodes, metric) for nodes in own]
        for column, own in zip(cut.columns, levels, strict=True)
    ]
    if metric != "entropy":
        return losses
    # bits become a share of what suppressing all rows would lose
    most = sum(
        float((column.rows_of_leaf * lost_bits(column, None)).sum()) for column in cut.columns
    )
    scale = cut.cells.n_rows * len(losses) / most if most > 0 else 0.0
    return [[loss * scale for loss in own] for own in losses]


def suppression_loss(cut: CutProblem, metric: str) -> Floats:
    """Loss of one suppressed row of each cell: as much as the metric can lose."""
    cells = cut.cells
    if metric != "entropy":
        return np.full(cells.n_groups, 1.0 / cells.n_rows)
    bits = [lost_bits(column, None)[column.codes] for column in cut.columns]
    most = sum(float((lost * cells.sizes).sum()) for lost in bits)
    return np.sum(bits, axis=0) / most if most > 0 else np.zeros(cells.n_groups)


def lost_bits(column: CutColumn, nodes: Codes | None) -> Floats:
    """Bits that a row with each leaf loses when released as its node, or not at all (None)."""
    rows = column.rows_of_leaf
    inside = column.sizes.sum() if nodes is None else column.rows_of_node[nodes]
    return np.log2(np.maximum(inside, 1) / np.maximum(rows, 1)) * (rows > 0)


def _level_loss(column: CutColumn, nodes: Codes, metric: str) -> Floats:
    if metric == "entropy":
        return lost_bits(column, nodes)
    if metric == "precision":
        return _level_shares(column.coding, nodes)
    measure: Measure = "ncp" if metric == "ncp" else "loss"
    return label_loss(node_labels(column.coding), measure)[nodes]


def _limited_levels(coding: Coding) -> list[Codes]:
    """Node of each leaf at each level, held back at its limit."""
    tree = coding.hierarchy
    assert tree is not None
    levels = []
    for level in range(tree.n_levels):
        node = tree.levels[:, level]
        beyond = tree.depth[node] < tree.depth[coding.ceiling]
        levels.append(np.where(beyond, coding.ceiling, node).astype(np.int32))
    return levels


def _level_shares(coding: Coding, nodes: Codes) -> Floats:
    """Share of the levels that each leaf is raised to become its node."""
    tree = coding.hierarchy
    assert tree is not None
    reached = tree.levels == nodes[:, None]
    share = np.argmax(reached, axis=1) / max(1, tree.n_levels - 1)
    share[nodes == tree.root] = 1.0  # a root reached early hides as much as at the last level
    share[node_labels(coding).is_raw[nodes]] = 0.0
    return share
