"""Which column each region is cut along.  Arrays in, arrays out.

Two kernels say the same, one for sizes and one for all conditions: a kernel takes no function, and
one with both would compile both, though most releases need sizes only.
"""

from typing import NamedTuple

import numpy as np

from shoal._jit import kernel
from shoal.anonymize.mondrian._condition_split_kernels import cut_by_conditions
from shoal.anonymize.mondrian._partition_kernels import loss_drop
from shoal.anonymize.mondrian._region_arrays import (
    Frontier,
    Region,
    RegionTask,
    RegionWork,
    Scratch,
)
from shoal.anonymize.mondrian._split_kernels import cut_by_size
from shoal.typing import Codes, Floats

TIE = 1e-12
"""Scores that differ by less differ by rounding only."""


class Race(NamedTuple):
    """The columns of one region in competition."""

    column: int  # to be tried next; -1 when the race is over
    left: Floats  # scores of the columns that were not tried, else -inf
    floor: float  # columns with at least this score compete now
    n_tied: int  # how many did when they began
    best: int  # column of the best cut so far; -1 for none
    best_score: float
    best_drop: float


@kernel
def cut_best_by_size(
    task: RegionTask,
    work: RegionWork,
    scratch: Scratch,
    frontier: Frontier,
    low: Codes,
    high: Codes,
    score: Floats,
) -> None:
    """Cut each region along the column with the highest score that may be cut; sizes count.

    The score is `score` (-inf: not to be cut) and, weighted, the drop in loss.  Ties go to the
    larger drop, then to the first column.  `low` and `high` are the codes of each region by column.
    """
    for region in range(frontier.begin.shape[0]):
        race = _start(frontier, region, score[region], task.loss)
        while race.column >= 0:
            trial = _trial(frontier, region, race.column, low, high)
            cut = cut_by_size(task, work, scratch, trial)
            race = _settle(task, work, frontier, region, race, cut, low[region], high[region])


@kernel
def cut_best_by_conditions(
    task: RegionTask,
    work: RegionWork,
    scratch: Scratch,
    frontier: Frontier,
    low: Codes,
    high: Codes,
    score: Floats,
) -> None:
    """The same under all conditions of the model."""
    for region in range(frontier.begin.shape[0]):
        race = _start(frontier, region, score[region], task.loss)
        while race.column >= 0:
            trial = _trial(frontier, region, race.column, low, high)
            cut = cut_by_conditions(task, work, scratch, trial)
            race = _settle(task, work, frontier, region, race, cut, low[region], high[region])


@kernel
def _trial(frontier: Frontier, region: int, column: int, low: Codes, high: Codes) -> Region:
    codes = int(low[region, column]), int(high[region, column])
    return Region(frontier.begin[region], frontier.end[region], column, codes[0], codes[1])


@kernel
def _start(frontier: Frontier, region: int, score: Floats, loss: float) -> Race:
    frontier.n_parts[region], frontier.pivot[region] = 0, -1
    left = score.copy()
    floor, n_tied = _next_ties(left, loss)
    column = _next_column(left, floor) if n_tied > 0 else -1
    return Race(column, left, floor, n_tied, -1, -np.inf, -1.0)


@kernel
def _settle(
    task: RegionTask,
    work: RegionWork,
    frontier: Frontier,
    region: int,
    race: Race,
    cut: tuple[int, int],
    low: Codes,
    high: Codes,
) -> Race:
    """Compare a cut, given as parts and pivot, with the best so far, and choose the next column."""
    column, left = race.column, race.left
    best, best_score, best_drop = race.best, race.best_score, race.best_drop
    n_parts, again = cut[0], column == best
    own, drop = left[column], 0.0
    left[column] = -np.inf
    if n_parts > 0 and race.n_tied > 1 and not again:  # a column alone wins without a drop
        begin, end = frontier.begin[region], frontier.end[region]
        drop = loss_drop(task, work, begin, end, n_parts, low, high)
        own += task.loss * drop
    if n_parts > 0 and (
        again or own > best_score + TIE or (own >= best_score - TIE and drop > best_drop + TIE)
    ):
        best, best_score, best_drop = column, own, drop
        frontier.column[region] = column
        frontier.n_parts[region], frontier.pivot[region] = n_parts, cut[1]
    floor, n_tied = race.floor, race.n_tied
    following = _next_column(left, floor)
    if following < 0 and best >= 0:
        # trying others has written over the parts of the best, which is then cut once more
        following = -1 if best == column else best
    elif following < 0:  # none of these can be cut: on to the next lower score
        floor, n_tied = _next_ties(left, task.loss)
        following = _next_column(left, floor) if n_tied > 0 else -1
    return Race(following, left, floor, n_tied, best, best_score, best_drop)


@kernel
def _next_ties(left: Floats, loss: float) -> tuple[float, int]:
    """Least score of the columns to be compared next, and how many those are.

    These are the ones with the highest score; all of them when the loss decides, too.
    """
    highest, n_left = -np.inf, 0
    for own in left:
        highest = max(highest, own)
        n_left += own > -np.inf
    if loss > 0.0:
        return -np.inf, n_left
    n_tied = 0
    for own in left:
        n_tied += own > -np.inf and own >= highest - TIE
    return highest - TIE, n_tied


@kernel
def _next_column(left: Floats, floor: float) -> int:
    """First column that was not tried and has this score; -1 when there is none."""
    for column in range(left.shape[0]):
        if left[column] > -np.inf and left[column] >= floor:
            return column
    return -1
