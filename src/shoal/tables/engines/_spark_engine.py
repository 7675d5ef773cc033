"""Tables in Spark: counted and mapped where they are."""
# ruff: noqa: PLC0415  PySpark is an extra; it is there when a Spark table is

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import TableError
from shoal.frames._frame import Frame
from shoal.frames._native import nested_error
from shoal.schema import Schema
from shoal.tables._engine import ColumnMap, OpenOptions
from shoal.tables._frequency import CodingOptions
from shoal.tables._row_codes import masked_array
from shoal.tables.engines._logged_tables import refuse_logged_spark
from shoal.tables.engines._spark_arrow import code_rows, fetch, plain_values
from shoal.tables.engines._spark_compress import compress_spark
from shoal.tables.engines._spark_release import (
    NUMBER,
    CompressedSpark,
    in_secret_order,
    write_frame,
)
from shoal.typing import Codes, Counts, Native

_PART_BITS = 33  # of the numbers that Spark gives to rows, the lower ones count in a partition
NESTED = ("array", "struct", "map")
"""How types begin whose values hold others."""
_NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double")


def is_spark(source: Any) -> bool:
    """Whether a table is a Spark DataFrame, told without importing PySpark."""
    return any(
        base.__module__.startswith("pyspark.sql") and base.__name__ == "DataFrame"
        for base in type(source).__mro__
    )


def spark_name(name: str) -> str:
    """A column's name, quoted for Spark."""
    return "`" + name.replace("`", "``") + "`"


def reads_columns(frame: Any) -> bool:
    """Whether a table is nothing but files of columns, so that it costs little to read it again.

    Whatever else it is, a query or files of text, is better made once.
    """
    shown = getattr(frame, "_jdf", None)
    if shown is None:  # of a server, which does not show how it is made
        return False
    plan = shown.queryExecution().optimizedPlan()
    *above, source = [step.lstrip(" +-:") for step in plan.toString().strip().splitlines()]
    return (
        bool(plan.deterministic())
        and all(step.startswith(("Project ", "Filter ")) for step in above)
        and re.fullmatch(r"Relation .*\] (parquet|orc)", source) is not None
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
        """The engine of a Spark DataFrame; an error where files are read past their log."""
        refuse_logged_spark(source)
        return cls(source)

    @property
    def native(self) -> Any:
        """The Spark DataFrame."""
        return self._frame

    @property
    def canonical(self) -> Any:
        """The rows as `c0`, `c1`, ... in canonical form; a plan, run each time it is asked."""
        columns = (_canonical(self.value(n), k).alias(f"c{i}") for i, (n, k) in
                   enumerate(self._frame.dtypes))  # fmt: skip
        return self._frame.select(*columns)

    def estimate_distinct(self, names: Sequence[str]) -> int:
        """About how many combinations some columns have, in one pass."""
        import pyspark.sql.functions as F

        together = F.xxhash64(*(self.value(name) for name in names))
        (row,) = self._frame.select(F.approx_count_distinct(together)).collect()
        return int(row[0])

    @cached_property
    def staged(self) -> Any:
        """The rows made once and numbered: `row_id`, then `c0`, `c1`, ... in canonical form.

        A table in Spark is a plan, which may give its rows in another order each time it runs.
        """
        import pyspark.sql.functions as F

        made = self.canonical.localCheckpoint(eager=True)
        # the number within its partition, and how many rows stand before the partition
        made = made.withColumn("at", F.monotonically_increasing_id()).localCheckpoint(eager=True)
        part = F.shiftright(F.col("at"), _PART_BITS)
        counts = sorted(made.groupBy(part.alias("part")).count().collect())
        before = np.cumsum([0, *(count for _, count in counts)]).tolist()
        pairs = [F.lit(x) for (p, _), b in zip(counts, before, strict=False) for x in (p, b)]
        start = F.create_map(*pairs)[part] if pairs else F.lit(0)
        inside = F.col("at").bitwiseAND(F.lit((1 << _PART_BITS) - 1))
        listed = [f"c{i}" for i in range(len(self.names))]
        return made.select((start + inside).cast("bigint").alias(NUMBER), *listed)

    @cached_property
    def staged_types(self) -> list[str]:
        """Spark's types of the staged columns."""
        return [kind for _, kind in self.staged.dtypes][1:]

    def staged_value(self, name: str) -> Any:
        """A column of the staged rows."""
        import pyspark.sql.functions as F

        return F.col(f"c{self.names.index(name)}")

    @property
    def numbered(self) -> Any:
        """The staged rows with the user's names, in the order of their numbers."""
        import pyspark.sql.functions as F

        ordered = self.staged.orderBy(NUMBER)
        return ordered.select(*(F.col(f"c{i}").alias(n) for i, n in enumerate(self.names)))

    def columns(self) -> dict[str, NDArray[Any]]:
        """Every row, by column, on the driver; masked where a value is missing."""
        nested = any(kind.startswith(NESTED) for _, kind in self._frame.dtypes)
        if nested:  # whose values Arrow would give as others
            rows = self._frame.collect()
            listed = [[row[position] for row in rows] for position in range(len(self.names))]
        else:
            listed = [plain_values(column) for column in fetch(self._frame).columns]
        return {name: masked_array(values) for name, values in zip(self.names, listed, strict=True)}

    def frame(self) -> Frame:
        """Every row as a dataframe, on the driver."""
        return Frame.from_columns(self.columns())

    def exchange(self, maps: Mapping[str, ColumnMap]) -> Native:
        """The DataFrame with some columns exchanged; values are looked at when it is read."""
        quoted = {name: spark_name(name) for name in self.names}
        return self._frame.selectExpr(
            *(
                f"{maps[name].sql(quoted[name], 'spark') if name in maps else quoted[name]} "
                f"AS {quoted[name]}"
                for name in self.names
            )
        )

    def write(self, names: Sequence[str], path: Path) -> None:
        """Write some columns of every row as a folder of files, in a secret order."""
        write_frame(in_secret_order(self.view(names, {}).native), path)

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

        column = F.col(spark_name(name))
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
        """Some columns, with the numbers of some put into bins of a given width."""
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
        """Codes of every column (first axis) and row; all of them come to the driver."""
        return code_rows(self.names, fetch(self.canonical))

    def sample_rows(self, size: int, generator: np.random.Generator) -> Codes:
        """Codes of rows drawn uniformly without replacement, in one pass over the rows."""
        import pyspark.sql.functions as F

        if size >= self.n_rows:
            return self.code_rows()
        seed = int(generator.integers(2**31))
        drawn = self.canonical.orderBy(F.rand(seed)).limit(size)
        return code_rows(self.names, fetch(drawn))

    def draw(self, size: int, seed: int) -> SparkEngine:
        """At most `size` rows, drawn on the cluster uniformly and without replacement."""
        import pyspark.sql.functions as F

        if size >= self.n_rows:
            return self
        return SparkEngine(self._frame.orderBy(F.rand(seed)).limit(size))

    def group_sizes(self) -> tuple[Counts, Counts]:
        """Distinct sizes of the groups of equal rows, and the number of groups of each size."""
        columns = (self.value(name).alias(f"c{i}") for i, name in enumerate(self.names))
        named = self._frame.select(*columns)
        counts = named.groupBy(*named.columns).count()
        rows = sorted(counts.groupBy("count").agg({"*": "count"}).collect())
        sizes = np.array(rows, np.int64).reshape(-1, 2)
        return sizes[:, 0], sizes[:, 1]

    def set_sizes(self, sets: Sequence[Sequence[str]]) -> list[tuple[Counts, Counts]]:
        """The same for the groups that each of some sets of columns makes, in one pass for all."""
        import pyspark.sql.functions as F

        names = list(dict.fromkeys(name for one in sets for name in one))
        places = [f"c{i}" for i in range(len(names))]
        named = self._frame.select(
            *(self.value(name).alias(alias) for name, alias in zip(names, places, strict=True))
        )
        listed = [[F.col(places[names.index(name)]) for name in one] for one in sets]
        groups = named.groupingSets(listed, *places).agg(
            F.count(F.lit(1)).alias("size"), F.grouping_id().alias("which")
        )
        counted = groups.groupBy("which", "size").count().collect()
        result = []
        for one in sets:
            # a bit for every column, the first one highest, and set where it is left out
            which = sum(1 << (len(names) - 1 - i) for i, n in enumerate(names) if n not in one)
            own = np.array(sorted(tuple(row)[1:] for row in counted if row[0] == which), np.int64)
            result.append((own.reshape(-1, 2)[:, 0], own.reshape(-1, 2)[:, 1]))
        return result

    def distinct_rows(self) -> SparkEngine:
        """The same table without duplicate rows."""
        return SparkEngine(self._frame.distinct())

    def refuse_nested(self, schema: Schema) -> None:
        """Raise if a released column holds lists or other nested values."""
        for name, kind in self._frame.dtypes:
            if kind.startswith(NESTED) and schema[name].is_released:
                raise nested_error(name)

    def compress(self, schema: Schema, options: CodingOptions | None = None) -> CompressedSpark:
        """Group the rows into cells on the cluster, and fetch only those."""
        return compress_spark(self, schema, options or CodingOptions())


def _canonical(column: Any, kind: str) -> Any:
    """A column with one value for all that are equal; see :mod:`shoal.tables._canonical`."""
    import pyspark.sql.functions as F

    if kind in ("float", "double"):
        return column + F.lit(0).cast(kind)
    if kind == "binary":
        return F.lower(F.hex(column))
    return column


def _sort(kind: str) -> str:
    if kind in _NUMBERS or kind.startswith("decimal"):
        return "number"
    if kind in ("date", "timestamp", "timestamp_ntz"):
        return "date"
    return {"boolean": "boolean", "string": "text"}.get(kind, "other")
