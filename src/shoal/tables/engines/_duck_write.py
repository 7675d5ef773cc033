"""Rows out of DuckDB into files, and arrays into its tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from shoal.errors import TableError
from shoal.frames._arrow_files import ARROW_SUFFIXES, write_arrow_batches
from shoal.frames._frame import Frame
from shoal.frames._native import refuse_same_letters
from shoal.tables._dialect import TextDialect
from shoal.tables.engines._duck_connection import connect, disclose_nothing
from shoal.tables.engines._sql import name_sql, value_sql
from shoal.tables.engines.formats._text_output import (
    FORMULA,
    PLAIN_NUMBER,
    TEXT_SUFFIXES,
    require_safe_names,
    unpacked_suffix,
    write_text,
)
from shoal.tables.engines.formats._writers import WRITERS

_INCOMING = "incoming_arrays"
_BATCH = 1 << 20


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


def fetch_batches(relation: Any, at_least: int) -> Iterator[dict[str, NDArray[Any]]]:
    """Rows of a query as arrays by column, some of them at a time where PyArrow is at hand.

    A million, or `at_least` as many as said.
    """
    if find_spec("pyarrow") is None:
        yield relation.fetchnumpy()
        return
    # DuckDB 2 renamed it; before that the new name is absent
    read = getattr(relation, "to_arrow_reader", None) or relation.fetch_record_batch
    for batch in read(max(_BATCH, at_least)):
        # to_numpy() would load pandas, which takes longer than most batches
        yield {name: np.from_dlpack(batch.column(name)) for name in batch.schema.names}


def in_order(select: str, order: str | None) -> str:
    """A query with its rows in the order of one of its columns, and without that column."""
    if order is None:
        return select
    # outermost: an order of queries inside does not count
    return f"SELECT * EXCLUDE ({name_sql(order)}) FROM ({select}) ORDER BY {name_sql(order)}"


def copy_query(
    query: Callable[[str], Any],
    select: str,
    path: Path,
    *,
    suffix: str | None = None,
    metadata: Mapping[str, str] | None = None,
    source: TextDialect | None = None,
    numeric: Sequence[str] = (),
    escape: bool = True,
    order: str | None = None,
) -> TextDialect | None:
    """Write the rows of a query to a file, and say how if it is text.

    `query` runs SQL; `suffix` tells the format where the name does not; `metadata` is kept with
    the rows of a Parquet file; for the others see :func:`write_text`.
    """
    suffix = suffix.lower() if suffix else unpacked_suffix(path)
    with disclose_nothing("write"):
        if suffix in TEXT_SUFFIXES:
            return write_text(query, select, path, source, numeric, escape=escape, order=order)
        select = in_order(select, order)
        if suffix in ARROW_SUFFIXES:
            write_arrow_batches(query(select), path)
            return None
        if suffix in WRITERS:
            WRITERS[suffix](query(select), path)
            return None
        if suffix not in (".parquet", ".pq"):
            raise TableError(
                f"cannot tell the format of {path.name!r}. End it in .csv, .parquet, .xlsx or "
                "another suffix that Shoal writes."
            )
        how = "FORMAT parquet"
        if metadata:
            pairs = ", ".join(
                f"{name_sql(key)}: {value_sql(text)}" for key, text in metadata.items()
            )
            how += f", KV_METADATA {{{pairs}}}"
        query(f"COPY ({select}) TO {value_sql(str(path))} ({how})")
        return None


def write_frame(frame: Frame, path: Path) -> TextDialect | None:
    """Write a dataframe, by its own library where it can; says how if it is text."""
    suffix = path.suffix.lower()
    if suffix in (".parquet", *ARROW_SUFFIXES):
        frame.write(path)
        return None
    is_arrow = type(frame.eager).__module__.startswith("pyarrow")  # it quotes every text
    if suffix == ".csv" and not is_arrow:
        require_safe_names(frame.names)
        frame.write(path, formula=FORMULA, number=PLAIN_NUMBER)
        return TextDialect(names=frame.names, escaped=True)
    refuse_same_letters(frame.names, suffix)
    with connect() as connection:
        connection.register("made", frame.eager if is_arrow else frame.arrow())
        return copy_query(connection.sql, "SELECT * FROM made", path)
