"""Small pieces of SQL: quoted names, literals, look-ups that keep the order of rows."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from typing import Any


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


def list_sql(values: Sequence[Any]) -> str:
    """A list literal."""
    return "[" + ", ".join(map(value_sql, values)) + "]"


MAP_LIMIT = 256  # a MAP is searched from its start: beyond this an ENUM's hash table wins


def lookup_sql(expression: str, keys: Sequence[str], results: Sequence[Any], missing: Any) -> str:
    """Exchange each text for its result, row by row: a join would lose the order of the rows.

    NULL and texts that are not listed become `missing`.
    """
    otherwise = value_sql(missing)
    if not keys:
        return otherwise
    if len(keys) <= MAP_LIMIT:
        looked_up = f"MAP({list_sql(keys)}, {list_sql(results)})[{expression}]"
    else:
        members = ", ".join(map(value_sql, keys))
        looked_up = (
            f"{list_sql(results)}[enum_code(TRY_CAST({expression} AS ENUM ({members}))) + 1]"
        )
    return looked_up if missing is None else f"COALESCE({looked_up}, {otherwise})"
