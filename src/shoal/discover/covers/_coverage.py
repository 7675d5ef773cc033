"""What a growing set of attributes covers: pairs of rows, distinct combinations, sampled pairs.

Finding and masking quasi-identifiers are both covering problems (section 2.2 of [MX08]_); a
coverage is the state of one, and the searches see nothing else of the table.

References
----------
.. [MX08] R. Motwani, Y. Xu.  Efficient algorithms for masking and finding quasi-identifiers.
   Workshop on practical privacy-preserving data mining (P3DM), 2008.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from shoal._resources import n_threads
from shoal.discover.sources._partition import CodeTable, Partition
from shoal.typing import Flags

_WORTH_THREADS = 100_000
"""Rows from which on splitting work between threads pays."""


class Coverage(Protocol):
    """How much a set of attributes covers, and how much one more would."""

    @property
    def n_columns(self) -> int:
        """Number of attributes to choose from."""

    @property
    def total(self) -> int:
        """Coverage when everything is covered."""

    @property
    def covered(self) -> int:
        """What the chosen attributes cover."""

    def after(self, columns: Sequence[int]) -> list[int]:
        """What would be covered with each one of these attributes added."""

    def add(self, column: int) -> Self:
        """The state with one more attribute."""


@dataclass(frozen=True, eq=False)
class _OfRows:
    partition: Partition

    @classmethod
    def of(cls, table: CodeTable) -> Self:
        """No attribute chosen yet."""
        return cls(Partition.whole(table))

    @property
    def n_columns(self) -> int:
        return self.partition.table.n_columns

    def after(self, columns: Sequence[int]) -> list[int]:
        if len(self.partition.order) < _WORTH_THREADS or len(columns) < 2:
            return [self._after_one(column) for column in columns]
        with ThreadPoolExecutor(n_threads()) as pool:
            return list(pool.map(self._after_one, columns))

    def add(self, column: int) -> Self:
        return type(self)(self.partition.refine(column))

    def _after_one(self, column: int) -> int:
        raise NotImplementedError


class AllPairs(_OfRows):
    """Pairs of rows that differ on the chosen attributes, out of all pairs."""

    @property
    def total(self) -> int:
        """All pairs of rows."""
        return self.partition.table.n_pairs

    @property
    def covered(self) -> int:
        """Pairs that differ."""
        return self.total - self.partition.together

    def _after_one(self, column: int) -> int:
        return self.total - self.partition.split(column).together


class DistinctRows(_OfRows):
    """Distinct combinations of the chosen attributes, out of all rows."""

    @property
    def total(self) -> int:
        """All rows."""
        return self.partition.table.n_rows

    @property
    def covered(self) -> int:
        """Distinct combinations."""
        return self.partition.distinct

    def _after_one(self, column: int) -> int:
        return self.partition.split(column).distinct


@dataclass(frozen=True, eq=False)
class SampledPairs:
    """Pairs of a sample that differ on the chosen attributes.

    Parameters
    ----------
    differs : ndarray of bool, shape (n_columns, n_pairs)
        Whether an attribute tells the rows of a pair apart.
    left : ndarray of int64
        Pairs that no chosen attribute tells apart.
    """

    differs: Flags
    left: NDArray[np.int64]

    @classmethod
    def of(cls, differs: Flags) -> SampledPairs:
        """No attribute chosen yet."""
        return cls(differs, np.arange(differs.shape[1]))

    @property
    def n_columns(self) -> int:
        """Number of attributes to choose from."""
        return int(self.differs.shape[0])

    @property
    def total(self) -> int:
        """Pairs in the sample."""
        return int(self.differs.shape[1])

    @property
    def covered(self) -> int:
        """Pairs that differ."""
        return self.total - len(self.left)

    @cached_property
    def _remaining(self) -> Flags:
        return self.differs[:, self.left]

    def after(self, columns: Sequence[int]) -> list[int]:
        """Pairs that would differ with each one of these attributes added."""
        return [self.covered + int(np.count_nonzero(self._remaining[j])) for j in columns]

    def add(self, column: int) -> SampledPairs:
        """The state with one more attribute."""
        return SampledPairs(self.differs, self.left[~self._remaining[column]])
