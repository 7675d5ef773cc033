"""What groups are searched in: blocks of cells, columns and their levels as arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._resources import n_threads
from shoal.anonymize._anonymizer import ceilings_per_cell
from shoal.anonymize.bounds._unprotectable import thin_out
from shoal.anonymize.clusters._group_loss import (
    GroupColumns,
    code_positions,
    loss_table,
    make_columns,
)
from shoal.anonymize.clusters._priced_kernels import number_pairs
from shoal.metrics._measure import label_loss
from shoal.privacy import PrivacyModel
from shoal.privacy.compiled._compile import allowed_groups, compile_model
from shoal.privacy.compiled._condition_kernels import CompiledModel
from shoal.schema._coding import Coding
from shoal.tables import FrequencyTable
from shoal.tables._frequency import group_keys
from shoal.tables._recoded import node_labels
from shoal.typing import Codes, Counts, Flags, Floats, Progress

MOST_NODES = 65_536  # of a lattice that is searched whole
_FEW_NODES = 24_000  # of one that is not: the cheapest, since more take time and change little
MOST_PARTS = 2**27  # half a gigabyte of numbers: cells, times halves of nodes
_MOST_LEVELS = 6  # of one column: the lattice grows with their product
WORTH_A_THREAD = 200_000  # nodes times cells: about a millisecond
_BEYOND_ANY_WINDOW = 3.0  # positions lie between 0 and 1

Block = NDArray[np.int64]
"""Numbers of cells that are solved by themselves."""


@dataclass(frozen=True, eq=False)
class Ladder:
    """One column's levels, finest first: the node above each code, what it costs, the average."""

    nodes: list[Codes]
    costs: list[Floats]
    losses: list[float]


@dataclass(frozen=True, eq=False)
class LocalProblem:
    """Columns and cells of one table, prepared for local recoding.

    Columns are put in the order of how much two random rows differ in them, so that searches
    through groups give up early.
    """

    keys: Codes
    compiled: CompiledModel
    loss: GroupColumns
    ladders: tuple[Ladder, ...]
    codings: tuple[Coding, ...]  # what columns are released with
    order: NDArray[np.int64]  # where each column stands in the table
    by_alphabet: tuple[Coding, ...]  # as in the table, texts without a tree; () where it is all one
    is_range: Flags
    axis: int  # the range column on which windows slide, -1 without one
    position: Floats  # of each code of the axis, so that cells lie at ``position[keys[:, axis]]``

    def take(self, block: Block) -> LocalProblem:
        """The same problem over some of the cells, numbered as they are listed."""
        return replace(
            self,
            keys=np.ascontiguousarray(self.keys[block]),
            compiled=take_cells(self.compiled, block),
        )


def make_local_problem(
    cells: FrequencyTable,
    codings: Sequence[Coding],
    is_range: Flags,
    weights: Floats,
    compiled: CompiledModel,
    *,
    exact: bool = True,
    given: Sequence[Coding] | None = None,
) -> LocalProblem:
    """Order the columns and build their losses and levels.

    `cells` has a hierarchy for every column; `codings` are what columns are released with, ranges
    as they are (`exact`) or widened to public lines.  `given` are the columns before trees were
    built, unless all had one.
    """
    rows = [
        np.bincount(codes, weights=cells.sizes, minlength=coding.n_codes).astype(np.int64)
        for codes, coding in zip(cells.keys.T, codings, strict=True)
    ]
    spread = np.array(
        [_spread(*column) for column in zip(codings, is_range.tolist(), rows, strict=True)]
    )
    order = np.argsort(-spread * weights, kind="stable").tolist()
    axis = next((i for i, column in enumerate(order) if is_range[column]), -1)
    ladders = tuple(
        make_ladder(codings[c], cells.codings[c], bool(is_range[c]), rows[c], weights[c])
        for c in order
    )
    ordered = tuple(codings[column] for column in order)
    by_alphabet = tuple(
        own if one.hierarchy is not None or one.is_ordered else one
        for one, own in zip(given or codings, codings, strict=True)
    )
    # of two values a tree says the same as the alphabet
    differs = any(
        one is not own and one.n_codes > 2 for one, own in zip(by_alphabet, codings, strict=True)
    )
    # without an axis, whatever the last column holds lies at 0
    position = code_positions(ordered[axis]) if axis >= 0 else np.zeros(ordered[axis].n_codes)
    if axis >= 0 and ordered[axis].missing >= 0:  # no window reaches from a value to a missing one
        position[ordered[axis].missing] = _BEYOND_ANY_WINDOW
    return LocalProblem(
        np.ascontiguousarray(cells.keys[:, order]),
        compiled,
        make_columns(ordered, is_range[order], weights[order], exact=exact, by_band=not exact),
        ladders,
        ordered,
        np.array(order, np.int64),
        by_alphabet if differs else (),
        is_range[order],
        axis,
        position,
    )


def _spread(coding: Coding, is_range: bool, rows: Counts) -> float:
    """Mean loss of a pair of random rows."""
    present = np.flatnonzero(rows)
    if coding.n_codes > 1_024:  # a sample of values is enough to order columns by
        present = present[:: max(1, len(present) // 512)]
    share = rows[present] / max(1, rows[present].sum())
    if coding.n_codes <= 1_024:
        table = loss_table(coding, is_range)[np.ix_(present, present)]
    elif is_range:
        position = code_positions(coding)[present]
        table = np.abs(position[:, None] - position[None, :])
    else:
        tree = coding.hierarchy
        assert tree is not None
        node = tree.lowest_common_ancestor(present[:, None], present[None, :])
        table = tree.n_leaves_below[node] / tree.n_leaves
    return float(share @ np.maximum(table, table.T) @ share)


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


class Lattice(NamedTuple):
    """Nodes of a lattice of levels, and parts of the cells: those of one part look alike at a node.

    There are far fewer halves of nodes than nodes, so the parts are numbered at each half only.
    """

    levels: Codes  # (n_nodes, n_columns)
    losses: Floats  # of each node, on average
    first_part: Codes  # (n_first, n_cells): part of each cell at each first half of a node
    second_part: Codes
    n_second: Counts  # parts at each second half
    first: Codes  # halves of each node
    second: Codes


def make_lattice(
    ladders: Sequence[Ladder], keys: Codes, lowest: Sequence[int], n_widths: int = 1
) -> Lattice:
    """The lattice over some columns, levels below the `lowest` of each left out.

    Where there are more nodes than fit, the cheapest are taken; each is looked at with `n_widths`
    windows.
    """
    # two sets of columns with about equally many nodes
    halves: tuple[list[int], list[int]] = ([], [])
    n_nodes = [1, 1]
    for column, ladder in enumerate(ladders):
        side = int(n_nodes[0] > n_nodes[1])
        halves[side].append(column)
        n_nodes[side] *= len(ladder.losses)
    rising = [np.array(ladder.losses[low:]) for ladder, low in zip(ladders, lowest, strict=True)]
    levels, losses = cheapest_that_fit(rising, halves, n_widths, len(keys))
    levels = np.ascontiguousarray(levels + np.array(lowest, np.int32), np.int32)
    node_of = [
        [np.unique(level, return_inverse=True)[1].astype(np.int32)[codes] for level in ladder.nodes]
        for ladder, codes in zip(ladders, keys.T, strict=True)
    ]
    first_part, _, first = number_parts(levels, node_of, halves[0], len(keys))
    second_part, n_second, second = number_parts(levels, node_of, halves[1], len(keys))
    return Lattice(levels, losses, first_part, second_part, n_second, first, second)


def cheapest_that_fit(
    losses: Sequence[Floats], halves: tuple[list[int], list[int]], n_widths: int, n_cells: int
) -> tuple[Codes, Floats]:
    """The nodes with least loss, when columns' losses rise from 0 and add up, and those losses.

    They are so few that the parts at both halves of all of them fit the memory.
    """
    whole = math.prod(map(len, losses)) <= MOST_NODES
    limit = max(1, (MOST_NODES if whole else _FEW_NODES) // n_widths)
    while True:
        nodes, total = np.zeros((1, 0), np.int32), np.zeros(1)
        for column in losses:
            gain = column - column[0]
            level = np.tile(np.arange(len(gain), dtype=np.int32), len(nodes))
            nodes = np.column_stack([np.repeat(nodes, len(gain), axis=0), level])
            total = (total[:, None] + gain[None, :]).ravel()
            # a beginning can be completed at no cost: the cheapest nodes begin with these
            if len(total) > limit:
                kept = np.argsort(total, kind="stable")[:limit]
                nodes, total = nodes[kept], total[kept]
        n_halves = sum(group_keys(np.ascontiguousarray(nodes[:, half]))[1] for half in halves)
        if n_halves * n_cells <= MOST_PARTS or limit == 1:
            return nodes, total
        limit //= 2


def number_parts(
    nodes: Codes, node_of: Sequence[Sequence[Codes]], half: list[int], n_cells: int
) -> tuple[Codes, Counts, Codes]:
    """Parts of the cells at every distinct half of a node, their number, each node's half.

    `node_of` has, for each column and level, the number of the node above each cell.
    """
    half_of, n_halves = group_keys(np.ascontiguousarray(nodes[:, half], np.int32))
    chosen = np.zeros((n_halves, len(half)), np.int32)
    chosen[half_of] = nodes[:, half]
    part_of = np.zeros((n_halves, n_cells), np.int32)
    n_parts = np.ones(n_halves, np.int64)

    def number(rows: NDArray[np.int64]) -> None:
        """Number parts column by column; a half that begins like the last goes on from there."""
        begun, before = [(np.zeros(n_cells, np.int32), 1)], [-1] * len(half)
        for row in rows.tolist():
            levels = chosen[row].tolist()
            shared = next(j for j, level in enumerate(levels) if level != before[j])
            del begun[shared + 1 :]
            for j in range(shared, len(half)):
                finer = part_of[row] if j == len(half) - 1 else np.empty(n_cells, np.int32)
                codes = node_of[half[j]][levels[j]]
                n = number_pairs(*begun[j], codes, int(codes.max(initial=0)) + 1, finer)
                begun.append((finer, int(n)))
            n_parts[row], before = begun[-1][1], levels

    if half:
        sorted_rows = np.array_split(np.lexsort(chosen.T[::-1]), n_threads())
        in_threads(n_halves * n_cells, number, sorted_rows)
    return part_of, n_parts, half_of.astype(np.int32)


def in_threads(steps: int, work: Callable[..., None], *parts: Iterable[Any]) -> None:
    """Do all parts of some work, at the same time where that is worth it; they share nothing."""
    if steps < WORTH_A_THREAD:
        list(map(work, *parts))
        return
    with ThreadPoolExecutor(n_threads()) as pool:
        list(pool.map(work, *parts))


def thinned(ladders: Sequence[Ladder], limit: int) -> list[Ladder]:
    """Drop levels from the ladders until the lattice has at most `limit` nodes.

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


# -- blocks of cells that are solved by themselves ------------------------------------------------


class Parts(NamedTuple):
    """The table cut by its limits, without the rows that no grouping protects."""

    blocks: list[Block]  # cells that may share a group
    kept: Flags  # one per cell
    compiled: CompiledModel  # for the cells that are kept


def parts_within_limits(cells: FrequencyTable, privacy: PrivacyModel, *, thin: bool) -> Parts:
    """Cut the table by its limits; :mod:`~shoal.anonymize.bounds._unprotectable` says why.

    A part that is not allowed is left out; with `thin`, only as many of its cells as it takes.
    """
    block_of, n_blocks = np.zeros(cells.n_groups, np.int64), 1
    if any(coding.is_limited for coding in cells.codings):
        block_of, n_blocks = group_keys(ceilings_per_cell(cells))
    kept = np.ones(cells.n_groups, np.bool_)
    while True:
        compiled = compile_model(privacy, cells, kept=kept)
        fine = allowed_groups(compiled, np.where(kept, block_of, -1), n_blocks)
        failing = np.unique(block_of[kept & ~fine[block_of]])
        if not len(failing):
            break
        for block in failing:
            members = np.flatnonzero((block_of == block) & kept)
            lost = thin_out(cells, compiled, members) if thin else members
            kept[lost] = False
    blocks = [np.flatnonzero(kept & (block_of == block)) for block in range(n_blocks)]
    return Parts([block for block in blocks if len(block)], kept, compiled)


def solve_each(
    blocks: Sequence[Block],
    n_cells: int,
    solve: Callable[[Block], NDArray[np.int64]],
    progress: Progress,
    what: str,
) -> NDArray[np.int64]:
    """Group of each cell; `solve` numbers the groups of one block from 0.

    Blocks are solved at the same time, since kernels let go of the interpreter, and the largest
    first, so that no processor waits for it in the end; groups are numbered block by block, so the
    result does not depend on which block is ready first.
    """
    group_of = np.full(n_cells, -1, np.int64)
    n_groups = done = 0
    sizes = np.array(list(map(len, blocks)), np.int64)
    block_of: dict[Future[NDArray[np.int64]], int] = {}
    with ThreadPoolExecutor(n_threads()) as pool:
        for n in np.argsort(-sizes, kind="stable").tolist():
            block_of[pool.submit(solve, blocks[n])] = n
        for future in as_completed(block_of):
            group_of[blocks[block_of[future]]] = future.result()
            done += int(sizes[block_of[future]])
            progress(done, int(sizes.sum()), what)
    for block in blocks:
        n_own = int(group_of[block].max(initial=-1)) + 1
        group_of[block] += n_groups
        n_groups += n_own
    return group_of


def is_allowed(compiled: CompiledModel, block: Block) -> bool:
    """Whether the cells of a block may be one group."""
    group_of = np.full(len(compiled.sizes), -1, np.int64)
    group_of[block] = 0
    return bool(allowed_groups(compiled, group_of, 1)[0])


def take_cells(compiled: CompiledModel, block: Block) -> CompiledModel:
    """The same model over the cells of a block, numbered as they are listed."""
    lengths = np.diff(compiled.start)[block]
    start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    entry = np.repeat(compiled.start[block] - start[:-1], lengths) + np.arange(start[-1])
    return compiled._replace(
        sizes=compiled.sizes[block],
        start=start,
        codes=compiled.codes[entry],
        counts=compiled.counts[entry],
    )
