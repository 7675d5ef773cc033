"""Cells of a Spark DataFrame, and its rows released where they are."""
# ruff: noqa: PLC0415  PySpark is an extra; it is there when a Spark table is

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ParameterError
from shoal.schema import Schema
from shoal.tables._dialect import TextDialect
from shoal.tables._engine import STAR, ReleasedRows, RowOptions, Witness
from shoal.tables._frequency import FrequencyTable
from shoal.tables._people import People
from shoal.tables._range_columns import range_columns
from shoal.tables._recoded import Recoded
from shoal.tables.engines._spark_arrow import fetch, plain_values
from shoal.tables.engines.formats._writers import (
    FORMULA,
    PLAIN_NUMBER,
    require_safe_names,
)
from shoal.typing import Codes, Floats, Native

NUMBER = "row_id"
"""Column with a row's number: 0, 1, ... in the order in which the rows were read."""

_FEW = 64
"""Values up to which labels are a list in the query; beyond, a table that is joined."""

if TYPE_CHECKING:
    from shoal.tables.engines._spark_engine import SparkEngine


class Combinations(NamedTuple):
    """Combinations of quasi-identifiers as they stand in rows, in Arrow, and the cell of each."""

    values: Any
    cell_of: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CompressedSpark:
    """A Spark DataFrame, its cells, and the raw values behind the codes.

    Raw values stay in Arrow's columns: they go back to Spark as they came.
    """

    engine: SparkEngine
    schema: Schema
    cells: FrequencyTable
    values: dict[str, tuple[Any, Codes]] = field(repr=False)
    met: Combinations = field(repr=False)
    people: People | None = field(default=None, repr=False)

    def rows(self, recoded: Recoded, output: RowOptions) -> ReleasedRows:
        """The released rows as a Spark DataFrame, made once, and their witness."""
        import pyspark.sql.functions as F

        if output.form != "labels":
            raise ParameterError(
                f"Spark tables are released as labels, and {output.form} are asked for. Release "
                "labels, and read them with shoal.read_release."
            )
        coarse = any(self.schema[name].is_coarse for name in self.schema)
        if self.schema.pseudonym is not None or self.schema.shifted or coarse:
            raise ParameterError(
                "tokens of pseudonyms, shifted dates and rounded values are not made of Spark "
                "tables. Write the table to Parquet and pass the path."
            )
        names = self.engine.names
        released = {
            name: F.col(f"c{i}") for i, name in enumerate(names) if self.schema[name].is_released
        }
        alone = recoded.per_column is not None and not recoded.suppressed.any()
        if alone and not output.ranges:
            frame, labels = self._label_by_column(recoded)
        else:
            frame, labels = self._label_by_row(recoded, output)
        released |= labels
        columns = [column.alias(f"o{i}") for i, column in enumerate(released.values())]
        ordered = frame.select(NUMBER, *columns).orderBy(_place(output))
        made = ordered.localCheckpoint(eager=True)
        row_ids = fetch(made.select(NUMBER)).column(0).to_numpy().astype(np.int64)
        table = without_notes(made.drop(NUMBER).toDF(*released))
        return ReleasedRows(table, Witness(row_ids, self.engine.numbered))

    def release(self, recoded: Recoded, output: RowOptions) -> Native:
        """The released rows as a Spark DataFrame."""
        return self.rows(recoded, output).table

    def write(self, recoded: Recoded, output: RowOptions, path: Path) -> Witness:
        """Write the released rows as a folder of files, in the order of their names."""
        released = self.rows(recoded, output)
        return replace(released.witness, written=write_frame(released.table, path))

    def _label_by_column(self, recoded: Recoded) -> tuple[Any, dict[str, Any]]:
        """The staged rows, joined to labels of columns that have many values."""
        import pyspark.sql.functions as F

        assert recoded.per_column is not None
        frame, label_columns = self.engine.staged, {}
        for index, (labels, label_of) in enumerate(
            zip(recoded.labels, recoded.per_column, strict=True)
        ):
            name = labels.coding.name
            if recoded.is_untouched(index):
                continue
            texts = [labels.texts[label_of[code]] for code in self.values[name][1]]
            value = self.engine.staged_value(name)
            frame, looked_up = self._look_up(frame, index, name, texts[:-1])
            filled = F.when(value.isNull(), F.lit(texts[-1])).otherwise(looked_up)
            label_columns[name] = filled
        return frame, label_columns

    def _look_up(self, frame: Any, index: int, name: str, texts: list[str]) -> tuple[Any, Any]:
        """The frame with whatever says the text of each value of a column, and that."""
        import pyarrow as pa
        import pyspark.sql.functions as F

        values, value = self.values[name][0], self.engine.staged_value(name)
        if not texts:
            return frame, F.lit(None).cast("string")
        # a moment that the clock shows twice is two values, and one in Python
        if len(texts) <= _FEW and getattr(values.type, "tz", None) is None:
            pairs = chain.from_iterable(zip(plain_values(values), texts, strict=True))
            return frame, F.create_map(*map(F.lit, pairs))[value]
        table = pa.table({f"v{index}": values, f"l{index}": pa.array(texts, pa.string())})
        known = self._send(table, [f"v{index} {self._type(name)}", f"l{index} string"])
        joined = frame.join(F.broadcast(known), value == F.col(f"v{index}"), "left")
        return joined, F.col(f"l{index}")

    def _label_by_row(self, recoded: Recoded, output: RowOptions) -> tuple[Any, dict[str, Any]]:
        """Join rows to the labels of their combination; missing values match themselves."""
        import pyspark.sql.functions as F

        ranges = range_columns(recoded, output.ranges)
        names = [coding.name for coding in self.cells.codings]
        labels_frame = self._label_table(recoded, ranges)
        condition = None
        for i, name in enumerate(names):
            same = self.engine.staged_value(name).eqNullSafe(F.col(f"k{i}"))
            condition = same if condition is None else condition & same
        frame = self.engine.staged.join(F.broadcast(labels_frame), condition, "left")
        if not output.keep_suppressed:
            frame = frame.where(~F.col("hidden"))
        hides = output.keep_suppressed and bool(recoded.suppressed.any())
        label_columns = {
            name: F.col(f"l{i}")
            for i, name in enumerate(names)
            if hides or not recoded.is_untouched(i)
        }
        return frame, label_columns | {name: F.col(f"r{i}") for i, name in enumerate(ranges)}

    def _label_table(self, recoded: Recoded, ranges: Mapping[str, Floats]) -> Any:
        """Every combination that was met, `k0`, ..., with its labels `l0`, ... and ranges."""
        import pyarrow as pa

        group_of = recoded.group_of[self.met.cell_of]
        hidden = group_of < 0
        columns = {f"k{i}": column for i, column in enumerate(self.met.values.columns)}
        fields = [f"k{i} {self._type(part.coding.name)}" for i, part in enumerate(recoded.labels)]
        for i, part in enumerate(recoded.labels):
            # -1, a suppressed cell, reads the last entry
            label = np.append(recoded.codes[:, i], len(part.texts))[group_of]
            columns[f"l{i}"] = pa.array([*part.texts, STAR], pa.string()).take(pa.array(label))
        for i, numbers in enumerate(ranges.values()):
            columns[f"r{i}"] = pa.array(np.append(numbers, np.nan)[group_of], mask=hidden)
        columns["hidden"] = pa.array(hidden)
        fields += [f"l{i} string" for i in range(len(recoded.labels))]
        fields += [f"r{i} double" for i in range(len(ranges))] + ["hidden boolean"]
        return self._send(pa.table(columns), fields)

    def _send(self, table: Any, fields: list[str]) -> Any:
        return self.engine.native.sparkSession.createDataFrame(table, ", ".join(fields))

    def _type(self, name: str) -> str:
        return self.engine.staged_types[self.engine.names.index(name)]


def _place(output: RowOptions) -> Any:
    """What the rows are sorted by: their number, or a digest of it that a key makes secret."""
    import pyspark.sql.functions as F

    if output.keep_order:
        return F.col(NUMBER)
    key = secrets.token_hex(32) if output.shuffle is None else str(output.shuffle)
    return F.sha2(F.concat(F.lit(key + ":"), F.col(NUMBER).cast("string")), 256)


def in_secret_order(frame: Any) -> Any:
    """The rows of a DataFrame, sorted by a digest of their place with a key that nobody keeps."""
    import pyspark.sql.functions as F

    secret = F.concat(F.lit(f"{secrets.token_hex(32)}:"), F.monotonically_increasing_id())
    return frame.orderBy(F.sha2(secret, 256))


def write_frame(frame: Any, path: Path) -> TextDialect | None:
    """Write a DataFrame as a folder of files, and say how if they are text.

    No cell of text is one that a spreadsheet computes, and every cell is written as it is.
    """
    if path.suffix.lower() == ".parquet":
        without_notes(frame).write.parquet(str(path))
        return None
    import pyspark.sql.functions as F

    require_safe_names(frame.columns)
    texts = {name for name, kind in frame.dtypes if kind == "string"}
    places = [f"c{i}" for i in range(len(frame.columns))]
    cells = [
        _safe(F.col(column)).alias(name) if name in texts else F.col(column).alias(name)
        for column, name in zip(places, frame.columns, strict=True)
    ]
    how = {"escape": '"', "ignoreLeadingWhiteSpace": False, "ignoreTrailingWhiteSpace": False}
    frame.toDF(*places).select(*cells).write.options(**how).csv(str(path), header=True)
    return TextDialect(names=tuple(frame.columns), escaped=True)


def without_notes(frame: Any) -> Any:
    """The frame without what was noted on its columns: categories, comments, statistics."""
    import pyspark.sql.functions as F

    places = [f"c{i}" for i in range(len(frame.columns))]
    columns = zip(places, frame.columns, strict=True)
    plain = [F.col(column).alias(name, metadata={}) for column, name in columns]
    return frame.toDF(*places).select(*plain)


def _safe(text: Any) -> Any:
    import pyspark.sql.functions as F

    computed = text.rlike(FORMULA) & ~text.rlike(f"^(?:{PLAIN_NUMBER})$") & (F.length(text) > 1)
    return F.when(computed, F.concat(F.lit("'"), text)).otherwise(text)
