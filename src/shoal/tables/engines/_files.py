"""CSV and Parquet files, one or a folder of them, read through DuckDB."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import duckdb

from shoal.errors import TableError
from shoal.tables.engines._sql import list_sql, value_sql
from shoal.typing import PathText

_CSV = (".csv", ".tsv", ".txt", ".data", ".csv.gz", ".tsv.gz", ".txt.gz", ".data.gz")
_SMALL = 200_000_000
_PARQUET = (".parquet", ".pq")


@contextmanager
def disclose_nothing(doing: Literal["read", "write"] = "read") -> Iterator[None]:
    """Turn DuckDB's errors into ours: its texts may quote cells, ours never do."""
    try:
        yield
    except duckdb.Error as error:
        raise TableError(_explain(error, doing)) from None


def _explain(error: duckdb.Error, doing: str) -> str:
    message = str(error)
    line = re.search(r"[Ll]ine:? ?(\d+)", message)
    where = f" at line {line.group(1)}" if line else ""
    if "utf-8" in message.lower() or "unicode" in message.lower():
        return f"the file is not UTF-8{where}. Say how it is encoded, e.g. --encoding latin-1."
    if doing == "write" or isinstance(error, duckdb.IOException):
        if "space" in message.lower():
            return "the disk is full. Free space or choose another folder; nothing was kept."
        if doing == "write":
            return "the file cannot be written. Check the folder and its permissions."
        return "the file cannot be read: it is damaged, cut short, or not in the stated format."
    if isinstance(error, duckdb.ConversionException | duckdb.InvalidInputException):
        return (
            f"the file cannot be read{where}: a row has another shape or type than those before. "
            "Mend the row, or write the table as Parquet."
        )
    return f"the table cannot be read{where} ({type(error).__name__})."


def file_paths(source: PathText) -> list[Path]:
    """The data files behind a path: itself, or those in the folder, sorted."""
    path = Path(source)
    if not path.exists():
        raise TableError(f"no file or folder {path.name!r}. Check the path.")
    if not path.is_dir():
        return [path]
    found = sorted(p for p in path.rglob("*") if p.is_file() and file_format(p) is not None)
    if not found:
        raise TableError(f"folder {path.name!r} holds no CSV or Parquet file.")
    if len({file_format(p) for p in found}) > 1:
        raise TableError(f"folder {path.name!r} mixes CSV and Parquet files. Keep one kind.")
    return found


def file_format(path: Path) -> str | None:
    """Format that a file's name tells: "csv", "parquet", or None."""
    name = path.name.lower()
    if name.startswith((".", "_")):
        return None
    if name.endswith(_PARQUET):
        return "parquet"
    return "csv" if name.endswith(_CSV) else None


def open_files(
    source: PathText, *, encoding: str | None = None
) -> tuple[duckdb.DuckDBPyRelation, duckdb.DuckDBPyConnection]:
    """A relation over the files, on a connection of its own."""
    paths = file_paths(source)
    kind = file_format(paths[0])
    if kind is None:
        raise TableError(
            f"{paths[0].name!r} is neither CSV nor Parquet by its name. Rename it to end in "
            ".csv or .parquet."
        )
    empty = [path.name for path in paths if path.stat().st_size == 0]
    if empty:
        raise TableError(f"file {empty[0]!r} is empty. It needs at least a header.")
    connection = duckdb.connect()
    connection.execute("SET enable_progress_bar = false")  # stdout belongs to the command
    listed = list_sql([str(path) for path in paths])
    with disclose_nothing():
        if kind == "parquet":
            return connection.sql(f"FROM read_parquet({listed})"), connection
        extra = f", encoding={value_sql(encoding)}" if encoding else ""
        _refuse_doubled_names(connection, paths[0], extra)
        # guessing types from all rows costs a scan: files of ordinary size get it
        small = sum(path.stat().st_size for path in paths) < _SMALL
        guess = "-1" if small else "200000"
        read = f"read_csv({listed}, header=true, sample_size={guess}{extra})"
        if not small:
            return connection.sql(f"FROM {read}"), connection
        # every query would guess and parse anew: a file that fits is parsed once
        connection.execute(f"CREATE TEMP TABLE shoal_source AS FROM {read}")
        return connection.table("shoal_source"), connection


def _refuse_doubled_names(connection: duckdb.DuckDBPyConnection, path: Path, extra: str) -> None:
    header = connection.sql(
        f"FROM read_csv({value_sql(str(path))}, header=false, all_varchar=true, "
        f"null_padding=true{extra}) LIMIT 1"
    ).fetchall()
    names = [name for row in header for name in row if name is not None]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        shown = ", ".join(map(repr, twice))
        raise TableError(f"columns given twice: {shown}. Rename or drop one of each.")
