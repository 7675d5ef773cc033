"""The tables that one file holds: sheets of a workbook, tables of a database; no cell is read."""

from __future__ import annotations

import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

from shoal.errors import MissingExtraError, TableError
from shoal.studio.work._bench import Args, Bench
from shoal.studio.work._registered import task
from shoal.tables.engines.formats._databases import list_tables
from shoal.typing import Progress


@task("parts")
def list_parts(bench: Bench, args: Args, progress: Progress, part: Any) -> dict[str, Any]:
    """Names to choose from, under the name of the setting that takes one of them."""
    path = Path(args["table"])
    if path.suffix.lower() in (".xlsx", ".xlsm"):
        return {"setting": "sheet", "names": _sheets(path)}
    if path.suffix.lower() in (".xls", ".xlsb", ".ods"):
        return {"setting": "sheet", "names": _older_sheets(path)}
    return {"setting": "database_table", "names": list_tables(path)}


def _older_sheets(path: Path) -> list[str]:
    try:
        import python_calamine as calamine  # noqa: PLC0415  an extra
    except ImportError:
        raise MissingExtraError("python-calamine", "files", f"reading {path.suffix}") from None
    try:
        with calamine.CalamineWorkbook.from_path(path) as book:
            return list(book.sheet_names)
    except (calamine.CalamineError, OSError):
        raise TableError(f"{path.name!r} cannot be read as a workbook.") from None


def _sheets(path: Path) -> list[str]:
    try:
        from openpyxl import load_workbook  # noqa: PLC0415  an extra
    except ImportError:
        raise MissingExtraError("openpyxl", "files", "reading Excel files") from None
    try:
        with closing(load_workbook(path, read_only=True)) as book:
            return [sheet.title for sheet in book.worksheets]
    except (zipfile.BadZipFile, KeyError, ValueError, EOFError):
        raise TableError(f"{path.name!r} cannot be read as a workbook.") from None
