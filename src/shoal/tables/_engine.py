"""What every engine offers: compress a table to cells, apply a recoding to its rows."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from shoal._checks import check_choice
from shoal.errors import ParameterError
from shoal.frames._frame import Frame
from shoal.schema import Schema
from shoal.schema._reading import READING, check_signs
from shoal.tables._dialect import TextDialect
from shoal.tables._frequency import CodingOptions, FrequencyTable
from shoal.tables._people import People
from shoal.tables._recoded import Recoded
from shoal.tables.forms._forms import Form
from shoal.typing import Codes, Counts, Native

STAR = "*"
"""Written where a value is suppressed."""

STANDARD = "-"
"""The name of standard input and of standard output."""

Guess = Literal["all", "numbers", "none"]
Dialect = Literal["duckdb", "spark"]


@dataclass(frozen=True)
class OpenOptions:
    """How a table is read where the file leaves it open; see :func:`open_table`."""

    encoding: str | None = None
    guess: Guess = "all"
    types: Mapping[str, str] = field(default_factory=dict)
    delimiter: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    dates: str | None = None
    header: bool | None = None
    missing: tuple[str, ...] | None = None
    skip_bad_rows: bool = False
    sheet: str | None = None
    table: str | None = None
    keep_empty_rows: bool = False

    def __post_init__(self) -> None:
        if self.decimal or self.dates or self.thousands is not None:
            check_signs(self.decimal, self.dates, self.thousands)

    def said(self) -> dict[str, Any]:
        """What was said, by name: all but what is found or taken for granted.

        Examples
        --------
        >>> OpenOptions(delimiter=";", header=False).said()
        {'delimiter': ';', 'header': False}
        """
        told = {name: getattr(self, name) for name in READING}
        return {
            n: v for n, v in told.items() if v is not None and (v is not False or n == "header")
        }

    def filled(self, known: Mapping[str, Any]) -> OpenOptions:
        """The same, and what is `known` where nothing was said.

        Examples
        --------
        >>> OpenOptions(decimal=",").filled({"decimal": ".", "delimiter": ";"}).said()
        {'delimiter': ';', 'decimal': ','}
        """
        said = self.said()
        return replace(self, **{name: value for name, value in known.items() if name not in said})


class TableFile(type(Path())):  # type: ignore[misc]
    """A file, a folder, a pattern, an address of a table in a database, or `-`, and how to read it.

    Every function that takes a path takes one; :func:`open_table` finds the options in it.

    Examples
    --------
    >>> file = TableFile.of("people.csv", OpenOptions(delimiter=";"))
    >>> file.name, file.options.delimiter
    ('people.csv', ';')
    >>> TableFile.of("sqlite:///house.db?table=people", OpenOptions()).address
    'sqlite:///house.db?table=people'
    """

    options = OpenOptions()
    address = ""

    @classmethod
    def of(cls, text: str, options: OpenOptions) -> TableFile:
        """The path that a text names, with options."""
        made = cls(text)
        made.options = options
        made.address = text
        return made


@dataclass(frozen=True)
class RowOptions:
    """How released rows are written.

    The order of the input tells who is who to anybody who knows it (a table sorted by name), so a
    release is put into a secret random order that is kept nowhere.

    Parameters
    ----------
    keep_suppressed : bool
        Keep suppressed rows with every quasi-identifier starred, instead of leaving them out.
    shuffle : int or None
        Seed of a reproducible order, for tests; whoever knows it can undo the order.  None draws a
        secret one.
    ranges : tuple of str
        Numeric quasi-identifiers that get columns `NAME_min`, `NAME_max` and `NAME_mean` besides.
    keep_order : bool
        Leave the rows in the order of the input.
    form : {"labels", "intervals", "midpoints", "draws", "means"}
        How numeric and date quasi-identifiers are written: as labels, as columns `NAME_low` and
        `NAME_high`, as the middle of the label, as a value drawn within it, or as the mean of the
        group, rounded to a public step.
    draw_seed : int, optional
        Seed of the draws; None draws a secret one, which a release keeps in the house.
    key : bytes, optional
        32 secret bytes, from which pseudonyms and shifts of dates are derived.

    Examples
    --------
    >>> RowOptions(shuffle=7)
    RowOptions(keep_suppressed=False, shuffle=7, ranges=(), keep_order=False, form='labels')
    """

    keep_suppressed: bool = False
    shuffle: int | None = None
    ranges: tuple[str, ...] = ()
    keep_order: bool = False
    form: Form = "labels"
    draw_seed: int | None = field(default=None, repr=False)
    key: bytes | None = field(default=None, repr=False)
    #: Where the order of released rows comes from.
    order: Literal["secret", "seed", "input"] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_seed = "secret" if self.shuffle is None else "seed"
        vars(self)["order"] = "input" if self.keep_order else by_seed
        check_choice("form", self.form, get_args(Form))
        if self.keep_order and self.shuffle is not None:
            raise ParameterError("keep_order and shuffle exclude one another. Give one of them.")
        if self.form == "means" and (self.ranges or self.keep_suppressed):
            other = "ranges" if self.ranges else "suppressed rows"
            raise ParameterError(
                f"means: {other} cannot be given out beside means. Leave them out, or write labels."
            )

    def settled(self) -> RowOptions:
        """The same options with a seed, where draws need one and none is given: 256 secret bits."""
        if self.form != "draws" or self.draw_seed is not None:
            return self
        return replace(self, draw_seed=secrets.randbits(256))


def put_in_order(row_ids: NDArray[np.int64], output: RowOptions) -> NDArray[np.int64]:
    """The released rows, in the order in which they are written.

    A secret order is drawn with 256 bits of the system's randomness, which are not kept.
    """
    if output.keep_order:
        return row_ids
    seed = secrets.randbits(256) if output.shuffle is None else output.shuffle
    return np.random.default_rng(seed).permutation(row_ids)


@dataclass(frozen=True, eq=False)
class Witness:
    """Which row of the source stands behind each row that was given out.

    For the judge alone: it stays in memory and is dropped once the output was judged.

    Parameters
    ----------
    row_ids : ndarray of int64
        Number (0, 1, ... in reading order) of the source's row, for each row in written order.
    source : object
        What the numbers count, for a reader of its own: a tuple of paths (read one after another),
        a dataframe, or, where the user's table has no stable order, the rows as they were read
        once: a DuckDB relation or a Spark DataFrame of our own with the user's names.
    dialect, written : TextDialect or None
        How the source is written where it is CSV files, and the output where it is one.
    labels : mapping of str to (tuple of str or None, ndarray of int32)
        For columns that are written in another form: the labels behind them, row by row.
    """

    row_ids: NDArray[np.int64]
    source: Any = field(repr=False)
    dialect: TextDialect | None = None
    labels: Mapping[str, tuple[tuple[str | None, ...], Codes]] = field(
        default_factory=dict, repr=False
    )
    written: TextDialect | None = None


@dataclass(frozen=True, eq=False)
class ReleasedRows:
    """Released rows in the library the table came from, and the rows behind them."""

    table: Native
    witness: Witness


class Compressed(Protocol):
    """A table reduced to cells, which still knows how to map its rows."""

    @property
    def cells(self) -> FrequencyTable:
        """Distinct combinations of quasi-identifier values."""

    @property
    def people(self) -> People | None:
        """Who stands behind the rows; None where every row is a person."""

    def rows(self, recoded: Recoded, output: RowOptions) -> ReleasedRows:
        """The released rows, in the library the table came from, and their witness."""

    def release(self, recoded: Recoded, output: RowOptions) -> Native:
        """The released rows, in the library the table came from."""

    def write(self, recoded: Recoded, output: RowOptions, path: Path) -> Witness:
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
        """Whether this engine takes a table of this kind; must not import an optional library."""

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
        """Some columns, with the numbers of some put into bins of a given width."""

    def fractional(self) -> tuple[str, ...]:
        """Columns with numbers that are not whole."""

    def code_rows(self) -> Codes:
        """Codes of every column (first axis) and row, for telling equal from unequal."""

    def sample_rows(self, size: int, generator: np.random.Generator) -> Codes:
        """Codes of rows drawn uniformly without replacement; all rows when there are not more."""

    def group_sizes(self) -> tuple[Counts, Counts]:
        """Distinct sizes of the groups of equal rows, and the number of groups of each size."""

    def distinct_rows(self) -> Engine:
        """The same table without duplicate rows."""

    def exchange(self, maps: Mapping[str, ColumnMap]) -> Native:
        """The rows with some columns exchanged, in the library the table came from."""

    def write(self, names: Sequence[str], path: Path) -> None:
        """Write some columns of every row to a file, as they are, in a secret order.

        The suffix tells the format.  In the order of the table whoever knows it knows who is who.
        """
