"""Rows out of DuckDB into files, and arrays into its tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import duckdb
from numpy.typing import NDArray

from shoal.frames._arrow_files import ARROW_SUFFIXES, write_arrow_batches
from shoal.tables.engines._duck_connection import disclose_nothing
from shoal.tables.engines._sql import name_sql, value_sql

_INCOMING = "incoming_arrays"


def store(
    connection: duckdb.DuckDBPyConnection, table: str, columns: Mapping[str, NDArray[Any]]
) -> None:
    """Put arrays into a temporary table of a connection of our own."""
    with disclose_nothing():
        connection.register(_INCOMING, dict(columns))
        try:
            connection.execute(f"CREATE TEMP TABLE {table} AS FROM {_INCOMING}")
        finally:
            connection.unregister(_INCOMING)


def copy_query(
    query: Callable[[str], Any],
    select: str,
    path: Path,
    *,
    suffix: str | None = None,
    metadata: Mapping[str, str] | None = None,
) -> None:
    """Write the rows of a query to a file, without holding them in memory.

    `query` runs SQL; `suffix` tells the format where the name does not; `metadata` is kept with
    the rows of a Parquet file.
    """
    suffix = (suffix or path.suffix).lower()
    with disclose_nothing("write"):
        if suffix in ARROW_SUFFIXES:
            write_arrow_batches(query(select), path)
            return
        how = "FORMAT parquet" if suffix == ".parquet" else "FORMAT csv, HEADER true"
        if metadata:
            pairs = ", ".join(
                f"{name_sql(key)}: {value_sql(text)}" for key, text in metadata.items()
            )
            how += f", KV_METADATA {{{pairs}}}"
        query(f"COPY ({select}) TO {value_sql(str(path))} ({how})")
