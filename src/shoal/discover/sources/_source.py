"""Tables as the searches read them, wherever the rows live."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from shoal.discover.sources._partition import CodeTable, Partition
from shoal.typing import Counts, Flags


class Source(Protocol):
    """Rows of a table, restricted to the columns that are looked at."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader should know about the columns."""

    def codes(self) -> CodeTable:
        """Every row, coded."""

    def sample(self, size: int, generator: np.random.Generator) -> CodeTable:
        """Rows drawn uniformly without replacement, all of them when there are not more."""

    def group_sizes(self) -> tuple[Counts, Counts]:
        """Distinct sizes of the groups of equal rows, and the number of groups of each size."""

    def distinct(self) -> Source:
        """The same table without duplicate rows."""

    def select(self, names: Sequence[str]) -> Source:
        """Only some of the columns."""


@dataclass(frozen=True, eq=False)
class CodedSource:
    """A table that is in memory as codes."""

    table: CodeTable
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return self.table.names

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.table.n_rows

    def codes(self) -> CodeTable:
        """Every row."""
        return self.table

    def sample(self, size: int, generator: np.random.Generator) -> CodeTable:
        """Rows drawn uniformly without replacement, all of them when there are not more."""
        if size >= self.n_rows:
            return self.table
        rows = generator.choice(self.n_rows, size, replace=False, shuffle=False)
        return self.table.take(np.sort(rows))

    def group_sizes(self) -> tuple[Counts, Counts]:
        """Distinct sizes of the groups of equal rows, and the number of groups of each size."""
        partition = Partition.whole(self.table).by(range(self.table.n_columns))
        sizes, groups = np.unique(partition.sizes, return_counts=True)
        return np.append(sizes, 1), np.append(groups, partition.unique)

    def distinct(self) -> CodedSource:
        """The same table without duplicate rows."""
        partition = Partition.whole(self.table).by(range(self.table.n_columns))
        drop = np.ones(len(partition.order), np.bool_)
        drop[partition.start[:-1]] = False
        keep = np.ones(self.n_rows, np.bool_)
        keep[partition.order[drop]] = False
        return CodedSource(self.table.take(np.flatnonzero(keep)), self.notes)

    def select(self, names: Sequence[str]) -> CodedSource:
        """Only some of the columns."""
        columns = [self.names.index(name) for name in names]
        return CodedSource(CodeTable(tuple(names), self.table.codes[columns]), self.notes)


def sample_pairs(source: Source, n_pairs: int, generator: np.random.Generator) -> Flags:
    """Which columns tell apart each of `n_pairs` independent, uniform pairs of rows.

    One sample of rows serves them all: pairs of row numbers are drawn first, and the distinct
    numbers among them stand for as many rows of a sample without replacement.  The pairs have
    exactly the law of independent draws from the table, and the table is read once.
    """
    rows = source.sample(2 * n_pairs, generator)
    n = source.n_rows
    first = generator.integers(0, n, n_pairs)
    second = generator.integers(0, n - 1, n_pairs)
    second += second >= first
    drawn, which = np.unique(np.concatenate([first, second]), return_inverse=True)
    # each distinct number stands for one row of the sample, whichever it is
    row_of = generator.choice(rows.n_rows, len(drawn), replace=False)[which]
    left, right = row_of[:n_pairs], row_of[n_pairs:]
    differs = np.empty((rows.n_columns, n_pairs), np.bool_)
    for column, codes in enumerate(rows.codes):
        np.not_equal(codes[left], codes[right], out=differs[column])
    return differs
