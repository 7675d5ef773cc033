"""k-map: nobody is in a group that few people of the population share."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from shoal._checks import check_integer, check_number
from shoal.privacy._condition import Condition
from shoal.privacy._model import POPULATION, Word
from shoal.privacy._population_model import PopulationModel
from shoal.privacy.compiled._condition_kernels import MAP
from shoal.typing import Flags, Floats

if TYPE_CHECKING:
    from shoal.tables import FrequencyTable


@dataclass(frozen=True)
class KMap(PopulationModel):
    """Every group has at least `k` people of the population [Swe02]_.

    Parameters
    ----------
    k : int
        Fewest people of the population who look like a released row, at least 1.
    fraction : float, optional
        Share of the population that is in the table, drawn by chance.  Then no population is
        needed: groups need as many rows as a group of fewer than `k` people hardly ever shows.
    significance : float
        How seldom "hardly ever" is, with `fraction`.
    population : FrequencyTable, optional
        The quasi-identifiers of everybody who might be in the table, those who are included.

    Notes
    -----
    **Guarantee.**  Who looks for a person of the population finds at least `k` people who may be
    behind a row.  With `fraction`: if everybody was drawn with that probability, independently,
    then a group of fewer than `k` people, chosen before the draw, is released with probability at
    most `significance`, since Binomial(k - 1, fraction) reaches the rows asked for no more often.

    **Departures from the paper.**  A population stands in for the published registers.  People
    with values that the table's codes lack are in no group, which errs on the safe side.

    References
    ----------
    .. [Swe02] L. Sweeney.  k-anonymity: a model for protecting privacy.  International Journal on
       Uncertainty, Fuzziness and Knowledge-based Systems 10(5), 2002.

    Examples
    --------
    >>> KMap(5, fraction=0.1).minimum_size
    3
    >>> KMap(5).describe()
    "every group has at least 5 of the population's people"
    """

    k: int
    fraction: float | None = None
    significance: float = 0.05
    population: FrequencyTable | None = field(default=None, repr=False, compare=False)

    word = Word("k-map", {"k": int, "fraction": float}, "5:0.1", optional=1)
    leaves_open = (
        "Who knows that a person is in the table hides them only among its rows, which may be "
        "fewer than k."
    )

    def __post_init__(self) -> None:
        check_integer("KMap: k", self.k, 1)
        check_number("KMap: significance", self.significance, 0, 1, above=True)
        if self.fraction is not None:
            check_number("KMap: fraction", self.fraction, 0, 1, above=True)

    @property
    def counts_population(self) -> bool:
        """Whether no sampling fraction stands in for it."""
        return self.fraction is None

    @cached_property
    def _least_rows(self) -> int:
        if self.fraction is None:
            return 1
        from scipy.stats import binom  # noqa: PLC0415  slow to load

        rows = np.arange(1, self.k + 1)
        rare = binom.sf(rows - 1, self.k - 1, self.fraction) <= self.significance
        return int(rows[rare][0])  # k rows are never shown by fewer than k people

    @property
    def required(self) -> float:
        """`k`, or the rows that stand for it where there is no population."""
        return float(self.k if self.fraction is None else self._least_rows)

    @property
    def minimum_size(self) -> int:
        """Rows that stand for `k` people; 1 with a population."""
        return self._least_rows

    def levels(self, groups: FrequencyTable) -> Floats:
        """People of the population in each group; its rows where there is no population."""
        if self.fraction is not None:
            return groups.sizes.astype(np.float64)
        return self._people(groups).sums(np.ones(1))

    def holds(self, groups: FrequencyTable) -> Flags:
        """Which groups are large enough; one without rows is."""
        return (self.levels(groups) >= self.required) | (groups.sizes == 0)

    def describe(self) -> str:
        """Say what every group has to be."""
        if self.fraction is None:
            return f"every group has at least {self.k} of the population's people"
        return (
            f"every group has at least {self._least_rows} rows, which fewer than {self.k} people "
            f"show with a chance of at most {self.significance:g} when {self.fraction:g} of the "
            "population are in the table"
        )

    def conditions(self, cells: FrequencyTable) -> list[Condition]:
        """The people in a group; none where rows stand for them."""
        if self.fraction is not None:
            return []
        return [Condition(MAP, POPULATION, float(self.k))]
