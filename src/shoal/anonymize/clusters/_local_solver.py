"""Solve a local recoding block by block: the best of several first groupings, then refinement."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from functools import partial
from operator import attrgetter
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shoal.anonymize.clusters._group_loss import LINES_LIMIT
from shoal.anonymize.clusters._group_recoding import label_groups, least_and_largest
from shoal.anonymize.clusters._improve import MOST_ROUNDS, effort_of, refine_in_parts
from shoal.anonymize.clusters._local_problem import (
    MOST_NODES,
    Block,
    LocalProblem,
    is_allowed,
    solve_each,
)
from shoal.anonymize.clusters._refine_kernels import open_groups
from shoal.anonymize.clusters._starts import (
    ALPHABET,
    REGIONS,
    STARTS,
    FirstGroups,
    all_allowed,
    first_groups,
)
from shoal.anonymize.clusters.boxes._exchange import Exchanged, exchange
from shoal.anonymize.cuts._first_cuts import cuts_by_worth, domain_columns
from shoal.metrics._measure import label_loss
from shoal.typing import Progress

BLOCK = 131_072
"""Cells that are solved together at most.

Up to as many in all, every way to a first grouping is tried; of larger tables, a part decides."""

LEAST_BLOCK = 4_096

SMALL_BLOCK = 24_576
"""Cells of blocks where a table has groups enough for several."""

_PART_ON_TRIAL = 32_768
_GROUPS_PER_BLOCK = 65_536  # about as many as are solved together
_LEAST_GROUPS = 1_000  # of a block that is cut off although it could be solved with others
_SMALLEST_PART = 64  # of a block's cells, the least part that is cut off
_ROUNDS_OF_NODES = 2  # without ranges, exchanging boxes gains more than further rounds
_NEAR = 1.15  # times the least loss of all starts: what a start may lose to be refined, too
_BY_TRIAL = ("price", "walk")  # of these the better one; regions are quick, and always tried
_QUICK = ("walk", "loss")  # the quick one of each kind, where time counts

Refine = bool | Literal["quick", "long"]
"""Whether groups are improved after they are found, for one short round or for a long time."""

_SHARE: dict[Refine, float] = {"quick": 1 / 32, True: 1, "long": 10}
"""Of the boxes that are worth a look when boxes are exchanged, how many are."""

_SHARE_OF_A_WALK = 0.0009, 0.0085
"""The same for a quick search that goes by a walk alone: times the smallest group, and its root.

The less counts.  The larger groups are, the farther a walk ends from the best grouping.
"""


def solve_blocks(
    problem: LocalProblem,
    blocks: Sequence[Block],
    *,
    refine: Refine,
    deadline: float,
    exact: bool,
    progress: Progress,
) -> tuple[NDArray[np.int64], bool]:
    """Group the cells of each block by themselves.

    Returns each cell's group, and whether the time sufficed.
    """
    told = progress if len(blocks) == 1 else None  # of several, it is told how many are solved
    solve = partial(
        solve_block,
        problem,
        names=_ways(problem, blocks, refine, deadline),
        refine=refine,
        deadline=deadline,
        exact=exact,
        progress=told,
    )
    group_of = solve_each(blocks, len(problem.keys), solve, progress, "grouping")
    return group_of, time.perf_counter() <= deadline


def _ways(
    problem: LocalProblem, blocks: Sequence[Block], refine: Refine, deadline: float
) -> tuple[str, ...]:
    """The ways to first groups that compete; what takes longest comes first, for the threads."""
    regions = REGIONS + ALPHABET * bool(problem.by_alphabet)
    if refine == "quick":
        if deadline == np.inf and walk_is_enough(problem):  # a walk may be cut short, Mondrian not
            return ("walk",)
        # few large groups are hardly refined, so that they have to begin well
        names = ("price", *_QUICK) if effort_of(problem).few_groups else _QUICK
        # Mondrian's default regions are a release to be compared with, unless it has ranges alone
        ranges_alone = any(coding.is_ordered for coding in problem.codings)
        if ranges_alone and not problem.is_range.any():
            return names
        return names + tuple(name for name in regions if name not in names)
    if sum(map(len, blocks)) > BLOCK:
        slow = _better_on_trial(problem, max(blocks, key=len), deadline, regions)
        return slow + regions
    return _BY_TRIAL + regions


def walk_is_enough(problem: LocalProblem) -> bool:
    """Whether a quick search goes by a walk alone, whose labels are then exchanged at most.

    Ordered columns are released as nodes, as Mondrian never does, so that there is no release of
    its own to be compared with; the walk comes by all generalizations; and what it leaves over can
    be joined with any group, as other models than k-anonymity do not always allow.
    """
    is_nodes = not problem.is_range.any() and any(one.is_ordered for one in problem.codings)
    n_nodes = math.prod(len(one.losses) for one in problem.ladders)
    return is_nodes and problem.compiled.size_only and n_nodes <= MOST_NODES


def _better_on_trial(
    problem: LocalProblem, block: Block, deadline: float, regions: tuple[str, ...]
) -> tuple[str, ...]:
    """The better of the slow ways, on a part of a table that is too large to try both.

    None where it would not be refined there, since regions begin far better.
    """
    part = max(cut_blocks(problem, block, _PART_ON_TRIAL), key=len)
    if len(part) > 2 * _PART_ON_TRIAL:  # cannot be cut
        part = part[:: -(-len(part) // _PART_ON_TRIAL)]
    starts = first_groups(problem.take(part), _BY_TRIAL + regions, deadline)
    slow = next(start for start in starts if start.name in _BY_TRIAL)
    is_far = starts[0].is_allowed and slow.loss > _NEAR * starts[0].loss
    return () if is_far else (slow.name,)


def solve_block(
    problem: LocalProblem,
    block: Block,
    names: Sequence[str],
    *,
    refine: Refine,
    deadline: float,
    exact: bool,
    progress: Progress | None = None,
) -> NDArray[np.int64]:
    """Groups of the cells of one block."""
    axis = problem.position[problem.keys[block, problem.axis]]
    order = np.argsort(axis, kind="stable")  # windows slide over cells in the order of the axis
    part = problem.take(block[order])
    starts = first_groups(part, names, deadline)
    best = _refined(part, starts, refine, deadline, progress) if refine else starts[0].group_of
    if not exact and (part.loss.n_codes[part.is_range] > LINES_LIMIT).any():
        best = _least_as_released(part, best, starts)
    group_of = np.empty_like(best)
    group_of[order] = np.unique(best, return_inverse=True)[1]
    return group_of


def _refined(
    problem: LocalProblem,
    starts: Sequence[FirstGroups],
    refine: Refine,
    deadline: float,
    progress: Progress | None,
) -> NDArray[np.int64]:
    """The most promising start, improved.

    It loses no more than any start: one that began worse gives way where it ends worse.
    """
    # small tables have rounds enough for any start: there the best one goes on
    quick, long, effort = refine == "quick", refine == "long", effort_of(problem)
    few = quick or effort.rounds < MOST_ROUNDS
    promising = sorted(starts, key=attrgetter("promise")) if few else starts
    if quick:
        first, share = promising[0].group_of, _SHARE["quick"]
        least, alone = problem.compiled.minimum_size, len(starts) == 1
        if alone:
            share = min(1.0, _SHARE_OF_A_WALK[0] * least, _SHARE_OF_A_WALK[1] * math.sqrt(least))
        if effort.few_groups:  # a round of other moves gains next to nothing there
            first = _exchanged(problem, first, deadline, share=share)
        refined = first
        if not alone:
            refined = refine_in_parts(problem, first, deadline, progress, end=1, tries=1)
    else:
        share = _SHARE[refine]
        first, n_rounds = _raced(problem, promising, deadline)
        if effort.few_groups:
            first = _exchanged(problem, first, deadline, share=share)
        exchanges_later = effort.looks > 0 and not effort.few_groups
        brief = exchanges_later and not problem.is_range.any()
        end = min(_ROUNDS_OF_NODES, effort.rounds) if brief else None
        refined = refine_in_parts(
            problem, first, deadline, progress, begin=n_rounds, end=end, long=long
        )
        if exchanges_later:
            refined = _exchanged(problem, refined, deadline, share=share)
    if not all_allowed(problem, refined):
        refined = first  # refinement mends no group that was not allowed, and may spread them
    best = starts[0]
    if promising[0].loss > best.loss:
        parts = problem.loss, problem.compiled, problem.keys
        if open_groups(*parts, refined, False)[1] > best.loss:
            refined = best.group_of
    return refined


def _raced(
    problem: LocalProblem, starts: Sequence[FirstGroups], deadline: float
) -> tuple[NDArray[np.int64], int]:
    """The start that loses least after a round of refinement, and how many rounds it had.

    Generalizations and regions leave different things to refine, so the better start need not end
    up better: the best of each kind that is near to the best of all has a round, where there are
    several.
    """
    best = starts[0]
    regions = REGIONS + ALPHABET
    others = [s for s in starts[1:] if (s.name in regions) != (best.name in regions)]
    near = [s for s in others if s.is_allowed and s.loss <= _NEAR * best.loss][:1]
    effort = effort_of(problem)
    if not near or not best.is_allowed or effort.rounds < 2 or effort.few_groups:
        return best.group_of, 0
    raced: list[tuple[float, NDArray[np.int64]]] = []
    for start in (best, *near):
        group_of = refine_in_parts(problem, start.group_of, deadline, end=1)
        if all_allowed(problem, group_of):
            loss = open_groups(problem.loss, problem.compiled, problem.keys, group_of, False)[1]
            raced.append((loss, group_of))
    return (min(raced, key=lambda found: found[0])[1], 1) if raced else (best.group_of, 0)


def _exchanged(
    problem: LocalProblem, group_of: NDArray[np.int64], deadline: float, *, share: float = 1
) -> NDArray[np.int64]:
    """A grouping with boxes exchanged for others; what is not allowed is left alone."""
    if not all_allowed(problem, group_of):
        return group_of
    loss = open_groups(problem.loss, problem.compiled, problem.keys, group_of, False)[1]
    first = Exchanged(group_of, loss)
    exchanged = exchange(problem, first, deadline, share=share).group_of
    return exchanged if all_allowed(problem, exchanged) else group_of


def _least_as_released(
    problem: LocalProblem, refined: NDArray[np.int64], starts: Sequence[FirstGroups]
) -> NDArray[np.int64]:
    """The grouping that loses least once its ranges are widened to public lines.

    The search knows the widths of ranges, but not in every column those of the lines around them.
    """
    groupings = [refined, *(start.group_of for start in starts if start.is_allowed)]
    losses = [released_loss(problem, group_of) for group_of in groupings]
    return groupings[int(np.argmin(losses))]


def no_worse_than_regions(
    problem: LocalProblem,
    blocks: Sequence[Block],
    group_of: NDArray[np.int64],
    *,
    exact: bool,
    deadline: float,
) -> NDArray[np.int64]:
    """Groups found in parts of the blocks, where Mondrian's regions of a whole block lose no less.

    No group crosses the border of a part; regions of the whole are cut without such borders.
    """
    group_of = group_of.copy()
    for block in blocks:
        whole = problem.take(block)
        own = np.unique(group_of[block], return_inverse=True)[1]
        best = _least_of_regions(whole, own, exact=exact, deadline=deadline)
        group_of[block] = best + group_of.max() + 1
    is_kept = group_of >= 0
    group_of[is_kept] = np.unique(group_of[is_kept], return_inverse=True)[1]
    return group_of


def _least_of_regions(
    problem: LocalProblem, group_of: NDArray[np.int64], *, exact: bool, deadline: float
) -> NDArray[np.int64]:
    """The given groups, or regions that lose less, after a round of refinement."""
    least = released_loss(problem, group_of, exact=exact)
    for name in REGIONS + ALPHABET * bool(problem.by_alphabet):
        regions, in_time = STARTS[name](problem, deadline)
        if not in_time or released_loss(problem, regions, exact=exact) >= least:
            continue
        for candidate in (regions, refine_in_parts(problem, regions, deadline, end=1)):
            loss = released_loss(problem, candidate, exact=exact)
            if loss < least and all_allowed(problem, candidate):
                least, group_of = loss, candidate
    return group_of


def released_loss(
    problem: LocalProblem, group_of: NDArray[np.int64], *, exact: bool = False
) -> float:
    """Loss of all rows under the labels that groups are released with."""
    number = np.unique(group_of, return_inverse=True)[1]
    low, high = least_and_largest(number, problem.keys, problem.keys)
    labels, codes = label_groups(problem.codings, problem.is_range, low, high, exact=exact)
    rows = np.bincount(number, weights=problem.compiled.sizes)
    per_group = sum(
        weight * label_loss(column)[code[:-1]]
        for weight, column, code in zip(problem.loss.weight, labels, codes.T, strict=True)
    )
    return float((rows * per_group).sum())


def block_size(problem: LocalProblem) -> int:
    """Cells that are solved together.

    Small blocks are searched longer; but a group cannot cross a cut, so blocks stay large where
    groups are, and where there are so many cells that it would take too long.
    """
    n_cells = max(1, len(problem.keys))
    n_groups = problem.compiled.sizes.sum() / max(1, problem.compiled.minimum_size)
    most = int(min(BLOCK, max(_GROUPS_PER_BLOCK * n_cells / max(1, n_groups), LEAST_BLOCK)))
    enough = n_cells <= BLOCK and n_groups / n_cells * SMALL_BLOCK >= _LEAST_GROUPS
    return min(most, SMALL_BLOCK) if enough else most


def cut_blocks(problem: LocalProblem, block: Block, limit: int) -> list[Block]:
    """Cut a block where its groups would be cut anyway, until no part is too large.

    Parts of a large table are as large as they may be: small ones are refined in many rounds, so
    that a table cut into ten times as many would take far longer than ten times as long.
    """
    if len(block) <= limit:
        return [block]
    columns = domain_columns(problem.codings, problem.loss.weight, problem.is_range)

    def cut(block: Block) -> list[Block]:
        if len(block) <= limit:
            return [block]
        for column, starts in cuts_by_worth(columns, problem.keys[block]):
            codes = problem.keys[block, column]
            part = np.searchsorted(np.array(starts), codes, side="right")
            parts = _join_small(problem, [block[part == n] for n in range(len(starts) + 1)], limit)
            if len(parts) > 1:
                return [piece for each in parts for piece in cut(each)]
        return [block]

    return cut(block)


def _join_small(problem: LocalProblem, parts: list[Block], limit: int) -> list[Block]:
    """Neighbours joined until each part may be a group and is not small; one if that fails."""
    joined = [parts[0]]
    least = min(limit // _SMALLEST_PART, sum(map(len, parts)) // 4)
    most = limit if len(problem.keys) > BLOCK else 0
    for part in parts[1:]:
        is_small = len(joined[-1]) < least or len(joined[-1]) + len(part) <= most
        if is_small or not is_allowed(problem.compiled, joined[-1]):
            joined[-1] = np.concatenate([joined[-1], part])
        else:
            joined.append(part)
    while len(joined) > 1 and not (
        len(joined[-1]) >= least and is_allowed(problem.compiled, joined[-1])
    ):
        last = joined.pop()
        joined[-1] = np.concatenate([joined[-1], last])
    allowed = all(is_allowed(problem.compiled, part) for part in joined)
    return joined if allowed else [np.concatenate(joined)]
