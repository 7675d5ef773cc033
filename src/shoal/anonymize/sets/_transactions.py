"""Rows of sets as arrays, and how many rows have each combination of items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain, combinations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, triu

from shoal.errors import ParameterError
from shoal.typing import Counts

MOST_COMBINATIONS = 50_000_000
"""Combinations of three and more items that are counted one by one, at most."""

Numbers = NDArray[np.int64]


class Transactions(NamedTuple):
    """Sets of items, one for each row.

    Row i has the items ``items[start[i]:start[i + 1]]``, rising and each once.
    """

    start: Numbers
    items: Numbers

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.start) - 1

    def rows(self) -> Numbers:
        """Row of each item."""
        return np.repeat(np.arange(self.n_rows), np.diff(self.start))


def split_items(text: str | None, separator: str) -> tuple[str, ...]:
    """Items of a set, in order and each once; spaces around them do not count.

    Examples
    --------
    >>> split_items("milk; bread;milk;", ";")
    ('bread', 'milk')
    """
    return tuple(sorted({*written_items(text, separator)}))


def written_items(text: str | None, separator: str) -> tuple[str, ...]:
    """Items of a set as they are written, one after the other.

    Examples
    --------
    >>> written_items("milk; bread;milk;", ";")
    ('milk', 'bread', 'milk')
    """
    parts = [part.strip() for part in (text or "").split(separator)]
    return tuple(part for part in parts if part)


def make_transactions(rows: Numbers, items: Numbers, n_rows: int) -> Transactions:
    """Sets from pairs of row and item, in any order; a pair may come twice."""
    room = int(items.max(initial=0)) + 1
    pairs = np.unique(rows * room + items)
    start = np.searchsorted(pairs // room, np.arange(n_rows + 1))
    return Transactions(start.astype(np.int64), pairs % room)


def generalize(sets: Transactions, node_of: Numbers) -> Transactions:
    """The same rows with nodes in place of items."""
    return make_transactions(sets.rows(), node_of[sets.items], sets.n_rows)


def count_combinations(sets: Transactions, size: int) -> tuple[Numbers, Counts]:
    """Every combination of `size` items that some row has, and how many rows have it.

    Examples
    --------
    >>> rows, items = np.array([0, 0, 1, 1, 2]), np.array([0, 1, 0, 1, 0])
    >>> found, counts = count_combinations(make_transactions(rows, items, 3), 2)
    >>> found.tolist(), counts.tolist()
    ([[0, 1]], [2])
    """
    if size == 1:
        counts = np.bincount(sets.items)
        items = np.flatnonzero(counts)
        return items[:, None], counts[items]
    if size == 2:
        return _count_pairs(sets)
    total = sum(comb(int(length), size) for length in np.diff(sets.start))
    if total > MOST_COMBINATIONS:
        raise ParameterError(
            f"rows have {total:,} combinations of {size} items, too many to count one by one "
            f"(at most {MOST_COMBINATIONS:,}). Take m = 2, or leave the longest rows out."
        )
    listed = np.split(sets.items, sets.start[1:-1])
    counted = Counter(chain.from_iterable(combinations(row.tolist(), size) for row in listed))
    keys = np.array(list(counted), np.int64).reshape(-1, size)
    return keys, np.fromiter(counted.values(), np.int64, len(counted))


def _count_pairs(sets: Transactions) -> tuple[Numbers, Counts]:
    ones = np.ones(len(sets.items), np.int64)
    width = int(sets.items.max(initial=0)) + 1
    table = csr_matrix((ones, sets.items, sets.start), shape=(sets.n_rows, width))
    pairs = triu(table.T @ table, k=1).tocoo()
    return np.column_stack([pairs.row, pairs.col]).astype(np.int64), pairs.data.astype(np.int64)


def fewest_rows(sets: Transactions, m: int) -> list[tuple[int, int]]:
    """For each size up to m: the fewest rows that a combination has, and 0 where there is none.

    With it, how many combinations there are of that size.
    """
    fewest = []
    for size in range(1, m + 1):
        _, counts = count_combinations(sets, size)
        fewest.append((int(counts.min()) if len(counts) else 0, len(counts)))
    return fewest


def code_sets(texts: Sequence[str | None], codes: Numbers, separator: str) -> tuple[
    list[str], Transactions
]:  # fmt: skip
    """Items that occur, sorted, and the rows as sets; `codes` are places in `texts`."""
    sets = [split_items(text, separator) for text in texts]
    names = sorted(set(chain.from_iterable(sets)))
    number = {name: index for index, name in enumerate(names)}
    lengths = np.array([len(one) for one in sets], np.int64)[codes]
    flat = [np.array([number[name] for name in one], np.int64) for one in sets]
    items = np.concatenate([np.empty(0, np.int64), *(flat[code] for code in codes.tolist())])
    rows = np.repeat(np.arange(len(codes)), lengths)
    return names, make_transactions(rows, items, len(codes))
