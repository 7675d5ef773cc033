"""Workbooks, one sheet at a time: of Excel, of older Excel, and of LibreOffice."""

from __future__ import annotations

import re
import warnings
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shoal.errors import MissingExtraError, TableError, TableWarning
from shoal.schema._text import text
from shoal.tables._engine import Engine, OpenOptions
from shoal.tables.engines.formats._file_format import FileFormat
from shoal.tables.engines.formats._value_columns import stage_columns
from shoal.tables.engines.formats.text._shape import (
    are_own_names,
    has_names_below,
    looks_like_a_row,
    name_columns,
    refuse_a_row,
)

_Rows = list[list[Any]]
_OLDER = (".xls", ".xlsb", ".ods")
"""Workbooks that another library reads."""
_FIRST_ROWS = 30
"""Rows among which the names of the columns are looked for."""

_UNCOMPUTED = re.compile(rb"(?:</f>|<f[^>]*/>)\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>")
"""A formula at the end of a cell, without a value behind it."""

_FAILED = frozenset(
    ["#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A", "#SPILL!", "#CALC!"]
)
"""What a formula leaves that could not be computed."""


def _read(paths: Sequence[Path], options: OpenOptions) -> Engine:
    names: tuple[str, ...] | None = None
    columns: list[list[Any]] = []
    for path in paths:
        titles, rows = _table(path, _rows(path, options), options)
        if names is not None and titles != names:
            raise TableError(f"{path.name!r} has other columns than {paths[0].name!r}.")
        names = titles
        columns = columns or [[] for _ in names]
        for row in rows:
            for column, value in zip(columns, row, strict=True):
                column.append(value)
    return stage_columns(names or (), columns, options)


def _rows(path: Path, options: OpenOptions) -> _Rows:
    older = path.suffix.lower() in _OLDER
    sheets = (_older_sheets if older else _sheets)(path, options)
    filled = {name: rows for name, rows in sheets.items() if any(map(_is_filled, rows))}
    if not filled:
        raise TableError(f"{path.name!r} holds no cells. It needs at least a header.")
    if len(filled) > 1:
        raise TableError(
            f"{path.name!r} has {len(filled)} sheets: {', '.join(map(repr, filled))}. Say which "
            "with --sheet."
        )
    if not older:
        _say_uncomputed(path)
    return next(iter(filled.values()))


def _older_sheets(path: Path, options: OpenOptions) -> dict[str, _Rows]:
    """Sheets of a workbook that openpyxl does not read; how numbers are shown is not told there."""
    try:
        import python_calamine as calamine  # noqa: PLC0415  an extra
    except ImportError:
        raise MissingExtraError("python-calamine", "files", f"reading {path.suffix}") from None
    try:
        with calamine.CalamineWorkbook.from_path(path) as book:
            visible, kind = calamine.SheetVisibleEnum.Visible, calamine.SheetTypeEnum.WorkSheet
            known = [each for each in book.sheets_metadata if each.typ == kind]
            shown = [each.name for each in known if each.visible == visible]
            names = _chosen(path, [each.name for each in known], shown, options.sheet)
            return {
                name: [
                    [_older_value(value) for value in row]
                    for row in book.get_sheet_by_name(name).iter_rows()
                ]
                for name in names
            }
    except (calamine.CalamineError, OSError) as error:
        raise TableError(
            f"{path.name!r} cannot be read: it is damaged, cut short, or protected by a password "
            f"({type(error).__name__}). Save it as .xlsx from the program that it came from."
        ) from None


def _older_value(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)  # these workbooks know no whole numbers
    return None if value == "" or value in _FAILED else value


def _sheets(path: Path, options: OpenOptions) -> dict[str, _Rows]:
    try:
        from openpyxl import load_workbook  # noqa: PLC0415  an extra
        from openpyxl.utils.exceptions import InvalidFileException  # noqa: PLC0415
    except ImportError:
        raise MissingExtraError("openpyxl", "files", "reading Excel files") from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about styles and forms, which are no cells
            # cells that were merged are told only by a workbook that is held whole
            book = load_workbook(path, read_only=not _has_merged(path), data_only=True)
            try:
                return {sheet.title: _cells(sheet) for sheet in _wanted(book, path, options.sheet)}
            finally:
                book.close()
    except (InvalidFileException, zipfile.BadZipFile, KeyError, ValueError, EOFError) as error:
        if isinstance(error, TableError):
            raise
        raise TableError(
            f"{path.name!r} cannot be read: it is damaged, cut short, protected by a password, or "
            "no Excel workbook (.xlsx). Save it anew from Excel."
        ) from None


def _say_uncomputed(path: Path) -> None:
    """Say that formulas have no results: programs write such workbooks, and Excel fills them in."""
    with zipfile.ZipFile(path) as archive:
        sheets = [name for name in archive.namelist() if name.startswith("xl/worksheets/")]
        count = sum(len(_UNCOMPUTED.findall(archive.read(name))) for name in sheets)
    if count:
        cells = "1 cell holds a formula" if count == 1 else f"{count:,} cells hold formulas"
        warnings.warn(
            f"{path.name}: {cells} that nothing has computed yet, so nothing is read there. Open "
            "the workbook in a spreadsheet and save it.",
            TableWarning,
            stacklevel=2,
        )


def _has_merged(path: Path) -> bool:
    with zipfile.ZipFile(path) as archive:
        sheets = (name for name in archive.namelist() if name.startswith("xl/worksheets/"))
        return any(b"<mergeCell " in archive.read(name) for name in sheets)


def _cells(sheet: Any) -> _Rows:
    """Values of a sheet as its reader sees them: with zeros in front, and merged cells filled."""
    rows = [
        [None if value in _FAILED else value for value in row]
        for row in sheet.iter_rows(values_only=True)
    ]
    for area in getattr(getattr(sheet, "merged_cells", None), "ranges", ()):
        for row in range(area.min_row, area.max_row):
            rows[row][area.min_col - 1] = rows[area.min_row - 1][area.min_col - 1]
    for column, digits in _padded(sheet).items():
        for cells in rows:
            if column < len(cells) and isinstance(cells[column], int):
                cells[column] = str(cells[column]).zfill(digits)
    return rows


def _padded(sheet: Any) -> dict[int, int]:
    """Columns of numbers that are shown with zeros in front, as postcodes are, and their length."""
    widths: dict[int, int] = {}
    for row in sheet.iter_rows(max_row=_FIRST_ROWS):
        for column, cell in enumerate(row):
            if isinstance(cell.value, int) and re.fullmatch("0{2,}", cell.number_format):
                widths[column] = len(cell.number_format)
    return widths


def _wanted(book: Any, path: Path, asked: str | None) -> list[Any]:
    # charts are sheets too, and have no rows
    sheets = {sheet.title: sheet for sheet in book.worksheets if hasattr(sheet, "iter_rows")}
    shown = [name for name, sheet in sheets.items() if sheet.sheet_state == "visible"]
    return [sheets[name] for name in _chosen(path, list(sheets), shown, asked)]


def _chosen(path: Path, names: list[str], shown: list[str], asked: str | None) -> list[str]:
    """Sheets to look at: the one that is asked for, or else those that are not hidden."""
    if asked is None:
        return shown or names
    named = [name for name in names if name == asked]
    if not named and asked.isdigit() and 1 <= int(asked) <= len(names):
        named = [names[int(asked) - 1]]
    if not named:
        raise TableError(
            f"{path.name!r} has no sheet {asked!r}. It has {', '.join(map(repr, names))}."
        )
    return named


def _is_filled(row: Sequence[Any]) -> bool:
    return any(value is not None and value != "" for value in row)


def _table(path: Path, rows: _Rows, options: OpenOptions) -> tuple[tuple[str, ...], _Rows]:
    """Names and rows of a sheet, without titles above and without empty rows and columns."""
    places = [index for index, row in enumerate(rows) if _is_filled(row)]
    rows = _without_empty([rows[index] for index in places])
    n_rows = len(rows)
    while len(rows[0]) > 1 and len(rows) > 1 and _n_filled(rows[0]) == 1:
        rows = rows[1:]  # a title
    if titles := _titles(rows):
        rows = _without_empty(rows[titles:])
    above = n_rows - len(rows)
    _say_left_out(path, above, "row", "above the names of the columns")
    between = places[-1] - places[above] + 1 - len(rows)
    _say_left_out(path, between, "row of empty cells", "between others")
    first = [text(value) or "" for value in rows[0]]
    header = options.header or (options.header is False and are_own_names(first))
    if options.header is None:
        header = not _is_row(rows)
        if not header:
            refuse_a_row(path.name)
    if not header:
        return name_columns([""] * len(rows[0])), rows
    return name_columns(first), rows[1:]


def _say_left_out(path: Path, count: int, what: str, where: str) -> None:
    if count:
        said = (
            f"1 {what} {where} was"
            if count == 1
            else f"{count:,} {what.replace('row', 'rows')} {where} were"
        )
        warnings.warn(f"{path.name}: {said} left out.", TableWarning, stacklevel=2)


def _without_empty(rows: _Rows) -> _Rows:
    width = max(len(row) for row in rows)
    rows = [[*row, *[None] * (width - len(row))] for row in rows]
    used = [i for i in range(width) if any(row[i] not in (None, "") for row in rows)]
    return [[row[i] for i in used] for row in rows]


def _n_filled(row: Sequence[Any]) -> int:
    return sum(value not in (None, "") for value in row)


def _titles(rows: _Rows) -> int:
    """Rows above the names, such as titles of several cells and names of groups of columns.

    Names are the first row that fills nearly all columns with different texts; above it, less
    than half of the columns are filled, or some are left open above names of columns.
    """
    width = len(rows[0])
    for index, row in enumerate(rows[:_FIRST_ROWS]):
        if _n_filled(row) < width and has_names_below(_shown(rows[index:])):
            continue
        if _n_filled(row) >= 0.8 * width:
            given = [value for value in row if value not in (None, "")]
            named = all(isinstance(v, str) for v in given) and len(set(given)) == len(given)
            return index if named and not _is_row(rows[index:]) else 0
        if _n_filled(row) >= 0.5 * width:
            return 0
    return 0


def _shown(rows: _Rows) -> list[list[str]]:
    return [[text(value) or "" for value in row] for row in rows[:500]]


def _is_row(rows: _Rows) -> bool:
    shown = _shown(rows)
    return looks_like_a_row(shown[0], shown[1:])


EXCEL = FileFormat("Excel", (".xlsx", ".xlsm", *_OLDER), _read)
