"""Small pieces of SQL: quoted names, literals, columns in canonical form."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from shoal.typing import PathText


def name_sql(name: str) -> str:
    """A column's name, quoted."""
    return '"' + name.replace('"', '""') + '"'


def value_sql(value: Any) -> str:
    """A value as a literal."""
    match value:
        case None:
            return "NULL"
        case bool():
            return "TRUE" if value else "FALSE"
        case str():
            return "'" + value.replace("'", "''") + "'"
        case int() | Decimal():
            return str(value)
        case float():
            return f"'{value!r}'::DOUBLE"
        case dt.datetime():
            return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
        case dt.date():
            return f"DATE '{value.isoformat()}'"
        case _:
            return "'" + str(value).replace("'", "''") + "'"


MAP_LIMIT = 256
"""Entries up to which a MAP is fast: it is searched from its start."""


def paths_sql(paths: Sequence[PathText]) -> str:
    """Names of files, as a list; what DuckDB would take for a pattern stands for itself."""
    plain = (re.sub(r"([*?\[])", r"[\1]", str(path)) for path in paths)
    return "[" + ", ".join(map(value_sql, plain)) + "]"


_AS_TEXT = ("ENUM", "JSON", "UUID", "INTERVAL", "BIT", "TIMETZ", "TIME WITH", "VARINT", "BIGNUM")
_NESTED = ("STRUCT", "MAP", "UNION", "VARIANT")


def is_nested(kind: str) -> bool:
    """Whether values of a type of DuckDB's are made of other values."""
    return kind.endswith("]") or kind.startswith(_NESTED)


def is_nan_sql(number: str) -> str:
    """Whether a binary number is NaN, in DuckDB.

    Not `isnan`: Parquet's statistics leave NaN out, so that the optimizer takes it for never true.
    """
    return f"(NOT isfinite({number}) AND NOT isinf({number}))"


def canonical_sql(column: str, kind: str) -> str:
    """A column of a type of DuckDB's with one value for all that are equal.

    The same as :mod:`shoal.tables._canonical` says for every engine.
    """
    if is_nested(kind):
        return column
    if kind in ("DOUBLE", "FLOAT"):
        return f"CASE WHEN {is_nan_sql(column)} THEN NULL ELSE {column} + CAST(0 AS {kind}) END"
    if kind == "BLOB":
        return f"lower(hex({column}))"
    if kind == "TIMESTAMP_NS":
        return f"regexp_replace(CAST({column} AS VARCHAR), ' 00:00:00$', '')"
    if kind == "TIME" or kind.startswith(_AS_TEXT):
        return f"CAST({column} AS VARCHAR)"
    return column
