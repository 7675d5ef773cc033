"""A recoding of columns, alike in all rows, found for a table with too many combinations."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from shoal.anonymize._anonymizer import Anonymizer, require_rows
from shoal.anonymize._recoding import CutRecoding
from shoal.anonymize.cuts._grown_hierarchies import grow_hierarchies
from shoal.anonymize.regions._cell_budget import (
    Coarsening,
    coarsening_steps,
    first_that_fits,
    floor_loss,
)
from shoal.anonymize.regions._coarse_columns import CoarseColumn, coarse_column, lift
from shoal.errors import ParameterError
from shoal.privacy import PrivacyModel
from shoal.schema._coding import Coding
from shoal.tables import FrequencyTable
from shoal.tables._frequency import assemble
from shoal.tables.engines.regions._region_rows import RegionRows
from shoal.typing import Codes, Progress


def search_coarse(
    estimator: Anonymizer,
    rows: RegionRows,
    sample: Codes,
    privacy: PrivacyModel,
    most: int,
    progress: Progress,
) -> tuple[CutRecoding, Coarsening]:
    """Coarsen columns until at most `most` combinations are left, and search those.

    Notes
    -----
    **Guarantee.**  Rows that are equal in the coarse table are released alike, and others as they
    are there, so every group has exactly the rows that the model was asked about.
    """
    names = estimator.schema.quasi_identifiers
    codings = _with_hierarchies(estimator, rows, sample)
    counts = [rows.columns[name].counts for name in names]
    floors, steps = coarsening_steps(codings, counts)

    @lru_cache(maxsize=1)
    def columns_at(step: int) -> list[CoarseColumn]:
        chosen = zip(codings, floors, steps[step], strict=True)
        return [coarse_column(coding, own[level]) for coding, own, level in chosen]

    progress(0, 0, "counting combinations")
    step = first_that_fits(
        len(steps),
        lambda number: rows.estimate_cells([column.code_of for column in columns_at(number)]),
        most,
        names,
    )
    columns = columns_at(step)
    cells = _count(rows, columns)
    lost = sum(
        floor_loss(coding, own[level], own_rows)
        for coding, own, level, own_rows in zip(codings, floors, steps[step], counts, strict=True)
    )
    raised = {name: level for name, level in zip(names, steps[step], strict=True) if level}
    coarsened = Coarsening(raised, lost / len(names), most, cells.n_groups)
    require_rows(cells, privacy)
    recoding = estimator._solve(cells, privacy, progress)
    if not isinstance(recoding, CutRecoding):
        raise ParameterError(
            f"method {estimator.name} cannot be used on tables with so many combinations."
        )
    return lift(recoding, codings, columns), coarsened


def _with_hierarchies(estimator: Anonymizer, rows: RegionRows, sample: Codes) -> tuple[Coding, ...]:
    """Codings of the quasi-identifiers, with hierarchies for those that the schema gives none."""
    known = tuple(rows.columns[name].coding for name in estimator.schema.quasi_identifiers)
    drawn = FrequencyTable(known, sample, np.ones(len(sample), np.int64))
    exact = getattr(estimator, "ranges", "lines") == "exact"
    return grow_hierarchies(drawn, None, 1, exact=exact).codings


def _count(rows: RegionRows, columns: list[CoarseColumn]) -> FrequencyTable:
    """The coarse table as cells."""
    counted = rows.count_cells([column.code_of for column in columns])
    entries = {name: (rows.columns[name].coding, codes) for name, codes in counted.counted.items()}
    codings = [column.coding for column in columns]
    return assemble(codings, counted.keys, entries, counted.rows)[0]
