"""Solve a local recoding block by block: the best of several first groupings, then refinement."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.anonymize.clusters._blocks import Block, is_allowed, solve_each
from shoal.anonymize.clusters._group_loss import knows_lines
from shoal.anonymize.clusters._group_recoding import label_groups, least_and_largest
from shoal.anonymize.clusters._improve import refine_in_parts
from shoal.anonymize.clusters._local_problem import LocalProblem
from shoal.anonymize.clusters._starts import FirstGroups, all_allowed, first_groups
from shoal.metrics._labels import label_loss
from shoal.typing import Progress

BLOCK = 131_072
"""Cells that are solved together; larger tables are cut into blocks first."""

LEAST_BLOCK = 4_096

TRIAL = 24_576
"""Cells up to which every way to a first grouping is tried; larger blocks go by a part of them."""

_PART_ON_TRIAL = 8_192
_GROUPS_PER_BLOCK = 65_536  # about as many as are solved together
_ALWAYS = ("regions", "loss")  # quick ways, tried on every block
_BY_TRIAL = ("price", "walk")  # of these the better one


def solve_blocks(
    problem: LocalProblem,
    blocks: Sequence[Block],
    *,
    refine: bool,
    deadline: float,
    exact: bool,
    progress: Progress,
) -> tuple[NDArray[np.int64], bool]:
    """Group the cells of each block by themselves.

    Returns each cell's group, and whether the time sufficed.
    """
    in_time: list[bool] = []
    largest = max(blocks, key=len)
    names = _ALWAYS + _better_on_trial(problem, largest, deadline)
    told = progress if len(blocks) == 1 else None  # of several, it is told how many are solved

    def solve(block: Block) -> NDArray[np.int64]:
        ways = (*_ALWAYS, *_BY_TRIAL) if len(block) <= TRIAL else names
        group_of, finished = solve_block(
            problem, block, ways, refine=refine, deadline=deadline, exact=exact, progress=told
        )
        in_time.append(finished)
        return group_of

    group_of = solve_each(blocks, len(problem.keys), solve, progress, "grouping")
    return group_of, all(in_time)


def _better_on_trial(problem: LocalProblem, block: Block, deadline: float) -> tuple[str, ...]:
    """The better of the slow ways, on a part of a block that is too large to try both."""
    if len(block) <= TRIAL:
        return ()
    part = max(cut_blocks(problem, block, _PART_ON_TRIAL), key=len)
    if len(part) > 2 * _PART_ON_TRIAL:  # cannot be cut
        part = part[:: -(-len(part) // _PART_ON_TRIAL)]
    return (first_groups(problem.take(part), _BY_TRIAL, deadline)[0].name,)


def solve_block(
    problem: LocalProblem,
    block: Block,
    names: Sequence[str],
    *,
    refine: bool,
    deadline: float,
    exact: bool,
    progress: Progress | None = None,
) -> tuple[NDArray[np.int64], bool]:
    """Groups of the cells of one block, and whether the time sufficed."""
    axis = problem.take(block).along_axis()
    order = np.argsort(axis, kind="stable")  # windows slide over cells in the order of the axis
    part = problem.take(block[order])
    starts = first_groups(part, names, deadline)
    in_time = all(start.in_time for start in starts)
    best = starts[0].group_of
    if refine:
        refined, finished = refine_in_parts(part, best, deadline, progress)
        in_time = in_time and finished
        known = exact or knows_lines(part.codings, part.is_range)
        if not all_allowed(part, refined):
            refined = best  # refinement mends no group that was not allowed, and may spread them
        best = refined if known else _least_as_released(part, refined, starts)
    group_of = np.empty_like(best)
    group_of[order] = np.unique(best, return_inverse=True)[1]
    return group_of, in_time


def _least_as_released(
    problem: LocalProblem, refined: NDArray[np.int64], starts: Sequence[FirstGroups]
) -> NDArray[np.int64]:
    """The grouping that loses least once its ranges are widened to public lines.

    The search knows the widths of ranges, but not in every column those of the lines around them.
    """
    groupings = [refined, *(start.group_of for start in starts if start.is_allowed)]
    losses = [released_loss(problem, group_of) for group_of in groupings]
    return groupings[int(np.argmin(losses))]


def released_loss(problem: LocalProblem, group_of: NDArray[np.int64]) -> float:
    """Loss of all rows under the labels that groups are released with, on public lines."""
    number = np.unique(group_of, return_inverse=True)[1]
    low, high = least_and_largest(number, problem.keys, problem.keys)
    labels, codes = label_groups(problem.codings, problem.is_range, low, high, exact=False)
    rows = np.bincount(number, weights=problem.compiled.sizes)
    per_group = sum(
        weight * label_loss(column)[code[:-1]]
        for weight, column, code in zip(problem.loss.weight, labels, codes.T, strict=True)
    )
    return float((rows * per_group).sum())


def block_size(problem: LocalProblem) -> int:
    """Cells that are solved together: fewer where groups are small, since there are many then."""
    rows_per_cell = problem.compiled.sizes.sum() / max(1, len(problem.keys))
    wanted = _GROUPS_PER_BLOCK * max(1, problem.compiled.minimum_size) / max(1.0, rows_per_cell)
    return int(min(BLOCK, max(wanted, LEAST_BLOCK)))


def cut_blocks(problem: LocalProblem, block: Block, limit: int) -> list[Block]:
    """Cut a block in two along the column that matters most, until no part is too large."""
    if len(block) <= limit:
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
            return [piece for part in parts for piece in cut_blocks(problem, part, limit)]
    return [block]
