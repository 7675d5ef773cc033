"""A released table in a database: made in one transaction, judged in it, and named at its end.

Rows go into a new table under a name that nobody uses.  The judge reads them back from there, in
the same transaction; only then is the table given its name, and only with that does anybody else
see it.  Whatever fails before leaves the database as it was.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Self

import duckdb

from shoal._addresses import Address, read_address
from shoal._scratch import scratch
from shoal.errors import ParameterError, TableError
from shoal.tables.engines._sql import name_sql, paths_sql
from shoal.tables.engines.formats._databases import (
    connect_postgresql,
    list_postgresql,
    quoted_table,
)
from shoal.tables.engines.formats._writers import sqlite_type, sqlite_value


def open_store(address: str, *, force: bool) -> DatabaseStore:
    """The place for a table at an address; raises when a table is there and is to stay."""
    place = read_address(address)
    if place.table is None:
        raise ParameterError("say which table to write: end the address in ?table=NAME.")
    store = _STORES[place.kind](place)
    if place.table in store.tables() and not force:
        store.close()
        raise TableError(
            f"table {place.table!r} is there already. Choose another name or use --force."
        )
    return store


class DatabaseStore:
    """One table of one database, being written; what differs between databases is below."""

    own_reader = False
    """Whether :meth:`reader` gives something that has to be closed."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._folder = TemporaryDirectory(dir=scratch())
        self.draft = Path(self._folder.name) / "rows.parquet"
        schema, _, self._name = (address.table or "").rpartition(".")
        self._schema = schema
        self._hidden = f"shoal_{secrets.token_hex(8)}"
        self._connection = self._connect()

    def _connect(self) -> Any:
        raise NotImplementedError

    def tables(self) -> Sequence[str]:
        """Tables that are there."""
        raise NotImplementedError

    def _fill(self, table: str) -> None:
        raise NotImplementedError

    def reader(self) -> Any:
        """What answers to `execute`, in the transaction that makes the table."""
        return self._connection

    @property
    def query(self) -> str:
        """What reads the rows back, in the order in which they were written."""
        return f"SELECT * FROM {self._placed(self._hidden)}"

    def _commit(self) -> None:
        self._connection.execute("COMMIT")

    def fill(self) -> None:
        """Put the rows of the draft into the database."""
        table = self._placed(self._hidden)
        try:
            self._fill(table)
        except Exception:
            raise TableError(
                f"the table cannot be written into {self.address.name}. May this user make "
                "tables there? Nothing was kept."
            ) from None

    def keep(self) -> None:
        """Give the table its name, in place of an older one."""
        execute = self._connection.execute
        execute(f"DROP TABLE IF EXISTS {self._placed(self._name)}")
        execute(f"ALTER TABLE {self._placed(self._hidden)} RENAME TO {name_sql(self._name)}")
        self._commit()

    def close(self) -> None:
        """Leave; what was not kept is gone."""
        self._connection.close()
        self._folder.cleanup()

    def _placed(self, name: str) -> str:
        return quoted_table(f"{self._schema}.{name}" if self._schema else name)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class _SqliteStore(DatabaseStore):
    def _connect(self) -> Any:
        try:
            connection = sqlite3.connect(self.address.place, isolation_level=None)
            connection.execute("PRAGMA secure_delete = ON")  # a replaced table is wiped
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.Error:
            raise TableError(
                f"{self.address.name} cannot be written: it is locked, or no SQLite database."
            ) from None
        return connection

    def tables(self) -> Sequence[str]:
        return [row[0] for row in self._connection.execute("SELECT name FROM sqlite_master")]

    def _fill(self, table: str) -> None:
        with duckdb.connect() as reader:
            rows = reader.sql(f"FROM read_parquet({paths_sql([self.draft])})")
            columns = ", ".join(
                f"{name_sql(name)} {sqlite_type(str(kind))}"
                for name, kind in zip(rows.columns, rows.types, strict=True)
            )
            self._connection.execute(f"CREATE TABLE {table} ({columns})")
            self._connection.executemany(
                f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows.columns))})",
                (tuple(map(sqlite_value, row)) for row in rows.fetchall()),
            )


class _DuckStore(DatabaseStore):
    def _connect(self) -> Any:
        try:
            connection = duckdb.connect(self.address.place)
            connection.execute("BEGIN")
        except duckdb.Error:
            raise TableError(
                f"{self.address.name} cannot be written: it is open in another program, or no "
                "DuckDB database."
            ) from None
        return connection

    def tables(self) -> Sequence[str]:
        found = self._connection.execute("SELECT schema_name, table_name FROM duckdb_tables()")
        return [n if s == "main" else f"{s}.{n}" for s, n in found.fetchall()]

    def _fill(self, table: str) -> None:
        self._connection.execute(
            f"CREATE TABLE {table} AS FROM read_parquet({paths_sql([self.draft])})"
        )


class _PostgresStore(DatabaseStore):
    own_reader = True

    def _connect(self) -> Any:
        return _Cursors(connect_postgresql(self.address))

    def tables(self) -> Sequence[str]:
        with closing(self._connection.own.cursor()) as cursor:
            return list_postgresql(cursor)

    def _fill(self, table: str) -> None:
        with duckdb.connect() as reader, closing(self._connection.own.cursor()) as cursor:
            rows = reader.sql(f"FROM read_parquet({paths_sql([self.draft])})").to_arrow_table()
            schema = {"db_schema_name": self._schema} if self._schema else {}
            cursor.adbc_ingest(self._hidden, rows, mode="create", **schema)

    def reader(self) -> Any:
        self._connection.execute("SET LOCAL synchronize_seqscans = off")  # rows in their order
        return self._connection.own.cursor()

    def _commit(self) -> None:
        self._connection.own.commit()


class _Cursors:
    """A connection of ADBC, spoken to like those of the others."""

    def __init__(self, own: Any) -> None:
        self.own = own

    def execute(self, sql: str) -> None:
        with closing(self.own.cursor()) as cursor:
            cursor.execute(sql)

    def close(self) -> None:
        self.own.rollback()
        self.own.close()


_STORES: dict[str, type[DatabaseStore]] = {
    "sqlite": _SqliteStore,
    "duckdb": _DuckStore,
    "postgresql": _PostgresStore,
}
