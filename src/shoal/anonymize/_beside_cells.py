"""What a file holds besides the cells of its table, of a table that somebody else may have made.

The judge knows it of what Shoal writes; its readers look here, and where they cannot, nothing can
be told of the file.
"""

from __future__ import annotations

import json
import re
import struct
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from shoal._addresses import address_of, is_address, read_address
from shoal.anonymize._release_files import digest, file_beside
from shoal.judge._read_files import open_text, read_texts
from shoal.judge._read_others import read_workbook
from shoal.judge._side_doors import fills_its_file, json_doors
from shoal.judge._text_table import TextTable
from shoal.tables.engines.formats._formats import unpacked
from shoal.tables.engines.formats._kept_there import kept_there

_WORKBOOKS = (".xlsx", ".xlsm")
_DATABASES = (".sqlite", ".sqlite3", ".db", ".duckdb")
_JSON = (
    ".json", *(end + packed for end in (".jsonl", ".ndjson") for packed in ("", ".gz", ".zst"))
)  # fmt: skip
"""Files whose rows come from an engine when they are counted: what else is there is not seen."""
_NOT_LOOKED_INTO = {
    (".xls", ".xlsb", ".ods"): "whatever else a workbook of this kind has",
    (
        ".sav",
        ".zsav",
        ".por",
        ".dta",
        ".sas7bdat",
        ".xpt",
    ): "labels and notes that a file of this kind may have",
}
_OF_PACKERS = (0x0001, 0x000A, 0x5455, 0x5855, 0x7875)
_LONGEST_NOTE = 32
_PLAIN_TEXT = frozenset(("sst", "si", "t"))
_OF_NO_ROW = re.compile("r|spans|.*dyDescent")
"""Attributes of a row that say where it is, and how tall a line of the font is."""

Counted = Mapping[str, int]


def beside_cells(table: Any, counted: Counted | None = None) -> tuple[str, ...]:
    """What files and databases hold besides cells, in words; empty for tables in memory.

    Parameters
    ----------
    table : table or path
        What was counted.
    counted : mapping of str to int, optional
        Columns whose values make groups, and how many different ones were counted in each: where
        the file has more, it tells apart what counts as one.
    """
    if not isinstance(table, str | PathLike):
        return ()
    path = Path(table)
    doors: list[str] = []
    if is_address(table):
        asked = getattr(getattr(table, "options", None), "table", None)
        doors += kept_there(read_address(address_of(table), asked), counted or {})
    elif path.is_dir():
        inside = sorted(file for file in path.rglob("*") if file.is_file())
        doors += ["further files in the folder"] if any(map(_is_unread, inside)) else []
        for file in inside:
            doors += () if _is_hidden(file, path) else _doors(file, {})
    elif path.is_file():
        doors += _doors(path, counted or {})
    return tuple(dict.fromkeys(doors))


def _is_hidden(file: Path, folder: Path) -> bool:
    return any(part.startswith((".", "_")) for part in file.relative_to(folder).parts)


def _is_unread(file: Path) -> bool:
    """Whether a file in a folder is none of its table, nor one that Spark puts there."""
    if not file.name.startswith((".", "_")):
        return False
    checksum = file.name.endswith(".crc") and (file.parent / file.name[1:-4]).is_file()
    return not checksum and (file.name != "_SUCCESS" or file.stat().st_size > 0)


def _doors(path: Path, counted: Counted) -> Iterator[str]:
    suffix = path.suffix.lower()
    for endings, what in _NOT_LOOKED_INTO.items():
        if suffix in endings:
            yield what
    try:
        if suffix == ".zip":
            yield from _archive(path)
            yield from _doors(unpacked(path), counted)
        elif suffix in _WORKBOOKS:
            book = read_workbook(path)
            yield from (*book.side_doors, *_told_apart(book, counted))
            with zipfile.ZipFile(path) as archive:
                yield from _looks(archive)
        elif path.name.lower().endswith((*_DATABASES, *_JSON)):
            read = read_texts([path])
            yield from (*read.side_doors, *_told_apart(read, counted))
            if path.name.lower().endswith(_JSON):
                with open_text(path, "utf-8-sig") as lines:
                    yield from json_doors(lines)
            if suffix == ".duckdb" and not _is_sealed(path):
                yield "space that the database gave up, which may hold rows"
    except Exception:  # whatever a file from elsewhere makes a reader raise
        yield "something that cannot be read again"


def _archive(path: Path) -> Iterator[str]:
    with zipfile.ZipFile(path) as archive:
        first, *more = archive.infolist()
        noted = archive.comment or first.comment or not _is_plain(first.extra)
        if more or noted or not fills_its_file(archive):
            yield "further files or notes in the archive"


def _is_plain(extra: bytes) -> bool:
    """Whether a program that packs files noted times and the number of its user at most."""
    while len(extra) >= 4:
        kind, length = struct.unpack_from("<HH", extra)
        if kind not in _OF_PACKERS or length > _LONGEST_NOTE:
            return False
        extra = extra[4 + length :]
    return not extra


def _told_apart(read: TextTable, counted: Counted) -> Iterator[str]:
    """Columns in which the file has more texts than there are values: 7 and 7.0, say."""
    for name, n_values in counted.items():
        if name not in read.columns:
            yield f"column {name!r} in another shape"
            continue
        if len(read.columns[name].texts) > n_values:
            yield f"cells of column {name!r} that say one thing in different ways"


def _is_sealed(path: Path) -> bool:
    """Whether a release was written with these bytes: into a database that began empty."""
    try:
        manifest = json.loads(file_beside(path, "manifest").read_text("utf-8"))
        return bool(manifest["files"][path.name] == digest(path))
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _looks(archive: zipfile.ZipFile) -> Iterator[str]:
    """Cells and rows of a sheet that are told apart by how they look: 7 and 7.00, bold, hidden."""
    if "xl/sharedStrings.xml" in archive.namelist():
        texts = ElementTree.fromstring(archive.read("xl/sharedStrings.xml"))
        if any(_tag(part) not in _PLAIN_TEXT for part in texts.iter()):
            yield "texts with looks of their own"
    looks: defaultdict[tuple[str, str], set[tuple[Any, ...]]] = defaultdict(set)
    there: Counter[str] = Counter()
    rows = set()
    n_rows = 0
    with archive.open("xl/worksheets/sheet1.xml") as sheet:
        found = (part for _, part in ElementTree.iterparse(sheet) if _tag(part) == "row")
        next(found, None)  # names of columns may look otherwise
        for row in found:
            n_rows += 1
            shown = (pair for pair in row.items() if not _OF_NO_ROW.fullmatch(pair[0]))
            rows.add((row.get("r") is None, *shown))
            for cell in row:
                column = cell.get("r", "").rstrip("0123456789")
                there[column] += 1
                looks[column, _kind(cell)].add(_look(cell))
            row.clear()
    if len(rows) > 1:
        yield "rows that are shown in different ways"
    for (column, kind), ways in looks.items():
        # a cell that was emptied is there, one that never held anything is not
        if len(ways) + (kind == _EMPTY and there[column] < n_rows) > 1:
            yield "cells of one column that are shown in different ways"
            return


_EMPTY = "nothing"


def _kind(cell: ElementTree.Element) -> str:
    """What is in a cell, however it is kept."""
    if not any(part.text for part in cell.iter() if _tag(part) in ("v", "t", "f")):
        return _EMPTY
    kind = cell.get("t", "n")
    return "text" if kind in ("s", "str", "inlineStr") else kind


def _look(cell: ElementTree.Element) -> tuple[Any, ...]:
    """All of a cell besides where it is and what it says."""
    given = sorted((name, value) for name, value in cell.items() if name != "r")
    return (*given, *(_tag(part) for part in cell.iter()))


def _tag(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]
