"""From a first grouping to the one that is released: complete, allowed, and improved."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._resources import n_threads
from shoal.anonymize.clusters._group_kernels import Groups
from shoal.anonymize.clusters._group_loss import GroupColumns
from shoal.anonymize.clusters._group_recoding import GroupRecoding
from shoal.anonymize.clusters._local_problem import Block, LocalProblem, take_cells
from shoal.anonymize.clusters._refine_kernels import (
    DISSOLVE,
    MOVE,
    REBUILD,
    open_groups,
    refine_step,
)
from shoal.privacy.compiled._compile import allowed_groups
from shoal.privacy.compiled._condition_kernels import CompiledModel
from shoal.typing import Codes, Progress

_ROUNDS = 6
MOST_ROUNDS, _ROUNDS_OF_A_CELL = 8, 36_000
_GROUPS_PER_PART = 1_024
_FEW_COLUMNS = 25  # with more, parts are smaller: each takes seconds, and the clock is looked at
_LEAST_PARTS, _HARDLY_ANY = 2, 32  # so that two threads have work, unless groups are hardly any
_NEIGHBOURS = (3, 4, 3, 5)  # groups that are built anew together, round by round
TRIES = 3
"""Seeds from which the same neighbours are built anew."""
_STEPS_PER_CELL = 1_500
LEAST_GAIN_OF_A_ROUND = 1e-3  # a round that saves less of the loss is the last
_LONG_ROUNDS, _LONG_TRIES, _LONG_LEAST_GAIN = 60, 8, 1e-4  # where a long search is asked for
_LARGE, _FEW_GROUPS = 50, 1_024  # rows of a group, and groups
_FEW_CELLS = 4_096  # of a table with small groups: rounds of other moves gain as much there
MOST_LOOKS, _LOOKS_OF_A_CELL, _LOOKS_OF_A_SMALL_CELL = 400_000_000, 8_000, 4_000


class Effort(NamedTuple):
    """How much work improving groups is worth, as estimated before the first step."""

    rounds: int  # more on small tables, and where groups are large
    looks: int  # at cells while boxes are exchanged; 0 where one group has room only, or it is late
    few_groups: bool  # whether there is room for few, large ones: boxes are exchanged first


def effort_of(problem: LocalProblem) -> Effort:
    """What is worth its time on these cells."""
    sizes, least = problem.compiled.sizes, max(1, problem.compiled.minimum_size)
    rounds = int(min(MOST_ROUNDS, max(1, _ROUNDS_OF_A_CELL * least**0.5 / len(sizes))))
    room, is_large = int(sizes.sum()) // least, least >= _LARGE
    # a cell without rows of its own would be left behind in a box that counts as empty, and of
    # so many cells that they have one round, half the time again would hardly gain
    is_exchanged = room >= 2 and sizes.min() >= 1 and rounds >= 2
    if not is_exchanged or not (is_large or len(sizes) > _FEW_CELLS):
        return Effort(rounds, 0, False)
    of_a_cell = _LOOKS_OF_A_CELL if is_large else _LOOKS_OF_A_SMALL_CELL
    looks = min(MOST_LOOKS, of_a_cell * len(sizes))
    return Effort(rounds, looks, is_large and room <= _FEW_GROUPS)


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
    groups, loss = open_groups(columns, compiled, keys, group_of, True)
    in_time = refine_groups(groups, loss, deadline) if refine else True
    used = np.unique(groups.group_of)
    return np.searchsorted(used, groups.group_of), in_time


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
                own, keys = take_cells(compiled, block), np.ascontiguousarray(recoding.keys[block])
                number = np.unique(group_of[block], return_inverse=True)[1]
                mended, _ = open_groups(columns, own, keys, number, True)
                group_of[block] = mended.group_of + group_of.max() + 1
        kept = group_of >= 0
        group_of[kept] = np.unique(group_of[kept], return_inverse=True)[1]
        joined = recode(group_of)
        if len(joined.low) >= len(recoding.low):
            break  # nothing is left to join
        recoding = joined
    return recoding


def refine_groups(groups: Groups, loss: float, deadline: float) -> bool:
    """Lower the loss until it hardly falls any more; returns whether the time sufficed."""
    for turn in range(_ROUNDS):
        if time.perf_counter() > deadline:
            return False
        before, loss = loss, refine_once(groups, loss, turn)
        if loss > (1 - LEAST_GAIN_OF_A_ROUND) * before:
            break
    return True


def refine_once(
    groups: Groups, loss: float, turn: int, deadline: float = np.inf, *, tries: int = TRIES
) -> float:
    """One round: move cells, split groups, and build neighbouring ones anew; the loss then.

    Between any two of these steps every group is allowed, so the time may be up there.
    """
    n_near, budget = _NEIGHBOURS[turn % len(_NEIGHBOURS)], _STEPS_PER_CELL * len(groups.keys)
    # giving groups up is dear and finds little after the first time
    for step in range(DISSOLVE if turn == 0 else MOVE, REBUILD + 1):
        if time.perf_counter() > deadline:
            break
        loss = refine_step(groups, step, n_near, tries, budget, turn + 1)
    return loss


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
) -> NDArray[np.int64]:
    """Refine groups in parts that lie together, at the same time, and cut differently every round.

    How the groups are cut does not depend on how many threads there are.  Rounds from `begin` to
    before `end` are done, all that are worth their time unless given; neighbours are built anew
    from `tries` seeds.  With `long`, rounds go on as long as they gain anything to speak of.
    """
    most = float(problem.compiled.sizes.sum() * problem.loss.weight.sum())
    n_rounds = effort_of(problem).rounds if end is None else end
    least_gain = LEAST_GAIN_OF_A_ROUND
    if long:
        n_rounds, tries, least_gain = _LONG_ROUNDS, _LONG_TRIES, _LONG_LEAST_GAIN
    with ThreadPoolExecutor(n_threads()) as pool:
        before = np.inf
        for turn in range(begin, n_rounds):
            parts = cut_groups(problem, group_of, turn)
            if time.perf_counter() > deadline:
                break
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
            if after > (1 - least_gain) * before:
                break
            before = after
    return group_of


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
    own = problem.take(part)
    groups, loss = open_groups(own.loss, own.compiled, own.keys, number, False)
    loss = refine_once(groups, loss, turn, deadline, tries=tries)
    return np.unique(groups.group_of, return_inverse=True)[1], loss


def cut_groups(
    problem: LocalProblem, group_of: NDArray[np.int64], turn: int, most: int = _GROUPS_PER_PART
) -> list[Block]:
    """Cells in parts of whole groups, cut at the median of one column after the other."""
    n_groups = int(group_of.max()) + 1
    members = np.argsort(group_of, kind="stable")
    first = np.searchsorted(group_of[members], np.arange(n_groups))
    heads = problem.keys[members[first]]  # one cell of each group says where it lies
    parts = [np.arange(n_groups)]
    column = turn
    n_columns = heads.shape[1]
    largest = most * _FEW_COLUMNS // max(n_columns, _FEW_COLUMNS)
    while max(map(len, parts)) > largest or (
        len(parts) < _LEAST_PARTS and n_groups >= _LEAST_PARTS * _HARDLY_ANY
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
    cells = np.argsort(part_of[group_of], kind="stable")
    sizes = np.bincount(part_of[group_of], minlength=len(parts))
    return np.split(cells, np.cumsum(sizes)[:-1])
