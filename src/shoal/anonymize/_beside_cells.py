"""What a file holds besides the cells of its table, of a table that somebody else may have made.

The judge knows it of what Shoal writes; its readers look here, and where they cannot, a note says
so: what is known then is known of the cells alone.
"""

from __future__ import annotations

import re
import warnings
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from shoal._addresses import is_address
from shoal.errors import TableWarning
from shoal.judge._read_files import read_texts
from shoal.judge._read_others import read_workbook
from shoal.tables.engines.formats._formats import unpacked

_WORKBOOKS = (".xlsx", ".xlsm")
_JSON = tuple(end + packed for end in (".jsonl", ".ndjson") for packed in ("", ".gz", ".zst"))
_READ = (".sqlite", ".sqlite3", ".db", ".duckdb", *_JSON)
"""Files whose rows come from a database when they are counted: what else is there is not seen."""
_NOT_LOOKED_INTO = {
    (".xls", ".xlsb", ".ods"): "whatever else a workbook of this kind has",
    (
        ".sav",
        ".zsav",
        ".por",
        ".dta",
        ".sas7bdat",
        ".xpt",
    ): "what a file of this kind has in labels and notes",
}
_PLAIN_TEXT = frozenset(("sst", "si", "t"))
_OF_NO_ROW = re.compile("r|spans|.*dyDescent")
"""Attributes of a row that say where it is, and how tall a line of the font is."""


def beside_cells(table: Any) -> tuple[str, ...]:
    """What files hold besides cells, in words; empty for tables that are no files."""
    if not isinstance(table, str | PathLike) or is_address(table):
        return ()
    path = Path(table)
    files = [path] if path.is_file() else sorted(path.rglob("*.*")) if path.is_dir() else []
    return tuple(dict.fromkeys(door for file in files for door in _doors(file)))


def _doors(path: Path) -> Iterator[str]:
    suffix = path.suffix.lower()
    for endings, what in _NOT_LOOKED_INTO.items():
        if suffix in endings:
            warnings.warn(
                f"{what} was not looked into: the verdict is on the cells. Give out a CSV file.",
                TableWarning,
                stacklevel=2,
            )
    try:
        if suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                if len(archive.infolist()) > 1 or archive.comment or archive.infolist()[0].comment:
                    yield "further files or notes in the archive"
            yield from _doors(unpacked(path))
        elif suffix in _WORKBOOKS:
            yield from read_workbook(path).side_doors
            with zipfile.ZipFile(path) as archive:
                yield from _looks(archive)
        elif path.name.lower().endswith(_READ):
            yield from read_texts([path]).side_doors
    except Exception:  # whatever a file from elsewhere makes a reader raise
        yield "something that cannot be read again"


def _looks(archive: zipfile.ZipFile) -> Iterator[str]:
    """Cells and rows of a sheet that are told apart by how they look: 7 and 7.00, bold, hidden."""
    if "xl/sharedStrings.xml" in archive.namelist():
        texts = ElementTree.fromstring(archive.read("xl/sharedStrings.xml"))
        if any(_tag(part) not in _PLAIN_TEXT for part in texts.iter()):
            yield "texts with looks of their own"
    styles: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    rows = set()
    with archive.open("xl/worksheets/sheet1.xml") as sheet:
        found = (part for _, part in ElementTree.iterparse(sheet) if _tag(part) == "row")
        next(found, None)  # names of columns may look otherwise
        for row in found:
            rows.add(tuple(pair for pair in row.items() if not _OF_NO_ROW.fullmatch(pair[0])))
            for cell in row:
                if len(cell):  # an empty cell shows nothing
                    column = cell.get("r", "").rstrip("0123456789")
                    styles[column, cell.get("t", "n")].add(cell.get("s", "0"))
            row.clear()
    if len(rows) > 1:
        yield "rows that are shown in different ways"
    if any(len(looks) > 1 for looks in styles.values()):
        yield "cells of one column that are shown in different ways"


def _tag(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]
