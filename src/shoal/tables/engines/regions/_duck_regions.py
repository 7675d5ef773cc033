"""Regions on one machine: DuckDB keys the rows and keeps them on disk, one region in memory."""

from __future__ import annotations

import itertools
import secrets
import shutil
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal._resources import scratch
from shoal.schema import Schema
from shoal.tables._engine import STAR, RowOptions, Witness, put_in_order
from shoal.tables._frequency import (
    CodingOptions,
    FrequencyTable,
)
from shoal.tables.engines._duck_connection import (
    NUMBER,
    StagedRows,
    disclose_nothing,
    name_sql,
    store,
    value_sql,
)
from shoal.tables.engines._duck_staging import spell_once
from shoal.tables.engines._duck_write import copy_query, in_order
from shoal.tables.engines.formats.text._kept_rows import read_kept_again, whole_if_kept_are
from shoal.tables.engines.regions._cuts import Cut, cut_sql
from shoal.tables.engines.regions._region_rows import (
    HIDDEN,
    CellCounts,
    CodedColumn,
    PartCount,
    Solve,
    SolvedRows,
    code_column,
    part_table,
    wanted_columns,
)
from shoal.tables.forms._coarse import coarse_sql
from shoal.tables.forms._forms import ORDERED
from shoal.tables.forms._typed_rows import RowLabels, TypedRows, typed_labels
from shoal.typing import Codes, Native, Progress

_counter = itertools.count()
_PLACE = f"place_{secrets.token_hex(8)}"
_HASHES = 2**64
_FLUSH = 65_536
"""Rows of a region that wait to be written together; each thread holds so many of each region."""


class DuckRegions:
    """Numbered rows of a relation, keyed by region in a folder that only this user can read."""

    def __init__(self, rows: StagedRows, schema: Schema, options: CodingOptions) -> None:
        schema.require(rows.names, to_group=True)
        self.schema = schema
        self._rows = rows = spell_once(rows, schema)
        self._connection = rows.connection
        self._folder = Path(mkdtemp(dir=scratch()))
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._codes: dict[str, str] = {}
        with disclose_nothing():
            self.columns: Mapping[str, CodedColumn] = {
                name: self._code(name, options) for name in wanted_columns(schema)
            }
        first = next(iter(self.columns.values()))
        self.n_rows = int(first.counts.sum())
        self._quasi = schema.quasi_identifiers
        self._vocabulary: list[dict[str | None, int]] = [{} for _ in self._quasi]
        self._placed: str | None = None

    def _code(self, name: str, options: CodingOptions) -> CodedColumn:
        """Code a column; a table in the database says the code of each of its values."""
        values, codes = f"values_{next(_counter)}", f"codes_{next(_counter)}"
        index = self._rows.names.index(name)
        self._connection.execute(
            f"CREATE TEMP TABLE {values} AS SELECT value, n, row_number() OVER () AS number FROM "
            f"(SELECT c{index} AS value, count(*) AS n FROM {self._rows.view} GROUP BY 1)"
        )
        listed = self._connection.sql(
            f"SELECT value, n, number FROM {values} WHERE value IS NOT NULL"
        ).fetchall()
        missing = self._connection.sql(f"SELECT n FROM {values} WHERE value IS NULL").fetchall()
        counts = np.array([n for _, n, _ in listed], np.int64)
        column = code_column(
            name, self.schema, options, [value for value, _, _ in listed], counts,
            missing[0][0] if missing else 0,
        )  # fmt: skip
        known = column.codes[:-1]
        numbers = np.array([number for _, _, number in listed], np.int64)
        store(
            self._connection,
            codes,
            {"number": numbers, "code": known, "top": column.tops[known].astype(np.int32)},
        )
        self._codes[name] = f"coded_{next(_counter)}"
        self._connection.execute(
            f"CREATE TEMP TABLE {self._codes[name]} AS SELECT value, code, top FROM {values} "
            f"JOIN {codes} USING (number)"
        )
        self._connection.execute(f"DROP TABLE {values}; DROP TABLE {codes}")
        return column

    def _coded_sql(self, where: str = "") -> str:
        """Every row by its number, codes `k0`, ... and limits `t`, by joins with the values."""
        listed, joins, top, room = [f"r.{NUMBER} AS {NUMBER}"], [], ["0"], 1
        for i, (name, column) in enumerate(self.columns.items()):
            missing = column.coding.missing
            listed.append(f"CAST(coalesce(v{i}.code, {missing}) AS INTEGER) AS k{i}")
            index = self._rows.names.index(name)
            joins.append(f"LEFT JOIN {self._codes[name]} AS v{i} ON v{i}.value = r.c{index}")
            if name in self._quasi and column.coding.is_limited:
                top.append(f"coalesce(v{i}.top, {column.tops[missing]}) * {room}::BIGINT")
                room *= int(column.tops.max()) + 1
        listed.append(f"{' + '.join(top)} AS t")
        return (
            f"SELECT {', '.join(listed)} FROM {self._rows.view} AS r {' '.join(joins)}"
            f"{where and f' WHERE {where}'}"
        )

    def sample(self, size: int, seed: int) -> Codes:
        """Codes of the quasi-identifiers of about `size` rows: those whose numbers hash low."""
        most = min(_HASHES - 1, int(_HASHES * min(1.0, size / max(1, self.n_rows))))
        drawn = f"hash(r.{NUMBER}, {seed}) <= {most}::UBIGINT"
        columns = ", ".join(f"k{i}" for i in range(len(self._quasi)))
        with disclose_nothing():
            sampled = self._connection.sql(
                f"SELECT {columns} FROM ({self._coded_sql(drawn)}) ORDER BY {NUMBER}"
            ).fetchnumpy()
        return np.column_stack([sampled[f"k{i}"] for i in range(len(self._quasi))]).astype(np.int32)

    def estimate_cells(self, coarse: Sequence[Codes]) -> int:
        """About how many combinations there are of the coarse codes of each quasi-identifier."""
        with disclose_nothing(), self._coarse_sql(coarse) as (query, names):
            together = f"approx_count_distinct(({', '.join(names)}))"
            return int(self._connection.sql(f"SELECT {together} FROM ({query})").fetchall()[0][0])

    def count_cells(self, coarse: Sequence[Codes]) -> CellCounts:
        """Combinations of coarse codes and of codes of counted columns, with exact counts."""
        counted = self.schema.counted
        listed = [f"k{i}" for i, name in enumerate(self.columns) if name in counted]
        with disclose_nothing(), self._coarse_sql(coarse) as (query, names):
            cells = self._connection.sql(
                f"SELECT {', '.join([*names, *listed])}, count(*) AS n FROM ({query}) GROUP BY ALL"
            ).fetchnumpy()
        keys = np.column_stack([cells[name] for name in names]).astype(np.int32)
        alias_of = {name: f"k{i}" for i, name in enumerate(self.columns)}
        codes = {name: np.asarray(cells[alias_of[name]], np.int32) for name in counted}
        return CellCounts(keys, codes, np.asarray(cells["n"], np.int64))

    @contextmanager
    def _coarse_sql(self, coarse: Sequence[Codes]) -> Iterator[tuple[str, list[str]]]:
        """A query for the coded rows with coarse codes `f0`, ..., and the names of these."""
        tables, joins, names = [], [], []
        for i, codes in enumerate(coarse):
            tables.append(f"coarse_{next(_counter)}")
            own = {"code": np.arange(len(codes), dtype=np.int32), "floor": codes}
            store(self._connection, tables[-1], own)
            joins.append(f"JOIN {tables[-1]} AS f{i} ON f{i}.code = k{i}")
            names.append(f"f{i}")
        listed = ", ".join(f"f{i}.floor AS f{i}" for i in range(len(coarse)))
        try:
            yield f"SELECT k.*, {listed} FROM ({self._coded_sql()}) AS k {' '.join(joins)}", names
        finally:
            for table in tables:
                self._connection.execute(f"DROP TABLE {table}")

    def partition(self, cut: Cut | int) -> FrequencyTable:
        """Key every row by its region, on disk; the parts of regions, counted exactly."""
        leaf = cut_sql(cut, [f"k{i}" for i in range(len(self._quasi))])
        folder = value_sql(str(self._folder / "rows"))
        with disclose_nothing():
            self._connection.execute(f"SET partitioned_write_flush_threshold = {_FLUSH}")
            self._connection.execute(
                f"COPY (SELECT *, {leaf} AS leaf FROM ({self._coded_sql()})) TO {folder} "
                "(FORMAT parquet, PARTITION_BY (leaf))"
            )
            return part_table(
                self._count("0"),
                {
                    name: (column.coding, self._count(f"k{i}"))
                    for i, (name, column) in enumerate(self.columns.items())
                    if name in self.schema.counted
                },
            )

    def _count(self, code: str) -> PartCount:
        files = value_sql(str(self._folder / "rows" / "*" / "*.parquet"))
        counted = self._connection.sql(
            f"SELECT CAST(leaf AS BIGINT) AS leaf, CAST(t AS BIGINT) AS top, {code} AS code, "
            f"count(*) AS n FROM read_parquet({files}, hive_partitioning = true) GROUP BY ALL"
        ).fetchnumpy()
        arrays = (np.asarray(counted[name], np.int64) for name in ("leaf", "top", "code", "n"))
        return PartCount(*arrays)

    def solve(
        self, region_of: Sequence[int], solve: Solve, progress: Progress
    ) -> list[dict[str, Any]]:
        """Solve region after region, and keep the number of every row's labels on disk."""
        self._placed = f"placed_{next(_counter)}"
        labels = ", ".join(f"l{i} INTEGER" for i in range(len(self._quasi)))
        self._vocabulary = [{} for _ in self._quasi]
        figures = []
        with disclose_nothing():
            self._connection.execute(
                f"CREATE TEMP TABLE {self._placed} ({NUMBER} BIGINT, {labels})"
            )
        n_regions = max(region_of, default=-1) + 1
        for region in range(n_regions):
            progress(region, n_regions, "solving regions")
            leaves = [leaf for leaf, of in enumerate(region_of) if of == region]
            numbers, keys, counted = self._read(leaves)
            solved = solve(keys, counted)
            self._keep(numbers, solved)
            figures.append(solved.figures)
        return figures

    def _read(self, leaves: Sequence[int]) -> tuple[NDArray[np.int64], Codes, dict[str, Codes]]:
        """Numbers and codes of the rows of some parts."""
        folders = (self._folder / "rows" / f"leaf={leaf}" for leaf in leaves)
        files = [value_sql(str(file)) for folder in folders for file in sorted(folder.glob("*"))]
        with disclose_nothing():
            rows = self._connection.sql(
                f"SELECT * FROM read_parquet([{', '.join(files)}], hive_partitioning = false)"
            ).fetchnumpy()
        codes = {name: np.asarray(rows[f"k{i}"], np.int32) for i, name in enumerate(self.columns)}
        keys = np.column_stack([codes[name] for name in self._quasi])
        counted = {name: codes[name] for name in self.schema.counted}
        return np.asarray(rows[NUMBER], np.int64), keys, counted

    def _keep(self, numbers: NDArray[np.int64], solved: SolvedRows) -> None:
        columns: dict[str, NDArray[Any]] = {NUMBER: numbers}
        for i, texts in enumerate(solved.texts):
            known = self._vocabulary[i]
            number = [known.setdefault(text, len(known)) for text in texts]
            of_group = np.array([*number, HIDDEN], np.int32)[np.append(solved.labels[:, i], -1)]
            columns[f"l{i}"] = of_group[solved.group_of]  # -1, a hidden row, reads the last entry
        arrived = f"arrived_{next(_counter)}"
        store(self._connection, arrived, columns)
        with disclose_nothing():
            self._connection.execute(f"INSERT INTO {self._placed} FROM {arrived}")
            self._connection.execute(f"DROP TABLE {arrived}")

    def rows(self, output: RowOptions) -> tuple[Native, Witness | None]:
        """The released rows as a relation of a connection of our own, and their witness."""
        select, witness = self._select(output)
        table = f"released_{next(_counter)}"
        with disclose_nothing():
            self._connection.execute(f"CREATE TEMP TABLE {table} AS {in_order(select, _PLACE)}")
            return self._connection.table(table), witness

    def write(self, output: RowOptions, path: Path) -> Witness | None:
        """Write the released rows to a file, without holding them in memory."""
        select, witness = self._select(output)
        numeric = [name for name in self.schema if self.schema[name].kind == "numeric"]
        written = copy_query(
            self._connection.sql, select, path,
            source=witness.dialect, numeric=numeric, order=_PLACE,
        )  # fmt: skip
        return replace(witness, written=written)

    def reopen(self, path: Path) -> Native:
        """The written file: the judge reads it by itself."""
        return path

    def given(self) -> Native:
        """The rows as they were read."""
        return self._rows.relation

    def _select(self, output: RowOptions) -> tuple[str, Witness]:
        """A query for the released rows with their places; rows and labels meet by number."""
        kept = put_in_order(self._kept(output), output)
        places = f"places_{next(_counter)}"
        stored: dict[str, NDArray[Any]] = {NUMBER: kept, "place": np.arange(len(kept))}
        typed = TypedRows({}, {})
        if output.form != "labels":
            typed = typed_labels(self._row_labels(kept), output.form)
        released = {
            name: coarse_sql(self.schema[name], f"r.c{i}")
            for i, name in enumerate(self._rows.names)
            if self.schema[name].is_released
        }
        joins = ""
        for i, name in enumerate(self._quasi):
            if name in typed.columns:
                continue
            joins += f" LEFT JOIN {self._label_table(i)} AS t{i} ON t{i}.label = p.l{i}"
            released[name] = f"t{i}.text"
        released = typed.place(released, stored, "o")
        store(self._connection, places, stored)
        rows = self._rows
        if len(kept) < self.n_rows:
            own = [name for name in released if name in rows.names and name not in self._quasi]
            unmade = [name for name in own if not self.schema[name].is_coarse]
            rows = read_kept_again(rows, places, unmade, self.schema)
            released |= whole_if_kept_are(rows, places, released, own)
        listed = ", ".join(f"{value} AS {name_sql(name)}" for name, value in released.items())
        select = (
            f"SELECT {listed}, o.place AS {_PLACE} FROM {places} AS o "
            f"JOIN {self._placed} AS p ON p.{NUMBER} = o.{NUMBER} "
            f"JOIN {rows.view} AS r ON r.{NUMBER} = o.{NUMBER}{joins}"
        )
        source = rows.paths or rows.relation
        return select, Witness(kept, source, rows.dialect, typed.labels)

    def _row_labels(self, kept: NDArray[np.int64]) -> Iterator[RowLabels]:
        """Labels of the columns that have other forms, one for each row that is kept."""
        for i, name in enumerate(self._quasi):
            kind = self.columns[name].coding.kind
            if kind not in ORDERED:
                continue
            with disclose_nothing():
                labelled = self._connection.sql(
                    f"SELECT {NUMBER} AS n, l{i} AS label FROM {self._placed}"
                ).fetchnumpy()
            label = np.empty(self.n_rows, np.int32)
            label[np.asarray(labelled["n"])] = np.asarray(labelled["label"])
            texts = (*self._vocabulary[i], STAR)  # in the order of their numbers
            codes = label[kept]
            codes[codes == HIDDEN] = len(texts) - 1
            yield RowLabels(name, kind, texts, codes)

    def _kept(self, output: RowOptions) -> NDArray[np.int64]:
        where = "" if output.keep_suppressed else f" WHERE l0 > {HIDDEN}"
        with disclose_nothing():
            kept = self._connection.sql(
                f"SELECT {NUMBER} FROM {self._placed}{where} ORDER BY 1"
            ).fetchnumpy()
        return np.asarray(kept[NUMBER], np.int64)

    def _label_table(self, column: int) -> str:
        """Texts of a column's labels; a missing value that is released as it is has none."""
        known = [(n, text) for text, n in self._vocabulary[column].items() if text is not None]
        table = f"labels_{next(_counter)}"
        store(
            self._connection,
            table,
            {
                "label": np.array([*(n for n, _ in known), HIDDEN], np.int32),
                "text": np.array([*(text for _, text in known), STAR], object),
            },
        )
        return table
