"""A released table in a database: made in one transaction, judged in it, and named at its end.

Rows go into a new table under a name that nobody uses.  The judge reads them back from there, in
the same transaction; only then is the table given its name, and only with that does anybody else
see it.  Whatever fails before leaves the database as it was.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Self

import duckdb

from shoal._addresses import Address, read_address
from shoal._atomic import atomic_path
from shoal._resources import scratch
from shoal.errors import ParameterError, TableError
from shoal.tables.engines._duck_connection import name_sql, paths_sql, value_sql
from shoal.tables.engines.formats._databases import connect_postgresql
from shoal.tables.engines.formats._writers import sqlite_type, sqlite_value

_LONGEST_NAME = 63
"""Bytes of a name in PostgreSQL."""


def open_store(address: str, *, force: bool) -> DatabaseStore:
    """The place for a table at an address; raises when a table is there and is to stay."""
    target = read_address(address)
    if target.table is None:
        raise ParameterError("say which table to write: end the address in ?table=NAME.")
    store = _STORES[target.kind](target)
    try:
        store.require_free(force=force)
    except Exception:
        store.close()
        raise
    return store


class DatabaseStore:
    """One table of one database, being written; what differs between databases is below."""

    own_reader = False
    """Whether :meth:`reader` gives something that has to be closed."""

    default_schema = "main"
    """Where a table is whose name comes without a schema: never left to the database's settings."""

    def __init__(self, address: Address) -> None:
        self.address = address
        schema, _, self._name = (address.table or "").rpartition(".")
        self._schema = schema or self.default_schema
        self._hidden = f"shoal_{secrets.token_hex(8)}"
        self._replaces = self._filled = self._kept = False
        if address.kind != "postgresql" and not Path(address.place).parent.is_dir():
            raise TableError(
                f"{address.name} cannot be written: its folder is not there. A path from the root "
                f"has four strokes, as in {address.kind}:////home/me/data.db?table=NAME."
            )
        self._began_empty = not Path(address.place).exists()
        self._connection = self._connect()
        self._folder = TemporaryDirectory(dir=scratch())
        self.draft = Path(self._folder.name) / "rows.parquet"

    def _connect(self) -> Any:
        raise NotImplementedError

    def _kinds_there(self) -> Sequence[str]:
        """What has the name already, as the database itself compares names: "table", or others."""
        raise NotImplementedError

    def require_free(self, *, force: bool) -> None:
        """Raise when the name is taken: by a table that is to stay, or by what is no table."""
        there = self._kinds_there()
        self._replaces = bool(there)
        if any(kind != "table" for kind in there):
            raise TableError(
                f"{self.address.table!r} is in {self.address.name} already, and is no plain table "
                "but a view, an index, a table in parts or the like. Choose another name."
            )
        if there and not force:
            raise TableError(
                f"table {self.address.table!r} is there already. Choose another name or use "
                "--force."
            )

    def _fill(self, table: str) -> None:
        raise NotImplementedError

    def reader(self) -> Any:
        """What answers to `execute`, in the transaction that makes the table."""
        return self._connection

    @property
    def query(self) -> str:
        """The query that reads the rows back, in the order they were written in."""
        return f"SELECT * FROM {self._placed(self._hidden)}"

    def _commit(self) -> None:
        self._connection.execute("COMMIT")

    def fill(self) -> None:
        """Put the rows of the draft into the database."""
        table = self._placed(self._hidden)
        self._filled = True
        try:
            self._fill(table)
        except Exception:
            raise TableError(
                f"the table cannot be written into schema {self._schema!r} of "
                f"{self.address.name}. Is there such a schema, and may this user make tables in "
                "it? Others are named as SCHEMA.NAME. Nothing was kept."
            ) from None

    def keep(self) -> None:
        """Give the table its name, in place of an older one."""
        execute = self._connection.execute
        try:
            execute(f"DROP TABLE IF EXISTS {self._placed(self._name)}")
            execute(f"ALTER TABLE {self._placed(self._hidden)} RENAME TO {name_sql(self._name)}")
            self._commit()
            self._kept = True
        except Exception:
            raise TableError(
                f"the table cannot get its name in {self.address.name}: something there, such as a "
                "view, needs the older table of that name, or the name is not allowed. Choose "
                "another name. Nothing was kept."
            ) from None

    def close(self) -> None:
        """Leave; what was not kept is gone."""
        self._connection.close()
        if self._began_empty and not self._kept and self.address.kind != "postgresql":
            Path(self.address.place).unlink(missing_ok=True)
        self._folder.cleanup()

    def _placed(self, name: str) -> str:
        return f"{name_sql(self._schema)}.{name_sql(name)}"

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

    def _kinds_there(self) -> Sequence[str]:
        # names differ in more than case for SQLite, so `People` would replace `people`
        kinds = self._connection.execute(
            "SELECT type FROM sqlite_master WHERE name = ? COLLATE NOCASE", [self._name]
        )
        return [kind for (kind,) in kinds]

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

    def _kinds_there(self) -> Sequence[str]:
        kinds = self._connection.execute(
            "SELECT table_type FROM information_schema.tables WHERE lower(table_schema) = lower(?) "
            "AND lower(table_name) = lower(?)",
            [self._schema, self._name],
        )
        return ["table" if kind == "BASE TABLE" else kind for (kind,) in kinds.fetchall()]

    def _fill(self, table: str) -> None:
        self._connection.execute(
            f"CREATE TABLE {table} AS FROM read_parquet({paths_sql([self.draft])})"
        )

    def require_free(self, *, force: bool) -> None:
        super().require_free(force=force)
        if self._replaces:
            self._require_copied()

    def keep(self) -> None:
        super().keep()
        if self._replaces:
            self._write_anew()

    def close(self) -> None:
        if self._filled and not self._kept and not self._began_empty:
            # rows of a table that was never named are in pages of the file, too
            with suppress(duckdb.Error, TableError):  # what went wrong before is what is told
                self._connection.execute("ROLLBACK")
                self._write_anew()
        super().close()

    def _write_anew(self) -> None:
        """Put a copy in place of the file: DuckDB keeps pages of a dropped table, with its rows.

        The older file stays open, and so locked, until the copy has its name.
        """
        path = Path(self.address.place)
        try:
            self._connection.execute("CHECKPOINT")  # else the log of the older file would be left
            with atomic_path(path) as fresh:
                self._copy(value_sql(str(fresh)))
                fresh.chmod(path.stat().st_mode)
        except (duckdb.Error, TableError):
            raise TableError(
                f"the table is in {self.address.name}, but rows of the one that it replaced are "
                "still in pages of the file that no query reads: a copy without them cannot be "
                "written. Is there room for one? Then run the command again with --force."
            ) from None

    def _require_copied(self) -> None:
        """Raise, before any work, when DuckDB cannot copy what is in the database."""
        try:
            self._copy("':memory:'", "(SCHEMA)")
        except duckdb.Error:
            raise TableError(
                f"{self.address.name} holds something that DuckDB does not copy, so that the table "
                "cannot be replaced without leaving its rows in the file. Write into another "
                "database, or into a file of its own."
            ) from None

    def _copy(self, source: str, what: str = "") -> None:
        with self._connection.cursor() as own:  # not in the transaction that makes the table
            house = own.execute("SELECT current_database()").fetchone()[0]
            own.execute(f"ATTACH {source} AS {name_sql(self._hidden)}")
            try:
                own.execute(
                    f"COPY FROM DATABASE {name_sql(house)} TO {name_sql(self._hidden)} {what}"
                )
            finally:
                own.execute(f"DETACH {name_sql(self._hidden)}")


class _PostgresStore(DatabaseStore):
    own_reader = True
    default_schema = "public"

    def _connect(self) -> Any:
        if len(self._name.encode()) > _LONGEST_NAME:
            raise TableError(
                f"PostgreSQL cuts names off after {_LONGEST_NAME} bytes, and could take the table "
                "for another. Choose a shorter name."
            )
        return _Cursors(connect_postgresql(self.address))

    def _kinds_there(self) -> Sequence[str]:
        with closing(self._connection.own.cursor()) as cursor:
            # dropping a table takes its partitions along, and a part's rows from the whole
            cursor.execute(
                "SELECT c.relkind::text, EXISTS (SELECT FROM pg_catalog.pg_inherits i "
                "WHERE c.oid IN (i.inhparent, i.inhrelid)) "
                "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n "
                f"ON n.oid = c.relnamespace WHERE c.relname = {value_sql(self._name)} "
                f"AND n.nspname = {value_sql(self._schema)}"
            )
            kinds = cursor.fetchall()
            return ["table" if kind == "r" and not related else kind for kind, related in kinds]

    def _fill(self, table: str) -> None:
        with duckdb.connect() as reader, closing(self._connection.own.cursor()) as cursor:
            rows = reader.sql(f"FROM read_parquet({paths_sql([self.draft])})").to_arrow_table()
            cursor.adbc_ingest(self._hidden, rows, mode="create", db_schema_name=self._schema)

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
