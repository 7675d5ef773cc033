"""Parquet files, read by DuckDB where they are."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import duckdb

from shoal.errors import TableError, TableWarning
from shoal.tables._engine import OpenOptions
from shoal.tables.engines._duck_connection import (
    connect,
    disclose_nothing,
    paths_sql,
    require_names,
)
from shoal.tables.engines._duck_engine import DuckEngine
from shoal.tables.engines._duck_staging import read_parquet_sql, stage_parquet
from shoal.tables.engines.formats._file_format import FileFormat
from shoal.typing import PathText

_UNITS = {"s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}


def _read(paths: Sequence[Path], options: OpenOptions) -> DuckEngine:
    empty = [path.name for path in paths if path.stat().st_size == 0]
    if empty:
        raise TableError(f"file {empty[0]!r} is empty. It is no Parquet file.")
    connection = connect()
    try:
        names = connection.sql(f"FROM {read_parquet_sql(paths)}").columns
        _require_distinct(connection, paths[0])
        _warn_of_spans(connection, paths[0])
        return DuckEngine(stage_parquet(connection, paths, names))
    except (duckdb.Error, RuntimeError):  # the second of names that are no UTF-8
        first = f"{paths[0].name!r}" if len(paths) == 1 else f"one of {len(paths)} files"
        raise TableError(
            f"{first} cannot be read: it is damaged, cut short, or no Parquet file."
        ) from None


def _require_distinct(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    # DuckDB renames a column whose name differs in case only, and says nothing
    rows = connection.execute(
        f"SELECT name, num_children FROM parquet_schema({paths_sql([path])})"
    ).fetchall()
    if all(not children for _, children in rows[1:]):
        require_names([name for name, _ in rows[1:]])


def _warn_of_spans(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    # the format has none: Arrow keeps whole numbers, and what they are beside the table
    kept = connection.sql(
        f"FROM parquet_kv_metadata({paths_sql([path])}) WHERE key = 'ARROW:schema'::BLOB"
    ).fetchall()
    if not kept or find_spec("pyarrow") is None:
        return
    from pyarrow import parquet, types  # noqa: PLC0415  optional

    for field in parquet.read_schema(path):
        if types.is_duration(field.type):
            warnings.warn(
                f"{path.name}: column {field.name!r} holds spans of time, which Parquet does not "
                f"have; they are read as whole numbers of {_UNITS[field.type.unit]}.",
                TableWarning,
                stacklevel=2,
            )


def read_metadata(path: PathText, key: str) -> str | None:
    """A text that was stored with a Parquet file under a key; None when there is none."""
    if not Path(path).exists():
        raise TableError(f"no file {Path(path).name!r}. Check the path.")
    with disclose_nothing(), connect() as connection:
        rows = connection.execute(
            f"SELECT value FROM parquet_kv_metadata({paths_sql([path])}) WHERE key = ?",
            [key.encode()],
        ).fetchall()
    return bytes(rows[0][0]).decode("utf-8") if rows else None


PARQUET = FileFormat("Parquet", (".parquet", ".pq"), _read)
