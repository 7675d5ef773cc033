"""Single rows out of DuckDB, as codes: all of them, or a sample drawn in one pass."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.tables._row_codes import code_array, stack_codes
from shoal.tables.engines._duck_connection import (
    NUMBER,
    StagedRows,
    disclose_nothing,
    name_sql,
    store,
    value_sql,
)
from shoal.typing import Codes

_PLAIN = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER",
          "UBIGINT", "FLOAT", "DOUBLE", "BOOLEAN", "DATE", "TIMESTAMP")  # fmt: skip
_MOST_TEXTS = 50_000
"""Distinct texts up to which DuckDB turns them into numbers; beyond, they are fetched."""

_ABOUT_AS_MANY = 2 * _MOST_TEXTS
"""The same where texts were counted by a sketch, which is off by a few per cent."""

_COLUMNS_AT_ONCE = 32

_numbers = itertools.count()


class _Relation(Protocol):
    names: tuple[str, ...]

    @property
    def n_rows(self) -> int: ...

    def fetch(self, sql: str) -> dict[str, NDArray[Any]]: ...

    def query(self, sql: str) -> Any: ...

    @property
    def staged(self) -> StagedRows: ...


def fractional(engine: _Relation, types: Mapping[str, str]) -> tuple[str, ...]:
    """Columns with numbers that are not whole; only columns of fractional types are examined."""
    names = [
        name
        for name, kind in types.items()
        if kind in ("FLOAT", "DOUBLE") or kind.startswith("DECIMAL")
    ]
    if not names:
        return ()
    tests = (f"bool_or({name_sql(n)} <> floor({name_sql(n)})) AS f{i}" for i, n in enumerate(names))
    has_fraction = engine.fetch(f"SELECT {', '.join(tests)} FROM source")
    return tuple(
        name for i, name in enumerate(names) if np.ma.filled(has_fraction[f"f{i}"], False)[0]
    )


def code_rows(engine: _Relation, types: Mapping[str, str]) -> Codes:
    """Codes of every column and row.

    Texts never leave DuckDB: it numbers them itself, through an ENUM of the distinct ones.
    """
    texts = _texts_of(engine, [name for name in engine.names if _is_text(types[name])])
    select = ", ".join(
        f"{_number_sql(name, types[name], texts)} AS c{i}" for i, name in enumerate(engine.names)
    )
    return _stack(engine, engine.fetch(f"SELECT {select} FROM source"))


def sample_rows(engine: _Relation, size: int, generator: np.random.Generator) -> Codes:
    """Codes of rows drawn uniformly without replacement.

    The row numbers are drawn first, so that the sample is what the generator makes it; DuckDB then
    picks the rows in one pass, and holds no more than them.
    """
    n = engine.n_rows
    kept = np.arange(n) if size >= n else generator.choice(n, size, replace=False, shuffle=False)
    staged, table = engine.staged, f"chosen_{next(_numbers)}"
    names = ", ".join(f"r.c{i}" for i in range(len(engine.names)))
    store(staged.connection, table, {"chosen": np.sort(kept)})
    with disclose_nothing():
        columns = staged.connection.sql(
            f"SELECT {names} FROM {staged.view} AS r SEMI JOIN {table} ON r.{NUMBER} = chosen "
            f"ORDER BY r.{NUMBER}"
        ).fetchnumpy()
        staged.connection.execute(f"DROP TABLE {table}")
    return _stack(engine, columns)


def _stack(engine: _Relation, columns: dict[str, NDArray[Any]]) -> Codes:
    coded = (code_array(name, columns[f"c{i}"]) for i, name in enumerate(engine.names))
    return stack_codes(coded, len(columns["c0"]))


def _is_text(kind: str) -> bool:
    return kind not in _PLAIN and not kind.startswith("ENUM")


def _number_sql(name: str, kind: str, texts: Mapping[str, Sequence[str]]) -> str:
    column = name_sql(name)
    if kind in _PLAIN:
        return column
    if kind.startswith("ENUM"):
        return f"enum_code({column})"
    text = f"CAST({column} AS VARCHAR)"
    if not texts.get(name):
        return text
    return f"enum_code(CAST({text} AS ENUM ({', '.join(map(value_sql, texts[name]))})))"


def _texts_of(engine: _Relation, names: Sequence[str]) -> dict[str, Sequence[str]]:
    """Distinct texts of the columns that have few.

    Several columns at a time: a query binds all columns of the table, however few it asks for.
    """
    known: dict[str, Sequence[str]] = {}
    for start in range(0, len(names), _COLUMNS_AT_ONCE):
        part = names[start : start + _COLUMNS_AT_ONCE]
        columns = [f"CAST({name_sql(name)} AS VARCHAR)" for name in part]
        counts = _first_row(engine, [f"approx_count_distinct({column})" for column in columns])
        few = [index for index, count in enumerate(counts) if count <= _ABOUT_AS_MANY]
        lists = [
            f"list(DISTINCT {columns[index]}) FILTER ({columns[index]} IS NOT NULL)"
            for index in few
        ]
        for index, texts in zip(few, _first_row(engine, lists) if few else (), strict=True):
            if texts is not None and len(texts) <= _MOST_TEXTS:
                known[part[index]] = texts
    return known


def _first_row(engine: _Relation, asked: Sequence[str]) -> Sequence[Any]:
    with disclose_nothing():
        row: Sequence[Any] = engine.query(f"SELECT {', '.join(asked)} FROM source").fetchall()[0]
    return row
