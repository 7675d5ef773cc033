"""delta-presence: whether a person is in the table stays uncertain."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal._checks import check_number
from shoal.errors import ParameterError, SchemaError
from shoal.privacy._condition import TOLERANCE, Condition
from shoal.privacy._model import POPULATION, PrivacyModel
from shoal.privacy.compiled._condition_kernels import PRESENCE
from shoal.typing import Flags, Floats

if TYPE_CHECKING:
    from shoal.tables import FrequencyTable
    from shoal.tables._frequency import Histogram
    from shoal.tables._recoded import Recoded


@dataclass(frozen=True)
class DeltaPresence(PrivacyModel):
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

    def prepare(self, cells: FrequencyTable) -> FrequencyTable:
        """Count the population beside the cells."""
        if POPULATION in cells.histograms:
            return cells
        if self.population is None:
            raise SchemaError(
                "DeltaPresence needs a population. Give DeltaPresence(..., population=) the "
                "frequency table of everybody who might be in the table."
            )
        from shoal.privacy.models._population import with_population  # noqa: PLC0415  slow to load

        return with_population(cells, self.population, complete=self.low > 0)

    def prepare_release(self, groups: FrequencyTable, recoded: Recoded) -> FrequencyTable:
        """Count the population in released groups, found by what is written in them."""
        if POPULATION in groups.histograms:
            return groups
        people = self._people(recoded.groups).sums(np.ones(1)).astype(np.int64)
        written = [
            tuple(labels.texts[code] for labels, code in zip(recoded.labels, codes, strict=True))
            for codes in recoded.codes.tolist()
        ]
        people_of = dict(zip(written, people.tolist(), strict=True))
        keys = groups.keys[:, [groups.names.index(name) for name in recoded.cells.names]]
        texts = [groups.codings[groups.names.index(name)].texts for name in recoded.cells.names]
        counts = [
            people_of.get(tuple(text[code] for text, code in zip(texts, row, strict=True)), 0)
            for row in keys.tolist()
        ]
        from shoal.privacy.models._population import population_histogram  # noqa: PLC0415

        counted = population_histogram(np.array(counts, np.int64))
        return replace(groups, histograms={**groups.histograms, POPULATION: counted})

    def to_dict(self) -> dict[str, Any]:
        """The bounds; the population is data and stays out."""
        return {"model": "DeltaPresence", "low": self.low, "high": self.high}

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: the bounds.  The population is given again."""
        return {**vars(self), "population": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)

    def __deepcopy__(self, memo: dict[int, Any]) -> DeltaPresence:
        return self  # frozen; a copy in memory is no file that leaves the house

    def _counts_everybody(self, groups: FrequencyTable) -> bool:
        # Who is in no group is known not to be in the table, and suppressing a group does that.
        if self.low == 0 or self.population is None:
            return True
        return int(self._people(groups).totals.sum()) >= self.population.n_rows

    def _people(self, groups: FrequencyTable) -> Histogram:
        if POPULATION not in groups.histograms:
            raise SchemaError(
                "DeltaPresence: no population is counted in this table. "
                "Add one with with_population(cells, population)."
            )
        return groups.histograms[POPULATION]
