"""What a written file may hold besides the cells of its table, format by format.

A reader of cells passes over all of this, and whoever gets the file need not: pages that a
database gave up and did not wipe, types that list values, properties of a document, a second part
of a packed file.
"""

from __future__ import annotations

import json
import re
import sqlite3
import struct
import zipfile
import zlib
from codecs import BOM_UTF8
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager
from io import TextIOBase
from itertools import chain, islice
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from shoal.judge._text_table import find_pyarrow
from shoal.tables._dialect import TextDialect

_BLOCK = 1 << 20
_BLANK = " "
_CHANGING = (slice(24, 28), slice(92, 100))
"""Bytes of a SQLite header that count changes and name the library."""
_WORD = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--.*|/\*|\w+|[^\s\w(),]"""
)
"""Words of SQL, comments among them."""
_OF_TABLES = re.compile(
    "create|table|if|not|exists|null|strict|int|integer|bigint|smallint|tinyint|real|double|"
    "precision|float|text|varchar|nvarchar|char|character|varying|numeric|decimal|blob|boolean|"
    r"bool|date|datetime|timestamp|time|clob|\d{1,4}",
    re.IGNORECASE,
)
"""What the definition of a table is made of besides names."""
_NOTE = re.compile(rb"<!--|<\?|</?(?:\w+:)?(?:row|c)\b[^>]*>\s*[^\s<]")
"""Comments, and texts between rows and cells."""
_SIZE_BEHIND = 8
"""Flag of a part of an archive whose size stands behind it."""
_END_OF_ARCHIVE, _LARGE = 22, 76
"""Bytes at the end of an archive, and how many more a large one has there."""
_GAP: Any = re.compile(r"[\s,]*")
_JSON_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
_JSON_VALUE = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null')
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
    columns = connection.execute(f"SELECT name FROM pragma_table_xinfo({_text(table)})")
    names = {table, *(name for (name,) in columns)}
    if any(_names_nothing(word, names) for word in _WORD.findall(made or "")):
        return ("notes in the definition of the table",)
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


def _text(name: str) -> str:
    return "'" + name.replace("'", "''") + "'"


def _names_nothing(word: str, names: set[str]) -> bool:
    """Whether a word of SQL names neither the table, nor a column, nor a type."""
    quote = {"[": "]"}.get(word[:1], word[:1])
    if quote in ("'", '"', "`", "]"):
        return word[1:-1].replace(quote * 2, quote) not in names
    return word not in names and not _OF_TABLES.fullmatch(word)


def text_doors(
    lines: Callable[[], AbstractContextManager[TextIOBase]],
    dialect: TextDialect,
    grouped: Collection[str],
) -> tuple[str, ...]:
    """Whether a text file tells rows apart by how lines end, or by how one text is written.

    A text that stands in quotes in some rows and bare in others is one text to whoever counts, and
    two to whoever has the file; so are blanks that are passed over, and rows with an empty line
    before them.  An empty text in quotes and nothing are one value in columns that make groups
    (`grouped`), and may be two in others.  `lines` opens the file, which is read twice where some
    texts of a column stand in quotes and some do not.
    """
    if not dialect.spaced and _has_one_way(lines, dialect):
        return ()
    endings: set[str] = set()
    gap = gaps = False
    in_quotes, bare = set[int](), set[int]()
    for line in _records(lines, dialect):
        body = line.rstrip("\r\n")
        if not body:
            gap |= len(dialect.names) > 1
            continue
        gaps |= gap
        endings.add(line[len(body) :])
        for column, cell in enumerate(_cells(body, dialect)):
            quoted = cell.lstrip(_BLANK if dialect.spaced else "")[:1] == dialect.quote
            (in_quotes if quoted else bare).add(column)
    doors = ["empty lines between rows"] if gaps else []
    if len(endings - {""}) > 1:
        doors.append("lines that end in different ways")
    columns = in_quotes if dialect.escape else in_quotes & bare
    if dialect.spaced:
        columns = in_quotes | bare
    empty = {column for column, name in enumerate(dialect.names) if name not in grouped}
    return (*doors, *_ways_of_texts(lines, dialect, columns, empty))


def _has_one_way(
    lines: Callable[[], AbstractContextManager[TextIOBase]], dialect: TextDialect
) -> bool:
    """Whether a file has no quotes, and no lines but of one kind: most have not."""
    with lines() as file:
        before = ""
        while block := file.read(_BLOCK):
            if dialect.quote in block or "\r" in block or "\n\n" in before + block:
                return False
            before = block[-1]
    return True


def _ways_of_texts(
    lines: Callable[[], AbstractContextManager[TextIOBase]],
    dialect: TextDialect,
    columns: set[int],
    empty: set[int],
) -> tuple[str, ...]:
    """Whether a text of one of the columns is written in one way in one row, and not in another.

    In columns of `empty`, an empty text in quotes is another value than nothing.
    """
    way: defaultdict[int, dict[str, str]] = defaultdict(dict)
    doors: dict[str, None] = {}
    for line in _records(lines, dialect) if columns else ():
        for column, cell in enumerate(_cells(line.rstrip("\r\n"), dialect)):
            if column not in columns:
                continue
            bare = cell.lstrip(_BLANK) if dialect.spaced else cell
            if bare == dialect.quote * 2 and column in empty:
                continue
            first = way[column].setdefault(_text_of(bare, dialect), cell)
            if first == cell:
                continue
            if first.lstrip(_BLANK) != bare:
                doors["texts with quotes in some rows and without in others"] = None
            else:
                doors["texts with more blanks before them in some rows"] = None
    return tuple(doors)


def _text_of(cell: str, dialect: TextDialect) -> str:
    """What a cell says without quotes and escapes."""
    quote, escape = dialect.quote, dialect.escape
    inside = cell[1:-1] if len(cell) > 1 and cell[0] == quote == cell[-1] else cell
    if escape:
        return re.sub(f"{re.escape(escape)}(.)", r"\1", inside, flags=re.DOTALL)
    return inside if inside is cell else inside.replace(quote * 2, quote)


def _records(
    lines: Callable[[], AbstractContextManager[TextIOBase]], dialect: TextDialect
) -> Iterator[str]:
    """Rows as they are written, with what ends them; a text in quotes may have several lines."""
    escaped = re.compile(f"{re.escape(dialect.escape)}.") if dialect.escape else None
    with lines() as file:
        held = ""
        for line in islice(file, dialect.start, None):
            held += line
            shown = held if escaped is None else escaped.sub("", held)
            if shown.count(dialect.quote) % 2 == 0:
                yield held
                held = ""
        if held:
            yield held


def _cells(record: str, dialect: TextDialect) -> list[str]:
    quote, delimiter = re.escape(dialect.quote), re.escape(dialect.delimiter)
    parts = record.split(dialect.delimiter)
    if dialect.quote not in record or len(parts) == len(dialect.names):
        return parts
    inside = f"[^{quote}]|{quote}{quote}"
    if dialect.escape:
        escape = re.escape(dialect.escape)
        inside = f"[^{quote}{escape}]|{escape}."
    before = f"{_BLANK}*" if dialect.spaced else ""
    cell = f"{before}{quote}(?:{inside})*{quote}|[^{delimiter}]*"
    matches = re.finditer(f"(?:^|{delimiter})({cell})", record, re.DOTALL)
    return [each[1] for each in matches]


def json_doors(lines: Iterable[str]) -> tuple[str, ...]:
    """Whether objects of JSON are told apart by blanks, line ends or how texts are written.

    `lines` are those of the file as they are, with what ends them: an object on each, or one list.
    """
    shapes: set[str] = set()
    between: set[str] = set()
    said: set[str] = set()
    rest = iter(lines)
    first = next(rest, "")
    if first.lstrip()[:1] == "[":
        for row, gap in _listed("".join(chain([first], rest))):
            shapes.add(_JSON_VALUE.sub("v", row))
            between.add(gap)
            said.update(_JSON_TEXT.findall(row))
    else:
        for line in chain([first], rest):
            body = line.rstrip("\r\n")
            shapes.add(_JSON_VALUE.sub("v", body))
            between.add(line[len(body) :])
            said.update(_JSON_TEXT.findall(line))
    between.discard("")  # after the last one
    texts = [(token, json.loads(token)) for token in said]
    alike = any(
        all(json.dumps(text, ensure_ascii=plain).replace("/", slash) == one for one, text in texts)
        for plain in (True, False)
        for slash in ("/", "\\/")
    )
    one_way = alike and len(shapes) < 2 and len(between) < 2
    return () if one_way else ("rows that are written in different ways",)


def _listed(written: str) -> Iterator[tuple[str, str]]:
    """Objects of a list as they are written, each with what stands before the next."""
    decoder = json.JSONDecoder()
    start = _GAP.match(written, written.index("[") + 1).end()
    while written[start : start + 1] not in ("]", ""):
        stop = decoder.raw_decode(written, start)[1]
        gap = _GAP.match(written, stop)[0]
        yield written[start:stop], gap if "," in gap else ""
        start = stop + len(gap)


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
    if not fills_its_file(archive):
        yield "bytes that belong to no part of the archive"
    if any(_has_notes(archive, name) for name in names):
        yield "notes in the text of a part"
    yield from _properties(archive)
    root = ElementTree.fromstring(archive.read("xl/workbook.xml"))
    book = {_tag(element) for element in root.iter()}
    if "definedName" in book:
        yield "named ranges"
    if book - _BOOK_TAGS:
        yield "notes of the workbook"


def _has_notes(archive: zipfile.ZipFile, name: str) -> bool:
    """Whether a part has comments, or texts where no cell is."""
    with archive.open(name) as part:
        held = part.read(_BLOCK).removeprefix(BOM_UTF8)[1:]  # it begins with what it is
        while not _NOTE.search(held):
            block = part.read(_BLOCK)
            if not block:
                return False
            held = held[max(held.rfind(b"<"), 0) :] + block
    return True


def _properties(archive: zipfile.ZipFile) -> Iterator[str]:
    names = archive.namelist()
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


def fills_its_file(archive: zipfile.ZipFile) -> bool:
    """Whether parts stand one after another, and nothing before, between or behind them."""
    file: Any = archive.fp
    offset = 0
    for part in sorted(archive.infolist(), key=lambda part: part.header_offset):
        if part.header_offset != offset:
            return False
        file.seek(offset + 26)
        offset += 30 + sum(struct.unpack("<HH", file.read(4))) + part.compress_size
        if part.flag_bits & _SIZE_BEHIND:
            file.seek(offset)
            offset += (12 if part.file_size < 1 << 32 else 20) + 4 * (file.read(4) == b"PK\x07\x08")
    end = file.seek(0, 2) - _END_OF_ARCHIVE
    file.seek(end)
    mark, size = struct.unpack("<4s8xL6x", file.read(_END_OF_ARCHIVE))
    start: int = archive.start_dir  # where the list of parts begins
    return bool(mark == b"PK\x05\x06" and offset == start and end - start - size in (0, _LARGE))


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
