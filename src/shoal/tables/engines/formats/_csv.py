"""Text files of cells between commas, tabs or semicolons, read by DuckDB."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import duckdb

from shoal.errors import TableError
from shoal.tables._engine import OpenOptions
from shoal.tables.engines._duck_connection import connect, disclose_nothing
from shoal.tables.engines._duck_engine import DuckEngine
from shoal.tables.engines._sql import list_sql, value_sql
from shoal.tables.engines.formats._file_format import FileFormat

_SMALL_BYTES = 200_000_000
"""Files up to this size are parsed once and held; larger ones are parsed by every query."""

_GUESSED = {
    "all": "",
    # 'no' is not false, and a date keeps the way it was written
    "numbers": ", auto_type_candidates=['BIGINT', 'DOUBLE', 'VARCHAR']",
    # nor where the table begins and what stands between its cells: two files that say the same are
    # read the same, and a row of another shape is an error
    "none": ", all_varchar=true, delim=',', skip=0",
}


def _read(paths: Sequence[Path], options: OpenOptions) -> DuckEngine:
    empty = [path.name for path in paths if path.stat().st_size == 0]
    if empty:
        raise TableError(f"file {empty[0]!r} is empty. It needs at least a header.")
    connection = connect()
    with disclose_nothing():
        encoding = f", encoding={value_sql(options.encoding)}" if options.encoding else ""
        header = _header(connection, paths[0], encoding)
        _refuse_doubled(header)
        # guessing types from all rows costs a scan: files of ordinary size get it
        is_small = sum(path.stat().st_size for path in paths) < _SMALL_BYTES
        read = (
            f"read_csv({list_sql([str(path) for path in paths])}, header=true, "
            f"sample_size={'-1' if is_small else '200000'}"
            f"{_GUESSED[options.guess]}{_types_sql(header, options)}{encoding})"
        )
        if not is_small:
            return DuckEngine(connection.sql(f"FROM {read}"), connection).of_files(paths)
        # every query would guess and parse anew: a file that fits is parsed once
        connection.execute(f"CREATE TEMP TABLE shoal_source AS FROM {read}")
        return DuckEngine(connection.table("shoal_source"), connection).of_files(paths)


def _header(connection: duckdb.DuckDBPyConnection, path: Path, encoding: str) -> list[str]:
    rows = connection.sql(
        f"FROM read_csv({value_sql(str(path))}, header=false, all_varchar=true, "
        f"null_padding=true{encoding}) LIMIT 1"
    ).fetchall()
    return [name for row in rows for name in row if name is not None]


def _refuse_doubled(names: Sequence[str]) -> None:
    # DuckDB would rename the second one and say nothing
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        shown = ", ".join(map(repr, twice))
        raise TableError(f"columns given twice: {shown}. Rename or drop one of each.")


def _types_sql(header: Sequence[str], options: OpenOptions) -> str:
    given = [(name, kind) for name, kind in options.types.items() if name in header]
    if not given:
        return ""
    listed = ", ".join(f"{value_sql(name)}: {value_sql(kind)}" for name, kind in given)
    return f", types={{{listed}}}"


CSV = FileFormat(
    "CSV", (".csv", ".tsv", ".txt", ".data", ".csv.gz", ".tsv.gz", ".txt.gz", ".data.gz"), _read
)
