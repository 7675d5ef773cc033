"""Columns of DuckDB that are released neither raw nor as labels: tokens, moved dates, rounded."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import TableError
from shoal.schema import Schema
from shoal.tables._engine import RowOptions
from shoal.tables._keyed import day_offset, make_tokens, need_key
from shoal.tables.engines._duck_connection import NUMBER, StagedRows, disclose_nothing
from shoal.tables.forms._coarse import coarse_sql


def keyed_columns(
    staged: StagedRows,
    schema: Schema,
    output: RowOptions,
    kept: NDArray[np.int64],
    columns: dict[str, NDArray[Any]],
) -> dict[str, str]:
    """Tokens and moved dates, which need a key: what stands in their columns."""
    key = need_key(schema, output.key, keep_suppressed=output.keep_suppressed)
    if key is None or schema.subject is None:
        return {}
    subject = schema.subject
    names, person = _people_of_rows(staged, subject)
    said: dict[str, str] = {}
    if schema.pseudonym is not None:
        columns["token"] = np.array(make_tokens(subject, key, names), object)[person[kept]]
        said[subject] = "p.token"
    for index, name in enumerate(schema.shifted):
        most = schema[name].most_days
        days = np.array([day_offset(key, value, most) for value in names], np.int64)
        columns[f"days{index}"] = days[person[kept]]
        said[name] = _moved(staged, name, f"CAST(p.days{index} AS INTEGER)")
    return said


def _people_of_rows(staged: StagedRows, subject: str) -> tuple[list[Any], NDArray[np.int64]]:
    """Names of people, and the number of the one behind each row."""
    index = staged.names.index(subject)
    with disclose_nothing():
        named = staged.connection.sql(
            f"SELECT {NUMBER} AS place, c{index} AS name FROM {staged.view}"
        ).fetchnumpy()
    number: dict[Any, int] = {}
    person = [number.setdefault(name, len(number)) for name in named["name"].tolist()]
    of_row = np.empty(len(person), np.int64)
    of_row[np.asarray(named["place"])] = person
    return list(number), of_row


def coarse_column(staged: StagedRows, schema: Schema, name: str) -> str:
    """A column rounded, or ended at a top and a bottom, as the schema says."""
    index = staged.names.index(name)
    if str(staged.types[index]) == "VARCHAR":
        raise TableError(
            f"column {name!r} is to be rounded, or to end at a top or bottom, and some of its "
            "values are no numbers. Clean them."
        )
    return coarse_sql(schema[name], f"r.c{index}")


def _moved(staged: StagedRows, name: str, days: str) -> str:
    index = staged.names.index(name)
    kind = str(staged.types[index])
    if kind == "DATE":
        return f"r.c{index} + {days}"
    if kind.startswith("TIMESTAMP"):
        return f"r.c{index} + to_days({days})"
    raise TableError(
        f"column {name!r} is to be shifted, and some of its values are no dates (2024-01-31). "
        "Write them so."
    )
