"""Released rows nearest to a person."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.typing import Flags, Floats

_Numbers = NDArray[np.int64]


class CellRanges(NamedTuple):
    """What each cell says: a range of numbers, or (twice) the code of a label or of a value."""

    low: Floats
    high: Floats


class Covers(NamedTuple):
    """Which values a label stands for, column after column.

    In a column that `is_cover`, label a stands for value b when
    ``flags[start[column] + a * width[column] + b]``.
    """

    is_cover: Flags
    start: _Numbers
    width: _Numbers
    flags: Flags


class Scales(NamedTuple):
    """Columns that are compared, the span of each, and what labels stand for."""

    columns: _Numbers
    scale: Floats
    covers: Covers


@kernel
def row_distance(
    people: CellRanges, released: CellRanges, scales: Scales, person: int, row: int, most: float
) -> float:
    """The sum over columns of how far a released row is from a person; or some number above `most`.

    Of a number that to the nearer end of the range, divided by `scale`, at most 1; else 0 where the
    label stands for the value, 1 where it does not.
    """
    covers = scales.covers
    total = 0.0
    for part in range(scales.columns.shape[0]):
        column = scales.columns[part]
        x = people.low[person, column]  # people's own rows say a value: both ends are alike
        low, high = released.low[row, column], released.high[row, column]
        if covers.is_cover[column]:
            # codes lie among the numbers of the other columns; as floats they are exact
            label = covers.start[column] + np.int64(low) * covers.width[column]
            if not covers.flags[label + np.int64(x)]:
                total += 1.0
        # a missing value is like another one, and unlike everything else
        elif np.isnan(x) or np.isnan(low):
            if np.isnan(x) != np.isnan(low):
                total += 1.0
        elif x < low:
            total += min(1.0, (low - x) / scales.scale[column])
        elif x > high:
            total += min(1.0, (x - high) / scales.scale[column])
        if total > most:  # no column takes anything away again
            break
    return total


@kernel
def find_nearest(
    people: CellRanges, released: CellRanges, scales: Scales, order: _Numbers, k: int
) -> tuple[_Numbers, Floats]:
    """The k released rows nearest to each person in some columns, and their distances.

    Of rows that are as near, those earlier in `order` are taken.
    """
    n_people = people.low.shape[0]
    best = np.full((n_people, k), -1, np.int64)
    distance = np.full((n_people, k), np.inf)
    for person in range(n_people):
        for row in order:
            total = row_distance(people, released, scales, person, row, distance[person, k - 1])
            if total >= distance[person, k - 1]:  # of equals the earlier ones stay
                continue
            slot = k - 1
            while slot > 0 and distance[person, slot - 1] > total:
                distance[person, slot] = distance[person, slot - 1]
                best[person, slot] = best[person, slot - 1]
                slot -= 1
            distance[person, slot] = total
            best[person, slot] = row
    return best, distance


@kernel
def share_right(
    people: CellRanges,
    released: CellRanges,
    scales: Scales,
    guess: Floats,
    truth: Floats,
    tolerance: float,
) -> tuple[Floats, Floats, _Numbers]:
    """Of the released rows nearest to each person, the share whose guess is the truth.

    A guess is right within `tolerance` times the truth; NaN is right for NaN.  Also the distance of
    those rows, and how many there are.  Distances that differ by rounding are the same.
    """
    n_people = people.low.shape[0]
    share, nearest = np.zeros(n_people), np.full(n_people, np.inf)
    ties = np.zeros(n_people, np.int64)
    for person in range(n_people):
        right = 0
        true = truth[person]
        for row in range(released.low.shape[0]):
            most = nearest[person] + 1e-9
            total = row_distance(people, released, scales, person, row, most)
            if total > most:
                continue
            # nearer than by rounding: what was counted so far is no longer nearest
            if total < nearest[person] - 1e-9:
                nearest[person] = total
                ties[person], right = 0, 0
            ties[person] += 1
            if np.isnan(true):
                right += np.isnan(guess[row])
            elif abs(guess[row] - true) <= tolerance * abs(true):
                right += 1
        share[person] = right / max(1, ties[person])
    return share, nearest, ties
