"""Solve a local recoding: a walk through generalizations, then refinement, block by block."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.anonymize.clusters._blocks import Block, is_allowed, solve_each, take_cells
from shoal.anonymize.clusters._group_loss import (
    GroupColumns,
    code_positions,
    loss_table,
    make_columns,
)
from shoal.anonymize.clusters._improve import improve
from shoal.anonymize.clusters._local_plan import Ladder, Steps, make_ladder, make_steps
from shoal.anonymize.clusters._walk_kernels import Walk, full_mask, mark_alive, walk_steps
from shoal.privacy.compiled._condition_kernels import CompiledModel
from shoal.schema._coding import Coding
from shoal.tables import FrequencyTable
from shoal.typing import Codes, Counts, Flags, Floats, Progress

BLOCK = 32_768
"""Cells that are solved together; larger tables are cut into blocks first."""

_STEPS_PER_LOOK = 512  # at the clock, and at how many cells are left
_MOST_ALIVE_WORDS = 2**25  # 256 MB of marks of living cells
_BEYOND_ANY_WINDOW = 3.0  # positions lie between 0 and 1


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
    axis: int  # the range column on which windows slide, -1 without one
    position: Floats  # of each code of the axis


def make_local_problem(
    cells: FrequencyTable,
    codings: Sequence[Coding],
    is_range: Flags,
    weights: Floats,
    compiled: CompiledModel,
) -> LocalProblem:
    """Order the columns and build their losses and levels.

    `cells` has a hierarchy for every column; `codings` are what columns are released with.
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
    return LocalProblem(
        np.ascontiguousarray(cells.keys[:, order]),
        compiled,
        make_columns([codings[column] for column in order], is_range[order], weights[order]),
        ladders,
        axis,
        _axis_positions(codings[order[axis]]) if axis >= 0 else np.zeros(1),
    )


def _axis_positions(coding: Coding) -> Floats:
    position = code_positions(coding)
    if coding.missing >= 0:  # no window reaches from a value to a missing one
        position[coding.missing] = _BEYOND_ANY_WINDOW
    return position


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


def solve_blocks(
    problem: LocalProblem,
    blocks: Sequence[Block],
    *,
    refine: bool,
    deadline: float,
    progress: Progress,
) -> tuple[NDArray[np.int64], bool]:
    """Group the cells of each block by themselves.

    Returns each cell's group, and whether the time sufficed.
    """
    in_time: list[bool] = []

    def solve(block: Block) -> NDArray[np.int64]:
        group_of, finished = solve_block(problem, block, refine=refine, deadline=deadline)
        in_time.append(finished)
        return group_of

    group_of = solve_each(blocks, len(problem.keys), solve, progress, "grouping")
    return group_of, all(in_time)


def solve_block(
    problem: LocalProblem, block: Block, *, refine: bool, deadline: float
) -> tuple[NDArray[np.int64], bool]:
    """Groups of the cells of one block, and whether the time sufficed."""
    axis = np.zeros(len(block))
    if problem.axis >= 0:
        axis = problem.position[problem.keys[block, problem.axis]]
    order = np.argsort(axis, kind="stable")  # windows slide over cells in the order of the axis
    keys = np.ascontiguousarray(problem.keys[block[order]])
    compiled = take_cells(problem.compiled, block[order])
    walked, walk_in_time = walk(problem, keys, compiled, axis[order], deadline)
    improved, in_time = improve(
        problem.loss, compiled, keys, walked, refine=refine, deadline=deadline
    )
    group_of = np.empty_like(improved)
    group_of[order] = improved
    return group_of, walk_in_time and in_time


def walk(
    problem: LocalProblem, keys: Codes, compiled: CompiledModel, axis: Floats, deadline: float
) -> tuple[NDArray[np.int64], bool]:
    """Release cells at the finest generalization at which they are allowed.

    Returns each cell's group, -1 without one, and whether the time sufficed.
    """
    group_of = np.full(len(keys), -1, np.int64)
    n_groups = 0
    for stage in range(max(len(ladder.losses) for ladder in problem.ladders)):
        if not (group_of < 0).any():
            break
        steps = make_steps(keys, problem.ladders, problem.axis, stage)
        state = _start(steps, axis, group_of, keep_alive=problem.axis >= 0)
        marked = 2 * len(keys) + 1
        for begin in range(0, len(steps.first), _STEPS_PER_LOOK):
            n_left = int((group_of < 0).sum())
            if n_left == 0:
                return group_of, True
            if time.perf_counter() > deadline:
                return group_of, False
            if n_left < 0.7 * marked:  # marking costs as much as many steps: only when it pays
                least = compiled.minimum_size
                mark_alive(steps.first_part, compiled.sizes, group_of, least, state.first_alive)
                mark_alive(steps.second_part, compiled.sizes, group_of, least, state.second_alive)
                marked = n_left
            end = min(begin + _STEPS_PER_LOOK, len(steps.first))
            n_groups = walk_steps(compiled, state, begin, end, n_groups)
    return group_of, True


def _start(steps: Steps, axis: Floats, group_of: NDArray[np.int64], *, keep_alive: bool) -> Walk:
    """A walk before its first step; without an axis each node comes once, so no marks are kept."""
    n_first, n_second = len(steps.first_part), len(steps.second_part)
    n_words = (len(axis) + 63) // 64
    keep_alive = keep_alive and n_first * n_second * n_words < _MOST_ALIVE_WORDS
    return Walk(
        axis,
        *steps,
        np.zeros((n_first, n_words), np.uint64),
        np.zeros((n_second, n_words), np.uint64),
        np.zeros((n_first * n_second if keep_alive else 0, n_words), np.uint64),
        np.zeros(n_first * n_second, np.int8),
        full_mask(group_of < 0),
        group_of,
    )


def cut_blocks(problem: LocalProblem, block: Block) -> list[Block]:
    """Cut a block in two along the column that matters most, until no part is too large."""
    if len(block) <= BLOCK:
        return [block]
    sizes = problem.compiled.sizes[block]
    for column, codes in enumerate(problem.keys[block].T):
        if column == problem.axis:  # windows on it should not end at a cut
            continue
        rows = np.bincount(codes, weights=sizes)
        below = np.cumsum(rows) / rows.sum()
        point = int(np.argmin(np.abs(below[:-1] - 0.5))) if len(rows) > 1 else -1
        if point < 0 or not 0.02 < below[point] < 0.98:
            continue
        left = codes <= point
        parts = (block[left], block[~left])
        if all(is_allowed(problem.compiled, part) for part in parts):
            return [piece for part in parts for piece in cut_blocks(problem, part)]
    return [block]
