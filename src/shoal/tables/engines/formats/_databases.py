"""Tables in databases: files of SQLite and DuckDB, and PostgreSQL by its address."""

from __future__ import annotations

import sqlite3
import warnings
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb

from shoal._addresses import IN_PASSWORDS, Address, read_address
from shoal.errors import MissingExtraError, TableError, TableWarning
from shoal.tables._engine import Engine, OpenOptions
from shoal.tables.engines._duck_connection import (
    connect,
    disclose_nothing,
    name_sql,
    require_names,
    stage_table,
    value_sql,
)
from shoal.tables.engines._duck_engine import DuckEngine
from shoal.tables.engines.formats._file_format import FileFormat
from shoal.tables.engines.formats._value_columns import stage_columns

_INNER = ("pg_catalog", "information_schema")

_READABLE = "'r', 'p', 'v', 'm', 'f'"
"""Kinds of PostgreSQL: tables, with partitions, views, those with rows of their own, foreign."""


def open_address(text: str, options: OpenOptions) -> Engine:
    """The table at an address."""
    address = read_address(text, options.table)
    if address.kind == "postgresql":
        return _read_postgresql(address, options)
    path = Path(address.place)
    if not path.exists():
        raise TableError(f"no file {path.name!r}. Check the address: sqlite:///FILE?table=NAME.")
    if address.kind == "sqlite":
        return _read_sqlite(path, address.table, options)
    return _read_duckdb(path, address.table)


def choose_table(
    names: Sequence[str], asked: str | None, where: str, schema: str | None = None
) -> str:
    """The table that is asked for, or the only one.

    A table that is asked for without a schema is that of the schema which holds tables without
    one, `schema`; else the only one of that name.  What fits two tables is never decided here.
    """
    if asked is None:
        if len(names) != 1:
            raise TableError(f"{where} has {_listed(names)}. Say which with --table.")
        return names[0]
    matches = [name for name in names if name == asked]
    if schema is not None:
        matches = matches or [name for name in names if name == f"{schema}.{asked}"]
        matches = matches or [name for name in names if name.rpartition(".")[2] == asked]
    if not matches:
        raise TableError(f"{where} has no table {asked!r}. It has {_listed(names)}.")
    if len(matches) > 1:
        raise TableError(
            f"{where} has {len(matches)} tables that {asked!r} may mean: {_listed(matches)}. "
            "Say which with --table SCHEMA.NAME."
        )
    return matches[0]


def _listed(names: Sequence[str]) -> str:
    if not names:
        return "no tables"
    shown = ", ".join(map(repr, names[:20]))
    return (
        f"{len(names)} table{'s' * (len(names) > 1)}: {shown}{', ...' if len(names) > 20 else ''}"
    )


def quoted_table(name: str) -> str:
    """A table's name, quoted, its schema apart."""
    schema, _, own = name.rpartition(".")
    return f"{name_sql(schema)}.{name_sql(own)}" if schema else name_sql(own)


def list_tables(path: Path) -> list[str]:
    """Names of the tables in a file of SQLite or DuckDB; no row is read."""
    if path.suffix.lower() in DUCKDB.suffixes:
        with closing(attached(path)) as house, disclose_nothing():
            return duckdb_names(house)
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            return sqlite_names(connection)
    except (sqlite3.Error, UnicodeDecodeError):
        raise TableError(
            f"{path.name!r} cannot be read: it is damaged, locked, or no SQLite database."
        ) from None


def sqlite_names(connection: sqlite3.Connection) -> list[str]:
    """Tables and views of an open SQLite database."""
    listed = connection.execute(
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
        "AND name NOT LIKE 'sqlite_%' ORDER BY name"
    ).fetchall()
    return [name for (name,) in listed]


def _read_sqlite(path: Path, asked: str | None, options: OpenOptions) -> Engine:
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            table = choose_table(sqlite_names(connection), asked, repr(path.name))
            cursor = connection.execute(f"SELECT * FROM {name_sql(table)}")
            names = [column[0] for column in cursor.description]
            rows = cursor.fetchall()
    except (sqlite3.Error, UnicodeDecodeError):
        raise TableError(
            f"{path.name!r} cannot be read: it is damaged, locked, or no SQLite database."
        ) from None
    columns = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in names]
    return stage_columns(names, columns, options)


def attached(path: Path) -> duckdb.DuckDBPyConnection:
    """A connection in which the file is called `house`."""
    connection = connect(":memory:")  # others would see the file, or attach one under its name
    try:
        connection.execute(f"ATTACH {value_sql(str(path))} AS house (READ_ONLY)")
    except duckdb.Error:
        raise TableError(
            f"{path.name!r} cannot be read: it is damaged, open in another program, or no DuckDB "
            "database of a version that is known."
        ) from None
    return connection


def duckdb_names(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Tables and views of the DuckDB database that is called `house`."""
    listed = connection.execute(
        "SELECT schema_name || '.' || table_name FROM duckdb_tables() "
        "WHERE database_name = 'house' UNION ALL "
        "SELECT schema_name || '.' || view_name FROM duckdb_views() "
        "WHERE database_name = 'house' AND NOT internal ORDER BY 1"
    ).fetchall()
    return [name for (name,) in listed]


def _read_duckdb(path: Path, asked: str | None) -> Engine:
    connection = attached(path)
    try:
        with disclose_nothing():
            table = choose_table(duckdb_names(connection), asked, repr(path.name), "main")
            read = f"house.{quoted_table(table)}"
            names = connection.sql(f"FROM {read} LIMIT 0").columns
            require_names(names)
            staged = stage_table(connection, read, names)
    finally:
        connection.execute("DETACH house")  # others may want to open the file
    return DuckEngine(staged)


def connect_postgresql(address: Address) -> Any:
    """A connection; what is done in it counts once it is committed."""
    try:
        from adbc_driver_postgresql import dbapi  # noqa: PLC0415  an extra
    except ImportError:
        raise MissingExtraError("adbc-driver-postgresql", "postgresql", "PostgreSQL") from None
    try:
        return dbapi.connect(address.place)
    except dbapi.Error:
        raise TableError(
            f"cannot connect to {address.name}. Check the address, that the server runs, and the "
            "user's name and password: postgresql://USER:PASSWORD@HOST:PORT/DATABASE. "
            f"{IN_PASSWORDS}"
        ) from None


def _read_postgresql(address: Address, options: OpenOptions) -> Engine:
    with closing(connect_postgresql(address)) as connection, closing(connection.cursor()) as cursor:
        names = list_postgresql(cursor)
        table = choose_table(names, address.table, address.name, "public")
        read = quoted_table(table if "." in table else f"public.{table}")
        try:
            cursor.execute(f"SELECT * FROM {read} LIMIT 0")
            names = [column[0] for column in cursor.description]
            kinds = _kinds(cursor, table)
            # every value as its text: a number of any precision arrives as it is
            listed = ", ".join(f"CAST({name_sql(n)} AS text) AS {name_sql(n)}" for n in names)
            cursor.execute(f"SELECT {listed} FROM {read}")
            fetched = cursor.fetch_arrow_table()
            _say_hidden_rows(cursor, read, table)
        except Exception as error:
            if isinstance(error, TableError):
                raise
            raise TableError(
                f"table {table!r} of {address.name} cannot be read. May this user read it?"
            ) from None
    columns = [fetched.column(i).to_pylist() for i in range(len(names))]
    for name, column in zip(names, columns, strict=True):
        if kinds.get(name) in ("DATE", "TIMESTAMP") and any(map(_is_no_day, column)):
            kinds[name] = "VARCHAR"
            say = f"column {name!r} has days beyond calendars (infinity, BC), and is read as text."
            warnings.warn(say, TableWarning, stacklevel=2)
    typed = OpenOptions(**{**options.__dict__, "types": {**kinds, **options.types}})
    return stage_columns(names, columns, typed)


def _say_hidden_rows(cursor: Any, read: str, table: str) -> None:
    cursor.execute(f"SELECT pg_catalog.row_security_active({value_sql(read)})")
    if cursor.fetchone()[0]:
        say = f"table {table!r} has row security: only the rows that this user may see are read."
        warnings.warn(say, TableWarning, stacklevel=3)


def _is_no_day(written: str | None) -> bool:
    """Whether PostgreSQL writes a moment that no calendar of other programs has."""
    return written is not None and (written.endswith(("infinity", " BC")) or written[4:5] != "-")


def list_postgresql(cursor: Any) -> list[str]:
    """Tables and views that the user may read; those of `public` without their schema."""
    hidden = ", ".join(map(value_sql, _INNER))
    cursor.execute(
        "SELECT n.nspname::text, c.relname::text FROM pg_catalog.pg_class c "
        "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
        f"WHERE c.relkind IN ({_READABLE}) AND n.nspname NOT IN ({hidden}) "
        "AND n.nspname NOT LIKE 'pg\\_%' AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') "
        "AND pg_catalog.has_any_column_privilege(c.oid, 'SELECT') ORDER BY 1, 2"
    )
    return [
        name if schema == "public" else f"{schema}.{name}" for schema, name in cursor.fetchall()
    ]


_SQL_TYPES = {
    "smallint": "BIGINT", "integer": "BIGINT", "bigint": "BIGINT", "real": "DOUBLE",
    "double precision": "DOUBLE", "boolean": "BOOLEAN", "date": "DATE",
    "timestamp without time zone": "TIMESTAMP",
}  # fmt: skip


def _kinds(cursor: Any, table: str) -> dict[str, str]:
    schema, _, own = table.rpartition(".")
    cursor.execute(
        "SELECT a.attname::text, pg_catalog.format_type(coalesce(nullif(t.typbasetype, 0), t.oid), "
        "NULL) FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid "
        "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
        "JOIN pg_catalog.pg_type t ON t.oid = a.atttypid WHERE a.attnum > 0 AND NOT a.attisdropped "
        f"AND c.relname = {value_sql(own)} AND n.nspname = {value_sql(schema or 'public')}"
    )
    return {name: _SQL_TYPES[kind] for name, kind in cursor.fetchall() if kind in _SQL_TYPES}


def _read_sqlite_files(paths: Sequence[Path], options: OpenOptions) -> Engine:
    return _read_sqlite(_only(paths), options.table, options)


def _read_duckdb_files(paths: Sequence[Path], options: OpenOptions) -> Engine:
    return _read_duckdb(_only(paths), options.table)


def _only(paths: Sequence[Path]) -> Path:
    if len(paths) > 1:
        raise TableError("give one database, and its table with --table.")
    return paths[0]


SQLITE = FileFormat("SQLite", (".sqlite", ".sqlite3", ".db"), _read_sqlite_files)
DUCKDB = FileFormat("DuckDB", (".duckdb",), _read_duckdb_files)
