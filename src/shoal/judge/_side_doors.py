"""What a written file may hold besides the cells of its table, format by format.

A reader of cells passes over all of this, and whoever gets the file need not: pages that a
database gave up and did not wipe, types that list values, properties of a document, a second part
of a packed file.
"""

from __future__ import annotations

import re
import sqlite3
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from shoal.judge._text_table import find_pyarrow

_BLOCK = 1 << 20
_CHANGING = (slice(24, 28), slice(92, 100))
"""Bytes of a SQLite header that count changes and name the library."""
_PARTS = re.compile(
    r"\[Content_Types\]\.xml|_rels/\.rels|docProps/(app|core)\.xml|xl/workbook\.xml|"
    r"xl/_rels/workbook\.xml\.rels|xl/styles\.xml|xl/theme/theme1\.xml|xl/sharedStrings\.xml|"
    r"xl/worksheets/sheet1\.xml"
)
"""Parts of a workbook of one sheet that holds nothing but cells."""
SHEET_TAGS = {
    "worksheet", "sheetPr", "outlinePr", "pageSetUpPr", "dimension", "sheetViews", "sheetView",
    "selection", "sheetFormatPr", "cols", "col", "sheetData", "row", "c", "v", "is", "t",
    "pageMargins",
}  # fmt: skip
"""What a sheet of plain cells is made of: no notes, no lists of choices, no links."""
_BOOK_TAGS = {
    "workbook", "fileVersion", "workbookPr", "workbookProtection", "bookViews", "workbookView",
    "sheets", "sheet", "definedNames", "definedName", "calcPr",
}  # fmt: skip
"""What a workbook says of itself: which sheets it has, and how it is shown and computed."""
_NAMING = frozenset(("Manager", "Company", "HyperlinkBase", "HLinks", "Template"))
"""Properties of a document that people fill in."""
_PROPERTIES = frozenset(("creator", "created", "modified"))
_IN_DUCKDB = {
    "views": "duckdb_views() WHERE NOT internal",
    "sequences": "duckdb_sequences()",
    "types": "duckdb_types() WHERE NOT internal",
    "functions": "duckdb_functions() WHERE NOT internal",
    "indexes": "duckdb_indexes()",
    "schemas": "duckdb_schemas() WHERE NOT internal",
    "comments": "duckdb_tables() WHERE comment IS NOT NULL",
    "comments of columns": "duckdb_columns() WHERE NOT internal AND comment IS NOT NULL",
    "defaults": "duckdb_columns() WHERE NOT internal AND column_default IS NOT NULL",
    "lists of values": "duckdb_columns() WHERE NOT internal AND data_type LIKE '%ENUM(%'",
    "constraints": "duckdb_constraints()",
}


def sqlite_doors(connection: sqlite3.Connection, path: Path, table: str) -> tuple[str, ...]:
    """Whether a database of one table has other bytes than one that its rows alone make.

    A row that was changed or deleted leaves its text in the file, where no query sees it.
    """
    (made,) = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", [table]).fetchone()
    (size,) = connection.execute("PRAGMA page_size").fetchone()
    quoted = '"' + table.replace('"', '""') + '"'
    rows = connection.execute(f"SELECT * FROM {quoted}")
    places = ", ".join("?" * len(rows.description))
    again = sqlite3.connect(":memory:")
    try:
        again.execute(f"PRAGMA page_size = {int(size)}")
        again.execute(made)
        again.executemany(f"INSERT INTO {quoted} VALUES ({places})", rows)
        again.commit()
        alone = bytearray(again.serialize())
    except sqlite3.Error:  # a view, say, or columns that are computed
        return ("a database that its rows alone do not make",)
    finally:
        again.close()
    written = bytearray(path.read_bytes())
    for part in _CHANGING:
        alone[part] = written[part] = bytes(part.stop - part.start)
    return () if alone == written else ("traces of other rows in the database",)


def duckdb_doors(connection: Any, table: str) -> tuple[str, ...]:
    """What a database of one table keeps besides its rows, deleted ones included."""
    counted = [
        (what, connection.execute(f"SELECT count(*) FROM {where}").fetchone()[0])
        for what, where in _IN_DUCKDB.items()
    ]
    doors = [f"{count} {what} of the database" for what, count in counted if count]
    quoted = '"' + table.replace('"', '""') + '"'
    name = "'" + quoted.replace("'", "''") + "'"
    stored = connection.execute(
        f"SELECT coalesce(max(rows), 0) FROM (SELECT sum(count) AS rows FROM "
        f"pragma_storage_info({name}) WHERE segment_type <> 'VALIDITY' GROUP BY column_id)"
    ).fetchone()[0]
    if stored > connection.execute(f"SELECT count(*) FROM {quoted}").fetchone()[0]:
        doors.append("rows that were deleted")
    return tuple(doors)


def workbook_doors(archive: zipfile.ZipFile) -> Iterator[str]:
    """What a workbook has besides one sheet: other parts, properties, names, a note to the file."""
    names = archive.namelist()
    strange = [name for name in names if not _PARTS.fullmatch(name)]
    if strange or len(set(names)) < len(names):
        yield f"{max(len(strange), 1)} parts of the workbook besides its sheet"
    if archive.comment or any(part.comment or part.extra for part in archive.infolist()):
        yield "notes in the archive"
    if "docProps/core.xml" in names:
        root = ElementTree.fromstring(archive.read("docProps/core.xml"))
        told = {_tag(element) for element in root if element.text} - _PROPERTIES
        authors = {element.text for element in root if _tag(element) == "creator"}
        if told or not authors <= {"openpyxl", None}:
            yield "properties of the document"
    if "docProps/app.xml" in names:
        root = ElementTree.fromstring(archive.read("docProps/app.xml"))
        if any(_tag(element) in _NAMING and "".join(element.itertext()) for element in root):
            yield "properties of the document"
    root = ElementTree.fromstring(archive.read("xl/workbook.xml"))
    book = {_tag(element) for element in root.iter()}
    if "definedName" in book:
        yield "named ranges"
    if book - _BOOK_TAGS:
        yield "notes of the workbook"


def packed_doors(path: Path) -> tuple[str, ...]:
    """What a packed file says besides its one content: a name, a time, notes, a second part."""
    ending = path.suffix.lower()
    if ending == ".gz":
        with path.open("rb") as file:
            head = file.read(10)
        named = head[3] != 0 or head[4:8] != bytes(4)
        more = _has_more(path, zlib.decompressobj(wbits=31))
        return (("a name or a time in the packed file",) if named else ()) + more
    if ending == ".zst" and find_pyarrow() is not None:
        import zstandard  # noqa: PLC0415  such a file is written with it

        return _has_more(path, zstandard.ZstdDecompressor().decompressobj())
    return ()


def _has_more(path: Path, unpacking: Any) -> tuple[str, ...]:
    with path.open("rb") as file:
        while (block := file.read(_BLOCK)) and not unpacking.eof:
            unpacking.decompress(block)
    more = bool(block) or bool(unpacking.unused_data)
    return ("a second part in the packed file",) if more else ()


def _tag(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]
