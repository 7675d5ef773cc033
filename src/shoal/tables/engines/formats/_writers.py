"""Rows of a DuckDB relation written as JSON lines, a workbook, or a database that is a file."""

from __future__ import annotations

import datetime as dt
import json
import math
import re
import shutil
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb

from shoal._resources import scratch
from shoal.errors import MissingExtraError, TableError
from shoal.tables.engines._duck_connection import name_sql
from shoal.tables.engines.formats.text._bytes import PACKED, pack

# A spreadsheet computes cells that begin with `=`, `+`, `-` or `@`, with the wide forms of these
# signs, or with a tab or a line's end before one, and somebody may have put such a cell into the
# source.  So cells of text that begin so, and are no plain numbers, get an apostrophe in front, and
# so do those that have one already: taking one off gives the source's cell back.
COMPUTED = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"
"""Signs at which a spreadsheet begins to compute: the last four are wide forms of the first."""

FORMULA = "^'*[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]"
PLAIN_NUMBER = r"[+-]?[0-9]+(?:[.,][0-9]+)*(?:[eE][+-]?[0-9]+)?"

_MOST_ROWS = 1_048_575
"""Rows of a sheet, below its header."""

_MOMENT = re.compile(rb">\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ<")
_SHEET_DIGITS = 15
"""Digits of a number in a sheet."""


def _rows(relation: duckdb.DuckDBPyRelation) -> Iterator[tuple[Any, ...]]:
    yield from relation.fetchall()


def _write_json(relation: duckdb.DuckDBPyRelation, path: Path) -> None:
    plain = path.with_name(f"{path.name}.plain") if path.suffix.lower() in PACKED else path
    names = relation.columns
    with plain.open("w", encoding="utf-8", newline="\n") as out:
        for row in _rows(relation):
            values = map(_json_value, row)
            out.write(json.dumps(dict(zip(names, values, strict=True)), ensure_ascii=False) + "\n")
    if plain != path:
        pack(plain, path)
        plain.unlink()


def _json_value(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value.isoformat(" ") if isinstance(value, dt.datetime) else str(value)


def _write_excel(relation: duckdb.DuckDBPyRelation, path: Path) -> None:
    """A workbook of one sheet.  Texts are texts whatever they begin with, dates are dates."""
    try:
        from openpyxl import Workbook  # noqa: PLC0415  an extra
        from openpyxl.utils.exceptions import IllegalCharacterError  # noqa: PLC0415
    except ImportError:
        raise MissingExtraError("openpyxl", "files", "writing Excel files") from None
    require_safe_names(relation.columns)
    book = Workbook(write_only=True, iso_dates=True)
    sheet = book.create_sheet("table")

    try:
        with _temporary_files_in(scratch()):  # the first row makes the one of the sheet
            sheet.append([_sheet_cell(sheet, name) for name in relation.columns])
        for number, row in enumerate(_rows(relation)):
            if number >= _MOST_ROWS:
                raise TableError(
                    "an Excel sheet has room for 1,048,575 rows, and the table has more. Write it "
                    "as CSV or Parquet."
                )
            sheet.append([_sheet_cell(sheet, value) for value in row])
        timed = path.with_name(f"{path.name}.timed")
        book.save(timed)
    except IllegalCharacterError:
        sheet.close()  # else its own end is written when nobody is there to catch what that raises
        raise TableError(
            "a cell holds control characters, which Excel files cannot. Write CSV or Parquet."
        ) from None
    _without_times(timed, path)
    timed.unlink()


def _sheet_cell(sheet: Any, value: Any) -> Any:
    """What stands in a cell for a value; text stays text, and a number keeps all its digits."""
    from openpyxl.cell import WriteOnlyCell  # noqa: PLC0415  an extra
    from openpyxl.utils.exceptions import IllegalCharacterError  # noqa: PLC0415

    if value is None or value == "":  # nobody would see which of both an empty cell is
        return None
    is_zoned = isinstance(value, dt.datetime) and value.tzinfo is not None
    if isinstance(value, bool | dt.date) and not is_zoned:  # a sheet knows no time zones
        return value
    text, kind = str(value), "s"  # else `=...` would be a formula
    if "\r" in text:  # a sheet turns it into a line feed
        raise IllegalCharacterError
    if isinstance(value, float) or _fits_sheet(value):
        if not math.isfinite(value):
            return None
        if float(f"{value:.16g}") == float(value):
            return value
        text, kind = repr(value), "n"  # the library rounds numbers to sixteen digits
    cell = WriteOnlyCell(sheet, text)
    cell.data_type = kind
    return cell


@contextmanager
def _temporary_files_in(folder: Path) -> Iterator[None]:
    """Have a library put its own files where those of a killed process are removed."""
    before, tempfile.tempdir = tempfile.tempdir, str(folder)
    try:
        yield
    finally:
        tempfile.tempdir = before


def _without_times(source: Path, path: Path) -> None:
    """Copy a workbook without the moments at which it and its parts were written."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            part = zipfile.ZipInfo(name)  # of 1980, unless told otherwise
            part.compress_type = zipfile.ZIP_DEFLATED
            if name == "docProps/core.xml":
                new.writestr(part, _MOMENT.sub(rb">1980-01-01T00:00:00Z<", old.read(name)))
                continue
            large = old.getinfo(name).file_size >= zipfile.ZIP64_LIMIT
            with old.open(name) as read, new.open(part, "w", force_zip64=large) as written:
                shutil.copyfileobj(read, written)


def _fits_sheet(value: Any) -> bool:
    """Whether a number is one to a spreadsheet, too: it knows 15 digits, and rounds the others."""
    if not isinstance(value, int | Decimal):
        return False
    return len(Decimal(value).as_tuple().digits) <= _SHEET_DIGITS


def _write_sqlite(relation: duckdb.DuckDBPyRelation, path: Path) -> None:
    types = list(map(str, relation.types))
    columns = ", ".join(
        f"{name_sql(name)} {sqlite_type(kind)}"
        for name, kind in zip(relation.columns, types, strict=True)
    )
    places = ", ".join("?" * len(types))
    table = name_sql(table_name(path))
    with closing(sqlite3.connect(path)) as connection:
        try:
            connection.execute(f"CREATE TABLE {table} ({columns})")
            connection.executemany(
                f"INSERT INTO {table} VALUES ({places})",
                (tuple(map(sqlite_value, row)) for row in _rows(relation)),
            )
            connection.commit()
        except sqlite3.OperationalError:
            raise TableError(
                "the database cannot be written. Is the disk full? Check the folder and its "
                "permissions; nothing was kept."
            ) from None


def sqlite_type(kind: str) -> str:
    """What SQLite calls a type of DuckDB's."""
    if kind == "UBIGINT":
        return "TEXT"  # SQLite's own whole numbers end at 2^63, and others would be rounded
    if kind.endswith("INT") or kind == "INTEGER":
        return "INTEGER"
    return "REAL" if kind in ("DOUBLE", "FLOAT") else "TEXT"


def sqlite_value(value: Any) -> Any:
    """A value as SQLite keeps it: it knows no dates, and truth as a number only."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return str(value)
    if value is None or isinstance(value, str | int | float):
        return value
    return value.isoformat(" ") if isinstance(value, dt.datetime) else str(value)


def _write_duckdb(relation: duckdb.DuckDBPyRelation, path: Path) -> None:
    columns = ", ".join(
        f"{name_sql(name)} {kind}"
        for name, kind in zip(relation.columns, map(str, relation.types), strict=True)
    )
    table = name_sql(table_name(path))
    places = ", ".join("?" * len(relation.columns))
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE TABLE {table} ({columns})")
        connection.execute("BEGIN")
        for row in _rows(relation):
            connection.execute(f"INSERT INTO {table} VALUES ({places})", list(row))
        connection.execute("COMMIT")


def table_name(path: Path) -> str:
    """Name of the one table in a database that is written as a file."""
    return path.stem or "release"


WRITERS: dict[str, Callable[[duckdb.DuckDBPyRelation, Path], None]] = {
    ".jsonl": _write_json,
    ".ndjson": _write_json,
    ".xlsx": _write_excel,
    ".sqlite": _write_sqlite,
    ".sqlite3": _write_sqlite,
    ".duckdb": _write_duckdb,
}
"""Formats that are written row by row, by how their names end."""


def require_safe_names(names: Sequence[str]) -> None:
    """Refuse names of columns that a spreadsheet would compute."""
    unsafe = [name for name in names if name[:1] in COMPUTED and len(name) > 1]
    if unsafe:
        raise TableError(
            f"a spreadsheet would compute the name of column {unsafe[0]!r}. Rename it, or write "
            "the table as Parquet."
        )
