"""A search, ready to run: what is to be covered, how much of it, and what that proves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.discover import _sizes
from shoal.discover.covers._bound import cheapest_cover
from shoal.discover.covers._counting import least_key_cost
from shoal.discover.covers._coverage import AllPairs, SampledPairs
from shoal.discover.covers._differences import masks_of, smallest_key
from shoal.discover.covers._far_coverage import FarCoverage
from shoal.discover.covers._greedy import Choice, cover, least_count
from shoal.discover.covers._hitting import Budget, bits, minimal_only, smallest_hitting_set
from shoal.discover.sources._far_sets import engine_of_far
from shoal.discover.sources._source import Source, sample_pairs
from shoal.errors import InfeasibleError
from shoal.typing import Floats


@dataclass(frozen=True, eq=False)
class Instance:
    """One search for a key: what it has to cover.

    Parameters
    ----------
    coverage : AllPairs, FarCoverage or SampledPairs
        Nothing chosen yet.
    target : float
        Share to cover.
    size, unit : int, str
        Rows or pairs that are examined.
    claim : str
        What covering the target proves about the table.
    probability : float
        Probability that it does.
    """

    coverage: AllPairs | FarCoverage | SampledPairs
    target: float
    size: int
    unit: str
    claim: str
    probability: float = 1.0

    @classmethod
    def of_all_rows(cls, source: Source, beta: float) -> Instance:
        """Every row is examined."""
        far = engine_of_far(source)
        coverage = AllPairs.of(source.codes()) if far is None else FarCoverage(far, "pairs")
        what = "every pair" if beta >= 1 else f"at least {beta:g} of the pairs"
        return cls(coverage, beta, source.n_rows, "rows", f"exact: separates {what} of rows")

    @classmethod
    def of_sampled_rows(
        cls, source: Source, eps: float, delta: float, generator: np.random.Generator
    ) -> Instance:
        """Enough rows that a key of them is nearly one of the table."""
        size = _sizes.rows_for_key(source.n_rows, len(source.names), eps, delta)
        if size >= source.n_rows:
            return cls.of_all_rows(source, 1.0)
        claim = f"with probability {1 - delta:g}: distinct ratio at least {1 - eps:g}"
        rows = source.sample(size, generator)
        return cls(AllPairs.of(rows), 1.0, size, "rows", claim, 1 - delta)

    @classmethod
    def of_sampled_pairs(
        cls,
        source: Source,
        beta: float | None,
        eps: float,
        delta: float,
        generator: np.random.Generator,
    ) -> Instance:
        """Enough pairs that covering them covers nearly as large a share of all pairs."""
        m, n = len(source.names), source.n_rows
        if beta is None:
            size, target, least = _sizes.pairs_for_key(m, eps, delta), 1.0, 1 - eps
        else:
            size = _sizes.pairs_for_quasi_identifier(m, beta, eps, delta)
            # half way between what is asked and what is claimed: a sample may be off to both sides
            target, least = (2 - eps) * beta / 2, (1 - eps) * beta
        if size >= n * (n - 1) // 2:  # as many as there are: no need to draw
            return cls.of_all_rows(source, 1.0 if beta is None else beta)
        claim = f"with probability {1 - delta:g}: separation ratio at least {least:g}"
        differs = sample_pairs(source, size, generator)
        return cls(SampledPairs.of(differs), target, size, "pairs", claim, 1 - delta)

    def require_feasible(self) -> None:
        """Raise unless all attributes together cover the target."""
        coverage = self.coverage
        if isinstance(coverage, SampledPairs):
            covered = int(coverage.differs.any(axis=0).sum())
            needed, what = coverage.total, "sampled pairs are of rows equal"
            surplus = needed - covered
        elif isinstance(coverage, FarCoverage):
            split = coverage.split(range(coverage.n_columns))
            covered = coverage.total - split.together
            needed, what = coverage.n_rows, "rows are equal to another one"
            surplus = needed - split.distinct
        else:
            partition = coverage.partition.by(range(coverage.n_columns))
            covered = coverage.total - partition.together
            needed, what = partition.table.n_rows, "rows are equal to another one"
            surplus = needed - partition.distinct
        if covered < least_count(coverage.total, self.target):
            raise _no_key(coverage.n_columns, needed, surplus, what)

    def solve(self, costs: Floats, search: str, budget: Budget) -> Solution:
        """Attributes that cover the target."""
        greedy = cover(self.coverage, costs, self.target)
        # the greedy's factor, read the other way round (Chvatal's bound holds with costs)
        spent = float(costs[list(greedy.columns)].sum())
        least = spent / (1 + math.log(max(self.target * self.coverage.total, 1.0)))
        if self.target >= 1 and not isinstance(self.coverage, SampledPairs):
            least = max(least, least_key_cost(*_room(self.coverage), costs))
            if spent <= least:  # too few combinations of values for anything cheaper
                return Solution(greedy, True, spent)
        if search == "greedy":
            return Solution(greedy, False, least)
        if self.target < 1 or isinstance(self.coverage, FarCoverage):
            choice, proved, bound = cheapest_cover(self.coverage, costs, self.target, budget)
            return Solution(choice, proved, max(bound, least))
        if isinstance(self.coverage, AllPairs):
            table = self.coverage.partition.table
            key, proved, bound = smallest_key(table, costs.tolist(), budget)
        else:
            masks = minimal_only(masks_of(self.coverage.differs))
            key, proved = smallest_hitting_set(masks, costs.tolist(), budget)
            bound = float(sum(costs[j] for j in bits(key))) if proved else 0.0
        if not proved:
            return Solution(greedy, spent <= bound, max(bound, least))
        return Solution(cover(self.coverage, costs, among=list(bits(key))), True, bound)


@dataclass(frozen=True)
class Solution:
    """Attributes chosen, whether none cheaper would do, and a lower bound on the cost."""

    choice: Choice
    proved: bool
    lower_bound: float


def _room(coverage: AllPairs | FarCoverage) -> tuple[int, Sequence[int]]:
    """Rows of a table, and values of each of its columns."""
    if isinstance(coverage, FarCoverage):
        return coverage.n_rows, coverage.values()
    return coverage.partition.table.n_rows, coverage.partition.table.n_codes


def require_key(n_columns: int, n_rows: int, distinct: int) -> None:
    """Raise unless all columns together tell all rows apart."""
    if distinct < n_rows:
        raise _no_key(n_columns, n_rows, n_rows - distinct, "rows are equal to another one")


def _no_key(n_columns: int, needed: int, surplus: int, what: str) -> InfeasibleError:
    return InfeasibleError(
        f"a key of {n_columns} columns",
        required=needed,
        achieved=needed - surplus,
        hint=f"{surplus} {what} on every column, so that no set of them is a key. Make the rows "
        "distinct (duplicates='drop'), add columns, or ask for less (beta below 1).",
    )
