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
from collections.abc import Iterator, Mapping, Sequence
from glob import glob
from os import PathLike
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from shoal._addresses import address_of, is_address, read_address
from shoal.anonymize._release_files import digest, file_beside
from shoal.judge._read_binary import ARROW, PARQUET
from shoal.judge._read_files import open_text, read_texts
from shoal.judge._read_others import read_workbook
from shoal.judge._side_doors import fills_its_file, json_doors
from shoal.judge._text_table import TextTable
from shoal.judge.packed._arrow_messages import message_doors
from shoal.judge.packed._parquet_bytes import parquet_doors
from shoal.tables.engines.formats._formats import find_format, unpacked
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

_RUN = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32}")
_NUMBER = re.compile(r"(\d+)")
_PER_FILE = 10
"""Numbers of parts up to so many for each that is there: empty ones are left out."""

Counted = Mapping[str, int]
Told = defaultdict[str, set[str | None]]
"""Texts of columns, of files whose rows come from an engine."""


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
    else:
        told: Told = defaultdict(set)
        files = _files_of(path)
        if path.is_dir() and any(map(_is_unread, _inside(path))):
            doors.append("further files in the folder")
        if len(files) > 1 and not _are_numbered(files):
            doors.append("names of files, which tell rows apart")
        for file in files:
            doors += _doors(file, told)
        doors += _told_apart(told, counted or {})
    return tuple(dict.fromkeys(doors))


def _inside(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.is_file())


def _files_of(path: Path) -> list[Path]:
    """The file, those of a folder that are read, or those that a pattern names."""
    if path.is_dir():
        return [file for file in _inside(path) if not _is_hidden(file, path)]
    paths = [path] if path.is_file() else [Path(name) for name in glob(str(path), recursive=True)]
    return sorted(file for file in paths if file.is_file())


def _are_numbered(files: Sequence[Path]) -> bool:
    """Whether files lie in one folder, and only a number that counts them tells their names apart.

    Programs that write a table in parts call them so, some with a sign of the run besides.
    """
    names = [_NUMBER.split(_RUN.sub("", file.name)) for file in files]
    if len({file.parent for file in files}) > 1 or len({tuple(name[::2]) for name in names}) > 1:
        return False
    columns = [set(map(int, numbers)) for numbers in zip(*(n[1::2] for n in names), strict=True)]
    counting = [numbers for numbers in columns if len(numbers) > 1]
    return all(max(numbers) <= _PER_FILE * len(files) for numbers in counting)


def _is_hidden(file: Path, folder: Path) -> bool:
    return any(part.startswith((".", "_")) for part in file.relative_to(folder).parts)


def _is_unread(file: Path) -> bool:
    """Whether a file in a folder is none of its table, nor one that Spark puts there."""
    if not file.name.startswith((".", "_")):
        return find_format(file) is None
    checksum = file.name.endswith(".crc") and (file.parent / file.name[1:-4]).is_file()
    return not checksum and (file.name != "_SUCCESS" or file.stat().st_size > 0)


def _doors(path: Path, told: Told) -> Iterator[str]:
    """What is found in one file; `told` is given the texts of its columns."""
    suffix = path.suffix.lower()
    for endings, what in _NOT_LOOKED_INTO.items():
        if suffix in endings:
            yield what
    try:
        if suffix == ".zip":
            yield from _archive(path)
            yield from _doors(unpacked(path), told)
        elif suffix in _WORKBOOKS:
            book = read_workbook(path)
            yield from book.side_doors
            _add_texts(told, book)
            with zipfile.ZipFile(path) as archive:
                yield from _looks(archive)
        elif path.name.lower().endswith((*_DATABASES, *_JSON)):
            read = read_texts([path])
            yield from read.side_doors
            _add_texts(told, read)
            if path.name.lower().endswith(_JSON):
                with open_text(path, "utf-8-sig") as lines:
                    yield from json_doors(lines)
        if not _is_sealed(path):
            yield from _unlisted(path)
    except Exception:  # whatever a file from elsewhere makes a reader raise
        yield "something that cannot be read again"


def _unlisted(path: Path) -> Iterator[str]:
    """Bytes of a file that no reader of cells is sent to."""
    suffix = path.suffix.lower()
    if suffix in PARQUET:
        yield from parquet_doors(path)
    elif suffix in ARROW:
        yield from message_doors(path)
    elif suffix == ".duckdb":
        yield "space that the database gave up, which may hold rows"


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


def _add_texts(told: Told, read: TextTable) -> None:
    for name, column in read.columns.items():
        told[name].update(column.texts)


def _told_apart(told: Told, counted: Counted) -> Iterator[str]:
    """Columns in which the files write one value in several ways: 7 and 7.0, say."""
    for name, n_values in counted.items() if told else ():
        if name not in told:
            yield f"column {name!r} in another shape"
            continue
        if len(told[name]) > n_values:
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
        sheet_rows = (part for _, part in ElementTree.iterparse(sheet) if _tag(part) == "row")
        next(sheet_rows, None)  # names of columns may look otherwise
        for row in sheet_rows:
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
    """Everything about a cell except its place and its text."""
    given = sorted((name, value) for name, value in cell.items() if name != "r")
    return (*given, *(_tag(part) for part in cell.iter()))


def _tag(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]
