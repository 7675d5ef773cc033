"""Tables in DuckDB: relations of the user's, and files that may be larger than memory."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import duckdb
import numpy as np
from numpy.typing import NDArray

from shoal._jit import load_kernels
from shoal.errors import TableError
from shoal.frames._arrow_files import ARROW_SUFFIXES, write_arrow_batches
from shoal.frames._frame import Frame
from shoal.schema import Schema
from shoal.schema._coding import Coding
from shoal.tables._assemble import (
    CodingOptions,
    assemble,
    code_values,
    counted_columns,
    require_quasi_identifiers,
)
from shoal.tables._count_kernels import merge_entries, pack_groups
from shoal.tables._engine import ColumnMap, OpenOptions
from shoal.tables.engines._duck_connection import connect, disclose_nothing
from shoal.tables.engines._duck_release import CompressedRelation
from shoal.tables.engines._duck_rows import code_rows, fractional, sample_rows
from shoal.tables.engines._sql import lookup_sql, name_sql, value_sql
from shoal.typing import Codes, Counts, Native

_numbers = itertools.count()
_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER",
          "UBIGINT", "HUGEINT", "UHUGEINT")  # fmt: skip


class DuckEngine:
    """A DuckDB relation; files are relations of a connection of our own."""

    def __init__(
        self, relation: duckdb.DuckDBPyRelation, connection: duckdb.DuckDBPyConnection | None = None
    ) -> None:
        self._relation = relation
        self._connection = connection  # kept alive; None for a relation of the user's
        self.paths: tuple[Path, ...] = ()  # where the rows were read, if it was files
        names = tuple(relation.columns)
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            shown = ", ".join(map(repr, twice))
            raise TableError(f"columns given twice: {shown}. Rename or drop one of each.")
        self.names = names
        self._types = dict(zip(names, map(str, relation.types), strict=True))

    @classmethod
    def recognizes(cls, source: Any) -> bool:
        """Whether a table is a DuckDB relation."""
        return isinstance(source, duckdb.DuckDBPyRelation)

    @classmethod
    def open(cls, source: Any, options: OpenOptions) -> DuckEngine:
        """The engine of a relation."""
        return cls(source)

    @classmethod
    def of_frame(cls, frame: Frame) -> DuckEngine:
        """A dataframe in memory, for those who ask in SQL."""
        connection = connect()
        return cls(connection.from_arrow(frame.arrow()), connection)

    def of_files(self, paths: Sequence[Path]) -> DuckEngine:
        """The same, with the files that the rows were read from."""
        self.paths = tuple(paths)
        return self

    @property
    def sql_types(self) -> dict[str, str]:
        """DuckDB's own type of each column."""
        return dict(self._types)

    @property
    def types(self) -> dict[str, str]:
        """Sort of value of each column."""
        return {name: _sort(kind) for name, kind in self._types.items()}

    @cached_property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.fetch("SELECT count(*) AS n FROM source")["n"][0])

    def query(self, sql: str) -> duckdb.DuckDBPyRelation:
        """Run SQL over the table, which is called `source`."""
        with disclose_nothing():
            return cast(duckdb.DuckDBPyRelation, self._relation.query("source", sql))

    def fetch(self, sql: str) -> dict[str, NDArray[Any]]:
        """Columns of a query's result."""
        with disclose_nothing():
            return self.query(sql).fetchnumpy()

    def store(self, table: str, columns: dict[str, NDArray[Any]]) -> None:
        """Put arrays into a temporary table; DuckDB finds `columns` by its name."""
        with disclose_nothing():
            self._relation.query("source", f"CREATE TEMP TABLE {table} AS SELECT * FROM columns")

    def arrow(self, sql: str) -> Any:
        """A query's result as a PyArrow table."""
        with disclose_nothing():
            return self.query(sql).to_arrow_table()

    def distinct(self, name: str, limit: int | None = None) -> tuple[list[Any], bool]:
        """Distinct values of a column, at most `limit`, and whether some are missing."""
        value = self.value_sql(name)
        bound = "" if limit is None else f" LIMIT {limit + 1}"
        with disclose_nothing():
            rows = self.query(f"SELECT DISTINCT {value} FROM source{bound}").fetchall()
        values = [value for (value,) in rows if value is not None]
        return values[:limit], len(values) < len(rows)

    def columns(self) -> dict[str, NDArray[Any]]:
        """Every row, by column; masked where a value is missing."""
        return self.fetch("SELECT * FROM source")

    def frame(self) -> Frame:
        """Every row as a dataframe of whichever library is installed."""
        return Frame.from_columns(self.columns())

    def exchange(self, maps: Mapping[str, ColumnMap]) -> Native:
        """The relation with some columns exchanged; values are looked at when it is read."""
        return self._relation.project(self.exchange_sql(maps))

    def exchange_sql(self, maps: Mapping[str, ColumnMap]) -> str:
        """Every column, some of them exchanged, as the list of a SELECT."""
        quoted = {name: name_sql(name) for name in self.names}
        return ", ".join(
            f"{maps[name].sql(column, 'duckdb') if name in maps else column} AS {column}"
            for name, column in quoted.items()
        )

    def value_sql(self, name: str) -> str:
        """A column's value, with NaN read as missing."""
        column = name_sql(name)
        if self._types[name] in ("DOUBLE", "FLOAT"):
            return f"CASE WHEN isnan({column}) THEN NULL ELSE {column} END"
        return column

    def lookup_sql(self, name: str, keys: list[str], results: list[Any], missing: Any) -> str:
        """Exchange a column's values, given by their texts in SQL, for results."""
        return lookup_sql(f"CAST({self.value_sql(name)} AS VARCHAR)", keys, results, missing)

    def view(self, names: Sequence[str], widths: Mapping[str, float]) -> DuckEngine:
        """Some columns, numbers of some of them put into bins of a width."""
        columns = [
            f"floor({self.value_sql(name)} / {value_sql(float(widths[name]))}) AS {name_sql(name)}"
            if name in widths
            else f"{self.value_sql(name)} AS {name_sql(name)}"
            for name in names
        ]
        return DuckEngine(self.query(f"SELECT {', '.join(columns)} FROM source"), self._connection)

    def fractional(self) -> tuple[str, ...]:
        """Columns with numbers that are not whole."""
        return fractional(self, self._types)

    def code_rows(self) -> Codes:
        """Codes of every column (first axis) and row, for telling equal from unequal."""
        return code_rows(self, self._types)

    def sample_rows(self, size: int, generator: np.random.Generator) -> Codes:
        """Codes of rows drawn uniformly without replacement, in one pass over the rows."""
        return sample_rows(self, size, generator)

    def group_sizes(self) -> tuple[Counts, Counts]:
        """Sizes of the groups of equal rows, each once, and how many groups have each."""
        names = ", ".join(map(name_sql, self.names))
        groups = f"SELECT count(*) AS size FROM source GROUP BY {names}"
        sizes = self.fetch(f"SELECT size, count(*) AS groups FROM ({groups}) GROUP BY 1 ORDER BY 1")
        return np.asarray(sizes["size"], np.int64), np.asarray(sizes["groups"], np.int64)

    def distinct_rows(self) -> DuckEngine:
        """The same table with equal rows made one; DuckDB spills to disk what does not fit."""
        return DuckEngine(self.query("SELECT DISTINCT * FROM source"), self._connection)

    def write(self, names: Sequence[str], path: Path) -> None:
        """Write some columns of every row to a file, as they are; the suffix tells the format."""
        self.copy(f"SELECT {', '.join(map(name_sql, names))} FROM source", path)

    def copy(
        self,
        select: str,
        path: Path,
        *,
        suffix: str | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> None:
        """Write the rows of a query to a file, without holding them in memory.

        `suffix` tells the format where the name does not; `metadata` is kept with the rows of a
        Parquet file.
        """
        suffix = (suffix or path.suffix).lower()
        if suffix in ARROW_SUFFIXES:
            with disclose_nothing("write"):
                write_arrow_batches(self.query(select), path)
            return
        how = "FORMAT parquet" if suffix == ".parquet" else "FORMAT csv, HEADER true"
        if metadata:
            pairs = ", ".join(
                f"{name_sql(key)}: {value_sql(text)}" for key, text in metadata.items()
            )
            how += f", KV_METADATA {{{pairs}}}"
        with disclose_nothing("write"):
            self.query(f"COPY ({select}) TO {value_sql(str(path))} ({how})")

    def compress(self, schema: Schema, options: CodingOptions | None = None) -> CompressedRelation:
        """Group the rows into cells: one scan, then everything happens on the result."""
        options = options or CodingOptions()
        schema.require(self.names)
        quasi = require_quasi_identifiers(schema)
        wanted = list(dict.fromkeys([*quasi, *counted_columns(schema)]))
        table = f"shoal_cells_{os.getpid()}_{next(_numbers)}"
        load_kernels(pack_groups, merge_entries)
        columns = ", ".join(f"{self.value_sql(name)} AS {name_sql(name)}" for name in wanted)
        self.query(
            f"CREATE TEMP TABLE {table} AS "
            f"SELECT {columns}, count(*) AS shoal_rows FROM source GROUP BY ALL"
        )
        try:
            coded = {name: self._code(name, table, schema, options) for name in wanted}
            listed = ", ".join(f"{coded[name].sql} AS c{i}" for i, name in enumerate(wanted))
            fetched = self.fetch(f"SELECT {listed}, shoal_rows FROM {table} AS t")
        finally:
            self.query(f"DROP TABLE {table}")
        codes = {
            name: coded[name].code_of_value[np.asarray(fetched[f"c{i}"], np.int64)]
            for i, name in enumerate(wanted)
        }
        counts = np.asarray(fetched["shoal_rows"], np.int64)
        keys = np.column_stack([codes[name] for name in quasi])
        counted = {name: (coded[name].coding, codes[name]) for name in counted_columns(schema)}
        cells, _ = assemble([coded[name].coding for name in quasi], keys, counted, counts)
        values = {name: (coded[name].keys, coded[name].code_of_value) for name in quasi}
        return CompressedRelation(self, schema, cells, values)

    def _code(self, name: str, table: str, schema: Schema, options: CodingOptions) -> _Coded:
        column = name_sql(name)
        with disclose_nothing():
            rows = self.query(
                f"SELECT DISTINCT {column}, CAST({column} AS VARCHAR) FROM {table} ORDER BY 1"
            ).fetchall()
        known = [row for row in rows if row[0] is not None]
        values, keys = [row[0] for row in known], [row[1] for row in known]
        coding, code_of_value = code_values(
            name, schema[name], values, has_missing=len(values) < len(rows), options=options
        )
        # each row's value as its number among the distinct ones, missing last
        text_sql = f"CAST({column} AS VARCHAR)"
        numbers = list(range(len(keys)))
        return _Coded(coding, lookup_sql(text_sql, keys, numbers, len(keys)), keys, code_of_value)


@dataclass(frozen=True, eq=False)
class _Coded:
    coding: Coding
    sql: str
    keys: list[str]
    code_of_value: Codes


def _sort(kind: str) -> str:
    if kind in _WHOLE or kind in ("DOUBLE", "FLOAT") or kind.startswith("DECIMAL"):
        return "number"
    if kind == "BOOLEAN":
        return "boolean"
    if kind == "DATE" or kind.startswith("TIMESTAMP"):
        return "date"
    return "text" if kind == "VARCHAR" or kind.startswith("ENUM") else "other"
