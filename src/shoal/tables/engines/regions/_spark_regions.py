"""Regions in Spark: rows are keyed and solved by the workers, and no row comes to the driver."""
# ruff: noqa: PLC0415  PySpark is an extra; it is there when a Spark table is

from __future__ import annotations

import json
import os
import secrets
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from shoal.errors import (
    GuaranteeError,
    InfeasibleError,
    ParameterError,
    ShoalError,
    TableError,
)
from shoal.schema import Schema
from shoal.tables._assemble import CodingOptions, counted_columns, require_quasi_identifiers
from shoal.tables._engine import STAR, RowOptions, Witness
from shoal.tables._frequency import FrequencyTable
from shoal.tables.engines._spark_compress import refuse_spellings
from shoal.tables.engines._spark_engine import SparkEngine
from shoal.tables.engines.regions._cuts import Cut, cut_sql, renumber
from shoal.tables.engines.regions._region_rows import (
    CodedColumn,
    PartCount,
    Solve,
    SolvedRows,
    code_column,
    part_table,
    wanted_columns,
)
from shoal.typing import Codes, Native, Progress

_FEW = 64
"""Values up to which a column is coded by a list in the query; beyond, by a join."""

_FIGURES = "shoal_figures"
_HIDDEN = "shoal_hidden"


class SparkRegions:
    """A Spark DataFrame whose regions are solved by its workers.

    The table is read once for each column's values, and once to be coded.  Codes and, later, what
    was solved are kept on the workers' disks.  What a lost worker had is read, coded and solved
    again, with the same result.
    """

    def __init__(self, engine: SparkEngine, schema: Schema, options: CodingOptions) -> None:
        schema.require(engine.names)
        engine.refuse_nested(schema)
        if coarse := [name for name in schema if schema[name].is_coarse]:
            raise ParameterError(
                f"columns of Spark tables are not rounded: {', '.join(map(repr, coarse))}. Round "
                "them in the DataFrame, or write the table to files and release those."
            )
        self.schema = schema
        self._engine = engine
        self._quasi = require_quasi_identifiers(schema)
        self._frame = engine.canonical
        self.columns: Mapping[str, CodedColumn] = {
            name: self._code(name, options) for name in wanted_columns(schema)
        }
        self.n_rows = int(next(iter(self.columns.values())).counts.sum())
        self._passed = [
            name for name in schema.released if name not in self._quasi and name in engine.names
        ]
        self._cut: Cut | int = 0
        self._solved: Any = None
        self._n_regions = 1

    def _column(self, name: str) -> str:
        return f"c{self._engine.names.index(name)}"

    def _code(self, name: str, options: CodingOptions) -> CodedColumn:
        found = self._frame.groupBy(self._column(name)).count().collect()
        known = [(value, n) for value, n in found if value is not None]
        missing = sum(n for value, n in found if value is None)
        counts = np.array([n for _, n in known], np.int64)
        values = [value for value, _ in known]
        if name not in self._quasi:
            refuse_spellings(name, self.schema[name].kind, values)
        return code_column(name, self.schema, options, values, counts, missing)

    @cached_property
    def _coded(self) -> Any:
        """Every row by codes `k0`, ... and limits `t`, with the columns that are released as is."""
        import pyspark.sql.functions as F
        from pyspark import StorageLevel

        frame = self._frame
        codes, top, room = [], F.lit(0).cast("bigint"), 1
        for i, (name, column) in enumerate(self.columns.items()):
            frame, code, own = self._look_up(frame, i, name, column)
            missing = column.coding.missing
            codes.append(F.coalesce(code, F.lit(missing)).alias(f"k{i}"))
            if name in self._quasi and column.coding.is_limited:
                limit = F.coalesce(own, F.lit(int(column.tops[missing])))
                top = top + limit.cast("bigint") * F.lit(room)
                room *= int(column.tops.max()) + 1
        passed = [F.col(self._column(name)) for name in self._passed]
        coded = frame.select(*codes, top.alias("t"), *passed).persist(StorageLevel.DISK_ONLY)
        weakref.finalize(self, _forget, coded).atexit = False
        return coded

    def _look_up(self, frame: Any, i: int, name: str, column: CodedColumn) -> tuple[Any, Any, Any]:
        """The frame with whatever says codes and limits of a column, and these two."""
        import pyspark.sql.functions as F

        at = F.col(self._column(name))
        known = column.codes[:-1]
        codes, tops = known.tolist(), column.tops[known].tolist()
        if len(codes) <= _FEW:
            return frame, _of_few(at, column.values, codes), _of_few(at, column.values, tops)
        rows = list(zip(column.values, codes, tops, strict=True))
        kind = dict(self._frame.dtypes)[self._column(name)]
        session = self._engine.native.sparkSession
        table = session.createDataFrame(rows, f"v{i} {kind}, n{i} int, t{i} int")
        joined = frame.join(F.broadcast(table), at == F.col(f"v{i}"), "left")
        return joined, F.col(f"n{i}"), F.col(f"t{i}")

    def sample(self, size: int, seed: int) -> Codes:
        """Codes of the quasi-identifiers of about `size` rows."""
        names = [f"k{i}" for i in range(len(self._quasi))]
        share = min(1.0, size / max(1, self.n_rows))
        drawn = self._coded.select(*names)
        table = (drawn if share == 1.0 else drawn.sample(share, seed)).toArrow()
        return np.column_stack([table.column(name).to_numpy() for name in names]).astype(np.int32)

    def partition(self, cut: Cut | int) -> FrequencyTable:
        """Remember the cuts; the parts of regions, counted exactly in one pass."""
        self._cut = cut
        counted = counted_columns(self.schema)
        at = {name: f"k{i}" for i, name in enumerate(self.columns)}
        pairs = ["named_struct('w', 0, 'c', 0)"]
        pairs += [f"named_struct('w', {w}, 'c', {at[name]})" for w, name in enumerate(counted, 1)]
        found = (
            self._coded.selectExpr(
                f"{self._cut_sql(cut)} AS leaf", "t", f"explode(array({', '.join(pairs)})) AS e"
            )
            .groupBy("leaf", "t", "e.w", "e.c")
            .count()
            .collect()
        )
        numbers = np.array([tuple(row) for row in found], np.int64).reshape(-1, 5)

        def part(which: int) -> PartCount:
            own = numbers[numbers[:, 2] == which]
            return PartCount(own[:, 0], own[:, 1], own[:, 3], own[:, 4])

        return part_table(
            part(0),
            {name: (self.columns[name].coding, part(w)) for w, name in enumerate(counted, 1)},
        )

    def _cut_sql(self, cut: Cut | int) -> str:
        return f"CAST({cut_sql(cut, [f'k{i}' for i in range(len(self._quasi))])} AS INT)"

    def solve(
        self, region_of: Sequence[int], solve: Solve, progress: Progress
    ) -> list[dict[str, Any]]:
        """Solve every region in a worker; labels stay there, figures come to the driver."""
        from pyspark import StorageLevel

        progress(0, 0, "solving regions on the cluster")
        self._n_regions = max(region_of, default=0) + 1
        keyed = self._coded.selectExpr(
            f"{self._cut_sql(renumber(self._cut, region_of))} AS region", "*"
        )
        passed = [self._column(name) for name in self._passed]
        types = dict(self._frame.dtypes)
        fields = [f"l{i} string" for i in range(len(self._quasi))]
        fields += [f"{name} {types[name]}" for name in passed]
        fields += [f"{_HIDDEN} boolean", f"{_FIGURES} string"]
        work = _worker(solve, [*self.columns], self._quasi, counted_columns(self.schema), passed)
        self._solved = (
            keyed.repartition(self._n_regions, "region")
            .groupBy("region")
            .applyInArrow(work, ", ".join(fields))
            .persist(StorageLevel.DISK_ONLY)
        )
        weakref.finalize(self, _forget, self._solved).atexit = False
        with explain_workers():
            said = self._solved.where(f"{_FIGURES} IS NOT NULL").select(_FIGURES).collect()
        figures = [json.loads(row[0]) for row in said]
        for one in figures:
            if "refused" in one:
                raise _refused(one)
        if sum(one["rows"] for one in figures) != self.n_rows:
            raise GuaranteeError(
                "the rows that were solved are not as many as were counted: the table gives other "
                "rows each time it is read. Write it to files first, and release those."
            )
        return figures

    def rows(self, output: RowOptions) -> tuple[Native, Witness | None]:
        """The released rows as a Spark DataFrame; there is no witness, the cluster judges."""
        import pyspark.sql.functions as F

        if output.keep_order:
            raise ParameterError(
                "rows of regions are solved apart, so their order is not kept. Leave keep_order "
                "out; a column with a number of your own tells rows apart."
            )
        frame = self._solved.where(f"{_FIGURES} IS NULL")
        if not output.keep_suppressed:
            frame = frame.where(f"NOT {_HIDDEN}")
        inside = {name: f"l{i}" for i, name in enumerate(self._quasi)}
        inside |= {name: self._column(name) for name in self._passed}
        released = [name for name in self._engine.names if name in inside]
        # the order is made of what is released and of a secret alone, so it tells nothing of the
        # order of the input, and a task that is repeated gives the same
        key = secrets.token_hex(32) if output.shuffle is None else str(output.shuffle)
        place = F.xxhash64(F.lit(key), *(F.col(inside[name]) for name in released))
        named = frame.select(
            place.alias("place"), *(F.col(inside[name]).alias(name) for name in released)
        )
        table = (
            named.repartition(self._n_regions, "place").sortWithinPartitions("place").drop("place")
        )
        return table, None

    def write(self, output: RowOptions, path: Path) -> Witness | None:
        """Write the released rows as a folder of Parquet files."""
        if path.suffix.lower() != ".parquet":
            raise ParameterError(
                f"regions in Spark are written as Parquet, not as {path.suffix}. End the name in "
                ".parquet."
            )
        with explain_workers():
            self.rows(output)[0].write.parquet(str(path))
        return None

    def reopen(self, path: Path) -> Native:
        """The written files, for the judge."""
        return self._engine.native.sparkSession.read.parquet(str(path))


def _of_few(column: Any, values: Sequence[Any], numbers: Sequence[int]) -> Any:
    """The number of a value, where there are so few that a list in the query is quicker."""
    import pyspark.sql.functions as F

    if not values:
        return F.lit(None).cast("int")
    pairs = chain.from_iterable(zip(values, numbers, strict=True))
    return F.create_map(*map(F.lit, pairs))[column]


@contextmanager
def explain_workers() -> Iterator[None]:
    """Turn what Spark says of failed tasks into ours: its texts may quote rows, ours never do."""
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        said = str(error)
        if "No module named" in said and "shoal" in said:
            raise TableError(
                "the workers of the cluster do not have Shoal. Ship an environment with it "
                "(--archives), and name its Python in PYSPARK_PYTHON."
            ) from None
        if "OutOfMemory" in said or "MemoryError" in said:
            raise TableError(
                "a region does not fit into a worker. Ask for more regions, or give workers more "
                "memory."
            ) from None
        raise TableError(
            f"a task of the cluster failed ({type(error).__name__}). Its log is with the worker; "
            "nothing was released."
        ) from None


def _forget(solved: Any) -> None:
    """Let the workers remove what they keep; where the cluster is gone, so is that."""
    with suppress(Exception):
        solved.unpersist()


def _refused(said: Mapping[str, Any]) -> ShoalError:
    if said["required"] is None:
        return GuaranteeError(said["refused"])
    return InfeasibleError(
        said["refused"], required=said["required"], achieved=said["achieved"], hint=said["hint"]
    )


def _worker(
    solve: Solve,
    columns: Sequence[str],
    quasi: Sequence[str],
    counted: Sequence[str],
    passed: Sequence[str],
) -> Callable[[Any], Any]:
    """What is run where the rows are: the rows of a region in, the same rows with labels out."""
    at = {name: f"k{i}" for i, name in enumerate(columns)}

    def work(table: Any) -> Any:
        os.environ.setdefault("SHOAL_THREADS", "1")  # a core has a worker of its own
        codes = {name: table.column(at[name]).to_numpy().astype(np.int32) for name in columns}
        keys = np.column_stack([codes[name] for name in quasi])
        try:
            solved = solve(keys, {name: codes[name] for name in counted})
        except InfeasibleError as error:
            said = {"refused": error.model, "required": error.required,
                    "achieved": error.achieved, "hint": error.hint}  # fmt: skip
            return _table({}, [], len(quasi), said, table.select(passed).slice(0, 0))
        except ShoalError as error:
            said = {"refused": str(error), "required": None}
            return _table({}, [], len(quasi), said, table.select(passed).slice(0, 0))
        return _labelled(solved, table.select(passed))

    return work


def _labelled(solved: SolvedRows, passed: Any) -> Any:
    import pyarrow as pa

    hidden = solved.labels[:, 0] < 0
    labels = {}
    for i, texts in enumerate(solved.texts):
        known = pa.array([*texts, STAR], pa.string())
        labels[f"l{i}"] = known.take(pa.array(np.where(hidden, len(texts), solved.labels[:, i])))
    return _table(labels, hidden, len(solved.texts), solved.figures, passed)


def _table(
    labels: Mapping[str, Any], hidden: Any, n_labels: int, said: Mapping[str, Any], passed: Any
) -> Any:
    """Rows, and one more that has nothing but figures."""
    import pyarrow as pa

    n_rows = passed.num_rows if labels else 0
    columns: dict[str, Any] = {}
    for i in range(n_labels):
        own = labels.get(f"l{i}", pa.array([], pa.string()))
        columns[f"l{i}"] = pa.chunked_array([own, pa.array([None], pa.string())])
    for name in passed.column_names:
        column = passed.column(name)
        columns[name] = pa.chunked_array([*column.chunks, pa.nulls(1, column.type)])
    columns[_HIDDEN] = pa.array([*np.asarray(hidden, np.bool_).tolist(), None], pa.bool_())
    columns[_FIGURES] = pa.array([*[None] * n_rows, json.dumps(said)], pa.string())
    return pa.table(columns)
