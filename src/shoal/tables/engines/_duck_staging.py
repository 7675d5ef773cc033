"""Rows that stay what they are: relations and Parquet files, numbered where they are.

A relation of the user's may give its rows in another order each time (DISTINCT, joins, random
orders), and lives in a catalog of the user's.  So it is read once, into a file of ours.
"""

from __future__ import annotations

import itertools
import shutil
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import duckdb
import numpy as np

from shoal._resources import scratch
from shoal.schema import Schema
from shoal.tables._canonical import spelt_twice
from shoal.tables.engines._duck_connection import (
    HUGE,
    NUMBER,
    StagedRows,
    connect,
    disclose_nothing,
    name_sql,
    paths_sql,
    stage_table,
    store,
)

_counter = itertools.count()


class _Folder:
    """A folder that only this user can read, removed when nobody holds it any more."""

    def __init__(self) -> None:
        self.path = Path(mkdtemp(dir=scratch()))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def stage_relation(relation: duckdb.DuckDBPyRelation) -> StagedRows:
    """Read a relation once, into a file that is removed with the last one who knows it."""
    folder = _Folder()
    path = folder.path / "rows.parquet"
    names, types = tuple(relation.columns), tuple(map(str, relation.types))
    # Parquet has no whole numbers of 128 bits: they travel as texts
    columns = ", ".join(
        f"{f'CAST({name_sql(name)} AS VARCHAR)' if kind in HUGE else name_sql(name)} AS c{i}"
        for i, (name, kind) in enumerate(zip(names, types, strict=True))
    )
    with disclose_nothing():
        relation.project(columns).write_parquet(str(path))
    connection = connect()
    huge = {i: kind for i, kind in enumerate(types) if kind in HUGE}
    return _view_of_parquet(connection, [path], names, huge, kept=folder)


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
    listed = ", ".join(f"p{i}" for i in range(len(names)))
    read = f"read_parquet({paths_sql(paths)}, file_row_number=true, hive_partitioning=false)"
    columns = ", ".join(
        f"CAST(p{i} AS {huge[i]}) AS p{i}" if i in huge else f"p{i}" for i in range(len(names))
    )
    source = f"(SELECT {columns}, file_row_number AS place FROM {read} AS t({listed}))"
    with disclose_nothing():
        return stage_table(connection, source, names, user_paths, number="place", kept=kept)


def spell_once(rows: StagedRows, schema: Schema) -> StagedRows:
    """The rows with one text for each number and moment, where columns of such are texts."""
    view = f"spelling_{next(_counter)}"
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
        columns += [f"r.t{i} AS t{i}" for i in rows.doubts]
        rows.connection.execute(
            f"CREATE TEMP VIEW {view} AS SELECT {', '.join(columns)} FROM {rows.view} AS r{joins}"
        )
    return replace(rows, view=view)


def read_parquet_sql(paths: Sequence[Path]) -> str:
    """A FROM clause of Parquet files."""
    alone = ", hive_partitioning=false" if len(paths) == 1 else ""
    return f"read_parquet({paths_sql(paths)}{alone})"
