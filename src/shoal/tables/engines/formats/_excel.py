"""Excel workbooks, one sheet at a time."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shoal.errors import MissingExtraError, TableError
from shoal.schema._text import text
from shoal.tables._engine import Engine, OpenOptions
from shoal.tables.engines.formats._file_format import FileFormat
from shoal.tables.engines.formats._text_shape import looks_like_a_row, name_columns, refuse_a_row
from shoal.tables.engines.formats._value_columns import stage_columns

_Rows = list[list[Any]]


def _read(paths: Sequence[Path], options: OpenOptions) -> Engine:
    names: tuple[str, ...] | None = None
    columns: list[list[Any]] = []
    for path in paths:
        found, rows = _table(path, _rows(path, options), options)
        if names is not None and found != names:
            raise TableError(f"{path.name!r} has other columns than {paths[0].name!r}.")
        names = found
        columns = columns or [[] for _ in names]
        for row in rows:
            for column, value in zip(columns, row, strict=True):
                column.append(value)
    return stage_columns(names or (), columns, options)


def _rows(path: Path, options: OpenOptions) -> _Rows:
    try:
        from openpyxl import load_workbook  # noqa: PLC0415  an extra
        from openpyxl.utils.exceptions import InvalidFileException  # noqa: PLC0415
    except ImportError:
        raise MissingExtraError("openpyxl", "files", "reading Excel files") from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about styles and forms, which are no cells
            book = load_workbook(path, read_only=True, data_only=True)
            try:
                sheets = {
                    sheet.title: [list(row) for row in sheet.iter_rows(values_only=True)]
                    for sheet in _wanted(book, path, options.sheet)
                }
            finally:
                book.close()
    except (InvalidFileException, zipfile.BadZipFile, KeyError, ValueError, EOFError) as error:
        if isinstance(error, TableError):
            raise
        raise TableError(
            f"{path.name!r} cannot be read: it is damaged, cut short, protected by a password, or "
            "no Excel workbook (.xlsx). Save it anew from Excel."
        ) from None
    filled = {name: rows for name, rows in sheets.items() if any(map(_is_filled, rows))}
    if not filled:
        raise TableError(f"{path.name!r} holds no cells. It needs at least a header.")
    if len(filled) > 1:
        raise TableError(
            f"{path.name!r} has {len(filled)} sheets: {', '.join(map(repr, filled))}. Say which "
            "with --sheet."
        )
    return next(iter(filled.values()))


def _wanted(book: Any, path: Path, asked: str | None) -> list[Any]:
    # charts are sheets too, and have no rows
    sheets = [sheet for sheet in book.worksheets if hasattr(sheet, "iter_rows")]
    if asked is None:
        shown = [sheet for sheet in sheets if sheet.sheet_state == "visible"]
        return shown or sheets
    named = [sheet for sheet in sheets if sheet.title == asked]
    if not named and asked.isdigit() and 1 <= int(asked) <= len(sheets):
        named = [sheets[int(asked) - 1]]
    if not named:
        raise TableError(
            f"{path.name!r} has no sheet {asked!r}. It has "
            f"{', '.join(repr(sheet.title) for sheet in sheets)}."
        )
    return named


def _is_filled(row: Sequence[Any]) -> bool:
    return any(value is not None and value != "" for value in row)


def _table(path: Path, rows: _Rows, options: OpenOptions) -> tuple[tuple[str, ...], _Rows]:
    """Names and rows of a sheet, without titles above and without empty rows and columns."""
    rows = [row for row in rows if _is_filled(row)]
    width = max(len(row) for row in rows)
    rows = [[*row, *[None] * (width - len(row))] for row in rows]
    used = [i for i in range(width) if any(row[i] not in (None, "") for row in rows)]
    rows = [[row[i] for i in used] for row in rows]
    while len(used) > 1 and len(rows) > 1 and sum(value is not None for value in rows[0]) == 1:
        rows = rows[1:]  # a title
    header = options.header
    if header is None:
        shown = [[text(value) or "" for value in row] for row in rows[:500]]
        header = not looks_like_a_row(shown[0], shown[1:])
        if not header:
            refuse_a_row(path.name)
    if not header:
        return name_columns([""] * len(used)), rows
    return name_columns([text(value) or "" for value in rows[0]]), rows[1:]


EXCEL = FileFormat("Excel", (".xlsx", ".xlsm"), _read)
