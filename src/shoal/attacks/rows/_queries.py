"""Queries on a few columns each, and how many rows match them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.rows._match_kernels import CellRanges, Covers
from shoal.typing import Counts, Flags, Floats

_MOST_BYTES = 1 << 26
"""Of flags that are held at once."""


class Queries(NamedTuple):
    """Conjunctions of conditions: query i asks for `columns[i]` between `low[i]` and `high[i]`."""

    columns: NDArray[np.int64]
    low: Floats
    high: Floats

    def some(self, kept: Flags | slice) -> Queries:
        """Some of the queries, in their order."""
        return Queries(self.columns[kept], self.low[kept], self.high[kept])

    def different(self) -> Queries:
        """Each query once, in the order of their first time."""
        key = np.column_stack([self.columns, self.low, self.high])
        _, first = np.unique(np.nan_to_num(key, nan=-1e300), axis=0, return_index=True)
        kept = np.zeros(len(key), np.bool_)
        kept[first] = True
        return self.some(kept)


def join_queries(one: Queries, two: Queries) -> Queries:
    """The queries of both."""
    return Queries(
        np.concatenate([one.columns, two.columns]),
        np.concatenate([one.low, two.low]),
        np.concatenate([one.high, two.high]),
    )


def count_matches(
    cells: CellRanges, queries: Queries, covers: Covers, *, is_released: bool
) -> Counts:
    """Rows that match each query.

    A released row matches where its label is that of the query, or its range lies within; a
    person's row where the label stands for its value.  NaN is missing, and matches itself.

    Every condition that occurs is asked once, as a bit for each row; a query is the common bits of
    its conditions.
    """
    n_rows, n_queries = len(cells.low), len(queries.columns)
    ranks = {
        int(column): _rank(cells, int(column))
        for column in np.unique(queries.columns)
        if not covers.is_cover[column]
    }
    step = max(1, _MOST_BYTES // max(1, (n_rows // 8 + 8) * queries.columns.shape[1]))
    counts = [
        _count(cells, queries.some(slice(first, first + step)), covers, ranks, is_released)
        for first in range(0, n_queries, step)
    ]
    return np.concatenate(counts) if counts else np.zeros(0, np.int64)


class _Ranks(NamedTuple):
    """Numbers of a column as their places among all that occur: small, so quick to compare."""

    values: Floats
    low: NDArray[Any]
    high: NDArray[Any]
    missing: Flags | None


def _rank(cells: CellRanges, column: int) -> _Ranks:
    low, high = cells.low[:, column], cells.high[:, column]
    gaps = np.isnan(low)
    values = np.unique(np.concatenate([low[~gaps], high[~gaps]]))
    small = np.uint16 if len(values) < 2**16 else np.uint32
    places = [np.searchsorted(values, part).astype(small) for part in (low, high)]
    return _Ranks(values, places[0], places[1], gaps if gaps.any() else None)


def _count(
    cells: CellRanges,
    queries: Queries,
    covers: Covers,
    ranks: dict[int, _Ranks],
    is_released: bool,
) -> Counts:
    key = np.column_stack([queries.columns.ravel(), queries.low.ravel(), queries.high.ravel()])
    first, of_part = _distinct(np.nan_to_num(key, nan=-1e300))
    bits = np.stack(
        [
            np.packbits(_matches(cells, key[query], covers, ranks, is_released))
            for query in first.tolist()
        ]
    )
    n_parts = queries.columns.shape[1]
    common = bits[of_part[::n_parts]]
    for part in range(1, n_parts):
        common &= bits[of_part[part::n_parts]]
    return np.asarray(np.bitwise_count(common).sum(axis=1, dtype=np.int64))


def _distinct(key: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A place of every different row, and which of these each row is."""
    order = np.lexsort(key.T)
    is_new = np.ones(len(key), np.bool_)
    is_new[1:] = (key[order[1:]] != key[order[:-1]]).any(axis=1)
    of_row = np.empty(len(key), np.int64)
    of_row[order] = np.cumsum(is_new) - 1
    return order[is_new].astype(np.int64), of_row


def _matches(
    cells: CellRanges,
    condition: Floats,
    covers: Covers,
    ranks: dict[int, _Ranks],
    is_released: bool,
) -> Flags:
    column, low, high = int(condition[0]), condition[1], condition[2]
    if not covers.is_cover[column]:
        return _within(ranks[column], low, high)
    x = cells.low[:, column]
    if is_released:
        return np.asarray(x == low)
    start = covers.start[column] + int(low) * covers.width[column]
    return np.asarray(covers.flags[start + x.astype(np.int64)])


def _within(ranks: _Ranks, low: float, high: float) -> Flags:
    missing = ranks.missing
    if np.isnan(low):
        return np.zeros(len(ranks.low), np.bool_) if missing is None else missing
    inside = ranks.low >= np.searchsorted(ranks.values, low, side="left")
    if high != np.inf:
        inside &= ranks.high < np.searchsorted(ranks.values, high, side="right")
    return np.asarray(inside if missing is None else inside & ~missing)
