"""What every engine offers: compress a table to cells, apply a recoding to its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from shoal.schema import Schema
from shoal.tables._assemble import CodingOptions
from shoal.tables._frequency import FrequencyTable
from shoal.tables._recoded import Recoded
from shoal.typing import Codes, Counts, Native

STAR = "*"
"""Written where a value is suppressed."""


@dataclass(frozen=True)
class RowOptions:
    """How released rows are given out.

    Parameters
    ----------
    keep_suppressed : bool
        Keep suppressed rows with every quasi-identifier starred, instead of leaving them out.
    shuffle : int or None
        Seed that breaks the order of the rows; None keeps it.
    ranges : tuple of str
        Numeric quasi-identifiers that get columns `NAME_min`, `NAME_max` and `NAME_mean` besides.
    """

    keep_suppressed: bool = False
    shuffle: int | None = None
    ranges: tuple[str, ...] = ()


class Compressed(Protocol):
    """A table reduced to cells, which still knows how to map its rows."""

    @property
    def cells(self) -> FrequencyTable:
        """Distinct combinations of quasi-identifier values."""

    def release(self, recoded: Recoded, output: RowOptions) -> Native:
        """The released rows, in the library the table came from."""

    def write(self, recoded: Recoded, output: RowOptions, path: Path) -> None:
        """Write the released rows to a file; the suffix tells the format."""


class Engine(Protocol):
    """A table that can be counted without being moved."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""

    @property
    def types(self) -> dict[str, str]:
        """Sort of value of each column: "number", "text", "date", "boolean" or "other"."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""

    def distinct(self, name: str, limit: int | None = None) -> tuple[list[Any], bool]:
        """Distinct values of a column, at most `limit`, and whether some are missing."""

    def compress(self, schema: Schema, options: CodingOptions | None = None) -> Compressed:
        """Group the rows into cells."""

    def view(self, names: Sequence[str], widths: Mapping[str, float]) -> Engine:
        """Some columns, numbers of some of them put into bins of a width."""

    def fractional(self) -> tuple[str, ...]:
        """Columns with numbers that are not whole."""

    def code_rows(self) -> Codes:
        """Codes of every column (first axis) and row, for telling equal from unequal."""

    def sample_rows(self, size: int, generator: np.random.Generator) -> Codes:
        """Codes of rows drawn uniformly without replacement; all rows when there are not more."""

    def group_sizes(self) -> tuple[Counts, Counts]:
        """Sizes of the groups of equal rows, each once, and how many groups have each."""

    def distinct_rows(self) -> Engine:
        """The same table with equal rows made one."""
