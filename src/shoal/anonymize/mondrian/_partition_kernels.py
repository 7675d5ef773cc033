"""Measure, cut and divide regions: what one level of a partition does.  Arrays in, arrays out.

Two kernels cut each region along its best column, one for sizes and one for all conditions: a
kernel takes no function, and one with both would compile both, though most releases need sizes
only.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.anonymize.mondrian._condition_split_kernels import cut_by_conditions
from shoal.anonymize.mondrian._drop_kernels import region_drop
from shoal.anonymize.mondrian._region_arrays import (
    Frontier,
    Region,
    RegionColumns,
    RegionTask,
    RegionWork,
    Scratch,
    column_loss,
    scales_of,
)
from shoal.anonymize.mondrian._split_kernels import (
    cut_relaxed_by_size,
    cut_tree_by_size,
    least_rows,
    median_code,
    median_of_few,
    median_of_some,
)
from shoal.typing import Codes, Floats

_FEW = 40  # cells: sorting all of them is quicker than finding those about the median

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
    n_parts: int  # of the best cut, and its pivot
    pivot: int


@kernel
def measure_regions(
    columns: RegionColumns, keys: Codes, begin: NDArray[np.int64], end: NDArray[np.int64]
) -> tuple[Codes, Codes, Floats]:
    """Least and largest code of each region in each column, and the loss of that range.

    `keys` lie region by region.
    """
    n_regions, n_columns = begin.shape[0], keys.shape[0]
    low = np.empty((n_regions, n_columns), np.int32)
    high = np.empty((n_regions, n_columns), np.int32)
    losses, scales = np.empty((n_regions, n_columns)), scales_of(columns)
    for region in range(n_regions):
        for column in range(n_columns):
            codes = keys[column, begin[region] : end[region]]
            least = largest = codes[0]
            for i in range(codes.shape[0]):
                least, largest = min(least, codes[i]), max(largest, codes[i])
            low[region, column], high[region, column] = least, largest
            losses[region, column] = column_loss(scales, column, least, largest)
    return low, high, losses


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
    columns, least = task.columns, least_rows(task.compiled)
    for region in range(frontier.begin.shape[0]):
        race = _start(score[region], task.loss)
        while race.column >= 0:
            trial = _trial(frontier, region, race.column, low, high)
            pivot = -1
            if columns.is_tree[race.column]:
                n_parts = cut_tree_by_size(columns, work, scratch, trial, least, task.partial)
            elif task.relaxed:
                n_parts, pivot = cut_relaxed_by_size(task, work, scratch, trial)
            else:
                n_parts = _cut_line(columns.first_code, columns.wanted, work, scratch, trial, least)
            drop = 0.0
            if _needs_drop(race, n_parts):
                drop = region_drop(task, work, frontier, region, n_parts, low, high)
            race = _settle(race, n_parts, pivot, drop, task.loss)
        _record(frontier, region, race)


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
        race = _start(score[region], task.loss)
        while race.column >= 0:
            trial = _trial(frontier, region, race.column, low, high)
            n_parts, pivot = cut_by_conditions(task, work, scratch, trial)
            drop = 0.0
            if _needs_drop(race, n_parts):
                drop = region_drop(task, work, frontier, region, n_parts, low, high)
            race = _settle(race, n_parts, pivot, drop, task.loss)
        _record(frontier, region, race)


@kernel
def _cut_line(
    first_code: NDArray[np.int64],
    wanted: NDArray[np.int64],
    work: RegionWork,
    scratch: Scratch,
    region: Region,
    least: int,
) -> int:
    """Cut a region of an ordered column in two, neither below `least` rows; 0: no cut."""
    begin, end, column = region.begin, region.end, region.column
    first, stop = first_code[column], first_code[column + 1]
    keys, sizes, part = work.keys[column, begin:end], work.sizes[begin:end], work.part[begin:end]
    # a running count has one entry more than there are codes
    until = wanted[first : stop + 1]
    wide = region.high - region.low > 8 * (end - begin)  # most codes would have no cell
    if wide and end - begin > _FEW and until[region.high + 1] == until[region.low]:
        low, high, rows, packed = region.low, region.high, scratch.rows, scratch.slot
        cut = median_of_some(keys, sizes, low, high, least, rows, packed)
    elif wide:
        cut = median_of_few(keys, sizes, until, region.low, region.high, least, scratch.slot)
    else:
        cut = median_code(keys, sizes, until, region.low, region.high, least, scratch.rows)
    if cut < 0:
        return 0
    for i in range(keys.shape[0]):
        part[i] = keys[i] <= cut
    work.part_low[begin], work.part_high[begin] = cut + 1, stop - first - 1
    work.part_low[begin + 1], work.part_high[begin + 1] = 0, cut
    return 2


@kernel
def _trial(frontier: Frontier, region: int, column: int, low: Codes, high: Codes) -> Region:
    codes = int(low[region, column]), int(high[region, column])
    return Region(frontier.begin[region], frontier.end[region], column, codes[0], codes[1])


@kernel
def _start(score: Floats, loss: float) -> Race:
    left = score.copy()
    floor, n_tied = _next_ties(left, loss)
    column = _next_column(left, floor) if n_tied > 0 else -1
    return Race(column, left, floor, n_tied, -1, -np.inf, -1.0, 0, -1)


@kernel
def _needs_drop(race: Race, n_parts: int) -> bool:
    """Whether the loss has a say: a column alone wins without a drop, and one that won has it."""
    return n_parts > 0 and race.n_tied > 1 and race.column != race.best


@kernel
def _settle(race: Race, n_parts: int, pivot: int, drop: float, loss: float) -> Race:
    """Compare a cut with the best so far, and choose the next column."""
    column, left = race.column, race.left
    best, best_score, best_drop = race.best, race.best_score, race.best_drop
    best_parts, best_pivot, again = race.n_parts, race.pivot, column == best
    own = left[column] + loss * drop
    left[column] = -np.inf
    if n_parts > 0 and (
        again or own > best_score + TIE or (own >= best_score - TIE and drop > best_drop + TIE)
    ):
        best, best_score, best_drop = column, own, drop
        best_parts, best_pivot = n_parts, pivot
    floor, n_tied = race.floor, race.n_tied
    following = _next_column(left, floor)
    if following < 0 and best >= 0:
        # trying others has written over the parts of the best, which is then cut once more
        following = -1 if best == column else best
    elif following < 0:  # none of these can be cut: on to the next lower score
        floor, n_tied = _next_ties(left, loss)
        following = _next_column(left, floor) if n_tied > 0 else -1
    return Race(following, left, floor, n_tied, best, best_score, best_drop, best_parts, best_pivot)


@kernel
def _record(frontier: Frontier, region: int, race: Race) -> None:
    """Write the best cut down; no parts where there is none."""
    frontier.n_parts[region], frontier.pivot[region] = race.n_parts, race.pivot
    if race.best >= 0:
        frontier.column[region] = race.best


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


@kernel
def divide(work: RegionWork, frontier: Frontier) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Bring the cells of each part together, keeping their order; begin and end of each part.

    What `part` says is used up.
    """
    total = 0
    for region in range(frontier.begin.shape[0]):
        total += frontier.n_parts[region]
    begin = np.empty(total, np.int64)
    end = np.empty(total, np.int64)
    n = 0
    for region in range(frontier.begin.shape[0]):
        first, stop = frontier.begin[region], frontier.end[region]
        n_parts = frontier.n_parts[region]
        end[n : n + n_parts] = 0
        for i in range(first, stop):
            end[n + work.part[i]] += 1
        offset = first
        for part in range(n, n + n_parts):
            begin[part] = offset
            offset += end[part]
            end[part] = begin[part]  # grows to the end as cells are put there
        for i in range(first, stop):
            part = n + work.part[i]
            # `order` and all keys move alike: places are worked out once and kept in `spare`
            work.spare[i] = end[part]
            end[part] += 1
        places, room = work.spare[first:stop], work.part
        _put(places, work.order[first:stop], room, first)
        _put(places, work.sizes[first:stop], room, first)
        for column in range(work.keys.shape[0]):
            _put(places, work.keys[column, first:stop], room, first)
        n += n_parts
    return begin, end


@kernel
def _put(
    places: NDArray[np.int64],
    values: NDArray[np.int64] | Codes,
    room: NDArray[np.int64],
    first: int,
) -> None:
    """Bring values to their places, which are counted from further ahead."""
    for i in range(places.shape[0]):
        room[places[i]] = values[i]
    for i in range(places.shape[0]):
        values[i] = room[first + i]
