"""Special uniques: rows that few columns single out, scored as SUDA2 does."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import comb, factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal._checks import check_integer, check_number
from shoal.errors import ParameterError
from shoal.risk._suda_kernels import split_groups
from shoal.tables import FrequencyTable
from shoal.typing import Floats

_ROOM = 2**31
"""Bytes that the marks of all sets of columns may take."""

_Bits = NDArray[np.uint8]
_Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SpecialUniques:
    """How special the rows are that are alone in a table.

    A minimal sample unique of a row is a set of columns in which it is alone, while it is alone in
    no smaller part of the set.  Few columns make a row stand out: the score says how much.

    Parameters
    ----------
    n_rows, n_uniques : int
        Rows, and those of them that are alone.
    max_size : int
        Largest set of columns that was looked at.
    by_size : dict of int to int
        Minimal sample uniques of each size, over all rows.
    contributions : dict of str to float
        Share of all scores that comes from sets with the column.
    average_score, highest_score : float
        Over the rows that are alone.
    dis : float or None
        Chance that a match with a row that is alone is right, where a sampling fraction is known
        (data intrusion simulation).
    cells : ndarray of int64
        Cells of the table that are alone.  This and what follows stays in the house.
    scores : ndarray of float
        Score of each.
    column_scores : ndarray of float, shape (n_uniques, n_columns)
        The part of the score that comes from sets with the column.
    """

    n_rows: int
    n_uniques: int
    max_size: int
    by_size: dict[int, int]
    contributions: dict[str, float]
    average_score: float
    highest_score: float
    dis: float | None
    cells: _Numbers = field(repr=False)
    scores: Floats = field(repr=False)
    column_scores: Floats = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; nothing of a single row."""
        kept_back = ("cells", "scores", "column_scores")
        plain = {name: value for name, value in vars(self).items() if name not in kept_back}
        return plain | {"by_size": {str(size): n for size, n in self.by_size.items()}}


def special_uniques(
    cells: FrequencyTable, *, max_size: int | None = None, fraction: float | None = None
) -> SpecialUniques:
    """Find every minimal sample unique, and score rows and columns by them [MHK08]_.

    Parameters
    ----------
    cells : FrequencyTable
        The groups of a table, raw or released.
    max_size : int, optional
        Largest set of columns; by default all.
    fraction : float, optional
        Share of the population that is in the table, for `dis`.

    Notes
    -----
    With m columns, a minimal sample unique of k columns scores (m - k)!, the number of orders in
    which the other columns could be added (with `max_size` M that over (m - M - 1)!); a row scores
    the sum of its own.

    References
    ----------
    .. [MHK08] A. Manning, D. Haglin, J. Keane.  A recursive search algorithm for statistical
       disclosure assessment.  Data Mining and Knowledge Discovery 16, 2008.

    Examples
    --------
    >>> from shoal.schema import Schema
    >>> from shoal.tables import open_table
    >>> schema = Schema({name: {"role": "quasi-identifier"} for name in "abc"})
    >>> table = {"a": [2, 1, 1], "b": [0, 3, 0], "c": [0, 6, 0]}
    >>> special_uniques(open_table(table).compress(schema).cells).contributions
    {'a': 0.5, 'b': 0.375, 'c': 0.375}
    """
    n_columns = len(cells.names)
    if max_size is not None:
        check_integer("special_uniques: max_size", max_size, 1)
    most = n_columns if max_size is None else min(max_size, n_columns)
    if fraction is not None:
        check_number("special_uniques: fraction", fraction, 0, 1, above=True)
    search = _Search(cells, most)
    search.run()
    scores = search.column_scores[:, -1]
    total = float(scores.sum())
    n_alone = len(search.alone)
    return SpecialUniques(
        n_rows=cells.n_rows,
        n_uniques=n_alone,
        max_size=most,
        by_size=search.by_size,
        contributions={
            name: float(search.column_scores[:, column].sum()) / total if total else 0.0
            for column, name in enumerate(cells.names)
        },
        average_score=total / max(1, n_alone),
        highest_score=float(scores.max(initial=0.0)),
        dis=None if fraction is None else _dis(cells, fraction),
        cells=search.alone,
        scores=scores,
        column_scores=search.column_scores[:, :-1],
    )


class _Search:
    """Sets of columns as bits of a number, in rising order: parts of a set come before it.

    Groups of a set are those of the set without its lowest column, split; cells that are alone
    are left out of the groups, since they stay alone in every larger set.
    """

    def __init__(self, cells: FrequencyTable, most: int) -> None:
        self.n_columns = cells.keys.shape[1]
        self.most = most
        filled = np.flatnonzero(cells.sizes > 0)
        keys = cells.keys[filled]
        self.columns = [np.ascontiguousarray(column, np.int32) for column in keys.T]
        self.n_codes = [int(column.max(initial=0)) + 1 for column in self.columns]
        self.single = cells.sizes[filled] == 1
        self.alone = filled[self.single]
        self.number = np.cumsum(self.single) - 1  # of a cell among those that are alone
        self.marks: dict[int, _Bits] = {}
        self.by_size = dict.fromkeys(range(1, most + 1), 0)
        self.column_scores = np.zeros((len(self.alone), self.n_columns + 1))
        self._refuse_too_many()

    def run(self) -> None:
        """Look at every set."""
        everything = np.arange(len(self.single), dtype=np.int64)
        whole = np.array([0, len(self.single)], np.int64)
        self._visit(0, 0, self.n_columns, everything, whole)

    def _visit(
        self, columns: int, size: int, below: int, members: _Numbers, start: _Numbers
    ) -> None:
        if size == self.most:
            return
        for column in range(below):
            grown = columns | 1 << column
            inside, begin, fresh = split_groups(
                members, start, self.columns[column], self.single, self.n_codes[column]
            )
            self._record(grown, size + 1, self.number[fresh])
            self._visit(grown, size + 1, column, inside, begin)

    def _record(self, columns: int, size: int, fresh: _Numbers) -> None:
        """Keep who is alone in a set, and score those who are alone in no part of it."""
        marks = np.zeros((len(self.alone) + 7) // 8, np.uint8)
        own = [column for column in range(self.n_columns) if columns >> column & 1]
        if size > 1:
            for column in own:
                marks |= self.marks[columns ^ 1 << column]
        # alone in a part of the set: then this set is not minimal for the cell
        seen = marks[fresh >> 3] >> (fresh & 7).astype(np.uint8) & 1
        minimal = fresh[seen == 0]
        # `at`, since several cells may share a byte
        np.bitwise_or.at(marks, minimal >> 3, (1 << (minimal & 7)).astype(np.uint8))
        self.marks[columns] = marks
        self.by_size[size] += len(minimal)
        worth = self._worth(size)
        for column in (*own, self.n_columns):
            self.column_scores[minimal, column] += worth

    def _worth(self, size: int) -> float:
        left = self.n_columns - self.most - 1
        return factorial(self.n_columns - size) / factorial(max(left, 0))

    def _refuse_too_many(self) -> None:
        sets = [comb(self.n_columns, size) for size in range(1, self.most + 1)]
        each = len(self.alone) // 8 + 200
        if sum(sets) * each > _ROOM:
            fits = int((np.cumsum(sets) * each <= _ROOM).sum())
            raise ParameterError(
                f"{self.n_columns} columns have {sum(sets)} sets of at most {self.most}, too many "
                f"for {len(self.alone)} rows that are alone. Use max_size={max(1, fits)} or fewer "
                "columns."
            )


def _dis(cells: FrequencyTable, fraction: float) -> float:
    """Skinner and Elliot's measure: right matches over all matches with rows that are alone."""
    alone, pairs = int((cells.sizes == 1).sum()), int((cells.sizes == 2).sum())
    right = fraction * alone
    return right / max(right + 2 * (1 - fraction) * pairs, 1e-300)
