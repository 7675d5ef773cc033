"""Which generalizations a local recoding walks through, and in which order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.anonymize._group_loss import code_places, loss_table
from shoal.schema import Coding, Hierarchy
from shoal.tables import group_keys
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
    columns = [at for at in range(len(ladders)) if at != axis]
    levels = [range(min(stage, len(ladders[at].losses) - 1), len(ladders[at].losses)) for at in columns]
    columns_by_size = sorted(range(len(columns)), key=lambda at: -len(levels[at]))
    widths = np.array(WIDTHS if axis >= 0 else (1.0,))
    nodes, losses = cheapest_nodes(
        [np.array([ladders[columns[at]].losses[x] for x in levels[at]]) for at in columns_by_size],
        max(1, MOST_STEPS // len(widths)),
    )
    halves: tuple[list[int], list[int]] = ([], [])
    size = [1.0, 1.0]
    for at in range(len(columns_by_size)):
        side = int(size[0] > size[1])
        halves[side].append(at)
        size[side] *= len(levels[columns_by_size[at]])
    found = []
    for half in halves:
        number, n = group_keys(np.ascontiguousarray(nodes[:, half], np.int32))
        classes = np.empty((n, len(keys)), np.int32)
        n_classes = np.empty(n, np.int64)
        chosen = np.zeros(n, np.int64)
        chosen[number[::-1]] = np.arange(len(nodes))[::-1]
        for row, node in enumerate(nodes[chosen]):
            codes = [
                ladders[columns[columns_by_size[at]]].classes[
                    levels[columns_by_size[at]][node[at]]
                ][keys[:, columns[columns_by_size[at]]]]
                for at in half
            ]
            joined = np.column_stack(codes) if codes else np.zeros((len(keys), 0), np.int32)
            classes[row], n_classes[row] = group_keys(joined.astype(np.int32))
        found.append((classes, n_classes, number))
    extra = widths * (ladders[axis].losses[-1] if axis >= 0 else 0.0)
    cost = losses[:, None] + extra[None, :]
    order = np.argsort(cost.ravel(), kind="stable")
    node, width = np.divmod(order, len(widths))
    (first_class, _, first), (second_class, n_second, second) = found
    return Steps(
        first_class,
        second_class,
        n_second,
        first[node].astype(np.int32),
        second[node].astype(np.int32),
        widths[width] + 1e-9 * (widths[width] < 1),
    )


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
