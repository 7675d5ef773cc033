"""Which generalizations a local recoding walks through, and in which order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.anonymize.clusters._group_loss import code_places, loss_table
from shoal.schema import Hierarchy
from shoal.schema._coding import Coding
from shoal.tables._frequency import group_keys
from shoal.typing import Codes, Counts, Floats

MOST_STEPS = 24_000
_MOST_LEVELS = 6
WIDTHS = (0.0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.07, 0.1, 0.14, 0.2, 0.27, 0.35, 0.5, 1.0)


@dataclass(frozen=True, eq=False)
class Steps:
    """Steps in the order of their average loss.

    Parameters
    ----------
    first_class, second_class : ndarray of int32, shape (n_halves, n_cells)
        Class of each cell at each half of a node.
    n_second : ndarray of int64
        Classes at each second half.
    first, second : ndarray of int32
        Halves of each step's node.
    width : ndarray of float
        Width of each step on the axis.
    """

    first_class: Codes
    second_class: Codes
    n_second: Counts
    first: Codes
    second: Codes
    width: Floats


@dataclass(frozen=True, eq=False)
class Ladder:
    """One column's levels: the class of each code, and the average loss, finest first."""

    classes: list[Codes]
    losses: list[float]


def make_ladder(
    coding: Coding, tree: Hierarchy, is_range: bool, rows: Counts, weight: float = 1.0
) -> Ladder:
    """Levels of a column over the codes that occur; `rows` counts them.

    `coding` is what the column is released with, `tree` the hierarchy whose levels are walked.
    """
    present = np.flatnonzero(rows)
    table = loss_table(coding, is_range) if coding.n_codes <= 2_048 else None
    ladder = Ladder([], [])
    seen: set[bytes] = set()
    for level in _few(tree.n_levels):
        node = tree.levels[:, level]
        key = node[present].tobytes()
        if key in seen:
            continue
        seen.add(key)
        low, high = tree.start[node], tree.stop[node] - 1
        if table is not None:
            loss = table[low, high]
        else:
            place = code_places(coding)
            loss = np.where(low == high, 0.0, place[high] - place[low] if is_range else 1.0)
        ladder.classes.append(node.astype(np.int32))
        ladder.losses.append(weight * float((loss * rows).sum() / max(1, rows.sum())))
    return ladder


def _few(n_levels: int) -> list[int]:
    if n_levels <= _MOST_LEVELS:
        return list(range(n_levels))
    return np.unique(np.linspace(0, n_levels - 1, _MOST_LEVELS).round().astype(int)).tolist()


def make_steps(keys: Codes, ladders: Sequence[Ladder], axis: int, stage: int) -> Steps:
    """Steps over all columns but the `axis` (-1: none), levels below `stage` left out.

    Where there are more than fits, the cheapest are taken; later stages then begin higher up.
    """
    columns = sorted(
        (at for at in range(len(ladders)) if at != axis), key=lambda at: -len(ladders[at].losses)
    )
    lowest = [min(stage, len(ladders[at].losses) - 1) for at in columns]
    widths = np.array(WIDTHS if axis >= 0 else (1.0,))
    nodes, losses = cheapest_nodes(
        [np.array(ladders[at].losses[low:]) for at, low in zip(columns, lowest, strict=True)],
        max(1, MOST_STEPS // len(widths)),
    )
    nodes = nodes + np.array(lowest, np.int32)
    classes = [
        [ladders[at].classes[level][keys[:, at]] for level in range(len(ladders[at].classes))]
        for at in columns
    ]
    first, second = _halves([len(of_column) for of_column in classes])
    first_class, _, first_of = _number_classes(nodes, classes, first, len(keys))
    second_class, n_second, second_of = _number_classes(nodes, classes, second, len(keys))
    extra = widths * (ladders[axis].losses[-1] if axis >= 0 else 0.0)
    order = np.argsort((losses[:, None] + extra[None, :]).ravel(), kind="stable")
    node, width = np.divmod(order, len(widths))
    return Steps(
        first_class,
        second_class,
        n_second,
        first_of[node],
        second_of[node],
        widths[width] + 1e-9 * (widths[width] < 1),
    )


def _halves(n_levels: Sequence[int]) -> tuple[list[int], list[int]]:
    """Two sets of columns with about equally many nodes."""
    halves: tuple[list[int], list[int]] = ([], [])
    nodes = [1, 1]
    for at, n in enumerate(n_levels):
        side = int(nodes[0] > nodes[1])
        halves[side].append(at)
        nodes[side] *= n
    return halves


def _number_classes(
    nodes: Codes, classes: Sequence[Sequence[Codes]], half: list[int], n_cells: int
) -> tuple[Codes, Counts, Codes]:
    """Classes of the cells at every distinct half node, their number, each node's half."""
    half_of, n_halves = group_keys(np.ascontiguousarray(nodes[:, half], np.int32))
    chosen = np.zeros((n_halves, len(half)), np.int32)
    chosen[half_of] = nodes[:, half]
    found = np.zeros((n_halves, n_cells), np.int32)
    n_classes = np.ones(n_halves, np.int64)
    for row, levels in enumerate(chosen if half else ()):
        codes = [classes[at][level] for at, level in zip(half, levels, strict=True)]
        found[row], n_classes[row] = group_keys(np.column_stack(codes))
    return found, n_classes, half_of.astype(np.int32)


def cheapest_nodes(losses: Sequence[Floats], limit: int) -> tuple[Codes, Floats]:
    """The `limit` nodes of a lattice with least loss, when columns' losses rise from 0 and add up.

    Column by column, only the `limit` cheapest beginnings are kept: a beginning can be completed
    at no cost, so those of the cheapest nodes are among them.
    """
    nodes = np.zeros((1, 0), np.int32)
    total = np.zeros(1)
    for column in losses:
        gain = column - column[0]
        level = np.tile(np.arange(len(gain), dtype=np.int32), len(nodes))
        nodes = np.column_stack([np.repeat(nodes, len(gain), axis=0), level])
        total = (total[:, None] + gain[None, :]).ravel()
        if len(total) > limit:
            kept = np.argsort(total, kind="stable")[:limit]
            nodes, total = nodes[kept], total[kept]
    return nodes, total
