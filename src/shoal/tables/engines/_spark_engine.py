"""Tables in Spark: counted and mapped where they are."""
# ruff: noqa: PLC0415  PySpark is an extra; it is there when a Spark table is

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import TableError
from shoal.frames._frame import Frame
from shoal.schema import Schema
from shoal.tables._assemble import (
    CodingOptions,
    assemble,
    code_values,
    counted_columns,
    require_quasi_identifiers,
)
from shoal.tables._engine import STAR, ColumnMap, OpenOptions, RowOptions
from shoal.tables._frequency import FrequencyTable
from shoal.tables._range_columns import range_columns
from shoal.tables._recoded import Recoded
from shoal.tables._row_codes import code_array, masked_array, stack_codes
from shoal.typing import Codes, Counts, Native

_NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double")


def is_spark(source: Any) -> bool:
    """Whether a table is a Spark DataFrame, told without importing PySpark."""
    return any(
        base.__module__.startswith("pyspark.sql") and base.__name__ == "DataFrame"
        for base in type(source).__mro__
    )


class SparkEngine:
    """A Spark DataFrame."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        names = tuple(frame.columns)
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            shown = ", ".join(map(repr, twice))
            raise TableError(f"columns given twice: {shown}. Rename or drop one of each.")
        self.names = names

    @classmethod
    def recognizes(cls, source: Any) -> bool:
        """Whether a table is a Spark DataFrame."""
        return is_spark(source)

    @classmethod
    def open(cls, source: Any, options: OpenOptions) -> SparkEngine:
        """The engine of a Spark DataFrame."""
        return cls(source)

    @property
    def native(self) -> Any:
        """The Spark DataFrame."""
        return self._frame

    def columns(self) -> dict[str, NDArray[Any]]:
        """Every row, by column, on the driver; masked where a value is missing."""
        rows = self._frame.collect()
        return {
            name: masked_array([row[position] for row in rows])
            for position, name in enumerate(self.names)
        }

    def frame(self) -> Frame:
        """Every row as a dataframe, on the driver."""
        return Frame.from_columns(self.columns())

    def exchange(self, maps: Mapping[str, ColumnMap]) -> Native:
        """The DataFrame with some columns exchanged; values are looked at when it is read."""
        quoted = {name: "`" + name.replace("`", "``") + "`" for name in self.names}
        return self._frame.selectExpr(
            *(
                f"{maps[name].sql(quoted[name], 'spark') if name in maps else quoted[name]} "
                f"AS {quoted[name]}"
                for name in self.names
            )
        )

    def write(self, names: Sequence[str], path: Path) -> None:
        """Write some columns of every row as a folder of files."""
        _write(self.view(names, {}).native, path)

    @property
    def types(self) -> dict[str, str]:
        """Sort of value of each column."""
        return {name: _sort(kind) for name, kind in self._frame.dtypes}

    @cached_property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self._frame.count())

    def value(self, name: str) -> Any:
        """A column, with NaN read as missing."""
        import pyspark.sql.functions as F

        column = F.col("`" + name.replace("`", "``") + "`")
        if dict(self._frame.dtypes)[name] in ("float", "double"):
            return F.when(F.isnan(column), None).otherwise(column)
        return column

    def distinct(self, name: str, limit: int | None = None) -> tuple[list[Any], bool]:
        """Distinct values of a column, at most `limit`, and whether some are missing."""
        frame = self._frame.select(self.value(name).alias("v")).distinct()
        rows = (frame if limit is None else frame.limit(limit + 1)).collect()
        values = [row[0] for row in rows if row[0] is not None]
        return values[:limit], len(values) < len(rows)

    def view(self, names: Sequence[str], widths: Mapping[str, float]) -> SparkEngine:
        """Some columns, numbers of some of them put into bins of a width."""
        import pyspark.sql.functions as F

        columns = [
            (F.floor(self.value(name) / widths[name]) if name in widths else self.value(name))
            .alias(name)
            for name in names
        ]  # fmt: skip
        return SparkEngine(self._frame.select(*columns))

    def fractional(self) -> tuple[str, ...]:
        """Columns with numbers that are not whole."""
        import pyspark.sql.functions as F

        names = [
            name
            for name, kind in self._frame.dtypes
            if kind in ("float", "double") or kind.startswith("decimal")
        ]
        if not names:
            return ()
        tests = [F.max((self.value(n) != F.floor(self.value(n))).cast("int")) for n in names]
        (row,) = self._frame.select(*tests).collect()
        return tuple(name for name, fractional in zip(names, row, strict=True) if fractional)

    def code_rows(self) -> Codes:
        """Codes of every column (first axis) and row; they come to the driver."""
        return self._collect_codes(self._frame)

    def sample_rows(self, size: int, generator: np.random.Generator) -> Codes:
        """Codes of rows drawn uniformly without replacement, in one pass over the rows."""
        import pyspark.sql.functions as F

        if size >= self.n_rows:
            return self.code_rows()
        seed = int(generator.integers(2**31))
        return self._collect_codes(self._frame.orderBy(F.rand(seed)).limit(size))

    def group_sizes(self) -> tuple[Counts, Counts]:
        """Sizes of the groups of equal rows, each once, and how many groups have each."""
        columns = (self.value(name).alias(f"c{i}") for i, name in enumerate(self.names))
        named = self._frame.select(*columns)
        counts = named.groupBy(*named.columns).count()
        rows = sorted(counts.groupBy("count").agg({"*": "count"}).collect())
        sizes = np.array(rows, np.int64).reshape(-1, 2)
        return sizes[:, 0], sizes[:, 1]

    def distinct_rows(self) -> SparkEngine:
        """The same table with equal rows made one."""
        return SparkEngine(self._frame.distinct())

    def _collect_codes(self, frame: Any) -> Codes:
        rows = frame.collect()
        columns = (
            code_array(name, np.array([*(row[i] for row in rows), None], object)[:-1])
            for i, name in enumerate(self.names)
        )
        return stack_codes(columns, len(rows))

    def compress(self, schema: Schema, options: CodingOptions | None = None) -> CompressedSpark:
        """Group the rows into cells on the cluster, and fetch only those."""
        options = options or CodingOptions()
        schema.require(self.names)
        quasi = require_quasi_identifiers(schema)
        wanted = list(dict.fromkeys([*quasi, *counted_columns(schema)]))
        grouped = self._frame.select(*(self.value(n).alias(f"c{i}") for i, n in enumerate(wanted)))
        rows = grouped.groupBy(*grouped.columns).count().collect()
        coded = {}
        values_of: dict[str, tuple[list[Any], Codes]] = {}
        for i, name in enumerate(wanted):
            column = [row[i] for row in rows]
            values = list(dict.fromkeys(value for value in column if value is not None))
            coding, table = code_values(
                name, schema[name], values, has_missing=None in column, options=options
            )
            number_of = {value: number for number, value in enumerate(values)}
            # -1, a missing value, reads the last entry
            codes = table[[-1 if value is None else number_of[value] for value in column]]
            coded[name] = (coding, codes.astype(np.int32))
            values_of[name] = (values, table)
        counts = np.array([row[len(wanted)] for row in rows], np.int64)
        keys = np.column_stack([coded[name][1] for name in quasi]).reshape(-1, len(quasi))
        counted = {name: coded[name] for name in counted_columns(schema)}
        cells, _ = assemble([coded[name][0] for name in quasi], keys, counted, counts)
        return CompressedSpark(self, schema, cells, {name: values_of[name] for name in quasi})


@dataclass(frozen=True, eq=False)
class CompressedSpark:
    """A Spark DataFrame, its cells, and the raw values behind the codes."""

    engine: SparkEngine
    schema: Schema
    cells: FrequencyTable
    values: dict[str, tuple[list[Any], Codes]] = field(repr=False)

    def release(self, recoded: Recoded, output: RowOptions) -> Native:
        """The released rows as a Spark DataFrame."""
        import pyspark.sql.functions as F

        frame = self.engine.native
        kept = [name for name in self.engine.names if self.schema[name].role != "identifier"]
        alone = recoded.per_column is not None and not recoded.suppressed.any()
        if alone and not output.ranges:
            labels = self._label_by_column(recoded)
        else:
            frame, labels = self._label_by_row(recoded, output)
        columns = [
            labels.get(name, F.col("`" + name.replace("`", "``") + "`")).alias(name)
            for name in kept
        ]
        columns += [labels[name].alias(name) for name in labels if name not in kept]
        frame = frame.select(*columns)
        return frame if output.shuffle is None else frame.orderBy(F.rand(output.shuffle))

    def write(self, recoded: Recoded, output: RowOptions, path: Path) -> None:
        """Write the released rows as a folder of files."""
        _write(self.release(recoded, output), path)

    def _label_by_column(self, recoded: Recoded) -> dict[str, Any]:
        import pyspark.sql.functions as F

        assert recoded.per_column is not None
        label_columns = {}
        for index, (labels, label_of) in enumerate(
            zip(recoded.labels, recoded.per_column, strict=True)
        ):
            name = labels.coding.name
            if recoded.is_untouched(index):
                continue
            values, codes = self.values[name]
            texts = [labels.texts[label_of[code]] for code in codes]
            value = self.engine.value(name)
            if not values:
                label_columns[name] = F.lit(texts[-1])
                continue
            pairs = chain.from_iterable(zip(values, texts[:-1], strict=True))
            looked_up = F.create_map(*map(F.lit, pairs))[value]
            filled = F.when(value.isNull(), F.lit(texts[-1])).otherwise(looked_up)
            label_columns[name] = filled
        return label_columns

    def _label_by_row(self, recoded: Recoded, output: RowOptions) -> tuple[Any, dict[str, Any]]:
        """Join rows to the labels of their combination; missing values match themselves."""
        import pyspark.sql.functions as F

        session = self.engine.native.sparkSession
        value_of = {}
        for coding in self.cells.codings:
            values, codes = self.values[coding.name]
            value_of[coding.name] = dict(zip(codes.tolist(), [*values, None], strict=True))
        ranges = range_columns(recoded, output.ranges)
        rows = []
        for cell, key in enumerate(self.cells.keys.tolist()):
            group = int(recoded.group_of[cell])
            raw = [
                value_of[coding.name][code]
                for coding, code in zip(self.cells.codings, key, strict=True)
            ]
            texts = [
                STAR if group < 0 else labels.texts[recoded.codes[group, index]]
                for index, labels in enumerate(recoded.labels)
            ]
            numbers = [None if group < 0 else float(column[group]) for column in ranges.values()]
            rows.append((*raw, *texts, *numbers, group < 0))
        types = dict(self.engine.native.dtypes)
        names = [coding.name for coding in self.cells.codings]
        fields = [f"k{i} {types[name]}" for i, name in enumerate(names)]
        fields += [f"l{i} string" for i in range(len(names))]
        fields += [f"r{i} double" for i in range(len(ranges))] + ["hidden boolean"]
        labels_frame = session.createDataFrame(rows, ", ".join(fields))
        condition = None
        for i, name in enumerate(names):
            same = self.engine.value(name).eqNullSafe(F.col(f"k{i}"))
            condition = same if condition is None else condition & same
        frame = self.engine.native.join(F.broadcast(labels_frame), condition, "left")
        if not output.keep_suppressed:
            frame = frame.where(~F.col("hidden"))
        hides = output.keep_suppressed and bool(recoded.suppressed.any())
        label_columns = {
            name: F.col(f"l{i}")
            for i, name in enumerate(names)
            if hides or not recoded.is_untouched(i)
        }
        return frame, label_columns | {name: F.col(f"r{i}") for i, name in enumerate(ranges)}


def _write(frame: Any, path: Path) -> None:
    if path.suffix.lower() == ".parquet":
        frame.write.parquet(str(path))
    else:
        frame.write.csv(str(path), header=True)


def _sort(kind: str) -> str:
    if kind in _NUMBERS or kind.startswith("decimal"):
        return "number"
    if kind in ("date", "timestamp", "timestamp_ntz"):
        return "date"
    return {"boolean": "boolean", "string": "text"}.get(kind, "other")
