"""Files as text, from their bytes: PyArrow or the csv module, and DuckDB where neither can."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from shoal.errors import TableError
from shoal.judge._read_arrow import find_pyarrow, metadata_doors, of_arrow
from shoal.judge._text_table import TextColumn, TextTable, plain_text
from shoal.tables import open_table

_DELIMITERS = ",;\t|"
_ARROW = (".arrow", ".feather", ".ipc")
_PARQUET = (".parquet", ".pq")
_CSV = (".csv", ".tsv", ".txt", ".data")


def read_files(
    paths: Sequence[Path], *, names: Sequence[str] | None = None, encoding: str | None = None
) -> TextTable:
    """One table of files that are read one after another.

    Parameters
    ----------
    paths : sequence of Path
        Files of one format; a folder stands for the visible files in it, by name.
    names : sequence of str, optional
        Columns to read; what separates the cells of a CSV file is found by them.
    encoding : str, optional
        Encoding of CSV files; UTF-8 when not given.
    """
    files = list(chain.from_iterable(_files_of(path) for path in paths))
    tables = [_read_file(path, names, encoding) for path in files]
    if not tables:
        raise TableError("there is no file to read again.")
    return tables[0] if len(tables) == 1 else _join(tables)


def _files_of(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    return [
        file
        for file in sorted(path.rglob("*"))
        if file.is_file()
        and not any(part.startswith((".", "_")) for part in file.relative_to(path).parts)
    ]


def _read_file(path: Path, names: Sequence[str] | None, encoding: str | None) -> TextTable:
    suffix = path.suffix.lower()
    if suffix in _PARQUET or suffix in _ARROW:
        return _read_binary(path, names)
    if not path.name.lower().removesuffix(".gz").endswith(_CSV):
        return _read_by_engine(path, names, encoding)
    header, delimiter = _read_header(path, names, encoding)
    pyarrow = find_pyarrow()
    # PyArrow takes a line without text for no row, and one column may have such rows
    if pyarrow is None or len(header) < 2 or (encoding or "utf-8").lower() not in _ENCODINGS:
        return _read_csv_slowly(path, names or header, delimiter, encoding)
    return _read_csv(path, names or header, delimiter)


_ENCODINGS = ("utf-8", "utf8", "utf_8")
_BLOCK = 1 << 22  # bytes read at once; each block has dictionaries of its own, joined afterwards


def _read_header(
    path: Path, names: Sequence[str] | None, encoding: str | None
) -> tuple[list[str], str]:
    """The first row, and what stands between its cells."""
    for delimiter in _DELIMITERS:
        with _open(path, encoding) as file:
            header = next(csv.reader(file, delimiter=delimiter), [])
        if names is None or set(names) <= set(header):
            return header, delimiter
        if len(names) == 1:
            break
    if names is None:
        return header, ","
    raise TableError(
        f"{path.name} has other columns than were expected, or cells separated by something else "
        "than a comma, a semicolon, a tab or a bar."
    )


def _open(path: Path, encoding: str | None) -> io.TextIOBase:
    name = encoding or "utf-8-sig"
    if path.suffix.lower() == ".gz":
        return gzip.open(path, "rt", encoding=name, newline="")
    return path.open(encoding=name, newline="")


def _read_csv(path: Path, names: Sequence[str], delimiter: str) -> TextTable:
    import pyarrow as pa  # noqa: PLC0415  optional
    from pyarrow import csv as arrow_csv  # noqa: PLC0415

    texts = pa.dictionary(pa.int32(), pa.string())
    try:
        table = arrow_csv.read_csv(
            path,
            read_options=arrow_csv.ReadOptions(block_size=_BLOCK),
            parse_options=arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(names, texts),
                include_columns=list(names),
                strings_can_be_null=False,
                null_values=[],
            ),
        )
    except (pa.ArrowException, OSError):
        return _read_csv_slowly(path, names, delimiter, None)  # lines of several lengths, say
    return _nothing_written(of_arrow(table))


def _read_csv_slowly(
    path: Path, names: Sequence[str], delimiter: str, encoding: str | None
) -> TextTable:
    with _open(path, encoding) as file:
        rows = csv.reader(file, delimiter=delimiter)
        header = next(rows, [])
        numbers: list[dict[str | None, int]] = [{} for _ in header]
        codes: list[list[int]] = [[] for _ in header]
        for row in rows:
            if not row and len(header) > 1:
                continue
            cells = [*row, *[""] * (len(header) - len(row))]
            for number, column, cell in zip(numbers, codes, cells, strict=False):
                column.append(number.setdefault(cell, len(number)))
    n_rows = len(codes[0]) if codes else 0
    columns = {
        name: TextColumn(np.array(column, np.int32), tuple(number))
        for name, number, column in zip(header, numbers, codes, strict=True)
        if name in names
    }
    return _nothing_written(TextTable(columns, n_rows))


def _nothing_written(table: TextTable) -> TextTable:
    """In CSV nothing between two commas is a missing value."""
    columns = {
        name: TextColumn(column.codes, tuple(text or None for text in column.texts))
        for name, column in table.columns.items()
    }
    return TextTable(columns, table.n_rows, table.side_doors)


def _read_binary(path: Path, names: Sequence[str] | None) -> TextTable:
    if find_pyarrow() is None:
        return _read_by_database(path)
    wanted = None if names is None else list(names)
    import pyarrow as pa  # noqa: PLC0415  optional
    from pyarrow import parquet  # noqa: PLC0415

    doors: tuple[str, ...]
    if path.suffix.lower() in _ARROW:
        with pa.memory_map(str(path)) as source:
            table: Any = pa.ipc.open_file(source).read_all()
            table = table if wanted is None else table.select(wanted)
        doors = metadata_doors(table.schema)
    else:
        file = parquet.ParquetFile(path)
        schema = file.schema_arrow
        texts = [f.name for f in schema if pa.types.is_string(f.type)]
        doors = metadata_doors(schema, file.metadata.metadata)
        file.close()
        # dictionaries as they are stored, so that entries that no row has are seen
        table = parquet.ParquetFile(path, read_dictionary=texts).read(wanted)
    return of_arrow(table, doors)


def _read_by_database(path: Path) -> TextTable:
    """Without PyArrow: a fresh DuckDB connection, every value as text."""
    import duckdb  # noqa: PLC0415

    with duckdb.connect() as connection:
        if path.suffix.lower() not in _PARQUET:
            raise TableError(f"{path.name} can be read again with pyarrow only. Install pyarrow.")
        query = "SELECT CAST(COLUMNS(*) AS VARCHAR) FROM read_parquet($1)"
        escaped = "".join(f"[{sign}]" if sign in "*?[" else sign for sign in str(path))
        arrays = connection.execute(query, [[escaped]]).fetchnumpy()
    columns = {name: _factorize(values) for name, values in arrays.items()}
    n_rows = len(next(iter(arrays.values()))) if arrays else 0
    return TextTable(columns, n_rows, ())


def _read_by_engine(path: Path, names: Sequence[str] | None, encoding: str | None) -> TextTable:
    """A format that is not read here, or an error: taken for CSV, its first row would be lost."""
    engine = open_table(path, encoding=encoding)
    arrays = engine.columns()
    columns = {name: _factorize(arrays[name]) for name in names or engine.names}
    return TextTable(columns, engine.n_rows, ())


def _factorize(values: Any) -> TextColumn:
    number: dict[str | None, int] = {}
    texts = [plain_text(value) for value in values.tolist()]
    codes = [number.setdefault(text, len(number)) for text in texts]
    return TextColumn(np.array(codes, np.int32), tuple(number))


def _join(tables: Sequence[TextTable]) -> TextTable:
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
            parts.append(np.array(of_text, np.int32)[column.codes])
        columns[name] = TextColumn(np.concatenate(parts), tuple(number))
    doors = tuple(dict.fromkeys(door for table in tables for door in table.side_doors))
    return TextTable(columns, sum(table.n_rows for table in tables), doors)
