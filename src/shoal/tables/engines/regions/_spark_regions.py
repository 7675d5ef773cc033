"""Regions in Spark: rows are keyed and solved by the workers, and no row comes to the driver."""
# ruff: noqa: PLC0415  PySpark is an extra; it is there when a Spark table is

from __future__ import annotations

import json
import secrets
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal.errors import GuaranteeError, ParameterError, TableError
from shoal.schema import Schema
from shoal.tables._engine import RowOptions, Witness
from shoal.tables._frequency import (
    CodingOptions,
    FrequencyTable,
)
from shoal.tables.engines._spark_arrow import fetch
from shoal.tables.engines._spark_compress import refuse_spellings
from shoal.tables.engines._spark_engine import SparkEngine, reads_columns
from shoal.tables.engines._spark_release import without_notes
from shoal.tables.engines.regions._arrow_codes import ArrowCodes
from shoal.tables.engines.regions._cuts import Cut, renumber
from shoal.tables.engines.regions._region_rows import (
    CellCounts,
    CodedColumn,
    Solve,
    code_column,
    wanted_columns,
)
from shoal.tables.engines.regions._spark_codes import add_limits
from shoal.tables.engines.regions._spark_cuts import add_region, spread_keys
from shoal.tables.engines.regions._spark_parts import count_parts
from shoal.tables.engines.regions._spark_progress import watch_tasks
from shoal.tables.engines.regions._spark_values import count_values
from shoal.tables.engines.regions._spark_worker import (
    FIGURES,
    HIDDEN,
    NOTHING,
    REGION,
    ROWS,
    coarse_worker,
    raise_refusals,
    region_worker,
)
from shoal.typing import Codes, Native, Progress


class SparkRegions:
    """A Spark DataFrame whose regions are solved by its workers.

    Files of columns are read again for every pass: for the values of the columns, for a sample, for
    counts by region and to be solved.  Any other table is made once and kept on the workers' disks,
    as is what was solved.  What a lost worker had is made again, with the same result.
    """

    def __init__(self, engine: SparkEngine, schema: Schema, options: CodingOptions) -> None:
        schema.require(engine.names, to_group=True)
        engine.refuse_nested(schema)
        if coarse := [name for name in schema if schema[name].is_coarse]:
            raise ParameterError(
                f"columns of Spark tables are not rounded: {', '.join(map(repr, coarse))}. Round "
                "them in the DataFrame, or write the table to files and release those."
            )
        self.schema = schema
        self._engine = engine
        self._quasi = schema.quasi_identifiers
        self._passed = [
            name for name in schema.released if name not in self._quasi and name in engine.names
        ]
        self._frame = self._keep()
        self.columns: Mapping[str, CodedColumn] = self._code(options)
        self.n_rows = int(next(iter(self.columns.values())).counts.sum())
        self._cut: Cut | int = 0
        self._solved: Any = None
        self._by_group = False
        self._n_regions = 1

    def _column(self, name: str) -> str:
        return f"c{self._engine.names.index(name)}"

    @property
    def _places(self) -> dict[str, str]:
        """Where the values of each coded column are."""
        return {name: self._column(name) for name in self.columns}

    def _keep(self) -> Any:
        """The columns that are needed; on the workers' disks where reading them again costs."""
        from pyspark import StorageLevel

        names = dict.fromkeys([*wanted_columns(self.schema), *self._passed])
        frame = self._engine.canonical.select(*(self._column(name) for name in names))
        if reads_columns(self._engine.native):
            return frame
        kept = frame.persist(StorageLevel.DISK_ONLY)
        weakref.finalize(self, _forget, kept).atexit = False
        return kept

    def _code(self, options: CodingOptions) -> dict[str, CodedColumn]:
        names = wanted_columns(self.schema)
        with explain_workers():
            counted = count_values(self._frame, [self._column(name) for name in names])
        columns = {}
        for name, own in zip(names, counted, strict=True):
            listed = own.listed()
            if name not in self._quasi:
                refuse_spellings(name, self.schema[name].kind, listed)
            coded = code_column(name, self.schema, options, listed, own.counts, own.n_missing)
            columns[name] = replace(coded, values=own.values)
        return columns

    def _known(self, names: Iterable[str]) -> dict[str, ArrowCodes]:
        """How values of some columns are coded, by their places."""
        return {
            self._column(name): ArrowCodes(self.columns[name].values, self.columns[name].codes)
            for name in names
        }

    def sample(self, size: int, seed: int) -> Codes:
        """Codes of the quasi-identifiers of about `size` rows."""
        known = self._known(self._quasi)
        share = min(1.0, size / max(1, self.n_rows))
        drawn = self._frame.select(*known)
        table = fetch(drawn if share == 1.0 else drawn.sample(share, seed))
        return np.column_stack([own.of(table.column(source)) for source, own in known.items()])

    def estimate_cells(self, coarse: Sequence[Codes]) -> int:
        """About how many combinations there are of the coarse codes of each quasi-identifier."""
        import pyspark.sql.functions as F

        together = F.xxhash64(*(f"k{i}" for i in range(len(self._quasi))))
        with explain_workers():
            (row,) = self._coarse(coarse).select(F.approx_count_distinct(together)).collect()
        return int(row[0])

    def count_cells(self, coarse: Sequence[Codes]) -> CellCounts:
        """Combinations of coarse codes and of codes of counted columns, with exact counts."""
        frame = self._coarse(coarse)
        with explain_workers():
            table = fetch(frame.groupBy(*frame.columns).count())
        codes = [column.to_numpy().astype(np.int32) for column in table.columns[:-1]]
        index_of = {name: i for i, name in enumerate(self.columns)}
        counted = {name: codes[index_of[name]] for name in self.schema.counted}
        keys = np.column_stack(codes[: len(self._quasi)])
        return CellCounts(keys, counted, table.column(len(codes)).to_numpy().astype(np.int64))

    def _coarse(self, coarse: Sequence[Codes]) -> Any:
        """Codes `k0`, ... of all rows; those of quasi-identifiers are coarse ones."""
        known = self._known(self.columns)
        fields = ", ".join(f"k{i} int" for i in range(len(known)))
        work = coarse_worker([*known.values()], coarse)
        return self._frame.select(*known).mapInArrow(work, fields)

    def partition(self, cut: Cut | int) -> FrequencyTable:
        """Remember the cuts; the parts of regions, counted exactly in one pass."""
        self._cut = cut
        names = self.schema.counted
        limited = {n: c for n, c in self.columns.items() if self._is_limited(n)}
        frame = self._with_region(add_limits(self._frame, self._places, limited), cut)
        codings = {name: self.columns[name].coding for name in names}
        return count_parts(frame, [REGION, "t"], codings, self._known(names))

    def _is_limited(self, name: str) -> bool:
        return name in self._quasi and self.columns[name].coding.is_limited

    def _with_region(self, frame: Any, cut: Cut | int) -> Any:
        places = [self._column(name) for name in self._quasi]
        columns = [self.columns[name] for name in self._quasi]
        return add_region(frame, cut, places, columns, REGION)

    def solve(
        self, region_of: Sequence[int], solve: Solve, progress: Progress
    ) -> list[dict[str, Any]]:
        """Solve every region in a worker; labels stay there, figures come to the driver."""
        from pyspark import StorageLevel

        self._n_regions = max(region_of, default=0) + 1
        self._by_group = bool(getattr(solve, "groups_stand_alone", False))
        keys = spread_keys(self._n_regions)
        cut = renumber(self._cut, [keys[region] for region in region_of])
        passed = [self._column(name) for name in self._passed]
        types = dict(self._frame.dtypes)
        fields = [f"l{i} string" for i in range(len(self._quasi))]
        inner = [f"{name}: {types[name]}" for name in passed] or [f"{NOTHING}: boolean"]
        fields += [f"{ROWS} array<struct<{', '.join(inner)}>>"]
        fields += [f"{HIDDEN} boolean", f"{FIGURES} string"]
        work = region_worker(
            solve,
            self._known(self.columns),
            [self._column(name) for name in self._quasi],
            {name: self._column(name) for name in self.schema.counted},
            passed,
        )
        self._solved = (
            self._with_region(self._frame, cut)
            .repartition(self._n_regions, REGION)
            .mapInArrow(work, ", ".join(fields))
            .persist(StorageLevel.DISK_ONLY)
        )
        weakref.finalize(self, _forget, self._solved).atexit = False
        session = self._engine.native.sparkSession
        with explain_workers(), watch_tasks(session, progress, "solving regions on the cluster"):
            said = self._solved.where(f"{FIGURES} IS NOT NULL").select(FIGURES).collect()
        figures = [json.loads(row[0]) for row in said]
        raise_refusals(figures)
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
        frame = self._solved.where(f"{FIGURES} IS NULL")
        if not output.keep_suppressed:
            frame = frame.where(f"NOT {HIDDEN}")
        labels = [f"l{i}" for i in range(len(self._quasi))]
        inside = {name: f"l{i}" for i, name in enumerate(self._quasi)}
        inside |= {name: self._column(name) for name in self._passed}
        released = {name: inside[name] for name in self._engine.names if name in inside}
        # file and order are made of what is released and of a secret alone, so they tell nothing of
        # the order of the input, and a task that is repeated gives the same
        key = F.lit(secrets.token_hex(32) if output.shuffle is None else str(output.shuffle))
        parted = frame.repartition(self._n_regions, F.xxhash64(key, *map(F.col, labels)))
        if self._by_group:  # a region's groups keep the promise, so they may stand together
            sort_key = F.xxhash64(key, *map(F.col, labels), F.col(ROWS))
            ordered = parted.withColumn("place", sort_key).sortWithinPartitions("place")
            table = ordered.selectExpr(*labels, f"inline({ROWS})")
        else:  # what two regions have of a group may not
            sort_key = F.xxhash64(key, *map(F.col, released.values()))
            rows = parted.selectExpr(*labels, f"inline({ROWS})")
            table = rows.withColumn("place", sort_key).sortWithinPartitions("place")
        table = table.select(*(F.col(source).alias(name) for name, source in released.items()))
        return without_notes(table), None

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

    def given(self) -> Native:
        """The rows as they came, for the judge: read again where that costs little, else kept."""
        import pyspark.sql.functions as F

        if reads_columns(self._engine.native):
            return self._engine.native
        return self._frame.select(*(F.col(self._column(n)).alias(n) for n in self._passed))


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
            f"a task of the cluster failed ({type(error).__name__}). Its log is with the worker, "
            "and says why."
        ) from None


def _forget(solved: Any) -> None:
    """Let the workers remove what they keep; where the cluster is gone, so is that."""
    with suppress(Exception):
        solved.unpersist()
