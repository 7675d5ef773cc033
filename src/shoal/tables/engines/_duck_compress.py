"""From the rows of a relation to cells: one scan, then everything happens on the result."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from shoal._jit import load_kernels
from shoal.errors import TableError
from shoal.schema import Schema
from shoal.schema._coding import Coding
from shoal.tables._canonical import MEASURED
from shoal.tables._count_kernels import match_words, merge_entries, pack_groups
from shoal.tables._frequency import (
    CodingOptions,
    assemble,
    code_values,
    group_keys,
    pack_codes,
    require_quasi_identifiers,
)
from shoal.tables._people import count_people, require_named
from shoal.tables.engines._duck_connection import (
    NUMBER,
    StagedRows,
    disclose_nothing,
    is_nested,
    store,
)
from shoal.tables.engines._duck_release import MOST_JOINS, CompressedRelation
from shoal.tables.engines._duck_staging import spell_once
from shoal.typing import Codes, Counts

_counter = itertools.count()
_ROWS_TO_A_CELL = 8
_BATCH = 1 << 20


@dataclass(frozen=True, eq=False)
class _Values:
    """Distinct values of a column, numbered by a table in the database: missing ones come last."""

    table: str
    n: int
    coding: Coding
    code_of: Codes


@dataclass(frozen=True, eq=False)
class RowCells:
    """How the cell of each row is found: the numbers of its values, packed into words.

    Parameters
    ----------
    rows : StagedRows
        The rows.
    columns : tuple of (int, str, int)
        Position of each quasi-identifier, the table that numbers its values, and how many.
    keys : ndarray of int32
        Distinct combinations of such numbers.
    cells : ndarray of int64
        Cell of each of them.
    n_rows : int
        How many rows there are.
    alone : ndarray of int
        Numbers of rows that are like no other, and the cell of each: these need no look.
    """

    rows: StagedRows
    columns: tuple[tuple[int, str, int], ...]
    keys: Codes = field(repr=False)
    cells: NDArray[np.int64] = field(repr=False)
    n_rows: int
    alone: tuple[NDArray[np.int64], NDArray[np.int32]] = field(repr=False)

    def of_rows(self) -> NDArray[np.int32]:
        """Cell of each row, by the row's number."""
        result = np.full(self.n_rows, -1, np.int32)
        rows, cells = self.alone
        result[rows] = cells
        if len(rows) == self.n_rows:
            return result
        sizes = np.array([n + 1 for _, _, n in self.columns], np.int32)
        known, cell_of = pack_codes(self.keys, sizes), self.cells.astype(np.int32)
        named = list(enumerate(self.columns))
        if len(self.columns) > MOST_JOINS:
            return cell_of[match_words(known, pack_codes(self._number_rows(), sizes))]
        listed = ", ".join(f"coalesce(v{i}.number, {n}) AS k{i}" for i, (*_, n) in named)
        joins = " ".join(
            f"LEFT JOIN {table} AS v{i} ON v{i}.value = r.c{at}" for i, (at, table, _) in named
        )
        connection, rest = self.rows.connection, f"rest_{next(_counter)}"
        with disclose_nothing():
            if len(rows):
                store(connection, rest, {"place": np.flatnonzero(result < 0)})
                joins += f" SEMI JOIN {rest} ON {rest}.place = r.{NUMBER}"
            found = connection.sql(
                f"SELECT r.{NUMBER} AS place, {listed} FROM {self.rows.view} AS r {joins}"
            )
            batches: Iterable[Any] = ()
            if find_spec("pyarrow") is None:
                batches = [found.fetchnumpy()]
            else:  # a table of all cells is made for every match, so it has to pay
                size = max(_BATCH, _ROWS_TO_A_CELL * known.shape[1])
                # DuckDB 2 renamed it; before that the new name is absent
                read = getattr(found, "to_arrow_reader", None) or found.fetch_record_batch
                # to_numpy() would load pandas, which takes longer than most batches
                batches = (
                    {name: np.from_dlpack(batch.column(name)) for name in batch.schema.names}
                    for batch in read(size)
                )
            for batch in batches:
                numbers = np.column_stack([batch[f"k{i}"] for i, _ in named])
                result[batch["place"]] = cell_of[match_words(known, pack_codes(numbers, sizes))]
            connection.execute(f"DROP TABLE IF EXISTS {rest}")
        return result

    def _number_rows(self) -> Codes:
        """Numbers of the values of every row, some columns at a time."""
        numbers = np.empty((self.n_rows, len(self.columns)), np.int32)
        for i, (at, table, n) in enumerate(self.columns):
            with disclose_nothing():
                found = self.rows.connection.sql(
                    f"SELECT r.{NUMBER} AS place, coalesce(v.number, {n}) AS number "
                    f"FROM {self.rows.view} AS r LEFT JOIN {table} AS v ON v.value = r.c{at}"
                ).fetchnumpy()
            numbers[found["place"], i] = found["number"]
        return numbers


def compress_rows(rows: StagedRows, schema: Schema, options: CodingOptions) -> CompressedRelation:
    """Group the rows into cells."""
    quasi = schema.quasi_identifiers or require_quasi_identifiers(schema)
    if any(map(is_nested, rows.types)):
        _refuse_nested(rows, schema)
    kinds = zip(rows.names, rows.types, strict=True)
    if any(kind == "VARCHAR" and schema[name].kind in MEASURED for name, kind in kinds):
        rows = spell_once(rows, schema)
    target = () if schema.target is None else (schema.target,)
    counted = tuple(dict.fromkeys([*schema.sensitive, *target]))
    subject = () if schema.subject is None else (schema.subject,)
    wanted = list(dict.fromkeys([*quasi, *counted, *subject]))
    load_kernels(pack_groups, merge_entries)
    with disclose_nothing():
        values, numbers, counts, one_row = _count(rows, wanted, schema, options)
    codes = {name: values[name].code_of[numbers[name]] for name in (*quasi, *counted)}
    keys = np.column_stack([codes[name] for name in quasi])
    entries = {name: (values[name].coding, codes[name]) for name in counted}
    cells, cell_of = assemble([values[name].coding for name in quasi], keys, entries, counts)
    people = None
    if schema.subject is not None:
        person = numbers[schema.subject]
        require_named(schema.subject, int(counts[person < 0].sum()))
        homes = schema.household is not None
        cells, people = count_people(cells, cell_of, person, entries, counts, households=homes)
    # an entry for each combination as the database knows them: those are the cells, unless it
    # tells values apart that have one text
    group_of, n_groups = cell_of, cells.n_groups
    if any(len(np.unique(values[n].code_of)) < len(values[n].code_of) for n in quasi):
        group_of, n_groups = group_keys(np.column_stack([numbers[name] for name in quasi]))
    first = np.zeros(n_groups, np.int64)
    first[group_of] = np.arange(len(group_of))
    at_keys = np.column_stack([numbers[name][first] for name in quasi])
    columns = tuple((rows.names.index(name), values[name].table, values[name].n) for name in quasi)
    single = counts == 1  # rows that no other is like need no look: worth it unless they are few
    single &= 2 * single.sum() >= counts.sum()
    alone = one_row[single], cell_of[single].astype(np.int32)
    row_cells = RowCells(rows, columns, at_keys, cell_of[first], int(counts.sum()), alone)
    return CompressedRelation(rows, schema, cells, row_cells, people)


def _count(
    rows: StagedRows, wanted: Sequence[str], schema: Schema, options: CodingOptions
) -> tuple[dict[str, _Values], dict[str, Codes], Counts, NDArray[np.int64]]:
    """Distinct combinations, as numbers of values, how many rows have each, and one of these.

    A missing value's number is the last; that of a person without a name is -1.
    """
    mark = next(_counter)
    connection, table = rows.connection, f"cells_{mark}"
    listed = ", ".join(f"c{rows.names.index(name)} AS k{i}" for i, name in enumerate(wanted))
    connection.execute(
        f"CREATE TEMP TABLE {table} AS SELECT {listed}, count(*) AS n, "
        f"any_value({NUMBER}) AS one_row FROM {rows.view} GROUP BY ALL"
    )
    # a table for each column that numbers its values; missing ones have no number
    tables = [f"values_{next(_counter)}" for _ in wanted]
    try:
        connection.execute(
            ";".join(
                f"CREATE TEMP TABLE {values} AS "
                "SELECT value, CAST(row_number() OVER () - 1 AS INTEGER) AS number FROM "
                f"(SELECT DISTINCT k{i} AS value FROM {table} WHERE k{i} IS NOT NULL)"
                for i, values in enumerate(tables)
            )
        )
        numbers = ", ".join(f"v{i}.number AS k{i}" for i in range(len(wanted)))
        joins = " ".join(
            f"LEFT JOIN {values} AS v{i} ON v{i}.value = t.k{i}" for i, values in enumerate(tables)
        )
        asked = ", ".join(f"count(*) > count(k{i})" for i in range(len(wanted)))
        lacks: Any = connection.sql(f"SELECT {asked} FROM {table}").fetchall()[0]
        coded = {  # people are told apart, and have no coding
            name: connection.sql(f"SELECT value FROM {values} ORDER BY number").fetchall()
            for name, values in zip(wanted, tables, strict=True)
            if name != schema.subject
        }
        select = f"SELECT {numbers}, t.n AS n, t.one_row AS one_row FROM {table} AS t {joins}"
        with ThreadPoolExecutor(1) as pool:  # the database joins while values are coded
            if len(wanted) > MOST_JOINS:
                joined = pool.submit(_joined_in_parts, connection, table, tables)
            else:
                joined = pool.submit(lambda: connection.sql(select).fetchnumpy())
            codings = {
                name: code_values(
                    name,
                    schema[name],
                    [value for (value,) in listed],
                    has_missing=lacks[wanted.index(name)],
                    options=options,
                )
                for name, listed in coded.items()
            }
            found = joined.result()
    finally:
        connection.execute(f"DROP TABLE {table}")
    values = {
        name: _Values(tables[wanted.index(name)], len(coded[name]), *coding)
        for name, coding in codings.items()
    }
    at = {
        name: np.ma.filled(found.pop(f"k{i}"), values[name].n if name in values else -1).astype(
            np.int32, copy=False
        )
        for i, name in enumerate(wanted)
    }
    return values, at, np.asarray(found["n"], np.int64), np.asarray(found["one_row"], np.int64)


def _joined_in_parts(
    connection: duckdb.DuckDBPyConnection, cells: str, tables: Sequence[str]
) -> dict[str, Any]:
    """Numbers of the cells' values, a column at a time, in one order."""
    found = connection.sql(f"SELECT n, one_row FROM {cells} ORDER BY rowid").fetchnumpy()
    for i, values in enumerate(tables):
        found |= connection.sql(
            f"SELECT v.number AS k{i} FROM {cells} AS t LEFT JOIN {values} AS v "
            f"ON v.value = t.k{i} ORDER BY t.rowid"
        ).fetchnumpy()
    return found


def _refuse_nested(rows: StagedRows, schema: Schema) -> None:
    for name, kind in zip(rows.names, rows.types, strict=True):
        if is_nested(kind) and schema[name].is_released:
            raise TableError(
                f"column {name!r} holds lists or other values that cannot be compared. "
                "Turn them into text or numbers first."
            )
