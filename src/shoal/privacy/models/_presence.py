"""delta-presence: whether a person is in the table stays uncertain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from shoal.errors import ParameterError, SchemaError
from shoal.privacy._model import POPULATION, TOLERANCE, Condition, PrivacyModel, check_number
from shoal.privacy.compiled._condition_kernels import PRESENCE
from shoal.schema._coding import Coding
from shoal.tables import FrequencyTable
from shoal.tables._frequency import Histogram, group_keys
from shoal.tables._recoded import Recoded
from shoal.typing import Codes, Counts, Flags, Floats


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
        :func:`with_population` made.

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
    """

    low: float
    high: float
    population: FrequencyTable | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_number("DeltaPresence", "low", self.low, 0, 1)
        check_number("DeltaPresence", "high", self.high, 0, 1)
        if self.low > self.high:
            raise ParameterError(
                f"DeltaPresence: low must be at most high, got low={self.low}, high={self.high}."
            )

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
        """One rule on the population's count."""
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
        found = dict(zip(written, people.tolist(), strict=True))
        keys = groups.keys[:, [groups.names.index(name) for name in recoded.cells.names]]
        texts = [groups.codings[groups.names.index(name)].texts for name in recoded.cells.names]
        counts = [
            found.get(tuple(text[code] for text, code in zip(texts, row, strict=True)), 0)
            for row in keys.tolist()
        ]
        histograms = {**groups.histograms, POPULATION: _histogram(np.array(counts, np.int64))}
        return replace(groups, histograms=histograms)

    def to_dict(self) -> dict[str, Any]:
        """The bounds; the population is data and stays out."""
        return {"model": "DeltaPresence", "low": self.low, "high": self.high}

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


def with_population(
    cells: FrequencyTable, population: FrequencyTable, *, complete: bool = True
) -> FrequencyTable:
    """Count a population beside the cells of a table.

    Combinations that only the population has become cells without rows, so that a coarser group
    counts them.

    Parameters
    ----------
    cells, population : FrequencyTable
        The same quasi-identifiers, raw; the population includes the people in `cells`.
    complete : bool
        Raise when the population has values that the codes of `cells` do not know; otherwise
        those people are left out.
    """
    keys = _recode(cells, population, complete)
    inside = (keys >= 0).all(axis=1)
    group_of, n_groups = group_keys(np.vstack([cells.keys, keys[inside]]))
    n_cells = cells.n_groups
    if n_groups < n_cells or (group_of[:n_cells] != np.arange(n_cells)).any():
        raise SchemaError("with_population: the cells are not distinct. Give raw cells.")
    people = np.bincount(
        group_of[n_cells:], weights=population.sizes[inside], minlength=n_groups
    ).astype(np.int64)
    sizes = np.concatenate([cells.sizes, np.zeros(n_groups - n_cells, np.int64)])
    lacking = int(np.maximum(sizes - people, 0).sum())
    if lacking:
        raise SchemaError(
            f"the population lacks {lacking} of the table's {cells.n_rows} rows. "
            "Give a population that includes the people in the table."
        )
    all_keys = np.zeros((n_groups, cells.keys.shape[1]), np.int32)
    all_keys[group_of] = np.vstack([cells.keys, keys[inside]])
    histograms = {
        name: replace(
            histogram,
            start=np.concatenate(
                [histogram.start, np.full(n_groups - n_cells, histogram.start[-1])]
            ),
        )
        for name, histogram in cells.histograms.items()
    }
    histograms[POPULATION] = _histogram(people)
    return FrequencyTable(cells.codings, all_keys, sizes, histograms)


def _histogram(people: Counts) -> Histogram:
    counted = np.flatnonzero(people)
    coding = Coding(POPULATION, "categorical", ("person",), np.array([np.nan]))
    start = np.concatenate([[0], np.cumsum(people > 0)]).astype(np.int64)
    return Histogram(coding, start, np.zeros(len(counted), np.int32), people[counted])


def _recode(cells: FrequencyTable, population: FrequencyTable, complete: bool) -> Codes:
    absent = sorted(set(cells.names) - set(population.names))
    if absent:
        shown = ", ".join(map(repr, absent))
        raise SchemaError(f"the population lacks the quasi-identifiers {shown}. Add them.")
    keys = np.empty((population.n_groups, len(cells.codings)), np.int32)
    for column, coding in enumerate(cells.codings):
        at = population.names.index(coding.name)
        texts: Sequence[str | None] = population.codings[at].texts
        code = np.array([coding.code_of.get(text, -1) for text in texts], np.int32)
        keys[:, column] = code[population.keys[:, at]]
        if complete and (keys[:, column] < 0).any():
            raise SchemaError(
                f"column {coding.name!r}: the population has values that the table's codes lack. "
                "Give the column a hierarchy over all of them, or set low to 0."
            )
    return keys
