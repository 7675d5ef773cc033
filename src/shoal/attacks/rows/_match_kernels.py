"""Rows that match a query, and released rows nearest to a person."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.typing import Counts, Flags, Floats

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


class Queries(NamedTuple):
    """Conjunctions of conditions: query i asks for `columns[i]` between `low[i]` and `high[i]`."""

    columns: _Numbers
    low: Floats
    high: Floats


@kernel
def count_matches(
    cells: CellRanges, queries: Queries, covers: Covers, is_released: bool, most: int
) -> Counts:
    """Rows that match each query; counting stops at `most`.

    A released row matches where its label is that of the query, or its range lies within; a
    person's row where the label stands for its value.  NaN is missing, and matches itself.
    """
    counts = np.zeros(queries.columns.shape[0], np.int64)
    for query in range(queries.columns.shape[0]):
        for row in range(cells.low.shape[0]):
            matches = True
            for part in range(queries.columns.shape[1]):
                column = queries.columns[query, part]
                low, high = queries.low[query, part], queries.high[query, part]
                x, y = cells.low[row, column], cells.high[row, column]
                if covers.is_cover[column]:
                    if is_released:
                        matches = x == low
                    else:
                        label = covers.start[column] + np.int64(low) * covers.width[column]
                        matches = covers.flags[label + np.int64(x)]
                elif np.isnan(low):
                    matches = np.isnan(x)
                else:
                    matches = x >= low and y <= high
                if not matches:
                    break
            if matches:
                counts[query] += 1
                if counts[query] >= most:
                    break
    return counts


@kernel
def find_nearest(
    people: CellRanges,
    released: CellRanges,
    columns: _Numbers,
    scale: Floats,
    covers: Covers,
    order: _Numbers,
    k: int,
) -> tuple[_Numbers, Floats]:
    """The k released rows nearest to each person in some columns, and their distances.

    The distance is the sum over columns: of a number that to the nearer end of the range, divided
    by `scale`; else 0 where the label stands for the value, 1 where it does not.  Of rows that are
    as near, those earlier in `order` are taken.
    """
    n_people = people.low.shape[0]
    best = np.full((n_people, k), -1, np.int64)
    distance = np.full((n_people, k), np.inf)
    for person in range(n_people):
        for place in range(order.shape[0]):
            row = order[place]
            total = 0.0
            for part in range(columns.shape[0]):
                column = columns[part]
                x = people.low[person, column]
                low, high = released.low[row, column], released.high[row, column]
                if covers.is_cover[column]:
                    label = covers.start[column] + np.int64(low) * covers.width[column]
                    if not covers.flags[label + np.int64(x)]:
                        total += 1.0
                elif np.isnan(x) or np.isnan(low):
                    if np.isnan(x) != np.isnan(low):
                        total += 1.0
                elif x < low:
                    total += min(1.0, (low - x) / scale[column])
                elif x > high:
                    total += min(1.0, (x - high) / scale[column])
                if total >= distance[person, k - 1]:
                    break
            if total >= distance[person, k - 1]:
                continue
            slot = k - 1
            while slot > 0 and distance[person, slot - 1] > total:
                distance[person, slot] = distance[person, slot - 1]
                best[person, slot] = best[person, slot - 1]
                slot -= 1
            distance[person, slot] = total
            best[person, slot] = row
    return best, distance
