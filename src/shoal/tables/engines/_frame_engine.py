"""Tables in memory: pandas, Polars and PyArrow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.frames._frame import Frame, is_frame
from shoal.schema import Schema
from shoal.schema._coding import Coding
from shoal.schema._text import texts
from shoal.tables._canonical import MEASURED, canonical_values, spelt_twice
from shoal.tables._engine import (
    STAR,
    ColumnMap,
    OpenOptions,
    ReleasedRows,
    RowOptions,
    Witness,
    put_in_order,
)
from shoal.tables._frequency import (
    CodingOptions,
    FrequencyTable,
    assemble,
    code_values,
    group_keys,
)
from shoal.tables._keyed import day_offset, make_tokens, moved_dates, need_key
from shoal.tables._people import People, count_people, require_named
from shoal.tables._range_columns import range_columns
from shoal.tables._recoded import Recoded
from shoal.tables._row_codes import stack_codes
from shoal.tables.engines._duck_write import write_frame
from shoal.tables.forms._coarse import coarse_pool
from shoal.tables.forms._typed_rows import TypedRows, typed_rows
from shoal.typing import Codes, Counts, Native


class FrameEngine:
    """A dataframe in memory."""

    def __init__(self, native: Native) -> None:
        self._frame = Frame(native)

    @classmethod
    def recognizes(cls, source: Any) -> bool:
        """Whether a table belongs to a dataframe library."""
        return is_frame(source)

    @classmethod
    def open(cls, source: Any, options: OpenOptions) -> FrameEngine:
        """The engine of a dataframe."""
        return cls(source)

    @classmethod
    def of_frame(cls, frame: Frame) -> FrameEngine:
        """The engine of a dataframe that was read already."""
        engine = object.__new__(cls)
        engine._frame = frame
        return engine

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return self._frame.names

    @property
    def types(self) -> dict[str, str]:
        """Sort of value of each column."""
        return self._frame.types

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self._frame.n_rows

    def distinct(self, name: str, limit: int | None = None) -> tuple[list[Any], bool]:
        """Distinct values of a column, at most `limit`, and whether some are missing."""
        codes, values = self._frame.factorize(name)
        return values[:limit], bool((codes < 0).any())

    def code(self, name: str, schema: Schema, options: CodingOptions) -> tuple[Coding, Codes]:
        """One column's coding and the code of each row."""
        codes, values = self._frame.factorize(name)
        coding, table = code_values(
            name, schema[name], values, has_missing=bool((codes < 0).any()), options=options
        )
        return coding, table[codes]  # -1, a missing value, reads the last entry

    def view(self, names: Sequence[str], widths: Mapping[str, float]) -> FrameEngine:
        """Some columns, with the numbers of some put into bins of a given width."""
        return FrameEngine.of_frame(self._frame.select(names).binned(widths))

    def fractional(self) -> tuple[str, ...]:
        """Columns with numbers that are not whole."""
        return self._frame.fractional()

    def code_rows(self) -> Codes:
        """Codes of every column (first axis) and row, for telling equal from unequal."""
        return _code_frame(self._frame)

    def sample_rows(self, size: int, generator: np.random.Generator) -> Codes:
        """Codes of rows drawn uniformly without replacement."""
        if size >= self.n_rows:
            return self.code_rows()
        rows = np.sort(generator.choice(self.n_rows, size, replace=False, shuffle=False))
        return _code_frame(self._frame.take(rows))

    def group_sizes(self) -> tuple[Counts, Counts]:
        """Distinct sizes of the groups of equal rows, and the number of groups of each size."""
        group_of, n_groups = group_keys(self.code_rows().T)
        return np.unique(np.bincount(group_of, minlength=n_groups), return_counts=True)

    def distinct_rows(self) -> FrameEngine:
        """The same table without duplicate rows."""
        group_of, _ = group_keys(self.code_rows().T)
        _, first = np.unique(group_of, return_index=True)
        return FrameEngine.of_frame(self._frame.take(np.sort(first)))

    def columns(self) -> dict[str, NDArray[Any]]:
        """Every row, by column; masked where a value is missing."""
        return {name: self._frame.array(name) for name in self.names}

    def frame(self) -> Frame:
        """The dataframe."""
        return self._frame

    def exchange(self, maps: Mapping[str, ColumnMap]) -> Native:
        """The dataframe with some columns exchanged."""
        frame = self._frame
        for name, column_map in maps.items():
            frame = column_map.on_frame(frame, name)
        return frame.native

    def write(self, names: Sequence[str], path: Path) -> None:
        """Write some columns of every row to a file, as they are, in a secret order."""
        order = put_in_order(np.arange(self.n_rows), RowOptions())
        write_frame(self._frame.select(names).take(order), path)

    def compress(self, schema: Schema, options: CodingOptions | None = None) -> CompressedFrame:
        """Group the rows into cells."""
        options = options or CodingOptions()
        schema.require(self.names, to_group=True, index=self._frame.index_names)
        released = [name for name in self.names if schema[name].is_released]
        self._frame.require_plain(released, schema.quasi_identifiers)
        frame = _spell_once(self._frame, schema)
        if frame is not self._frame:
            return FrameEngine.of_frame(frame).compress(schema, options)
        coded = {name: self.code(name, schema, options) for name in schema.quasi_identifiers}
        counted = {name: self.code(name, schema, options) for name in schema.counted}
        keys = np.column_stack([codes for _, codes in coded.values()])
        codings = [coding for coding, _ in coded.values()]
        cells, cell_of = assemble(codings, keys, counted)
        people = None
        if schema.subject is not None:
            person, _ = self._frame.factorize(schema.subject)
            require_named(schema.subject, int((person < 0).sum()))
            cells, people = count_people(
                cells, cell_of, person, counted, households=schema.household is not None
            )
        return CompressedFrame(self._frame, schema, cells, cell_of, people)


def _spell_once(frame: Frame, schema: Schema) -> Frame:
    """The table with one text for each number and moment, where columns of such are texts."""
    for name, sort in frame.types.items():
        if sort in ("text", "other") and schema[name].kind in MEASURED and schema[name].is_released:
            codes, values = frame.factorize(name)
            twice = spelt_twice(schema[name].kind, values)
            if any(now != was for was, now in twice.items()):
                now = [twice.get(str(said), said) for said in texts(values)]
                pool = np.empty(len(now) + 1, object)
                pool[:] = [*now, None]
                frame = frame.with_arrays({name: pool[codes]})  # -1 reads the last entry
    return frame


def _code_frame(frame: Frame) -> Codes:
    # a missing value's code is -1 there
    return stack_codes((frame.factorize(name)[0] + 1 for name in frame.names), frame.n_rows)


@dataclass(frozen=True, eq=False)
class CompressedFrame:
    """A dataframe, its cells, and the cell of each row."""

    frame: Frame
    schema: Schema
    cells: FrequencyTable
    cell_of: NDArray[np.int64]
    people: People | None = None

    def rows(self, recoded: Recoded, output: RowOptions) -> ReleasedRows:
        """The released rows, in the library the table came from, and their witness."""
        frame, row_ids, typed = self._released(recoded, output)
        return ReleasedRows(frame.native, self._witness(row_ids, typed))

    def release(self, recoded: Recoded, output: RowOptions) -> Native:
        """The released rows, in the library the table came from."""
        return self.rows(recoded, output).table

    def write(self, recoded: Recoded, output: RowOptions, path: Path) -> Witness:
        """Write the released rows to a file."""
        frame, row_ids, typed = self._released(recoded, output)
        return replace(self._witness(row_ids, typed), written=write_frame(frame, path))

    def _witness(self, row_ids: NDArray[np.int64], typed: TypedRows) -> Witness:
        return Witness(row_ids, self.frame.eager, labels=typed.labels)

    def _released(
        self, recoded: Recoded, output: RowOptions
    ) -> tuple[Frame, NDArray[np.int64], TypedRows]:
        group_of_row = recoded.group_of[self.cell_of]
        kept = put_in_order(
            np.flatnonzero((group_of_row >= 0) | output.keep_suppressed).astype(np.int64), output
        )
        groups = group_of_row[kept]
        hidden = groups < 0
        typed = typed_rows(recoded, output, groups)
        names = [name for name in self.frame.names if self.schema[name].is_released]
        pools = {name: self._pool(name, kept) for name in names if self.frame.is_loose(name)}
        for column, labels in enumerate(recoded.labels):
            is_typed = labels.coding.name in typed.columns
            if is_typed or (recoded.is_untouched(column) and not hidden.any()):
                continue
            if len(recoded.codes):
                codes = recoded.codes[groups, column]
            else:  # nothing is released, and a starred row reads no code
                codes = np.zeros(len(groups), np.int32)
            codes = np.where(hidden, len(labels.texts), codes).astype(np.int32)
            pools[labels.coding.name] = ([*labels.texts, STAR], codes)
        for name in names:
            if self.schema[name].is_coarse:
                values, coarse = coarse_pool(self.schema[name], *self.frame.factorize(name))
                pools[name] = (values, coarse[kept])
        pools |= self._keyed(output, kept)
        for columns in typed.columns.values():
            pools |= {name: column.pool() for name, column in columns.items()}
        added = {
            name: np.append(column, np.nan)[groups]
            for name, column in range_columns(recoded, output.ranges).items()
        }
        fewer = len(kept) < len(group_of_row)
        made = self.frame.fresh(typed.spread(names), kept, pools, added, by_values=fewer)
        return made, kept, typed

    def _keyed(
        self, output: RowOptions, rows: NDArray[np.int64]
    ) -> dict[str, tuple[list[Any], Codes]]:
        """Tokens and moved dates, which need a key."""
        key = need_key(self.schema, output.key, keep_suppressed=output.keep_suppressed)
        if key is None or self.schema.subject is None:
            return {}
        subject = self.schema.subject
        person, names = self.frame.factorize(subject)
        pools: dict[str, tuple[list[Any], Codes]] = {}
        if self.schema.pseudonym is not None:
            pools[subject] = ([*make_tokens(subject, key, names)], person[rows].astype(np.int32))
        for name in self.schema.shifted:
            most = self.schema[name].most_days
            days = np.array([day_offset(key, value, most) for value in names], np.int64)
            codes, values = self.frame.factorize(name)
            pools[name] = moved_dates(name, values, codes[rows], days[person[rows]])
        return pools

    def _pool(self, name: str, rows: NDArray[np.int64]) -> tuple[list[Any], Codes]:
        """A column by its values, so that values which are equal are written alike."""
        codes, values = self.frame.factorize(name)
        used, index = np.unique(codes[rows], return_inverse=True)
        # only values that are given out say of which kind all are
        given = canonical_values([None if code < 0 else values[code] for code in used.tolist()])
        return given, index.ravel().astype(np.int32)
