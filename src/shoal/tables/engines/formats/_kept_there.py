"""What a table in a database says besides the values that are read from it.

A value may be written in several ways there (7.0 and 7.00, NaN and nothing, a number and a text),
and a table may have comments, lists of values and defaults.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from shoal._addresses import Address
from shoal.tables.engines._duck_connection import name_sql, value_sql
from shoal.tables.engines.formats._databases import (
    attached,
    choose_table,
    connect_postgresql,
    duckdb_names,
    list_postgresql,
    quoted_table,
    sqlite_names,
)

_AS_WRITTEN = {
    "postgresql": "CAST({0} AS text)",
    "sqlite": "typeof({0}) || ' ' || hex({0}) || quote({0})",
    "duckdb": "CAST({0} AS VARCHAR)",
}
_NOTES = {
    "comments": "pg_catalog.pg_description WHERE objoid = {0}::regclass",
    "defaults": "pg_catalog.pg_attrdef WHERE adrelid = {0}::regclass",
    "conditions": "pg_catalog.pg_constraint WHERE conrelid = {0}::regclass AND contype = 'c'",
    "lists of values": "pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid "
    "WHERE a.attrelid = {0}::regclass AND t.typtype = 'e' AND NOT a.attisdropped",
}


def kept_there(address: Address, counted: Mapping[str, int]) -> Iterator[str]:
    """What is told besides, in words; `counted` says how many values of a column were counted."""
    if address.kind == "postgresql":
        with closing(connect_postgresql(address)) as house, closing(house.cursor()) as cursor:
            names = list_postgresql(cursor)
            table = choose_table(names, address.table, address.name, "public")
            read = quoted_table(table if "." in table else f"public.{table}")
            for what, where in _NOTES.items():
                cursor.execute(f"SELECT count(*) FROM {where.format(value_sql(read))}")
                if cursor.fetchone()[0]:
                    yield f"{what} of the table"
            yield from _told_apart(cursor, read, address.kind, counted)
    elif address.kind == "sqlite":
        with closing(sqlite3.connect(f"file:{address.place}?mode=ro", uri=True)) as connection:
            table = choose_table(sqlite_names(connection), address.table, address.name)
            yield from _told_apart(connection.cursor(), name_sql(table), address.kind, counted)
    else:
        with closing(attached(Path(address.place))) as connection:
            table = choose_table(duckdb_names(connection), address.table, address.name, "main")
            read = f"house.{quoted_table(table)}"
            yield from _told_apart(connection, read, address.kind, counted)


def _told_apart(cursor: Any, read: str, kind: str, counted: Mapping[str, int]) -> Iterator[str]:
    for name, n_values in counted.items():
        written = _AS_WRITTEN[kind].format(name_sql(name))
        cursor.execute(
            f"SELECT count(DISTINCT {written}), count(*) - count({name_sql(name)}) FROM {read}"
        )
        texts, missing = cursor.fetchone()
        if texts + (missing > 0) > n_values:
            yield f"cells of column {name!r} that say one thing in different ways"
