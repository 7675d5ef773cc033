"""What an engine offers so that regions are solved where their rows are.

The search knows nothing of where rows lie.  It asks an engine for the values of every column, for a
sample, for exact counts by region, and to hand the rows of each region to a function.  DuckDB does
so on one machine, region after region; Spark in its workers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.schema import Schema
from shoal.schema._coding import Coding
from shoal.tables._engine import RowOptions, Witness
from shoal.tables._frequency import (
    CodingOptions,
    FrequencyTable,
    Histogram,
    code_values,
)
from shoal.tables.engines.regions._cuts import Cut
from shoal.typing import Codes, Counts, Native, Progress

HIDDEN = -1
"""Group of rows that are not released, and number of their labels."""


class SolvedRows(NamedTuple):
    """The rows of a region with their labels.

    `group_of` has the group of each row, -1 where the row is not released; `labels` a number for
    each group (first axis) and quasi-identifier; `texts` says for each column what the numbers
    stand for; `figures` are plain values that add up over regions.
    """

    group_of: NDArray[np.int64]
    labels: Codes
    texts: tuple[tuple[str | None, ...], ...]
    figures: dict[str, Any]


Solve = Callable[[Codes, Mapping[str, Codes]], SolvedRows]
"""From the codes of a region's rows, quasi-identifiers and counted columns, to their labels.

It depends on the rows alone, not on their order, so whoever repeats it gets the same.  Where it has
`groups_stand_alone` and that is true, every group of a region keeps the promise by itself, and it
may be seen in the output which rows are one.
"""


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """Every value of a column, with its code and how many rows have it.

    Parameters
    ----------
    coding : Coding
        What the codes stand for.
    values : sequence or Arrow array
        The column's distinct values as the engine knows them; none is missing.
    codes : ndarray of int32
        Code of each of them, and behind them the missing value's (-1 where none is).
    counts : ndarray of int64
        Rows with each code.
    """

    coding: Coding
    values: Any = field(repr=False)
    codes: Codes = field(repr=False)
    counts: Counts = field(repr=False)

    @property
    def tops(self) -> Codes:
        """What each code may be generalized to at most, numbered from 0; all 0 without limits."""
        if not self.coding.is_limited:
            return np.zeros(max(self.coding.n_codes, 1), np.int32)
        return np.unique(self.coding.ceiling, return_inverse=True)[1].astype(np.int32).reshape(-1)


def code_column(
    name: str,
    schema: Schema,
    options: CodingOptions,
    values: Sequence[Any],
    counts: Counts,
    n_missing: int,
) -> CodedColumn:
    """Code a column by its distinct values, rows of each, and rows without one."""
    coding, codes = code_values(
        name, schema[name], values, has_missing=n_missing > 0, options=options
    )
    rows = np.bincount(codes[:-1], weights=counts, minlength=coding.n_codes).astype(np.int64)
    if n_missing:
        rows[coding.missing] += n_missing
    return CodedColumn(coding, values, codes, rows)


class PartCount(NamedTuple):
    """Rows counted by region and limits: of one column's values, or of all (`code` is empty)."""

    leaf: NDArray[np.int64]
    top: NDArray[np.int64]
    code: NDArray[np.int64]
    rows: NDArray[np.int64]


def part_table(plain: PartCount, counted: Mapping[str, tuple[Coding, PartCount]]) -> FrequencyTable:
    """Parts, rows of one region with the same limits, as groups; keys are region and limits."""
    order = np.lexsort([plain.top, plain.leaf])
    leaf, top, rows = plain.leaf[order], plain.top[order], plain.rows[order]
    number = {key: n for n, key in enumerate(zip(leaf.tolist(), top.tolist(), strict=True))}
    histograms = {}
    for name, (coding, count) in counted.items():
        pairs = zip(count.leaf.tolist(), count.top.tolist(), strict=True)
        group = np.array([number[pair] for pair in pairs], np.int64)
        inside = np.lexsort([count.code, group])
        start = np.searchsorted(group[inside], np.arange(len(leaf) + 1))
        histograms[name] = Histogram(
            coding,
            start.astype(np.int64),
            count.code[inside].astype(np.int32),
            count.rows[inside].astype(np.int64),
        )
    keys = np.column_stack([leaf, top]).astype(np.int32)
    return FrequencyTable((), keys, rows.astype(np.int64), histograms)


class CellCounts(NamedTuple):
    """Combinations of codes: of quasi-identifiers, of counted columns by name, and their rows."""

    keys: Codes
    counted: dict[str, Codes]
    rows: Counts


class RegionRows(Protocol):
    """A table that is too large for one search, and stays where it is.

    Partition, map regions, count and write: an engine that can do these four can serve.
    """

    schema: Schema
    n_rows: int
    columns: Mapping[str, CodedColumn]

    def sample(self, size: int, seed: int) -> Codes:
        """Codes of the quasi-identifiers of about `size` rows, drawn by a seed."""

    def estimate_cells(self, coarse: Sequence[Codes]) -> int:
        """About how many combinations there are of the coarse codes of each quasi-identifier.

        `coarse` has, for each of them, the coarse code of every code.
        """

    def count_cells(self, coarse: Sequence[Codes]) -> CellCounts:
        """Combinations of coarse codes and of codes of counted columns, with exact counts."""

    def partition(self, cut: Cut | int) -> FrequencyTable:
        """Key every row by its region; the parts of regions, counted exactly."""

    def solve(
        self, region_of: Sequence[int], solve: Solve, progress: Progress
    ) -> list[dict[str, Any]]:
        """Solve every region and keep the labels of its rows; figures of each region.

        `region_of` names the region of each part of the partition: small ones are joined.
        """

    def rows(self, output: RowOptions) -> tuple[Native, Witness | None]:
        """The released rows, in the library the table came from, and what the judge needs."""

    def write(self, output: RowOptions, path: Path) -> Witness | None:
        """Write the released rows; None where the judge has to ask the engine."""

    def reopen(self, path: Path) -> Native:
        """What was written, as the judge takes it."""

    def given(self) -> Native:
        """The rows as they came, for a judge without a witness."""


def wanted_columns(schema: Schema) -> list[str]:
    """Columns that are coded: quasi-identifiers, and those counted within groups."""
    return list(dict.fromkeys([*schema.quasi_identifiers, *schema.counted]))
