"""Solve a local recoding: blocks of cells, a walk through generalizations, then refinement."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.anonymize.clusters._group_kernels import Groups, make_groups, total_loss
from shoal.anonymize.clusters._group_loss import GroupColumns, code_places, loss_table, make_columns
from shoal.anonymize.clusters._local_plan import Ladder, make_ladder, make_steps
from shoal.anonymize.clusters._refine_kernels import (
    absorb_cells,
    dissolve_groups,
    move_cells,
    repair_groups,
    split_groups,
)
from shoal.anonymize.clusters._walk_kernels import (
    Walk,
    count_remaining,
    full_mask,
    mark_alive,
    walk_steps,
)
from shoal.privacy.compiled._compile import allowed_groups
from shoal.privacy.compiled._condition_kernels import CompiledModel
from shoal.schema._coding import Coding
from shoal.tables import FrequencyTable
from shoal.typing import Codes, Counts, Flags, Floats, Progress

BLOCK = 32_768
"""Cells that are solved together; larger tables are cut into blocks first."""

_CHUNK = 512  # steps between looks at the clock
_ROUNDS = 6
LEAST_GAIN_OF_A_ROUND = 1e-3  # a round that saves less of the loss is the last


@dataclass(frozen=True, eq=False)
class LocalProblem:
    """Columns and cells of one table, prepared for local recoding.

    Columns are put in the order of how much two random rows differ in them, so that searches
    through groups give up early; `columns` says which one each is in the schema's order.
    """

    keys: Codes
    rules: CompiledModel
    loss: GroupColumns
    codings: tuple[Coding, ...]
    ladders: tuple[Ladder, ...]
    spread: Floats
    columns: NDArray[np.int64]
    axis: int  # the range column on which windows slide, -1 without one
    place: Floats  # of each code of the axis

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return len(self.keys)


class HasLoss(Protocol):
    """What settling and refining groups need to know of a problem."""

    @property
    def loss(self) -> GroupColumns:
        """Loss of every column."""


def make_local_problem(
    cells: FrequencyTable,
    codings: Sequence[Coding],
    is_range: Flags,
    weights: Floats,
    rules: CompiledModel,
) -> LocalProblem:
    """Order the columns and build their losses and levels.

    `cells` has a hierarchy for every column; `codings` are what columns are released with.
    """
    rows = [
        np.bincount(cells.keys[:, at], weights=cells.sizes, minlength=coding.n_codes).astype(
            np.int64
        )
        for at, coding in enumerate(codings)
    ]
    spread = np.array(
        [_spread(c, bool(r), n) for c, r, n in zip(codings, is_range, rows, strict=True)]
    )
    order = np.argsort(-spread * weights, kind="stable")
    axis = next((place for place, at in enumerate(order) if is_range[at]), -1)
    ladders = []
    for at in order:
        tree = cells.codings[at].hierarchy
        assert tree is not None
        ladders.append(
            make_ladder(codings[at], tree, bool(is_range[at]), rows[at], float(weights[at]))
        )
    place = np.zeros(1)
    if axis >= 0:
        place = code_places(codings[order[axis]])
        if codings[order[axis]].missing >= 0:
            place[-1] = 3.0  # no window reaches from a value to a missing one
    return LocalProblem(
        np.ascontiguousarray(cells.keys[:, order]),
        rules,
        make_columns([codings[at] for at in order], is_range[order], weights[order]),
        tuple(codings[at] for at in order),
        tuple(ladders),
        (spread * weights)[order],
        order,
        axis,
        place,
    )


def _spread(coding: Coding, is_range: bool, rows: Counts) -> float:
    """Mean loss of a pair of random rows."""
    present = np.flatnonzero(rows)
    if coding.n_codes > 1_024:  # a sample of values is enough to order columns by
        present = present[:: max(1, len(present) // 512)]
    share = rows[present] / max(1, rows[present].sum())
    if coding.n_codes > 1_024 and is_range:
        place = code_places(coding)[present]
        table = np.abs(place[:, None] - place[None, :])
    elif coding.n_codes > 1_024:
        tree = coding.hierarchy
        assert tree is not None
        node = tree.lowest_common_ancestor(present[:, None], present[None, :])
        table = tree.n_leaves_below[node] / tree.n_leaves
    else:
        table = loss_table(coding, is_range)[np.ix_(present, present)]
    return float(share @ np.maximum(table, table.T) @ share)


def solve_blocks(
    problem: LocalProblem,
    blocks: Sequence[NDArray[np.int64]],
    *,
    refine: bool,
    deadline: float,
    progress: Progress,
) -> tuple[NDArray[np.int64], bool]:
    """Group the cells of each block by themselves.

    Returns each cell's group, and whether the time sufficed.
    """
    group_of = np.full(problem.n_cells, -1, np.int64)
    n_groups, in_time, done = 0, True, 0

    def solve(block: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], bool]:
        return solve_block(problem, block, refine=refine, deadline=deadline)

    with ThreadPoolExecutor(2) as pool:  # kernels let go of the interpreter
        for cells, groups, finished in pool.map(solve, blocks):
            group_of[cells] = groups + n_groups
            n_groups += int(groups.max(initial=-1)) + 1
            in_time &= finished
            done += len(cells)
            progress(done, problem.n_cells, "grouping")
    return group_of, in_time


def solve_block(
    problem: LocalProblem, block: NDArray[np.int64], *, refine: bool, deadline: float
) -> tuple[NDArray[np.int64], NDArray[np.int64], bool]:
    """Group the cells of one block: its cells, their groups, and whether the time sufficed."""
    axis = np.zeros(len(block))
    if problem.axis >= 0:
        axis = problem.place[problem.keys[block, problem.axis]]
        order = np.argsort(axis, kind="stable")
        block, axis = block[order], axis[order]
    keys = np.ascontiguousarray(problem.keys[block])
    rules = take_cells(problem.rules, block)
    group_of, n_groups, in_time = walk(problem, keys, rules, axis, deadline)
    if n_groups == 0:
        group_of[:], n_groups = 0, 1
    groups = make_groups(problem.loss, rules, keys, group_of, max(2 * n_groups, n_groups + 8))
    settle(problem, rules, groups)
    if refine:
        in_time &= refine_groups(problem, rules, groups, deadline)
    used = np.unique(groups.group_of)
    return block, np.searchsorted(used, groups.group_of), in_time


def walk(
    problem: LocalProblem, keys: Codes, rules: CompiledModel, axis: Floats, deadline: float
) -> tuple[NDArray[np.int64], int, bool]:
    """Release cells at the finest generalization at which they are allowed."""
    group_of = np.full(len(keys), -1, np.int64)
    n_groups = 0
    for stage in range(max(len(ladder.losses) for ladder in problem.ladders)):
        steps = make_steps(keys, problem.ladders, problem.axis, stage)
        n_first, n_second = len(steps.first_class), len(steps.second_class)
        words = (len(keys) + 63) // 64
        remembers = problem.axis >= 0 and n_first * n_second * words < 2**25
        state = Walk(
            axis,
            steps.first_class,
            steps.second_class,
            steps.n_second,
            steps.first,
            steps.second,
            steps.width,
            np.zeros((n_first, words), np.uint64),
            np.zeros((n_second, words), np.uint64),
            np.zeros((n_first * n_second if remembers else 0, words), np.uint64),
            np.zeros(n_first * n_second, np.int8),
            full_mask(group_of < 0),
            group_of,
        )
        marked = 2 * len(keys) + 1
        for begin in range(0, len(steps.first), _CHUNK):
            left = count_remaining(group_of)
            if left == 0:
                return group_of, n_groups, True
            if time.perf_counter() > deadline:
                return group_of, n_groups, False
            if left < 0.7 * marked:
                least = rules.minimum_size
                mark_alive(state.first_class, rules.sizes, group_of, least, state.first_alive)
                mark_alive(state.second_class, rules.sizes, group_of, least, state.second_alive)
                marked = left
            end = min(begin + _CHUNK, len(steps.first))
            n_groups = walk_steps(rules, state, begin, end, n_groups)
        if count_remaining(group_of) == 0:
            break
    return group_of, n_groups, True


def settle(problem: HasLoss, rules: CompiledModel, groups: Groups) -> None:
    """Find a group for cells that have none, and mend groups that are not allowed."""
    if absorb_cells(problem.loss, rules, groups):
        lonely = np.flatnonzero(groups.group_of < 0)
        empty = int(np.flatnonzero(groups.size == 0)[0])
        group_of = groups.group_of.copy()
        group_of[lonely] = empty
        mended = make_groups(problem.loss, rules, groups.keys, group_of, len(groups.size))
        for name in Groups._fields:
            getattr(groups, name)[...] = getattr(mended, name)
    repair_groups(problem.loss, rules, groups)


def refine_groups(problem: HasLoss, rules: CompiledModel, groups: Groups, deadline: float) -> bool:
    """Lower the loss until it hardly falls any more; returns whether the time sufficed."""
    before = total_loss(groups)
    for turn in range(_ROUNDS):
        # giving groups up is the dearest step and finds little after the first time
        for step in (dissolve_groups, move_cells) if turn == 0 else (move_cells,):
            if time.perf_counter() > deadline:
                return False
            step(problem.loss, rules, groups)
        used = np.flatnonzero(groups.size > 0)
        spare = int(used.max(initial=-1)) + 1
        split_groups(problem.loss, rules, groups, spare)
        after = total_loss(groups)
        if after > (1 - LEAST_GAIN_OF_A_ROUND) * before:
            break
        before = after
    return True


def cut_blocks(problem: LocalProblem, block: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Cut a block in two along the column that matters most, until no part is too large."""
    if len(block) <= BLOCK:
        return [block]
    sizes = problem.rules.sizes[block]
    for at in range(len(problem.codings)):
        if at == problem.axis:
            continue
        codes = problem.keys[block, at]
        rows = np.bincount(codes, weights=sizes)
        below = np.cumsum(rows) / rows.sum()
        point = int(np.argmin(np.abs(below[:-1] - 0.5))) if len(rows) > 1 else -1
        if point < 0 or not 0.02 < below[point] < 0.98:
            continue
        left = codes <= point
        parts = (block[left], block[~left])
        if all(_is_allowed(problem.rules, part) for part in parts):
            return [piece for part in parts for piece in cut_blocks(problem, part)]
    return [block]


def _is_allowed(rules: CompiledModel, block: NDArray[np.int64]) -> bool:
    group_of = np.full(len(rules.sizes), -1, np.int64)
    group_of[block] = 0
    return bool(allowed_groups(rules, group_of, 1)[0])


def take_cells(rules: CompiledModel, cells: NDArray[np.int64]) -> CompiledModel:
    """The same rules over some of the cells, in a new order."""
    lengths = np.diff(rules.start)[cells]
    start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    entry = np.repeat(rules.start[cells] - start[:-1], lengths) + np.arange(start[-1])
    return rules._replace(
        sizes=rules.sizes[cells], start=start, codes=rules.codes[entry], counts=rules.counts[entry]
    )
