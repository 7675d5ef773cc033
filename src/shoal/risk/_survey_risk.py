"""Everything that a sample tells of the risk in its population, in one result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shoal.errors import ParameterError, SchemaError, TableError
from shoal.risk._far_survey import Stratum, open_far, survey_there
from shoal.risk._individual import IndividualRisk, individual_risk, risk_of_sizes, weight_sums
from shoal.risk._population import read_survey
from shoal.risk._size_counts import SizeCounts, count_sizes
from shoal.risk._special_uniques import SpecialUniques, special_uniques
from shoal.risk._uniques import PopulationUniques, draw_shares, estimate_uniques, middle_of
from shoal.schema import Column, Schema
from shoal.tables import FrequencyTable
from shoal.typing import Floats, Native


@dataclass(frozen=True)
class SurveyRisk:
    """Risk of a sample, as far as it can be told without the population.

    Parameters
    ----------
    n_rows, n_groups : int
        Rows of the sample, and groups of them.
    fraction : float
        Share of the population that is in the sample.
    n_strata : int
        Parts of the sample that were drawn apart; 1 without strata.
    uniques : PopulationUniques
        People who are alone in the population; summed over strata.
    individual : IndividualRisk
        Risk of single rows, and of households.
    special : SpecialUniques or None
        Rows that few columns single out; None where combinations stay on a cluster.
    """

    n_rows: int
    n_groups: int
    fraction: float
    n_strata: int
    uniques: PopulationUniques
    individual: IndividualRisk
    special: SpecialUniques | None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; nothing of a single row."""
        parts = {
            name: None if (part := getattr(self, name)) is None else part.to_dict()
            for name in ("uniques", "individual", "special")
        }
        return {name: value for name, value in vars(self).items() if name not in parts} | parts


def survey_risk(
    table: Native,
    schema: Schema,
    *,
    fraction: float | None = None,
    weight: str | None = None,
    stratum: str | None = None,
    household: str | None = None,
    threshold: float = 0.2,
    max_size: int | None = None,
    bootstrap: int = 0,
    random_state: int | None = 0,
    encoding: str | None = None,
) -> SurveyRisk:
    """Measure the risk of a sample in its population.

    Parameters
    ----------
    table : table or path
        The sample, raw or released.
    schema : Schema
        Roles of the columns.
    fraction : float, optional
        Share of the population that is in the sample; or `weight`.
    weight : str, optional
        Column with the number of people that each row stands for.
    stratum : str, optional
        Quasi-identifier by which the sample was drawn, each part with a fraction of its own, which
        follows from its weights.
    household : str, optional
        Column that names the household of a row; that with the role, when not given.
    threshold : float
        Risk above which a row counts as exposed.
    max_size : int, optional
        Largest set of columns for special uniques.
    bootstrap, random_state
        As in :func:`estimate_uniques`.
    encoding : str, optional
        Encoding of CSV files.

    Notes
    -----
    Of a table in Spark with more than a million combinations (of quasi-identifiers, weights and
    households), groups are counted and weighed there, and sums come back: exact, but for special
    uniques, which need every combination.  Values that are written differently are different.

    Examples
    --------
    >>> schema = Schema({"city": {"role": "quasi-identifier"}})
    >>> found = survey_risk({"city": ["Ulm", "Ulm", "Kiel"]}, schema, fraction=0.5)
    >>> found.uniques.sample_uniques, round(found.individual.average, 2)
    (1, 0.44)
    """
    if (weight is None) == (fraction is None):
        raise ParameterError("survey_risk: give weights or a sampling fraction, one of them.")
    household = household or next(iter(schema.having("household")), None)
    asked = [name for name in (weight, household) if name is not None]
    engine = open_far(table, schema, asked)
    if engine is not None and fraction is not None and stratum is None and household is None:
        sizes = engine.view(schema.quasi_identifiers, {}).group_sizes()
        return _of_sizes(SizeCounts(*sizes), fraction, threshold, bootstrap, random_state)
    if engine is not None:
        _require_known(stratum, schema.quasi_identifiers)
        there = survey_there(
            engine, schema, fraction=fraction, weight=weight, stratum=stratum,
            household=household, threshold=threshold,
        )  # fmt: skip
        return _of_strata(*there, None, bootstrap, random_state)
    cells = read_survey(table, _without_sensitive(schema), asked, encoding=encoding)
    if not cells.n_rows:
        raise TableError(
            "the table has no rows, so there is nobody to find. Check that it is the right one."
        )
    people = cells.sizes / fraction if fraction else weight_sums(cells, str(weight))
    individual = individual_risk(
        cells, weight=weight, fraction=fraction, household=household, threshold=threshold
    )
    overall = min(1.0, cells.n_rows / float(people.sum()))
    special = special_uniques(cells, max_size=max_size, fraction=overall)
    return _of_strata(_strata(cells, people, stratum), individual, special, bootstrap, random_state)


def _without_sensitive(schema: Schema) -> Schema:
    """The schema with nothing to be counted in groups: combinations are fewer without."""
    return Schema(
        {
            name: Column("insensitive", column.kind) if column.role == "sensitive" else column
            for name, column in schema.items()
        },
        reading=schema.reading,
    )


def _of_strata(
    strata: list[Stratum],
    individual: IndividualRisk,
    special: SpecialUniques | None,
    times: int,
    seed: int | None,
) -> SurveyRisk:
    people = sum(part.people for part in strata)
    n_rows = sum(part.counts.n_rows for part in strata)
    return SurveyRisk(
        n_rows=n_rows,
        n_groups=sum(part.counts.n_groups for part in strata),
        fraction=min(1.0, n_rows / people),
        n_strata=len(strata),
        uniques=_uniques(strata, times, seed),
        individual=individual,
        special=special,
    )


def _of_sizes(
    counts: SizeCounts, fraction: float, threshold: float, times: int, seed: int | None
) -> SurveyRisk:
    """What is known where only sizes of groups are."""
    return SurveyRisk(
        n_rows=counts.n_rows,
        n_groups=counts.n_groups,
        fraction=float(fraction),
        n_strata=1,
        uniques=estimate_uniques(counts, fraction, bootstrap=times, random_state=seed),
        individual=risk_of_sizes(counts, fraction, threshold),
        special=None,
    )


def _strata(cells: FrequencyTable, people: Floats, stratum: str | None) -> list[Stratum]:
    """Groups of each stratum by their sizes, and the people behind them."""
    _require_known(stratum, cells.names)
    if stratum is None:
        return [Stratum(count_sizes(cells.sizes), float(people.sum()))]
    codes = cells.keys[:, cells.names.index(stratum)]
    parts = [codes == code for code in np.unique(codes[cells.sizes > 0])]
    return [Stratum(count_sizes(cells.sizes[own]), float(people[own].sum())) for own in parts]


def _require_known(stratum: str | None, names: Sequence[str]) -> None:
    if stratum is not None and stratum not in names:
        raise SchemaError(
            f"the stratum {stratum!r} is no quasi-identifier. People who are alone in their "
            "stratum are alone in the population only if the attacker knows the stratum: give the "
            "column that role, or leave the stratum out."
        )


def _uniques(strata: list[Stratum], times: int, seed: int | None) -> PopulationUniques:
    """The estimate of the whole, or the sum of those of its strata."""
    estimates, drawn = [], np.zeros(times)
    for turn, (counts, people) in enumerate(strata):
        own = min(1.0, counts.n_rows / people)
        estimates.append(estimate_uniques(counts, own))
        if times:
            apart = None if seed is None else seed + turn  # strata are drawn apart
            drawn += draw_shares(counts, own, "dankar", times, apart) * people
    total = sum(people for _, people in strata)
    n_rows = sum(counts.n_rows for counts, _ in strata)
    low, high = middle_of(drawn / total)
    if len(estimates) == 1:
        return replace(estimates[0], low=low, high=high)
    uniques = sum(one.uniques for one in estimates)
    return PopulationUniques(
        method="dankar",
        used=", ".join(sorted({one.used for one in estimates})),
        fraction=min(1.0, n_rows / total),
        n_rows=n_rows,
        sample_uniques=sum(one.sample_uniques for one in estimates),
        uniques=uniques,
        share=uniques / total,
        low=low,
        high=high,
        estimates={},
    )
