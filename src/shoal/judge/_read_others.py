"""Workbooks, JSON lines and databases as text, by readers that the engines do not use."""

from __future__ import annotations

import gzip
import io
import json
import re
import sqlite3
import zipfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np

from shoal.errors import TableError
from shoal.judge._side_doors import (
    SHEET_TAGS,
    duckdb_doors,
    packed_doors,
    sqlite_doors,
    workbook_doors,
)
from shoal.judge._text_table import TextColumn, TextTable, find_pyarrow, plain_text

Cell = tuple[str | None, str]
"""What is written, and as what."""

_NOTHING: Cell = (None, "nothing")
_SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def chosen(table: TextTable, names: Sequence[str] | None) -> TextTable:
    """Some columns of a table."""
    if names is None:
        return table
    lost = [name for name in names if name not in table.columns]
    if lost:
        raise TableError(f"the table lacks columns: {', '.join(map(repr, lost))}.")
    return TextTable({name: table.columns[name] for name in names}, table.n_rows, table.side_doors)


def of_rows(
    names: Sequence[str], rows: Iterator[Sequence[str | None]], doors: tuple[str, ...] = ()
) -> TextTable:
    """A table of rows of texts."""
    numbers: list[dict[str | None, int]] = [{} for _ in names]
    codes: list[list[int]] = [[] for _ in names]
    n_rows = 0
    for row in rows:
        n_rows += 1
        for number, column, text in zip(numbers, codes, row, strict=True):
            column.append(number.setdefault(text, len(number)))
    columns = {
        name: TextColumn(np.array(column, np.int32), tuple(number))
        for name, number, column in zip(names, numbers, codes, strict=True)
    }
    return TextTable(columns, n_rows, (*doors, *same_names(names)))


def of_cells(
    names: Sequence[str], rows: Iterator[Sequence[Cell]], doors: tuple[str, ...] = ()
) -> TextTable:
    """A table of cells that have a type each, in formats that let it differ from row to row.

    A number and a text of the same digits are told apart by whoever has the file: where a column
    has both, texts are not all that it says.
    """
    types: list[dict[str | None, str]] = [{} for _ in names]
    mixed: set[int] = set()

    def texts() -> Iterator[list[str | None]]:
        for row in rows:
            for column, (text, kind) in enumerate(row):
                if types[column].setdefault(text, kind) != kind:
                    mixed.add(column)
            yield [text for text, _ in row]

    table = of_rows(names, texts(), doors)
    told = [
        f"cells of column {names[column]!r} that only their types tell apart" for column in mixed
    ]
    return TextTable(table.columns, table.n_rows, (*table.side_doors, *sorted(told)))


def same_names(names: Sequence[str]) -> tuple[str, ...]:
    """Columns of one name: a reader that goes by names sees one of them."""
    return ("columns of the same name",) if len(set(names)) < len(names) else ()


def read_json_lines(path: Path) -> TextTable:
    """Objects, one on each line; all have the same keys."""
    with _unpacked(path) as lines:
        rows = _objects(lines)
    names = [name for name, _ in rows[0]] if rows else []
    if any([name for name, _ in row] != names for row in rows):
        raise TableError(f"{path.name}: lines have different keys.")
    cells = ([_json_cell(value) for _, value in row] for row in rows)
    return of_cells(names, cells, packed_doors(path))


def _objects(lines: Any) -> list[_Pairs]:
    """Objects, one on each line or all in one list, with numbers as they are written."""
    read = partial(json.loads, object_pairs_hook=_Pairs, parse_int=_Number, parse_float=_Number)
    rows: list[Any] = []
    for line in lines:
        if not rows and line.lstrip()[:1] == "[":
            return list(read(line + lines.read()))
        if line.strip():
            rows.append(read(line))
    return rows


class _Number(str):
    """A number as it is written: 7.0 and 7.00 are two texts."""

    __slots__ = ()


class _Pairs(list[tuple[str, Any]]):
    """An object as it is written; a dictionary would pass over a key that comes twice."""


def _json_cell(value: Any) -> Cell:
    if isinstance(value, _Pairs):
        return json.dumps(dict(value)), "object"
    if isinstance(value, list):
        return json.dumps(value), "list"
    if isinstance(value, _Number):
        return str(value), "number"
    return plain_text(value), type(value).__name__


def _unpacked(path: Path) -> Any:
    if path.suffix.lower() == ".gz":
        return gzip.open(path, "rt", encoding="utf-8-sig")
    if path.suffix.lower() == ".zst":
        pyarrow = find_pyarrow()
        if pyarrow is None:
            raise TableError(f"{path.name} can be read again with pyarrow only. Install pyarrow.")
        with pyarrow.input_stream(str(path), compression="zstd") as packed:
            return io.StringIO(packed.read().decode("utf-8-sig"))
    return path.open(encoding="utf-8-sig")


def read_workbook(path: Path) -> TextTable:
    """The one sheet of a workbook, from its XML; cells that would be computed are a side door."""
    with zipfile.ZipFile(path) as archive:
        doors = list(workbook_doors(archive))
        shared = _shared(archive)
        rows: list[list[Cell]] = []
        with archive.open("xl/worksheets/sheet1.xml") as sheet:
            for _, element in ElementTree.iterparse(sheet):
                if element.tag == f"{_SHEET}row":
                    rows.append(_cells(element, shared))
                    element.clear()
                elif element.tag == f"{_SHEET}f":
                    doors.append("formulas")
                elif element.tag.rpartition("}")[2] not in SHEET_TAGS:
                    doors.append("more than cells in the sheet")
    header = [name or "" for name, _ in rows[0]] if rows else []
    width = len(header)
    if any(len(row) > width for row in rows):
        doors.append("cells beyond the header")
    if len(shared.texts) > len(shared.used):
        doors.append("texts that no cell has")
    if len(set(shared.texts)) < len(shared.texts):
        doors.append("a text that is kept twice")
    body = ([*row, *[_NOTHING] * (width - len(row))][:width] for row in rows[1:])
    return of_cells(header, body, tuple(dict.fromkeys(doors)))


class _Shared(NamedTuple):
    """Texts that a workbook keeps apart from its cells, and those that a cell has."""

    texts: list[str]
    used: set[int]


def _shared(archive: zipfile.ZipFile) -> _Shared:
    if "xl/sharedStrings.xml" not in archive.namelist():
        return _Shared([], set())
    root = ElementTree.fromstring(archive.read("xl/sharedStrings.xml"))
    texts = ["".join(t.text or "" for t in item.iter(f"{_SHEET}t")) for item in root]
    return _Shared(texts, set())


def _cells(row: Any, shared: _Shared) -> list[Cell]:
    cells: list[Cell] = []
    for cell in row.iter(f"{_SHEET}c"):
        letters = re.match("[A-Z]+", cell.get("r", ""))
        if letters:  # empty cells may be left out
            column = 0
            for letter in letters[0]:
                column = column * 26 + ord(letter) - 64
            cells += [_NOTHING] * (column - 1 - len(cells))
        cells.append(_cell(cell, shared))
    return cells


def _cell(cell: Any, shared: _Shared) -> Cell:
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        return "".join(t.text or "" for t in cell.iter(f"{_SHEET}t")) or None, "text"
    value = cell.find(f"{_SHEET}v")
    if value is None or value.text is None:
        return _NOTHING
    if kind == "s":
        shared.used.add(int(value.text))
        return shared.texts[int(value.text)] or None, "text"
    if kind == "b":
        return "true" if value.text == "1" else "false", "truth"
    return str(value.text), "text" if kind == "str" else kind


def read_database_file(path: Path) -> TextTable:
    """The one table of a database that is a file; others are side doors."""
    if path.suffix.lower() == ".duckdb":
        import duckdb  # noqa: PLC0415

        with duckdb.connect(str(path), read_only=True) as connection:
            listed = connection.execute(
                "SELECT table_name FROM information_schema.tables"
            ).fetchall()
            table = _one_table(path, [name for (name,) in listed])
            doors = _others(len(listed)) + duckdb_doors(connection, table)
            cursor: Any = connection.execute(f"SELECT * FROM {_quoted(table)}")
            names = [column[0] for column in cursor.description]
            return of_rows(names, (list(map(plain_text, row)) for row in cursor.fetchall()), doors)
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as sqlite:
        listed = sqlite.execute("SELECT name FROM sqlite_master").fetchall()
        table = _one_table(path, [name for (name,) in listed])
        cursor = sqlite.execute(f"SELECT * FROM {_quoted(table)}")
        names = [column[0] for column in cursor.description]
        doors = _others(len(listed))
        doors = doors or sqlite_doors(sqlite, path, table)
        return of_cells(names, ([_sqlite_cell(value) for value in row] for row in cursor), doors)


def _sqlite_cell(value: Any) -> Cell:
    return plain_text(value), type(value).__name__


def read_rows(connection: Any, query: str) -> TextTable:
    """Rows of a query in a database that is being written, in their order."""
    cursor = connection.execute(query) or connection
    names = [column[0] for column in cursor.description]
    return of_rows(names, (list(map(plain_text, row)) for row in cursor.fetchall()))


def _others(count: int) -> tuple[str, ...]:
    return (f"{count - 1} tables or indexes besides",) if count > 1 else ()


def _one_table(path: Path, names: Sequence[str]) -> str:
    if not names:
        raise TableError(f"{path.name} holds no table.")
    return names[0]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
