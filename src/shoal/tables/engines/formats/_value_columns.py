"""Tables whose cells are values already (workbooks, databases, ...), staged like text files.

Columns of texts are looked at like those of a text file, so that the same table gives the same
release whatever it came in.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np

from shoal.schema._text import text
from shoal.tables._engine import OpenOptions
from shoal.tables.engines._duck_connection import (
    connect,
    disclose_nothing,
    require_names,
    stage_table,
    store,
)
from shoal.tables.engines._duck_engine import DuckEngine
from shoal.tables.engines.formats.text._types import read_types

_RAW = "raw_cells"


def stage_columns(
    names: Sequence[str],
    columns: Sequence[Sequence[Any]],
    options: OpenOptions,
    titles: Mapping[str, str] | None = None,
) -> DuckEngine:
    """The engine of columns of values; None, NaN and empty texts are missing."""
    require_names(names)
    read = [_as_texts(column) for column in columns]
    connection = connect()
    with disclose_nothing():
        arrays = {f"p{i}": _array(texts) for i, (texts, _) in enumerate(read)}
        store(connection, _RAW, arrays or {"p0": np.array([], object)})
        given = {i: kind for i, (_, kind) in enumerate(read) if kind is not None}
        given |= {i: options.types[name] for i, name in enumerate(names) if name in options.types}
        plain = ", ".join(f"CAST(p{i} AS VARCHAR) AS p{i}" for i in range(len(names)))
        source = f"(SELECT {plain} FROM {_RAW})"
        readings, values, doubts = read_types(connection, source, names, options, told=given)
        staged = stage_table(connection, values, names, doubts=doubts)
        connection.execute(f"DROP TABLE {_RAW}")
    units = {
        name: f"in {''.join(r.unit)}"
        for name, r in zip(names, readings, strict=True)
        if any(r.unit)
    }
    return DuckEngine(replace(staged, titles=units | dict(titles or {}), options=options))


def _array(texts: Sequence[str | None]) -> Any:
    array = np.empty(len(texts), object)
    array[:] = texts
    return array


def _as_texts(column: Sequence[Any]) -> tuple[list[str | None], str | None]:
    """Texts of values, and their SQL type; None where the texts are to be looked at."""
    values = [None if _is_missing(value) else _plain(value) for value in column]
    kinds = {type(value) for value in values if value is not None}
    if not kinds or str in kinds:
        return [text(value) for value in values], None
    if kinds == {bool}:
        return [text(value) for value in values], "BOOLEAN"
    if kinds <= {dt.date, dt.datetime}:
        return _dates(values)
    if kinds == {int}:
        fits = all(value is None or -(2**63) <= value < 2**63 for value in values)
        return [text(value) for value in values], "BIGINT" if fits else "VARCHAR"
    if kinds <= {int, float, Decimal}:
        floats = [None if value is None else repr(float(value)) for value in values]
        return floats, "DOUBLE"
    return [text(value) for value in values], "VARCHAR"


def _dates(values: Sequence[Any]) -> tuple[list[str | None], str]:
    days = all(
        value is None or not isinstance(value, dt.datetime) or value.time() == dt.time()
        for value in values
    )
    if days:
        return [None if v is None else f"{v:%Y-%m-%d}".zfill(10) for v in values], "DATE"
    moments = (
        v if v is None or isinstance(v, dt.datetime) else dt.datetime(v.year, v.month, v.day)
        for v in values
    )
    return [None if v is None else v.replace(tzinfo=None).isoformat(" ") for v in moments], (
        "TIMESTAMP"
    )


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, dt.datetime):  # pandas has its own class
        return value.to_pydatetime() if hasattr(value, "to_pydatetime") else value
    if isinstance(value, dt.time | dt.timedelta):
        return str(value)
    return value


def _is_missing(value: Any) -> bool:
    if value is None or value == "":
        return True
    if isinstance(value, float | np.floating):
        return math.isnan(value)
    return type(value).__name__ in ("NaTType", "NAType")


def whole_numbers(column: Sequence[Any]) -> list[Any]:
    """Floats as whole numbers where all are, for formats that know no others."""
    floats = [value for value in column if isinstance(value, float) and not math.isnan(value)]
    if not floats or not all(value.is_integer() and abs(value) < 2**53 for value in floats):
        return list(column)
    return [
        int(value) if isinstance(value, float) and not math.isnan(value) else value
        for value in column
    ]
