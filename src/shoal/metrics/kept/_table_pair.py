"""A raw table and a release, whoever made it, as shares and weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.errors import ParameterError, TableError
from shoal.frames._frame import Frame
from shoal.metrics.kept._row_order import order_by_content
from shoal.metrics.kept._shares import MOST_VALUES, ColumnPair, pair_categories, pair_numbers
from shoal.schema import Schema
from shoal.tables import open_table
from shoal.tables._engine import Engine
from shoal.tables.engines._spark_engine import SparkEngine
from shoal.typing import Floats, Native

MOST_ROWS = 50_000
"""Rows of each table that are looked at, drawn where there are more."""


@dataclass(frozen=True, eq=False)
class TablePair:
    """The columns that a raw table and a release have in common, and the weight of each row.

    Weights have mean 1 in each table, so that neither says more because it has more rows.  Rows are
    ordered by their content, so that nothing depends on the order in which they were written.
    `test_weights` are those of rows to test models on, and None without any.
    """

    columns: tuple[ColumnPair, ...]
    raw_weights: Floats
    released_weights: Floats
    n_raw: int
    n_released: int
    test_weights: Floats | None = None

    def column(self, name: str) -> ColumnPair:
        """The column of a name."""
        for column in self.columns:
            if column.name == name:
                return column
        raise ParameterError(f"there is no column {name!r} in both tables.")


def read_pair(
    original: Native,
    release: Native,
    schema: Schema | None = None,
    *,
    weights: str | None = None,
    test: Native | None = None,
    random_state: int = 0,
) -> TablePair:
    """Read the tables; identifiers of a schema and the column of weights are left out.

    A column that was released as intervals (`age_low` and `age_high`) is the column `age`.
    """
    rng = np.random.default_rng(random_state)
    # rows like the raw ones are read as the schema says, a release by what stands in it
    engines = [open_table(original, schema=schema), open_table(release)]
    engines += [] if test is None else [open_table(test, schema=schema)]
    sizes = [engine.n_rows for engine in engines]
    if min(sizes) == 0:
        raise TableError("a table has 0 rows: there is nothing to compare.")
    frames = [_frame(engine, random_state) for engine in engines]
    names = [n for n in frames[0].names if n != weights and _is_in(n, frames[1])]
    if schema is not None:
        names = [name for name in names if name in schema and schema[name].is_released]
    if not names:
        raise TableError("the tables have no column in common, so that nothing can be compared.")
    if test is not None and (lost := [name for name in names if name not in frames[2].names]):
        raise TableError(
            f"the rows to test on have no column {', '.join(map(repr, lost))}. Give raw rows with "
            "the columns of the table."
        )
    frames = [_drawn(frame, [*names, *([weights] if weights else [])], rng) for frame in frames]
    columns = tuple(_column(name, frames, schema) for name in names)
    raw, released, *tested = (_weights(frame, weights) for frame in frames)
    return TablePair(columns, raw, released, sizes[0], sizes[1], tested[0] if tested else None)


def _frame(engine: Engine, seed: int) -> Frame:
    """The rows in memory; of a table on a cluster, only a sample."""
    return (engine.draw(MOST_ROWS, seed) if isinstance(engine, SparkEngine) else engine).frame()


def _drawn(frame: Frame, names: Sequence[str], rng: np.random.Generator) -> Frame:
    """At most `MOST_ROWS` rows, in the order of their content; the seed alone decides which."""
    ends = [name + end for name in names for end in ("", "_low", "_high")]
    order = order_by_content(frame, [name for name in ends if name in frame.names])
    if frame.n_rows > MOST_ROWS:
        order = order[np.sort(rng.permutation(frame.n_rows)[:MOST_ROWS])]
    return frame.take(order)


def _is_in(name: str, frame: Frame) -> bool:
    return name in frame.names or {f"{name}_low", f"{name}_high"} <= set(frame.names)


def _weights(frame: Frame, name: str | None) -> Floats:
    if name is None:
        return np.ones(frame.n_rows)
    if name not in frame.names or frame.types[name] != "number":
        raise ParameterError(
            f"weights: {name!r} must be a column of numbers in both tables. Release it as an "
            "insensitive column, or compare without weights."
        )
    numbers = frame.numbers(name)
    if not (np.isfinite(numbers) & (numbers >= 0)).all() or not numbers.sum() > 0:
        raise ParameterError(f"weights: {name!r} must hold numbers of at least 0, and no gaps.")
    return np.asarray(numbers / numbers.mean())


def _column(name: str, frames: Sequence[Frame], schema: Schema | None) -> ColumnPair:
    raw, released, *tested = frames
    test = tested[0] if tested else None
    if _is_number(name, raw, schema) or name not in released.names:
        return pair_numbers(name, raw, released, test)
    return pair_categories(name, raw, released, schema, test)


def _is_number(name: str, raw: Frame, schema: Schema | None) -> bool:
    if raw.types[name] not in ("number", "date"):
        return False
    if schema is None or schema[name].kind in ("numeric", "date"):
        return True
    # nobody has to say that a salary is a number where it is released as it is
    is_plain = schema[name].role != "quasi-identifier" and schema[name].kind == "categorical"
    return is_plain and len(raw.factorize(name)[1]) > MOST_VALUES
