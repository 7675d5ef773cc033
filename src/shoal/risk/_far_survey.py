"""Surveys on a cluster: groups are counted and weighed there, and only sums come here."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal._checks import check_number
from shoal.risk._individual import IndividualRisk, household_misses, row_risks, weight_error
from shoal.risk._population import require_asked
from shoal.risk._size_counts import SizeCounts
from shoal.schema import Column, Schema
from shoal.tables._engine import OpenOptions
from shoal.tables._frequency import CodingOptions, code_values
from shoal.tables.engines._spark_engine import SparkEngine, is_spark
from shoal.tables.engines._spark_groups import (
    GroupSums,
    UnitSums,
    Weighed,
    sum_groups,
    sum_units,
)
from shoal.tables.engines.regions._open_regions import fits_here
from shoal.tables.engines.regions._spark_regions import explain_workers
from shoal.typing import Codes, Native


class Stratum(NamedTuple):
    """A part of a sample that was drawn by itself: its groups by size, and people behind them."""

    counts: SizeCounts
    people: float


class FarSurvey(NamedTuple):
    """What a cluster tells of a sample."""

    strata: list[Stratum]
    individual: IndividualRisk


def open_far(table: Native, schema: Schema, asked: list[str]) -> SparkEngine | None:
    """The engine of a table whose combinations are too many to be fetched; None for others.

    None also where a column is missing, or none is to group by: who counts combinations says so.
    """
    if not (isinstance(table, SparkEngine) or is_spark(table)):
        return None
    engine = table if isinstance(table, SparkEngine) else SparkEngine.open(table, OpenOptions())
    require_asked(schema, asked)
    names = [*schema.quasi_identifiers, *asked]
    fits = bool(schema.quasi_identifiers) and set(names) <= set(engine.names) <= set(schema)
    return None if not fits or fits_here(engine, names) else engine


def survey_there(
    engine: SparkEngine,
    schema: Schema,
    *,
    fraction: float | None,
    weight: str | None,
    stratum: str | None,
    household: str | None,
    threshold: float,
) -> FarSurvey:
    """Count and weigh the groups of a table where it is; exact but for the order of sums."""
    check_number("individual_risk: threshold", threshold, 0, 1)
    if fraction is not None:
        check_number("individual_risk: fraction", fraction, 0, 1, above=True)
    if weight is not None and schema[weight].kind != "numeric":
        raise weight_error(weight)
    asked = Weighed(schema.quasi_identifiers, weight, 1.0 / fraction if fraction else 1.0)
    units = None
    with explain_workers():
        sums = sum_groups(engine, asked, stratum, row_risks, threshold)
        if weight is not None and (sums.n_unknown or sums.least < 1):
            raise weight_error(weight)
        if household is not None:
            units = sum_units(engine, asked, household, household_misses)
    return FarSurvey(_strata(sums, stratum), _individual(sums, units, threshold))


def _strata(sums: GroupSums, stratum: str | None) -> list[Stratum]:
    codes = np.zeros(len(sums.sizes), np.int32) if sums.part is None else _codes(sums, str(stratum))
    strata = []
    for code in np.unique(codes):
        own = codes == code
        sizes, size_of = np.unique(sums.sizes[own], return_inverse=True)
        groups = np.bincount(size_of, weights=sums.groups[own]).astype(np.int64)
        strata.append(Stratum(SizeCounts(sizes, groups), float(sums.people[own].sum())))
    return strata


def _codes(sums: GroupSums, stratum: str) -> Codes:
    """Codes of the strata, in the order of the fetched combinations."""
    part = sums.part
    assert part is not None
    _, code_of = code_values(
        stratum,
        Column("quasi-identifier"),
        part.listed(),
        has_missing=part.has_missing,
        options=CodingOptions(),
    )
    return code_of[part.codes]


def _individual(sums: GroupSums, units: UnitSums | None, threshold: float) -> IndividualRisk:
    n_rows = int((sums.sizes * sums.groups).sum())
    expected = float(sums.summed.sum())
    return IndividualRisk(
        n_rows=n_rows,
        highest=float(sums.highest.max(initial=0.0)),
        average=expected / max(1, n_rows),
        expected=expected,
        threshold=float(threshold),
        share_above=float(sums.above.sum() / max(1, n_rows)),
        n_households=None if units is None else units.n_units,
        highest_household=None if units is None else units.highest,
        average_household=None if units is None else units.summed / max(1, n_rows),
        risks=np.empty(0),
    )
