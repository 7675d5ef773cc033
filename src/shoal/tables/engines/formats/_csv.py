"""Text files of cells between commas, tabs or semicolons, read by DuckDB."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import duckdb

from shoal.errors import TableError
from shoal.tables._engine import OpenOptions
from shoal.tables.engines._duck_connection import connect, disclose_nothing
from shoal.tables.engines._duck_engine import DuckEngine
from shoal.tables.engines._duck_staging import require_names, stage_table
from shoal.tables.engines._sql import list_sql, paths_sql, value_sql
from shoal.tables.engines.formats._file_format import FileFormat

_SMALL_BYTES = 200_000_000
"""Types of files up to this size are told from all rows; of larger ones, from the first."""

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
        require_names(header)
        # guessing types from all rows costs a scan: files of ordinary size get it
        is_small = sum(path.stat().st_size for path in paths) < _SMALL_BYTES
        names = [f"c{i}" for i in range(len(header))]
        read = (
            f"read_csv({paths_sql(paths)}, header=true, names={list_sql(names)}, "
            f"hive_partitioning=false, sample_size={'-1' if is_small else '200000'}"
            f"{_GUESSED[options.guess]}{_types_sql(header, options)}{encoding})"
        )
        return DuckEngine.of_rows(stage_table(connection, read, header, paths, options.encoding))


def _header(connection: duckdb.DuckDBPyConnection, path: Path, encoding: str) -> list[str]:
    rows = connection.sql(
        f"FROM read_csv({paths_sql([path])}, header=false, all_varchar=true, "
        f"null_padding=true{encoding}) LIMIT 1"
    ).fetchall()
    return [name for row in rows for name in row if name is not None]


def _types_sql(header: Sequence[str], options: OpenOptions) -> str:
    given = [
        (f"c{i}", options.types[name]) for i, name in enumerate(header) if name in options.types
    ]
    if not given:
        return ""
    listed = ", ".join(f"{value_sql(name)}: {value_sql(kind)}" for name, kind in given)
    return f", types={{{listed}}}"


CSV = FileFormat(
    "CSV", (".csv", ".tsv", ".txt", ".data", ".csv.gz", ".tsv.gz", ".txt.gz", ".data.gz"), _read
)
