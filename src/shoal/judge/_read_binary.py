"""Parquet and Arrow files as text, column by column, and formats that only engines read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from shoal.errors import TableError
from shoal.judge._arrow_bytes import arrow_doors, says_one_thing_twice
from shoal.judge._text_table import (
    TextColumn,
    TextTable,
    find_pyarrow,
    metadata_doors,
    narrow,
    of_arrow,
    plain_text,
    take,
)
from shoal.tables import open_table

_ROWS_AT_ONCE = 1 << 23
ROWS_IN_MEMORY = 1 << 25
"""Rows of a Parquet file up to which all columns of a source are read before any is compared."""

ARROW = (".arrow", ".feather", ".ipc")
PARQUET = (".parquet", ".pq")


def read_binary(path: Path, names: Sequence[str] | None) -> TextTable:
    """The table in a Parquet or an Arrow file."""
    if find_pyarrow() is None:
        return _read_by_database(path)
    wanted = None if names is None else list(names)
    import pyarrow as pa  # noqa: PLC0415  optional

    doors: tuple[str, ...]
    if path.suffix.lower() in ARROW:
        with pa.memory_map(str(path)) as source:
            file = pa.ipc.open_file(source)
            table: Any = file.read_all()
            doors = metadata_doors(table.schema, n_rows=table.num_rows) + tuple(arrow_doors(file))
            doors += tuple(
                f"codes of column {name!r} that stand for one value"
                for name, column in zip(table.column_names, table.columns, strict=True)
                if pa.types.is_dictionary(column.type)
                and not pa.types.is_nested(column.type.value_type)  # refused, whatever it says
                and says_one_thing_twice(column)
            )
            table = table if wanted is None else table.select(wanted)
    else:
        return _read_parquet(path, wanted)
    return of_arrow(table, doors)


def _read_parquet(path: Path, wanted: list[str] | None) -> TextTable:
    """Column by column: of a large file not all columns fit into memory before they are coded."""
    import pyarrow as pa  # noqa: PLC0415  optional
    from pyarrow import parquet  # noqa: PLC0415

    with parquet.ParquetFile(path) as file:
        schema, n_rows = file.schema_arrow, file.metadata.num_rows
        texts = [f.name for f in schema if pa.types.is_string(f.type)]
        doors = metadata_doors(schema, file.metadata.metadata, n_rows)
    if wanted is not None and n_rows > ROWS_IN_MEMORY:
        there = tuple(name for name in wanted if name in schema.names)
        return TextTable(_ColumnsOfFile(path, there, n_rows), n_rows, doors)
    names = schema.names if wanted is None else wanted
    # dictionaries as they are stored, so that entries that no row has are seen
    with parquet.ParquetFile(path, read_dictionary=texts) as file:
        read = [_read_column(file, name) for name in names]
    columns = {name: column for one in read for name, column in one.columns.items()}
    side_doors = chain(doors, *(one.side_doors for one in read))
    return TextTable(columns, n_rows, tuple(side_doors))


def _read_column(file: Any, name: str) -> TextTable:
    parts = _row_groups(file.metadata)
    if len(parts) > 1:
        read = [_spans_as_numbers(file.read_row_groups(part, [name])) for part in parts]
        return join_rows(list(map(of_arrow, read)))
    return of_arrow(_spans_as_numbers(file.read([name])))


def _spans_as_numbers(table: Any) -> Any:
    """Spans of time as the whole numbers that the file holds, which other readers see."""
    import pyarrow as pa  # noqa: PLC0415  optional

    fields = [
        field.with_type(pa.int64()) if pa.types.is_duration(field.type) else field
        for field in table.schema
    ]
    return table.cast(pa.schema(fields)) if fields != list(table.schema) else table


@dataclass(frozen=True)
class _ColumnsOfFile(Mapping[str, TextColumn]):
    """Columns of a source that are read when they are asked for, and not kept.

    Each is compared once with what was written; all columns of a hundred million rows would take
    gigabytes.
    """

    path: Path
    there: tuple[str, ...]
    n_rows: int

    def __getitem__(self, name: str) -> TextColumn:
        from pyarrow import parquet  # noqa: PLC0415  optional

        if name not in self.there:
            raise KeyError(name)
        with parquet.ParquetFile(self.path, read_dictionary=[name]) as file:
            read = _read_column(file, name)
        if read.n_rows != self.n_rows:
            raise TableError(f"{self.path.name} was changed while it was compared. Start again.")
        return read.columns[name]

    def __contains__(self, name: object) -> bool:
        return name in self.there

    def __iter__(self) -> Iterator[str]:
        return iter(self.there)

    def __len__(self) -> int:
        return len(self.there)


def _row_groups(metadata: Any) -> list[list[int]]:
    """Row groups that are read together, some millions of rows: the library's own take much."""
    parts: list[list[int]] = [[]]
    rows = 0
    for index in range(metadata.num_row_groups):
        if rows >= _ROWS_AT_ONCE:
            parts.append([])
            rows = 0
        parts[-1].append(index)
        rows += metadata.row_group(index).num_rows
    return parts


def _read_by_database(path: Path) -> TextTable:
    """Without PyArrow: a fresh DuckDB connection, every value as text."""
    import duckdb  # noqa: PLC0415

    with duckdb.connect() as connection:
        if path.suffix.lower() not in PARQUET:
            raise TableError(f"{path.name} can be read again with pyarrow only. Install pyarrow.")
        query = "SELECT CAST(COLUMNS(*) AS VARCHAR) FROM read_parquet($1)"
        escaped = "".join(f"[{sign}]" if sign in "*?[" else sign for sign in str(path))
        arrays = connection.execute(query, [[escaped]]).fetchnumpy()
    columns = {name: _factorize(values) for name, values in arrays.items()}
    n_rows = len(next(iter(arrays.values()))) if arrays else 0
    return TextTable(columns, n_rows, ())


def read_by_engine(path: Path, names: Sequence[str] | None) -> TextTable:
    """A format that is not read here, or an error: taken for CSV, its first row would be lost."""
    engine = open_table(path)
    arrays = engine.columns()
    columns = {name: _factorize(arrays[name]) for name in names or engine.names}
    return TextTable(columns, engine.n_rows, ())


def _factorize(values: Any) -> TextColumn:
    number: dict[str | None, int] = {}
    texts = [plain_text(value) for value in values.tolist()]
    codes = [number.setdefault(text, len(number)) for text in texts]
    return TextColumn(np.array(codes, np.int32), tuple(number))


def join_rows(tables: Sequence[TextTable]) -> TextTable:
    """Rows of several tables one after another."""
    names = tables[0].names
    columns = {}
    for name in names:
        number: dict[str | None, int] = {}
        parts = []
        for table in tables:
            column = table.columns.get(name)
            if column is None:
                raise TableError(f"a file of the folder lacks column {name!r}.")
            of_text = [number.setdefault(text, len(number)) for text in column.texts]
            slim = narrow(np.array(of_text, np.int32), len(number))
            parts.append(take(slim, column.codes))
        columns[name] = TextColumn(narrow(np.concatenate(parts), len(number)), tuple(number))
    doors = tuple(dict.fromkeys(door for table in tables for door in table.side_doors))
    return TextTable(columns, sum(table.n_rows for table in tables), doors)
