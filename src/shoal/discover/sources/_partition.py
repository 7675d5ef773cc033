"""Coded tables, and how a set of attributes divides their rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.discover.sources._partition_kernels import count_split, refine
from shoal.typing import Codes


@dataclass(frozen=True, eq=False)
class CodeTable:
    """Columns of integer codes; rows are equal on a column when their codes are.

    Parameters
    ----------
    names : tuple of str
        The columns.
    codes : ndarray of int32, shape (n_columns, n_rows)
        Codes from 0 up; a missing value has a code of its own.
    """

    names: tuple[str, ...]
    codes: Codes

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return int(self.codes.shape[0])

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.codes.shape[1])

    @property
    def n_pairs(self) -> int:
        """Number of unordered pairs of rows."""
        return self.n_rows * (self.n_rows - 1) // 2

    @cached_property
    def n_codes(self) -> tuple[int, ...]:
        """One more than the largest code of each column."""
        return tuple(int(column.max(initial=-1)) + 1 for column in self.codes)

    def take(self, rows: NDArray[np.integer]) -> CodeTable:
        """Some of the rows."""
        return CodeTable(self.names, np.ascontiguousarray(self.codes[:, rows]))

    def __repr__(self) -> str:
        return f"CodeTable({self.n_rows} rows, {list(self.names)})"


@dataclass(frozen=True, eq=False)
class Split:
    """What one more attribute does to a partition: the counts, without the groups."""

    together: int
    """Pairs of rows that stay together."""
    distinct: int
    """Distinct combinations."""
    unique: int
    """Rows that are alone with their combination."""


@dataclass(frozen=True, eq=False)
class Partition:
    """Rows of a table, grouped by equality on some attributes; single rows are left out."""

    table: CodeTable
    order: Codes
    start: NDArray[np.int64]

    @classmethod
    def whole(cls, table: CodeTable) -> Partition:
        """All rows in one group: the partition by no attribute."""
        n = table.n_rows
        if n < 2:
            return cls(table, np.empty(0, np.int32), np.zeros(1, np.int64))
        return cls(table, np.arange(n, dtype=np.int32), np.array([0, n], np.int64))

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Sizes of the groups of two rows and more."""
        return np.diff(self.start)

    @property
    def unique(self) -> int:
        """Rows that are alone in their group."""
        return self.table.n_rows - len(self.order)

    @property
    def distinct(self) -> int:
        """Number of groups, single rows included."""
        return self.unique + len(self.start) - 1

    @cached_property
    def together(self) -> int:
        """Pairs of rows in one group."""
        return int((self.sizes * (self.sizes - 1) // 2).sum())

    def refine(self, column: int) -> Partition:
        """Split by one more attribute."""
        scratch = np.zeros(self.table.n_codes[column], np.int32)
        order, start = refine(self.table.codes[column], self.order, self.start, scratch)
        return Partition(self.table, order, start)

    def split(self, column: int) -> Split:
        """Counts after one more attribute; cheaper than :meth:`refine`."""
        scratch = np.zeros(self.table.n_codes[column], np.int32)
        together, distinct, single = count_split(
            self.table.codes[column], self.order, self.start, scratch
        )
        return Split(int(together), self.unique + int(distinct), self.unique + int(single))

    def by(self, columns: Iterable[int]) -> Partition:
        """Split by several attributes, stopping when every row is alone."""
        partition = self
        for column in columns:
            if not len(partition.order):
                break
            partition = partition.refine(column)
        return partition
