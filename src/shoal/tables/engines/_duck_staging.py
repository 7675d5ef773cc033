"""Rows that stay what they are: every row has a number, in a connection of our own.

A relation of the user's may give its rows in another order each time (DISTINCT, joins, random
orders), and lives in a catalog of the user's.  So it is read once, into a file of ours.  Columns
are called `c0`, `c1`, ... from there on, and names of the user's never meet ours.
"""

from __future__ import annotations

import itertools
import shutil
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import duckdb
import numpy as np

from shoal._scratch import scratch
from shoal.errors import TableError
from shoal.schema import Schema
from shoal.tables._canonical import spelt_twice
from shoal.tables._dialect import TextDialect
from shoal.tables.engines._duck_connection import connect, disclose_nothing
from shoal.tables.engines._duck_write import store
from shoal.tables.engines._sql import canonical_sql, name_sql, paths_sql

NUMBER = "row_id"
"""Column of the view with a row's number: 0, 1, ... in the order in which the rows were read."""

_counter = itertools.count()
_HUGE = ("HUGEINT", "UHUGEINT")


@dataclass(frozen=True, eq=False)
class StagedRows:
    """Numbered rows in a connection of our own.

    Parameters
    ----------
    connection : DuckDBPyConnection
        Where they are.
    view : str
        Name of a view with `row_id`, `c0`, `c1`, ...; values are canonical.
    names, types : tuple of str
        The user's names and DuckDB's types of `c0`, `c1`, ...
    paths : tuple of Path
        Files of the user's that the numbers count; empty when the rows were read once.
    kept : object
        What has to stay alive: the folder that holds the rows.
    titles : mapping of str to str
        What a file says about its columns beside their names, as files of SPSS and Stata do.
    """

    connection: duckdb.DuckDBPyConnection
    view: str
    names: tuple[str, ...]
    types: tuple[str, ...]
    paths: tuple[Path, ...] = ()
    dialect: TextDialect | None = None
    kept: Any = field(default=None, repr=False)
    titles: Mapping[str, str] = field(default_factory=dict)

    @property
    def relation(self) -> duckdb.DuckDBPyRelation:
        """The rows with the user's names, in their order."""
        listed = ", ".join(f"c{i} AS {name_sql(name)}" for i, name in enumerate(self.names))
        return self.connection.sql(f"SELECT {listed} FROM {self.view}")


class _Folder:
    """A folder that only this user can read, removed when nobody holds it any more."""

    def __init__(self) -> None:
        self.path = Path(mkdtemp(dir=scratch()))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def require_names(names: Sequence[str]) -> None:
    """Refuse columns that a database would take for one another."""
    folded = [name.lower() for name in names]
    twice = sorted({name for name in names if folded.count(name.lower()) > 1})
    if twice:
        shown = ", ".join(map(repr, twice))
        raise TableError(f"columns given twice: {shown}. Rename or drop one of each.")


def stage_relation(relation: duckdb.DuckDBPyRelation) -> StagedRows:
    """Read a relation once, into a file that is removed with the last one who knows it."""
    folder = _Folder()
    path = folder.path / "rows.parquet"
    names, types = tuple(relation.columns), tuple(map(str, relation.types))
    # Parquet has no whole numbers of 128 bits: they travel as texts
    columns = ", ".join(
        f"{f'CAST({name_sql(name)} AS VARCHAR)' if kind in _HUGE else name_sql(name)} AS c{i}"
        for i, (name, kind) in enumerate(zip(names, types, strict=True))
    )
    with disclose_nothing():
        relation.project(columns).write_parquet(str(path))
    connection = connect()
    huge = {i: kind for i, kind in enumerate(types) if kind in _HUGE}
    return _view_of_parquet(connection, [path], names, huge, kept=folder)


def stage_table(
    connection: duckdb.DuckDBPyConnection,
    read: str,
    names: Sequence[str],
    paths: Sequence[Path] = (),
    dialect: TextDialect | None = None,
) -> StagedRows:
    """Read the rows of a FROM clause into a temporary table; columns are taken by position."""
    table, view = f"staged_{next(_counter)}", f"rows_{next(_counter)}"
    listed = ", ".join(f"p{i}" for i in range(len(names)))
    connection.execute(f"CREATE TEMP TABLE {table} AS SELECT {listed} FROM {read} AS t({listed})")
    types = tuple(map(str, connection.table(table).types))
    kinds = _make_view(connection, view, "rowid", types, table)
    return StagedRows(connection, view, tuple(names), kinds, tuple(paths), dialect)


def stage_parquet(
    connection: duckdb.DuckDBPyConnection, paths: Sequence[Path], names: Sequence[str]
) -> StagedRows:
    """Number the rows of Parquet files; one file is read where it is."""
    taken = {name.lower() for name in names}
    if len(paths) > 1 or "file_row_number" in taken:
        read = f"read_parquet({paths_sql(paths)})"
        return stage_table(connection, read, names, paths)
    return _view_of_parquet(connection, paths, names, {}, user_paths=tuple(paths))


def _view_of_parquet(
    connection: duckdb.DuckDBPyConnection,
    paths: Sequence[Path],
    names: Sequence[str],
    huge: dict[int, str],
    *,
    user_paths: tuple[Path, ...] = (),
    kept: Any = None,
) -> StagedRows:
    view = f"rows_{next(_counter)}"
    listed = ", ".join(f"p{i}" for i in range(len(names)))
    read = f"read_parquet({paths_sql(paths)}, file_row_number=true, hive_partitioning=false)"
    columns = ", ".join(
        f"CAST(p{i} AS {huge[i]}) AS p{i}" if i in huge else f"p{i}" for i in range(len(names))
    )
    source = f"(SELECT {columns}, file_row_number AS place FROM {read} AS t({listed}))"
    with disclose_nothing():
        types = tuple(map(str, connection.sql(f"SELECT {listed} FROM {source}").types))
        kinds = _make_view(connection, view, "place", types, source)
    return StagedRows(connection, view, tuple(names), kinds, user_paths, kept=kept)


def _make_view(
    connection: duckdb.DuckDBPyConnection, view: str, number: str, types: Sequence[str], read: str
) -> tuple[str, ...]:
    """Make the view with canonical values; returns the types of its columns."""
    columns = [
        f"{_narrowed(connection, f'p{i}', read) if kind in _HUGE else canonical_sql(f'p{i}', kind)}"
        f" AS c{i}"
        for i, kind in enumerate(types)
    ]
    listed = ", ".join([f"CAST({number} AS BIGINT) AS {NUMBER}", *columns])
    connection.execute(f"CREATE TEMP VIEW {view} AS SELECT {listed} FROM {read}")
    return tuple(map(str, connection.table(view).types))[1:]


def _narrowed(connection: duckdb.DuckDBPyConnection, column: str, read: str) -> str:
    """Whole numbers of 128 bits as those of 64, or as texts: hardly a file holds them as they are.

    Sums of DuckDB's have this type, whatever their size.
    """
    beyond = f"{column} IS NOT NULL AND TRY_CAST({column} AS BIGINT) IS NULL"
    found = connection.sql(f"SELECT 1 FROM {read} WHERE {beyond} LIMIT 1").fetchall()
    return f"CAST({column} AS {'VARCHAR' if found else 'BIGINT'})"


def spell_once(rows: StagedRows, schema: Schema) -> StagedRows:
    """The rows with one text for each number and moment, where columns of such are texts."""
    view = f"rows_{next(_counter)}"
    columns, joins = [f"r.{NUMBER} AS {NUMBER}"], ""
    with disclose_nothing():
        for i, (name, kind) in enumerate(zip(rows.names, rows.types, strict=True)):
            twice: Mapping[str, str] = {}
            if kind == "VARCHAR" and schema[name].is_released:
                listed = rows.connection.sql(f"SELECT DISTINCT c{i} FROM {rows.view}").fetchall()
                twice = spelt_twice(schema[name].kind, [value for (value,) in listed])
            if not twice:
                columns.append(f"r.c{i} AS c{i}")
                continue
            table = f"spelt_{next(_counter)}"
            store(
                rows.connection,
                table,
                {"was": np.array(list(twice), object), "now": np.array([*twice.values()], object)},
            )
            columns.append(f"coalesce(s{i}.now, r.c{i}) AS c{i}")
            joins += f" LEFT JOIN {table} AS s{i} ON s{i}.was = r.c{i}"
        if not joins:
            return rows
        rows.connection.execute(
            f"CREATE TEMP VIEW {view} AS SELECT {', '.join(columns)} FROM {rows.view} AS r{joins}"
        )
    return replace(rows, view=view)


def read_parquet_sql(paths: Sequence[Path]) -> str:
    """A FROM clause of Parquet files."""
    alone = ", hive_partitioning=false" if len(paths) == 1 else ""
    return f"read_parquet({paths_sql(paths)}{alone})"
