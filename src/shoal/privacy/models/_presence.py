"""delta-presence: whether a person is in the table stays uncertain."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from shoal._checks import check_number
from shoal.errors import ParameterError
from shoal.privacy._condition import TOLERANCE, Condition
from shoal.privacy._model import POPULATION, PrivacyModel
from shoal.privacy._population_model import PopulationModel
from shoal.privacy.compiled._condition_kernels import PRESENCE
from shoal.typing import Flags, Floats

if TYPE_CHECKING:
    from shoal.tables import FrequencyTable


@dataclass(frozen=True)
class DeltaPresence(PopulationModel):
    """Of the population's people in any group, a share of `low` to `high` is in the table [NAC07]_.

    Parameters
    ----------
    low, high : float
        0 <= low <= high <= 1.
    population : FrequencyTable, optional
        The quasi-identifiers of everybody who might be in the table, those who are included.
        :meth:`prepare` counts it beside the cells; without it, give tables that
        :func:`with_population` made.  It is data about people: neither manifests nor pickles
        hold it.

    Notes
    -----
    **Guarantee.**  Who has the population table cannot tell with more confidence than `high` that
    a person is in the released table, nor with more than 1 - `low` that they are not.

    **Departures from the paper.**  The population is coarsened as the release is.  People whose
    values the table's codes do not know count as outside every group, which makes shares look
    larger; that errs on the safe side for `high`, and is refused when `low` is above 0.  With
    `low` above 0 no row may be suppressed: who is in no group is known not to be in the table.

    References
    ----------
    .. [NAC07] M. Nergiz, M. Atzori, C. Clifton.  Hiding the presence of individuals from shared
       databases.  SIGMOD 2007.  doi:10.1145/1247480.1247554

    Examples
    --------
    >>> DeltaPresence(0, 0.4).describe()
    "of the population's people in any group, between 0 and 0.4 are in the table"
    """

    low: float
    high: float
    population: FrequencyTable | None = field(default=None, repr=False, compare=False)

    leaves_open = "It holds against attackers who know the population that was given, and no other."

    def __post_init__(self) -> None:
        check_number("DeltaPresence: low", self.low, 0, 1)
        check_number("DeltaPresence: high", self.high, 0, 1)
        if self.low > self.high:
            raise ParameterError(
                f"DeltaPresence: low must be at most high, got low={self.low}, high={self.high}."
            )

    @property
    def judges_groups_alone(self) -> bool:  # type: ignore[override]
        """Whether groups may be left out; above a `low` of 0, whoever is in none is known."""
        return self.low == 0

    @property
    def larger_is_better(self) -> bool:  # type: ignore[override]
        """Whether only the lower bound can be broken."""
        return self.high == 1

    @property
    def required(self) -> float:
        """`high`, or `low` where `high` is 1."""
        return float(self.low if self.high == 1 else self.high)

    @property
    def parts(self) -> tuple[PrivacyModel, ...]:
        """The two bounds."""
        if self.low == 0 or self.high == 1:
            return (self,)
        return (replace(self, low=0), replace(self, high=1))

    def describe(self) -> str:
        """Say what every group has to be."""
        return (
            f"of the population's people in any group, between {self.low:g} and {self.high:g} "
            "are in the table"
        )

    def levels(self, groups: FrequencyTable) -> Floats:
        """Share of each group's population that is in the table."""
        people = self._people(groups).sums(np.ones(1))
        out = np.where(groups.sizes > 0, np.inf, self.low)
        return np.divide(groups.sizes, people, out=out, where=people > 0)

    def holds(self, groups: FrequencyTable) -> Flags:
        """Which groups are allowed; one with people of the population only needs `low` to be 0."""
        share = self.levels(groups)
        fine = (share >= self.low - TOLERANCE) & (share <= self.high + TOLERANCE)
        return fine if self._counts_everybody(groups) else np.zeros_like(fine)

    def conditions(self, cells: FrequencyTable) -> list[Condition]:
        """One condition on the population's count."""
        self._people(cells)
        return [Condition(PRESENCE, POPULATION, float(self.low), float(self.high))]

    @property
    def counts_all_of_it(self) -> bool:
        """With a `low` above 0: who is outside every group is known not to be in the table."""
        return self.low > 0

    def _counts_everybody(self, groups: FrequencyTable) -> bool:
        # Who is in no group is known not to be in the table, and suppressing a group does that.
        if self.low == 0 or self.population is None:
            return True
        return int(self._people(groups).totals.sum()) >= self.population.n_rows
