"""Which generalizations a local recoding walks through, and in which order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.anonymize.clusters._group_loss import code_positions
from shoal.anonymize.clusters.prices._priced_kernels import number_words
from shoal.metrics._measure import label_loss
from shoal.schema._coding import Coding
from shoal.tables._frequency import group_keys
from shoal.tables._recoded import node_labels
from shoal.typing import Codes, Counts, Floats

MOST_NODES = 65_536  # of a lattice that is searched whole
_FEW_NODES = 24_000  # of one that is not: the cheapest, since more take time and change little
MOST_PARTS = 2**27  # half a gigabyte of numbers: cells, times halves of nodes
_MOST_LEVELS = 6  # of one column: the lattice grows with their product
WIDTHS = (0.0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.07, 0.1, 0.14, 0.2, 0.27, 0.35, 0.5, 1.0)


class Steps(NamedTuple):
    """Steps in the order of their average loss; the fields of a walk that no kernel changes.

    There are far fewer halves of nodes than nodes, so the parts are numbered at each half only.
    """

    first_part: Codes  # (n_first, n_cells): part of each cell at each first half of a node
    second_part: Codes
    n_second: Counts  # parts at each second half
    first: Codes  # halves of each step's node
    second: Codes
    width: Floats  # of each step, on the axis


@dataclass(frozen=True, eq=False)
class Ladder:
    """One column's levels, finest first: the node above each code, what it costs, the average."""

    nodes: list[Codes]
    costs: list[Floats]
    losses: list[float]


def make_ladder(
    coding: Coding, grown: Coding, is_range: bool, rows: Counts, weight: float = 1.0
) -> Ladder:
    """Levels of a column over the codes that occur; `rows` counts them.

    `coding` is what the column is released with, `grown` has the hierarchy whose levels are walked.
    """
    tree = grown.hierarchy
    assert tree is not None
    present = np.flatnonzero(rows)
    if is_range:  # the range below each node
        low, high, position = tree.start, tree.stop - 1, code_positions(coding)
        loss_of = np.abs(position[high] - position[low])
        if coding.missing >= 0:  # a missing value lies nowhere between the others
            loss_of[(high == coding.missing) & (low < high)] = 1.0
    else:
        loss_of = label_loss(node_labels(coding))
    ladder = Ladder([], [], [])
    seen: set[bytes] = set()
    few = np.linspace(0, tree.n_levels - 1, min(tree.n_levels, _MOST_LEVELS)).round().astype(int)
    for level in few.tolist():
        node = tree.levels[:, level]
        key = np.unique(node[present], return_inverse=True)[1].tobytes()
        if key in seen:  # another name for the same sets of rows, and no cheaper one
            continue
        seen.add(key)
        loss = loss_of[node]
        ladder.nodes.append(node.astype(np.int32))
        ladder.costs.append(weight * loss.astype(np.float64))
        ladder.losses.append(weight * float((loss * rows).sum() / max(1, rows.sum())))
    return ladder


def make_steps(keys: Codes, ladders: Sequence[Ladder], axis: int, stage: int) -> Steps:
    """Steps over all columns but the `axis` (-1: none), levels below `stage` left out.

    Where there are more than fits, the cheapest are taken; later stages then begin higher up.
    """
    columns = sorted(
        (column for column in range(len(ladders)) if column != axis),
        key=lambda column: -len(ladders[column].losses),
    )
    lowest = [min(stage, len(ladders[column].losses) - 1) for column in columns]
    widths = np.array(WIDTHS if axis >= 0 else (1.0,))
    rising = [np.array(ladders[c].losses[low:]) for c, low in zip(columns, lowest, strict=True)]
    first, second = halves([len(ladders[column].losses) for column in columns])
    nodes, losses = cheapest_that_fit(rising, (first, second), len(widths), len(keys))
    nodes = nodes + np.array(lowest, np.int32)
    node_of = [[level[keys[:, column]] for level in ladders[column].nodes] for column in columns]
    first_part, _, first_of = number_parts(nodes, node_of, first, len(keys))
    second_part, n_second, second_of = number_parts(nodes, node_of, second, len(keys))
    extra = widths * (ladders[axis].losses[-1] if axis >= 0 else 0.0)
    order = np.argsort((losses[:, None] + extra[None, :]).ravel(), kind="stable")
    node, width = np.divmod(order, len(widths))
    return Steps(
        first_part,
        second_part,
        n_second,
        first_of[node],
        second_of[node],
        widths[width] + 1e-9 * (widths[width] < 1),  # rounding must not shut a value out
    )


def halves(n_levels: Sequence[int]) -> tuple[list[int], list[int]]:
    """Two sets of columns with about equally many nodes."""
    halves: tuple[list[int], list[int]] = ([], [])
    nodes = [1, 1]
    for column, n in enumerate(n_levels):
        side = int(nodes[0] > nodes[1])
        halves[side].append(column)
        nodes[side] *= n
    return halves


def number_parts(
    nodes: Codes, node_of: Sequence[Sequence[Codes]], half: list[int], n_cells: int
) -> tuple[Codes, Counts, Codes]:
    """Parts of the cells at every distinct half of a node, their number, each node's half.

    `node_of` has, for each column and level, the node of the hierarchy above each cell.
    """
    half_of, n_halves = group_keys(np.ascontiguousarray(nodes[:, half], np.int32))
    chosen = np.zeros((n_halves, len(half)), np.int32)
    chosen[half_of] = nodes[:, half]
    part_of = np.zeros((n_halves, n_cells), np.int32)
    n_parts = np.ones(n_halves, np.int64)
    room = [max(int(codes.max(initial=0)) for codes in node_of[column]) + 1 for column in half]
    for row, levels in enumerate(chosen if half else ()):
        codes = [node_of[column][level] for column, level in zip(half, levels, strict=True)]
        if math.prod(room) < 2**62:  # numbers of nodes side by side are one number
            words = np.zeros(n_cells, np.int64)
            for n, code in zip(room, codes, strict=True):
                words *= n
                words += code
            n_parts[row] = number_words(words, part_of[row])
        else:
            part_of[row], n_parts[row] = group_keys(np.column_stack(codes))
    return part_of, n_parts, half_of.astype(np.int32)


def thinned(ladders: Sequence[Ladder], limit: int) -> list[Ladder]:
    """Ladders with so many levels left out that the lattice has at most `limit` nodes.

    The level goes whose neighbours are nearest to each other; first and last levels stay.  Where
    there are too many columns for that, nothing is left out.
    """
    thin = [Ladder([*one.nodes], [*one.costs], [*one.losses]) for one in ladders]
    while math.prod(len(one.losses) for one in thin) > limit:
        gaps = [
            (one.losses[level + 1] - one.losses[level - 1], column, level)
            for column, one in enumerate(thin)
            for level in range(1, len(one.losses) - 1)
        ]
        if not gaps:
            return list(ladders)
        _, column, level = min(gaps)
        del thin[column].nodes[level], thin[column].costs[level], thin[column].losses[level]
    return thin


def cheapest_that_fit(
    losses: Sequence[Floats], both: tuple[list[int], list[int]], n_widths: int, n_cells: int
) -> tuple[Codes, Floats]:
    """The cheapest nodes, so few that the parts at both halves of all of them fit the memory.

    Each is looked at with `n_widths` windows.
    """
    whole = math.prod(map(len, losses)) <= MOST_NODES
    limit = max(1, (MOST_NODES if whole else _FEW_NODES) // n_widths)
    while True:
        nodes, total = cheapest_nodes(losses, limit)
        n_halves = sum(group_keys(np.ascontiguousarray(nodes[:, half]))[1] for half in both)
        if n_halves * n_cells <= MOST_PARTS or limit == 1:
            return nodes, total
        limit //= 2


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
