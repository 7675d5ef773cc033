"""What every engine offers: compress a table to cells, apply a recoding to its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.frames._frame import Frame
from shoal.schema import Schema
from shoal.tables._assemble import CodingOptions
from shoal.tables._frequency import FrequencyTable
from shoal.tables._recoded import Recoded
from shoal.typing import Codes, Counts, Native

STAR = "*"
"""Written where a value is suppressed."""

Guess = Literal["all", "numbers", "none"]
Dialect = Literal["duckdb", "spark"]


@dataclass(frozen=True)
class OpenOptions:
    """How a table is read where the file leaves it open; see :func:`open_table`."""

    encoding: str | None = None
    guess: Guess = "all"
    types: Mapping[str, str] = field(default_factory=dict)


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

    Examples
    --------
    >>> RowOptions(shuffle=7)
    RowOptions(keep_suppressed=False, shuffle=7, ranges=())
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


class ColumnMap(Protocol):
    """A column exchanged for another, value by value, told in two ways.

    An engine takes the one that it understands: databases SQL, frames arrays.
    """

    def sql(self, column: str, dialect: Dialect) -> str:
        """An expression of the new value; `column` is the old one's name, quoted."""

    def on_frame(self, frame: Frame, name: str) -> Frame:
        """The frame with the column `name` exchanged."""


class Engine(Protocol):
    """A table that can be counted without being moved.

    One protocol for every place where rows may live.  A new engine is a class in a file of its own
    under `tables/engines`, and an entry in `ENGINES` there; an engine whose rows fit into memory
    need only make a frame of them and be a `FrameEngine`.

    Examples
    --------
    >>> from shoal.tables import open_table
    >>> engine = open_table({"age": [30, 30, 41], "city": ["Ulm", "Ulm", None]})
    >>> engine.names, engine.n_rows
    (('age', 'city'), 3)
    >>> engine.distinct("city")
    (['Ulm'], True)
    """

    @classmethod
    def recognizes(cls, source: Any) -> bool:
        """Whether this engine holds such a table; must not import an optional library."""

    @classmethod
    def open(cls, source: Any, options: OpenOptions) -> Engine:
        """The engine of a table that it recognizes."""

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

    def columns(self) -> dict[str, NDArray[Any]]:
        """Every row, by column, as arrays; masked where a value is missing.  In memory."""

    def frame(self) -> Frame:
        """Every row as a dataframe of whichever library is at hand.  In memory."""

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

    def exchange(self, maps: Mapping[str, ColumnMap]) -> Native:
        """The rows with some columns exchanged, in the library the table came from."""

    def write(self, names: Sequence[str], path: Path) -> None:
        """Write some columns of every row to a file, as they are; the suffix tells the format."""
