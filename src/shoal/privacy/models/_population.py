"""A population counted beside the cells of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from shoal.errors import SchemaError
from shoal.privacy._model import POPULATION
from shoal.schema._coding import Coding
from shoal.tables import FrequencyTable
from shoal.tables._frequency import Histogram, group_keys
from shoal.typing import Codes, Counts


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
    histograms[POPULATION] = population_histogram(people)
    rows = cells.rows
    if rows is not None:
        rows = np.concatenate([rows, np.zeros(n_groups - n_cells, np.int64)])
    return FrequencyTable(cells.codings, all_keys, sizes, histograms, rows)


def population_histogram(people: Counts) -> Histogram:
    """People of the population in each group, as the histogram of a column of one value."""
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
        own = population.names.index(coding.name)
        texts: Sequence[str | None] = population.codings[own].texts
        code = np.array([coding.code_of.get(text, -1) for text in texts], np.int32)
        keys[:, column] = code[population.keys[:, own]]
        if complete and (keys[:, column] < 0).any():
            raise SchemaError(
                f"column {coding.name!r}: the population has values that the table's codes lack. "
                "Give the column a hierarchy over all of them, or set low to 0."
            )
    return keys
