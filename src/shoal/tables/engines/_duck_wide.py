"""Tables of more columns than values can meet their numbers in one query: a column at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import duckdb
import numpy as np

from shoal.tables.engines._duck_connection import NUMBER, StagedRows, disclose_nothing
from shoal.typing import Codes

MOST_JOINS = 100
"""Columns up to which values meet their numbers in one query: hundreds of joins take gigabytes."""


def number_rows(rows: StagedRows, columns: Sequence[tuple[int, str, int]], n_rows: int) -> Codes:
    """Numbers of the values of every row; `columns` as :class:`RowCells` has them."""
    numbers = np.empty((n_rows, len(columns)), np.int32)
    for i, (column, table, n) in enumerate(columns):
        with disclose_nothing():
            numbered = rows.connection.sql(
                f"SELECT r.{NUMBER} AS place, coalesce(v.number, {n}) AS number "
                f"FROM {rows.view} AS r LEFT JOIN {table} AS v ON v.value = r.c{column}"
            ).fetchnumpy()
        numbers[numbered["place"], i] = numbered["number"]
    return numbers


def joined_in_parts(
    connection: duckdb.DuckDBPyConnection, cells: str, tables: Sequence[str]
) -> dict[str, Any]:
    """Numbers of the cells' values, a column at a time, in one order."""
    joined = connection.sql(f"SELECT n, one_row FROM {cells} ORDER BY rowid").fetchnumpy()
    for i, values in enumerate(tables):
        joined |= connection.sql(
            f"SELECT v.number AS k{i} FROM {cells} AS t LEFT JOIN {values} AS v "
            f"ON v.value = t.k{i} ORDER BY t.rowid"
        ).fetchnumpy()
    return joined
