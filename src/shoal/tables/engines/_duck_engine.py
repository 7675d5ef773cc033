"""Tables in DuckDB: relations of the user's, and files that may be larger than memory."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import duckdb
import numpy as np
from numpy.typing import NDArray

from shoal.frames._frame import Frame
from shoal.schema import Schema
from shoal.tables._canonical import canonical_values
from shoal.tables._dialect import TextDialect
from shoal.tables._engine import ColumnMap, OpenOptions
from shoal.tables._frequency import CodingOptions
from shoal.tables.engines._duck_connection import (
    StagedRows,
    canonical_sql,
    connect,
    disclose_nothing,
    name_sql,
    require_names,
    value_sql,
)
from shoal.tables.engines._duck_release import CompressedRelation, compress_rows
from shoal.tables.engines._duck_rows import code_rows, fractional, sample_rows
from shoal.tables.engines._duck_staging import stage_relation
from shoal.tables.engines._duck_write import copy_query
from shoal.typing import Codes, Counts, Native

_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER",
          "UBIGINT", "HUGEINT", "UHUGEINT")  # fmt: skip


class DuckEngine:
    """A DuckDB relation, read in a connection of our own.

    A relation of the user's is read once, when its rows are first asked for: Shoal's names never
    resolve in the user's catalog, and rows that come in another order each time stay what they are.

    Parameters
    ----------
    table : DuckDBPyRelation or StagedRows
        The table; rows that are numbered already are not read again.
    kept : object, optional
        What keeps a relation of our own alive; None for one of the user's.
    """

    def __init__(self, table: duckdb.DuckDBPyRelation | StagedRows, kept: Any = None) -> None:
        if isinstance(table, StagedRows):
            self.staged = self._kept = table
            self.names = table.names
            if table.n_rows is not None:
                self.n_rows = table.n_rows
        else:
            self._given, self._kept = table, kept
            self.names = tuple(table.columns)
        require_names(self.names)

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
        """A dataframe in memory, for those who ask in SQL: its columns, and no index."""
        pools = {}
        for name in frame.names:
            if frame.is_loose(name):
                codes, values = frame.factorize(name)
                missing = np.where(codes < 0, len(values), codes).astype(np.int32)
                pools[name] = ([*canonical_values(values), None], missing)
        plain = frame.fresh(frame.names, np.arange(frame.n_rows), pools, {})
        connection = connect()
        return cls(connection.from_arrow(plain.arrow()), connection)

    @cached_property
    def staged(self) -> StagedRows:
        """The rows, numbered, in a connection of our own."""
        return stage_relation(self._given)

    @cached_property
    def _given(self) -> duckdb.DuckDBPyRelation:
        return self.staged.relation

    @property
    def _dialect(self) -> TextDialect | None:
        return self.staged.dialect if "staged" in self.__dict__ else None

    @property
    def titles(self) -> Mapping[str, str]:
        """What the file says about columns beside their names; empty for most files."""
        return self.staged.titles if "staged" in self.__dict__ else {}

    @cached_property
    def _relation(self) -> duckdb.DuckDBPyRelation:
        return self.staged.relation if self._kept is None else self._given

    @cached_property
    def sql_types(self) -> dict[str, str]:
        """DuckDB's own type of each column."""
        return dict(zip(self.names, map(str, self._relation.types), strict=True))

    @property
    def types(self) -> dict[str, str]:
        """Sort of value of each column."""
        kinds = map(str, self._given.types)
        return {name: _sort(kind) for name, kind in zip(self.names, kinds, strict=True)}

    @cached_property
    def n_rows(self) -> int:
        """Number of rows."""
        with disclose_nothing():
            return int(self._relation.aggregate("count(*)").fetchall()[0][0])

    def query(self, sql: str) -> duckdb.DuckDBPyRelation:
        """Run SQL over the table, which is called `source`."""
        with disclose_nothing():
            return cast(duckdb.DuckDBPyRelation, self._relation.query("source", sql))

    def fetch(self, sql: str) -> dict[str, NDArray[Any]]:
        """Columns of a query's result."""
        with disclose_nothing():
            return self.query(sql).fetchnumpy()

    def arrow(self, sql: str) -> Any:
        """A query's result as a PyArrow table."""
        with disclose_nothing():
            return self.query(sql).to_arrow_table()

    def distinct(self, name: str, limit: int | None = None) -> tuple[list[Any], bool]:
        """Distinct values of a column, at most `limit`, and whether some are missing."""
        bound = "" if limit is None else f" LIMIT {limit + 1}"
        with disclose_nothing():
            rows = self._distinct(name, bound).fetchall()
        values = [value for (value,) in rows if value is not None]
        return values[:limit], len(values) < len(rows)

    def _distinct(self, name: str, bound: str) -> Any:
        if "staged" not in self.__dict__:
            return self.query(f"SELECT DISTINCT {self.value_sql(name)} FROM source{bound}")
        # a relation would have all columns bound four times, which hundreds of them make slow
        column = f"c{self.names.index(name)}"
        return self.staged.connection.execute(
            f"SELECT DISTINCT {column} FROM {self.staged.view}{bound}"
        )

    def columns(self) -> dict[str, NDArray[Any]]:
        """Every row, by column; masked where a value is missing."""
        return self.fetch("SELECT * FROM source")

    def frame(self) -> Frame:
        """Every row as a dataframe of whichever library is installed."""
        return Frame.from_columns(self.columns())

    def exchange(self, maps: Mapping[str, ColumnMap]) -> Native:
        """The relation with some columns exchanged; values are looked at when it is read."""
        return self._given.project(self.exchange_sql(maps))

    def exchange_sql(self, maps: Mapping[str, ColumnMap]) -> str:
        """Every column, some of them exchanged, as the list of a SELECT."""
        quoted = {name: name_sql(name) for name in self.names}
        return ", ".join(
            f"{maps[name].sql(column, 'duckdb') if name in maps else column} AS {column}"
            for name, column in quoted.items()
        )

    def value_sql(self, name: str) -> str:
        """A column's value in canonical form: NaN is missing, -0.0 is 0."""
        return canonical_sql(name_sql(name), self.sql_types[name])

    def view(self, names: Sequence[str], widths: Mapping[str, float]) -> DuckEngine:
        """Some columns, with the numbers of some put into bins of a given width."""
        columns = [
            f"floor({self.value_sql(name)} / {value_sql(float(widths[name]))}) AS {name_sql(name)}"
            if name in widths
            else f"{self.value_sql(name)} AS {name_sql(name)}"
            for name in names
        ]
        return self._derived(f"SELECT {', '.join(columns)} FROM source")

    def fractional(self) -> tuple[str, ...]:
        """Columns with numbers that are not whole."""
        return fractional(self, self.sql_types)

    def code_rows(self) -> Codes:
        """Codes of every column (first axis) and row, for telling equal from unequal."""
        return code_rows(self, self.sql_types)

    def sample_rows(self, size: int, generator: np.random.Generator) -> Codes:
        """Codes of rows drawn uniformly without replacement, in one pass over the rows."""
        return sample_rows(self, size, generator)

    def group_sizes(self) -> tuple[Counts, Counts]:
        """Distinct sizes of the groups of equal rows, and the number of groups of each size."""
        names = ", ".join(map(name_sql, self.names))
        groups = f"SELECT count(*) AS size FROM source GROUP BY {names}"
        sizes = self.fetch(f"SELECT size, count(*) AS groups FROM ({groups}) GROUP BY 1 ORDER BY 1")
        return np.asarray(sizes["size"], np.int64), np.asarray(sizes["groups"], np.int64)

    def distinct_rows(self) -> DuckEngine:
        """The same table with equal rows made one; DuckDB spills to disk what does not fit."""
        return self._derived("SELECT DISTINCT * FROM source")

    def _derived(self, sql: str) -> DuckEngine:
        return DuckEngine(self.query(sql), (self._relation, self._kept or self.staged))

    def write(self, names: Sequence[str], path: Path) -> None:
        """Write some columns of every row to a file, as they are, in a secret order."""
        order = f"place {secrets.token_hex(8)}"  # no column of a table is called so
        key = value_sql(secrets.token_hex(32))
        sort_key = f"sha256({key} || CAST(row_number() OVER () AS VARCHAR)) AS {name_sql(order)}"
        select = f"SELECT {', '.join(map(name_sql, names))}, {sort_key} FROM source"
        copy_query(self.query, select, path, source=self._dialect, order=order)

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
        copy_query(self.query, select, path, suffix=suffix, metadata=metadata, escape=False)

    def compress(self, schema: Schema, options: CodingOptions | None = None) -> CompressedRelation:
        """Group the rows into cells: one scan, then everything happens on the result."""
        schema.require(self.names, to_group=True)
        asked = (schema, options or CodingOptions())
        last = self.__dict__.get("_counted")  # whoever tried methods on cells searches them next
        if last is None or last[0] is not schema or last[1] != asked[1]:
            last = self._counted = (*asked, compress_rows(self.staged, *asked))
        return last[2]


def _sort(kind: str) -> str:
    if kind in _WHOLE or kind in ("DOUBLE", "FLOAT") or kind.startswith("DECIMAL"):
        return "number"
    if kind == "BOOLEAN":
        return "boolean"
    if kind == "DATE" or kind.startswith("TIMESTAMP"):
        return "date"
    return "text" if kind == "VARCHAR" or kind.startswith("ENUM") else "other"
