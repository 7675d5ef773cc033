"""From a first grouping to the one that is released: complete, allowed, and improved."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
from numpy.typing import NDArray

from shoal._resources import n_threads
from shoal.anonymize.clusters._blocks import Block, take_cells
from shoal.anonymize.clusters._group_kernels import Groups, make_groups, total_loss
from shoal.anonymize.clusters._group_loss import GroupColumns
from shoal.anonymize.clusters._group_recoding import GroupRecoding
from shoal.anonymize.clusters._local_problem import LocalProblem
from shoal.anonymize.clusters._rebuild_kernels import rebuild_groups
from shoal.anonymize.clusters._refine_kernels import (
    absorb_cells,
    dissolve_groups,
    move_cells,
    repair_groups,
    split_groups,
)
from shoal.privacy.compiled._compile import allowed_groups
from shoal.privacy.compiled._condition_kernels import CompiledModel, group_members
from shoal.typing import Codes, Progress

_ROUNDS = 6
MOST_ROUNDS, _ROUNDS_OF_A_CELL = 8, 36_000
_GROUPS_PER_PART = 1_024
_FEW_COLUMNS = 25  # with more, parts are smaller: each takes seconds, and the clock is looked at
_LEAST_PARTS, _FEW_GROUPS = 2, 32  # so that two threads have work, unless there is hardly any
_NEIGHBOURS = (3, 4, 3, 5)  # groups that are built anew together, round by round
TRIES = 3
"""Seeds from which the same neighbours are built anew."""
_STEPS_PER_CELL = 1_500
LEAST_GAIN_OF_A_ROUND = 1e-3  # a round that saves less of the loss is the last
_LONG_ROUNDS, _LONG_TRIES, _LONG_LEAST_GAIN = 60, 8, 1e-4  # where a long search is asked for


def improve(
    columns: GroupColumns,
    compiled: CompiledModel,
    keys: Codes,
    group_of: NDArray[np.int64],
    *,
    refine: bool,
    deadline: float = np.inf,
) -> tuple[NDArray[np.int64], bool]:
    """Each cell's group in the end, numbered from 0, and whether the time sufficed.

    `group_of` is the first grouping, -1 for cells that it left out; all cells together are
    allowed, or nothing can be done.
    """
    n_groups = int(group_of.max(initial=-1)) + 1
    if n_groups == 0:
        group_of, n_groups = np.zeros_like(group_of), 1
    room = max(2 * n_groups, n_groups + 8)  # splitting makes new groups
    groups = settle(make_groups(columns, compiled, keys, group_of, room))
    in_time = refine_groups(groups, deadline) if refine else True
    used = np.unique(groups.group_of)
    return np.searchsorted(used, groups.group_of), in_time


def settle(groups: Groups) -> Groups:
    """Find a group for cells that have none, and mend groups that are not allowed."""
    if absorb_cells(groups):
        # no group may take these cells one by one, but together they may be a group or mend one
        empty = int(np.flatnonzero(groups.size == 0)[0])
        group_of = np.where(groups.group_of < 0, empty, groups.group_of)
        groups = make_groups(
            groups.columns, groups.compiled, groups.keys, group_of, len(groups.size)
        )
    repair_groups(groups)
    return groups


def join_until_allowed(
    columns: GroupColumns,
    compiled: CompiledModel,
    blocks: Sequence[Block],
    group_of: NDArray[np.int64],
    recode: Callable[[NDArray[np.int64]], GroupRecoding],
) -> GroupRecoding:
    """The recoding of a grouping, with groups joined until all that are released are allowed.

    Groups with equal labels are released as one, and a model that merging can break may not allow
    that one.  Joined groups have wider labels, which may equal others again.
    """
    recoding = recode(group_of)
    while not (fine := allowed_groups(compiled, recoding.group_of, len(recoding.low))).all():
        bad = (recoding.group_of >= 0) & ~fine[recoding.group_of]
        group_of = recoding.group_of.copy()
        for block in blocks:
            if bad[block].any():
                mended = _repaired(
                    columns, take_cells(compiled, block), recoding.keys[block], group_of[block]
                )
                group_of[block] = mended + group_of.max() + 1
        kept = group_of >= 0
        group_of[kept] = np.unique(group_of[kept], return_inverse=True)[1]
        joined = recode(group_of)
        if len(joined.low) >= len(recoding.low):
            break  # nothing is left to join
        recoding = joined
    return recoding


def _repaired(
    columns: GroupColumns, compiled: CompiledModel, keys: Codes, group_of: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Groups of a block's cells after those that are not allowed were joined with others."""
    number = np.unique(group_of, return_inverse=True)[1]
    room = int(number.max()) + 8
    groups = make_groups(columns, compiled, np.ascontiguousarray(keys), number, room)
    repair_groups(groups)
    return groups.group_of


def refine_groups(groups: Groups, deadline: float) -> bool:
    """Lower the loss until it hardly falls any more; returns whether the time sufficed."""
    before = total_loss(groups)
    for turn in range(_ROUNDS):
        if time.perf_counter() > deadline:
            return False
        refine_once(groups, turn)
        after = total_loss(groups)
        if after > (1 - LEAST_GAIN_OF_A_ROUND) * before:
            break
        before = after
    return True


def refine_once(groups: Groups, turn: int, deadline: float = np.inf, *, tries: int = TRIES) -> None:
    """One round: move cells, split groups, and build neighbouring ones anew.

    Between any two of these steps every group is allowed, so the time may be up there.
    """
    budget = _STEPS_PER_CELL * len(groups.keys)
    steps: list[Callable[[], object]] = [
        lambda: move_cells(groups),
        lambda: split_groups(groups, int(np.flatnonzero(groups.size > 0).max(initial=-1)) + 1),
        lambda: rebuild_groups(
            groups, _NEIGHBOURS[turn % len(_NEIGHBOURS)], tries, budget, turn + 1
        ),
    ]
    if turn == 0:  # giving groups up is dear and finds little after the first time
        steps.insert(0, lambda: dissolve_groups(groups))
    for step in steps:
        if time.perf_counter() > deadline:
            return
        step()


def refine_in_parts(
    problem: LocalProblem,
    group_of: NDArray[np.int64],
    deadline: float,
    progress: Progress | None = None,
    *,
    begin: int = 0,
    end: int | None = None,
    tries: int = TRIES,
    long: bool = False,
) -> tuple[NDArray[np.int64], bool]:
    """Refine groups in parts that lie together, at the same time, and cut differently every round.

    How the groups are cut does not depend on how many threads there are.  Rounds from `begin` to
    before `end` are done, all that are worth their time unless given; neighbours are built anew
    from `tries` seeds.  With `long`, rounds go on as long as they gain anything to speak of.
    """
    most = float(problem.compiled.sizes.sum() * problem.loss.weight.sum())
    n_rounds = part_rounds(problem) if end is None else end
    least_gain = LEAST_GAIN_OF_A_ROUND
    if long:
        n_rounds, tries, least_gain = _LONG_ROUNDS, _LONG_TRIES, _LONG_LEAST_GAIN
    with ThreadPoolExecutor(n_threads()) as pool:
        before = np.inf
        for turn in range(begin, n_rounds):
            parts = cut_groups(problem, group_of, turn)
            if time.perf_counter() > deadline:
                return group_of, False
            refine = partial(
                _refine_part, problem, group_of, turn=turn, deadline=deadline, tries=tries
            )
            done = list(pool.map(refine, parts))
            after, n_groups = 0.0, 0
            refined = np.empty_like(group_of)
            for part, (own, loss) in zip(parts, done, strict=True):
                refined[part] = own + n_groups
                n_groups += int(own.max()) + 1
                after += loss
            group_of = refined
            if progress is not None and most > 0:
                progress(turn + 1, n_rounds, f"improving groups, {after / most:.1%} lost so far")
            if time.perf_counter() > deadline:
                return group_of, False
            if after > (1 - least_gain) * before:
                break
            before = after
    return group_of, True


def part_rounds(problem: LocalProblem) -> int:
    """Rounds that are worth their time: more on small tables, and where groups are large."""
    wanted = _ROUNDS_OF_A_CELL * max(1, problem.compiled.minimum_size) ** 0.5 / len(problem.keys)
    return int(min(MOST_ROUNDS, max(1, wanted)))


def _refine_part(
    problem: LocalProblem,
    group_of: NDArray[np.int64],
    part: Block,
    *,
    turn: int,
    deadline: float,
    tries: int,
) -> tuple[NDArray[np.int64], float]:
    """Groups of some cells after a round, numbered from 0, and their loss."""
    number = np.unique(group_of[part], return_inverse=True)[1]
    n_groups = int(number.max()) + 1
    compiled, keys = take_cells(problem.compiled, part), np.ascontiguousarray(problem.keys[part])
    groups = make_groups(problem.loss, compiled, keys, number, max(2 * n_groups, n_groups + 8))
    refine_once(groups, turn, deadline, tries=tries)
    return np.unique(groups.group_of, return_inverse=True)[1], total_loss(groups)


def cut_groups(
    problem: LocalProblem, group_of: NDArray[np.int64], turn: int, most: int = _GROUPS_PER_PART
) -> list[Block]:
    """Cells in parts of whole groups, cut at the median of one column after the other."""
    n_groups = int(group_of.max()) + 1
    first, members = group_members(group_of, n_groups)
    heads = problem.keys[members[first[:-1]]]  # one cell of each group says where it lies
    parts = [np.arange(n_groups)]
    column = turn
    n_columns = heads.shape[1]
    largest = most * _FEW_COLUMNS // max(n_columns, _FEW_COLUMNS)
    while max(map(len, parts)) > largest or (
        len(parts) < _LEAST_PARTS and n_groups >= _LEAST_PARTS * _FEW_GROUPS
    ):
        halves = []
        for part in parts:
            order = part[np.argsort(heads[part, column % n_columns], kind="stable")]
            halves += [order[: len(order) // 2], order[len(order) // 2 :]]
        parts = [half for half in halves if len(half)]
        column += 1
    part_of = np.empty(n_groups, np.int64)
    for number, part in enumerate(parts):
        part_of[part] = number
    _, cells = group_members(part_of[group_of], len(parts))
    sizes = np.bincount(part_of[group_of], minlength=len(parts))
    return np.split(cells, np.cumsum(sizes)[:-1])
