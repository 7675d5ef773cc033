"""Cells of a DuckDB relation, and its rows released from codes."""

from __future__ import annotations

import itertools
import secrets
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import TableError
from shoal.schema import Schema
from shoal.tables._engine import STAR, ReleasedRows, RowOptions, Witness, put_in_order
from shoal.tables._frequency import FrequencyTable
from shoal.tables._keyed import day_offset, make_tokens, need_key
from shoal.tables._people import People
from shoal.tables._range_columns import range_columns
from shoal.tables._recoded import Recoded
from shoal.tables.engines._duck_connection import (
    NUMBER,
    StagedRows,
    disclose_nothing,
    name_sql,
    store,
)
from shoal.tables.engines._duck_write import copy_query, in_order
from shoal.tables.forms._coarse import coarse_sql
from shoal.tables.forms._typed_rows import TypedRows, typed_rows
from shoal.typing import Native

if TYPE_CHECKING:
    from shoal.tables.engines._duck_compress import RowCells

_counter = itertools.count()
MOST_JOINS = 100
"""Columns up to which values meet their numbers in one query: hundreds of joins take gigabytes."""
_AT_ONCE = 1 << 22
_PLACE = f"place_{secrets.token_hex(8)}"
"""Place of a row in the output; no column of a user's has this name."""


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
            source=self.staged.dialect,
            numeric=numeric,
            order=_PLACE,
        )
        self.staged.connection.execute(";".join(f"DROP TABLE {name}" for name in made))
        return replace(witness, written=written)

    def cell_of_rows(self) -> NDArray[Any]:
        """Cell of each row, by the row's number."""
        return self.row_cells.of_rows()

    def _select(self, recoded: Recoded, output: RowOptions) -> tuple[str, Witness, list[str]]:
        """A query for the released rows with their places, which say in which order they come.

        Rows, labels and places meet by the row's number.
        """
        # numbers of rows and groups in as few bytes as do: there may be a hundred million of them
        group = take_rows(recoded.group_of, self.row_cells.of_rows())
        kept = np.arange(len(group), dtype=np.min_scalar_type(-1 - len(group)))
        if not output.keep_suppressed and group.min(initial=0) < 0:
            kept = kept[group >= 0]
        kept = put_in_order(kept, output)
        group = take_rows(group, kept)
        place = np.arange(len(kept), dtype=kept.dtype)
        columns: dict[str, NDArray[Any]] = {NUMBER: kept, "place": place}
        released: dict[str, str] = {
            name: f"r.c{i}"
            for i, name in enumerate(self.staged.names)
            if self.schema[name].is_released
        }
        released |= {name: self._coarse(name) for name in released if self.schema[name].is_coarse}
        if self.schema.pseudonym is not None or self.schema.shifted:
            released |= self._keyed(output, kept, columns)
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
        listed = ", ".join(f"{value} AS {name_sql(name)}" for name, value in released.items())
        select = (
            f"SELECT {listed}, p.place AS {_PLACE} FROM {self.staged.view} AS r JOIN {made[0]} "
            f"AS p ON p.{NUMBER} = r.{NUMBER}{joins}"
        )
        source = self.staged.paths or self.staged.relation
        return select, Witness(kept, source, self.staged.dialect, typed.labels), made

    def _keyed(
        self, output: RowOptions, kept: NDArray[np.int64], columns: dict[str, NDArray[Any]]
    ) -> dict[str, str]:
        """Tokens and moved dates, which need a key: what stands in their columns."""
        key = need_key(self.schema, output.key, keep_suppressed=output.keep_suppressed)
        if key is None or self.schema.subject is None:
            return {}
        subject = self.schema.subject
        names, person = self._people_of_rows(subject)
        said: dict[str, str] = {}
        if self.schema.pseudonym is not None:
            columns["token"] = np.array(make_tokens(subject, key, names), object)[person[kept]]
            said[subject] = "p.token"
        for at, name in enumerate(self.schema.shifted):
            most = self.schema[name].most_days
            days = np.array([day_offset(key, value, most) for value in names], np.int64)
            columns[f"days{at}"] = days[person[kept]]
            said[name] = self._moved(name, f"CAST(p.days{at} AS INTEGER)")
        return said

    def _people_of_rows(self, subject: str) -> tuple[list[Any], NDArray[np.int64]]:
        """Names of people, and the number of the one behind each row."""
        at = self.staged.names.index(subject)
        with disclose_nothing():
            found = self.staged.connection.sql(
                f"SELECT {NUMBER} AS place, c{at} AS name FROM {self.staged.view}"
            ).fetchnumpy()
        number: dict[Any, int] = {}
        person = [number.setdefault(name, len(number)) for name in found["name"].tolist()]
        of_row = np.empty(len(person), np.int64)
        of_row[np.asarray(found["place"])] = person
        return list(number), of_row

    def _coarse(self, name: str) -> str:
        at = self.staged.names.index(name)
        if str(self.staged.types[at]) == "VARCHAR":
            raise TableError(
                f"column {name!r} is to be rounded, or to end at a top or bottom, and some of its "
                "values are no numbers. Clean them."
            )
        return coarse_sql(self.schema[name], f"r.c{at}")

    def _moved(self, name: str, days: str) -> str:
        at = self.staged.names.index(name)
        kind = str(self.staged.types[at])
        if kind == "DATE":
            return f"r.c{at} + {days}"
        if kind.startswith("TIMESTAMP"):
            return f"r.c{at} + to_days({days})"
        raise TableError(
            f"column {name!r} is to be shifted, and some of its values are no dates (2024-01-31). "
            "Write them so."
        )
