"""What sets of attributes cover in a table on a cluster, counted there, exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from shoal.discover.sources._far_sets import count_sets
from shoal.discover.sources._partition import Split
from shoal.tables.engines._spark_engine import SparkEngine


@dataclass(frozen=True, eq=False)
class FarCoverage:
    """Pairs of rows that differ on the chosen attributes, or distinct combinations of these.

    A set of attributes is counted once; what comes here is how many groups have each size.

    Parameters
    ----------
    engine : SparkEngine
        The table.
    counts : {"pairs", "combinations"}
        What is covered.
    chosen : tuple of int
        Attributes so far.
    known : dict of frozenset to Split
        Sets that were counted, for all states of one search.
    """

    engine: SparkEngine
    counts: Literal["pairs", "combinations"]
    chosen: tuple[int, ...] = ()
    known: dict[frozenset[int], Split] = field(default_factory=dict, repr=False)

    @property
    def n_columns(self) -> int:
        """Number of attributes to choose from."""
        return len(self.engine.names)

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        return self.engine.n_rows

    @property
    def total(self) -> int:
        """All pairs of rows, or all rows."""
        n = self.n_rows
        return n * (n - 1) // 2 if self.counts == "pairs" else n

    @property
    def covered(self) -> int:
        """What the chosen attributes cover."""
        if not self.chosen:  # all rows are one group
            return 0 if self.counts == "pairs" else min(1, self.n_rows)
        return self._covered_by(self.split(self.chosen))

    def after(self, columns: Sequence[int]) -> list[int]:
        """What would be covered with each one of these attributes added."""
        sets = [frozenset((*self.chosen, column)) for column in columns]
        self._count(sets)
        return [self._covered_by(self.known[one]) for one in sets]

    def add(self, column: int) -> FarCoverage:
        """The state with one more attribute."""
        return FarCoverage(self.engine, self.counts, (*self.chosen, column), self.known)

    def split(self, columns: Sequence[int]) -> Split:
        """The groups that some attributes make."""
        self._count([frozenset(columns)])
        return self.known[frozenset(columns)]

    def values(self) -> list[int]:
        """How many values each attribute has, the missing one among them."""
        single = [frozenset([column]) for column in range(self.n_columns)]
        self._count(single)
        return [self.known[one].distinct for one in single]

    def _count(self, sets: Sequence[frozenset[int]]) -> None:
        new = dict.fromkeys(one for one in sets if one not in self.known)
        splits = count_sets(self.engine, [tuple(sorted(one)) for one in new])
        self.known.update((frozenset(one), split) for one, split in splits)

    def _covered_by(self, split: Split) -> int:
        return self.total - split.together if self.counts == "pairs" else split.distinct
