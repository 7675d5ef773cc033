"""Cells of a DuckDB relation: from its rows to them in one scan, and back to released rows."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal._jit import load_kernels
from shoal.errors import TableError
from shoal.schema import Schema
from shoal.schema._coding import Coding
from shoal.tables._canonical import MEASURED
from shoal.tables._count_kernels import match_words, merge_entries, pack_groups
from shoal.tables._engine import STAR, ReleasedRows, RowOptions, Witness, put_in_order
from shoal.tables._frequency import (
    CodingOptions,
    FrequencyTable,
    assemble,
    code_values,
    group_keys,
    pack_codes,
)
from shoal.tables._people import People, count_people, require_named
from shoal.tables._range_columns import range_columns
from shoal.tables._recoded import Recoded
from shoal.tables.engines._duck_connection import (
    NESTED,
    NUMBER,
    StagedRows,
    disclose_nothing,
    name_sql,
    store,
)
from shoal.tables.engines._duck_keyed import coarse_column, keyed_columns
from shoal.tables.engines._duck_staging import spell_once
from shoal.tables.engines._duck_wide import MOST_JOINS, joined_in_parts, number_rows
from shoal.tables.engines._duck_write import copy_query, in_order
from shoal.tables.engines.formats.text._kept_rows import read_kept_again, whole_if_kept_are
from shoal.tables.forms._typed_rows import TypedRows, typed_rows
from shoal.typing import Codes, Counts, Native

_counter = itertools.count()
_ROWS_TO_A_CELL = 8
_BATCH = 1 << 20
_AT_ONCE = 1 << 22
_PLACE = f"place_{secrets.token_hex(8)}"
"""Place of a row in the output; no column of a user's has this name."""


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
            numbers = number_rows(self.rows, self.columns, self.n_rows)
            return cell_of[match_words(known, pack_codes(numbers, sizes))]
        listed = ", ".join(f"coalesce(v{i}.number, {n}) AS k{i}" for i, (*_, n) in named)
        joins = " ".join(
            f"LEFT JOIN {table} AS v{i} ON v{i}.value = r.c{column}"
            for i, (column, table, _) in named
        )
        connection, rest = self.rows.connection, f"rest_{next(_counter)}"
        with disclose_nothing():
            if len(rows):
                store(connection, rest, {"place": np.flatnonzero(result < 0)})
                joins += f" SEMI JOIN {rest} ON {rest}.place = r.{NUMBER}"
            numbered = connection.sql(
                f"SELECT r.{NUMBER} AS place, {listed} FROM {self.rows.view} AS r {joins}"
            )
            batches: Iterable[Any] = ()
            if find_spec("pyarrow") is None:
                batches = [numbered.fetchnumpy()]
            else:  # a table of all cells is made for every match, so it has to pay
                size = max(_BATCH, _ROWS_TO_A_CELL * known.shape[1])
                # DuckDB 2 renamed it; before that the new name is absent
                read = getattr(numbered, "to_arrow_reader", None) or numbered.fetch_record_batch
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


def take_rows(values: NDArray[Any], rows: NDArray[Any]) -> NDArray[Any]:
    """``values[rows]`` of whole numbers, -1 or greater, in as few bytes as the largest needs.

    Some millions at a time: NumPy makes eight bytes of each number at once.
    """
    values = values.astype(np.min_scalar_type(-1 - int(values.max(initial=0))), copy=False)
    taken = np.empty(len(rows), values.dtype)
    for start in range(0, len(rows), _AT_ONCE):
        taken[start : start + _AT_ONCE] = values[rows[start : start + _AT_ONCE]]
    return taken


@dataclass(frozen=True, eq=False)
class CompressedRelation:
    """Numbered rows of a relation, its cells, and the way from a row to its cell."""

    staged: StagedRows
    schema: Schema
    cells: FrequencyTable
    row_cells: RowCells = field(repr=False)
    people: People | None = field(default=None, repr=False)

    def rows(self, recoded: Recoded, output: RowOptions) -> ReleasedRows:
        """The released rows as a relation of a connection of our own, and their witness."""
        select, witness, made = self._select(recoded, output)
        connection, table = self.staged.connection, f"released_{next(_counter)}"
        with disclose_nothing():
            connection.execute(f"CREATE TEMP TABLE {table} AS {in_order(select, _PLACE)}")
            connection.execute(";".join(f"DROP TABLE {name}" for name in made))
            return ReleasedRows(connection.table(table), witness)

    def release(self, recoded: Recoded, output: RowOptions) -> Native:
        """The released rows as a relation."""
        return self.rows(recoded, output).table

    def write(self, recoded: Recoded, output: RowOptions, path: Path) -> Witness:
        """Write the released rows to a file, without holding them in memory."""
        select, witness, made = self._select(recoded, output)
        numeric = [name for name in self.schema if self.schema[name].kind == "numeric"]
        written = copy_query(
            self.staged.connection.sql,
            select,
            path,
            source=witness.dialect,
            numeric=numeric,
            order=_PLACE,
        )
        self.staged.connection.execute(";".join(f"DROP TABLE {name}" for name in made))
        return replace(witness, written=written)

    def cell_of_rows(self) -> NDArray[Any]:
        """Cell of each row, by the row's number."""
        return self.row_cells.of_rows()

    def _select(self, recoded: Recoded, output: RowOptions) -> tuple[str, Witness, list[str]]:
        """A query for the released rows, with their places in the output.

        Rows, labels and places meet by the row's number.
        """
        # numbers of rows and groups in as few bytes as do: there may be a hundred million of them
        group = take_rows(recoded.group_of, self.row_cells.of_rows())
        kept = np.arange(len(group), dtype=np.min_scalar_type(-1 - len(group)))
        if not output.keep_suppressed and group.min(initial=0) < 0:
            kept = kept[group >= 0]
        kept = put_in_order(kept, output)
        group = take_rows(group, kept)
        position = np.arange(len(kept), dtype=kept.dtype)
        columns: dict[str, NDArray[Any]] = {NUMBER: kept, "place": position}
        released: dict[str, str] = {
            name: f"r.c{i}"
            for i, name in enumerate(self.staged.names)
            if self.schema[name].is_released
        }
        for name in released:
            if self.schema[name].is_coarse:
                released[name] = coarse_column(self.staged, self.schema, name)
        if self.schema.pseudonym is not None or self.schema.shifted:
            released |= keyed_columns(self.staged, self.schema, output, kept, columns)
        plain = output.form == "labels"
        typed = TypedRows({}, {}) if plain else typed_rows(recoded, output, group)
        made, joins = [f"placed_{next(_counter)}"], ""
        for index, labels in enumerate(recoded.labels):
            is_typed = labels.coding.name in typed.columns
            if is_typed or (recoded.is_untouched(index) and not (group < 0).any()):
                continue
            used, code = np.unique(recoded.codes[:, index], return_inverse=True)
            number = np.append(code.ravel(), len(used))  # the last is that of suppressed rows
            texts = [*(labels.texts[label] for label in used), STAR]
            if len(recoded.labels) > MOST_JOINS:  # texts take more room than numbers, but no joins
                columns[f"l{index}"] = np.array(texts, object)[number[group]]
                released[labels.coding.name] = f"p.l{index}"
                continue
            made.append(f"labels_{next(_counter)}")
            written = [i for i, text in enumerate(texts) if text is not None]
            told = np.array([texts[i] for i in written], object)
            tables = {"label": np.array(written, np.int32), "text": told}
            store(self.staged.connection, made[-1], tables)
            columns[f"l{index}"] = take_rows(number, group)
            joins += f" LEFT JOIN {made[-1]} AS t{index} ON t{index}.label = p.l{index}"
            released[labels.coding.name] = f"t{index}.text"
        released = released if plain else typed.place(released, columns, "p")
        ranges = range_columns(recoded, output.ranges) if output.ranges else {}
        for index, (name, numbers) in enumerate(ranges.items()):
            columns[f"r{index}"] = np.append(numbers, np.nan)[group]
            released[name] = f"CASE WHEN isnan(p.r{index}) THEN NULL ELSE p.r{index} END"
        del group  # as large as a column, while the database makes its own copy of all of them
        store(self.staged.connection, made[0], columns)
        rows = self.staged
        if len(kept) < self.row_cells.n_rows:
            rows = self._as_kept_rows_say(released, made[0])
        listed = ", ".join(f"{value} AS {name_sql(name)}" for name, value in released.items())
        select = (
            f"SELECT {listed}, p.place AS {_PLACE} FROM {rows.view} AS r JOIN {made[0]} "
            f"AS p ON p.{NUMBER} = r.{NUMBER}{joins}"
        )
        source = rows.paths or rows.relation
        return select, Witness(kept, source, rows.dialect, typed.labels), made

    def _as_kept_rows_say(self, released: dict[str, str], kept: str) -> StagedRows:
        """The rows with cells, which `released` may cast, in the types of those that are kept."""
        own = [n for i, n in enumerate(self.staged.names) if released.get(n) == f"r.c{i}"]
        quasi = self.schema.quasi_identifiers
        rows = read_kept_again(self.staged, kept, [n for n in own if n not in quasi], self.schema)
        lines = [n for n in self.staged.names if n in released]
        own += [n for n in lines if self.schema[n].is_coarse or self.schema[n].most_days]
        released |= whole_if_kept_are(rows, kept, released, own)
        return rows


def compress_rows(rows: StagedRows, schema: Schema, options: CodingOptions) -> CompressedRelation:
    """Group the rows into cells."""
    if any(map(NESTED.match, rows.types)):
        _refuse_nested(rows, schema)
    kinds = zip(rows.names, rows.types, strict=True)
    if any(kind == "VARCHAR" and schema[name].kind in MEASURED for name, kind in kinds):
        rows = spell_once(rows, schema)
    quasi, counted = schema.quasi_identifiers, schema.counted
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
                joined = pool.submit(joined_in_parts, connection, table, tables)
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
            counted = joined.result()
    finally:
        connection.execute(f"DROP TABLE {table}")
    values = {
        name: _Values(tables[wanted.index(name)], len(coded[name]), *coding)
        for name, coding in codings.items()
    }
    codes = {
        name: np.ma.filled(counted.pop(f"k{i}"), values[name].n if name in values else -1).astype(
            np.int32, copy=False
        )
        for i, name in enumerate(wanted)
    }
    return (
        values,
        codes,
        np.asarray(counted["n"], np.int64),
        np.asarray(counted["one_row"], np.int64),
    )


def _refuse_nested(rows: StagedRows, schema: Schema) -> None:
    for name, kind in zip(rows.names, rows.types, strict=True):
        if NESTED.match(kind) and schema[name].is_released:
            raise TableError(
                f"column {name!r} holds lists or other values that cannot be compared. "
                "Turn them into text or numbers first."
            )
