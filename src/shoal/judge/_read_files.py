"""Tables as text, files from their bytes: text by PyArrow or the csv module, others by their kind.

How a text file is written (what separates its cells, its encoding, lines that are no rows) may be
told; reading it so is done here anew, and what is not told is found by the names of the columns.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from shoal.errors import TableError
from shoal.judge._read_binary import ARROW, PARQUET, join_rows, read_binary, read_by_engine
from shoal.judge._read_memory import read_memory
from shoal.judge._read_others import chosen, read_database_file, read_json_lines, read_workbook
from shoal.judge._side_doors import packed_doors
from shoal.judge._text_table import TextColumn, TextTable, find_pyarrow, of_arrow
from shoal.tables._dialect import TextDialect

_PACKED = ("", ".gz", ".zst")
_TEXT = tuple(
    end + packed
    for end in (".csv", ".tsv", ".txt", ".data", ".tab", ".dat", ".psv")
    for packed in _PACKED
)
_JSON = (".json", *(end + packed for end in (".jsonl", ".ndjson") for packed in _PACKED))
_DELIMITERS = ",;\t|"
_BLOCK = 1 << 22  # bytes read at once; each block has dictionaries of its own, joined afterwards
_BLANK = " "
_SEPARATOR = re.compile('"?sep=.?"?', re.IGNORECASE)
"""What Excel writes above a table to say what stands between its cells."""
_ESCAPED = re.compile("'(?='*[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20])")


def read_texts(
    source: Any, *, names: Sequence[str] | None = None, dialect: TextDialect | None = None
) -> TextTable:
    """A table, or files of one that are read one after another, as text.

    Parameters
    ----------
    source : table, path or sequence of path
        Files are of one format; a folder stands for the visible files in it, by name.
    names : sequence of str, optional
        Columns to read; what separates the cells of a CSV file is found by them.
    dialect : TextDialect, optional
        How CSV files are written; found by the names of their columns when not given.
    """
    if isinstance(source, TextTable):  # read already, where it lies
        return source
    paths = [source] if isinstance(source, str | Path) else source
    if not isinstance(paths, tuple | list):
        return read_memory(source, names)
    places = [Path(path) for path in paths]
    listed = (_files_in(place) if place.is_dir() else [place] for place in places)
    files = list(chain.from_iterable(listed))
    tables = [
        _read_text(path, names, dialect, index)
        if path.name.lower().endswith(_TEXT)
        else _read_other(path, names)
        for index, path in enumerate(files)
    ]
    if not tables:
        raise TableError("there is no file to read again.")
    return tables[0] if len(tables) == 1 else join_rows(tables)


def _files_in(folder: Path) -> list[Path]:
    return [
        file
        for file in sorted(folder.rglob("*"))
        if file.is_file()
        and not any(part.startswith((".", "_")) for part in file.relative_to(folder).parts)
    ]


def _read_other(path: Path, names: Sequence[str] | None) -> TextTable:
    """The table in a file that is no text with signs between its cells."""
    suffix = path.suffix.lower()
    if suffix in PARQUET or suffix in ARROW:
        return read_binary(path, names)
    if path.name.lower().endswith(_JSON):
        return chosen(read_json_lines(path), names)
    if suffix == ".xlsx":
        return chosen(read_workbook(path), names)
    if suffix in (".sqlite", ".sqlite3", ".db", ".duckdb"):
        return chosen(read_database_file(path), names)
    return read_by_engine(path, names)


def _read_text(
    path: Path, names: Sequence[str] | None, dialect: TextDialect | None, at: int = 0
) -> TextTable:
    """The table in a text file, every cell as what it says; `at` counts the files of a table."""
    dialect = dialect or _find_dialect(path, names)
    bad = dialect.bad_lines[at] if dialect.bad_lines else frozenset()
    wanted = [name for name in dialect.names if names is None or name in names]
    # PyArrow takes a line without text for no row, and one column may have such rows
    quick = (
        find_pyarrow() is not None
        and len(dialect.names) > 1
        and dialect.encoding in ("utf-8", "ascii")
        and not (bad or dialect.escape or dialect.spaced or (dialect.bom and not dialect.start))
    )
    table = None
    if quick:
        import pyarrow as pa  # noqa: PLC0415  optional
        from pyarrow import csv as arrow_csv  # noqa: PLC0415

        texts = dict.fromkeys(wanted, pa.dictionary(pa.int32(), pa.string()))
        try:
            read: Any = arrow_csv.read_csv(
                path,
                read_options=arrow_csv.ReadOptions(
                    block_size=_BLOCK, column_names=list(dialect.names), skip_rows=dialect.start
                ),
                parse_options=arrow_csv.ParseOptions(
                    delimiter=dialect.delimiter, quote_char=dialect.quote, newlines_in_values=True
                ),
                convert_options=arrow_csv.ConvertOptions(
                    column_types=texts,
                    include_columns=wanted,
                    strings_can_be_null=False,
                    null_values=[],
                ),
            )
        except (pa.ArrowException, OSError):
            pass  # lines of several lengths, say
        else:
            table = of_arrow(read)
    if table is None:
        table = _read_slowly(path, wanted, dialect, bad)
    doors = table.side_doors + (("lines that are no rows",) if bad else ())
    if dialect.start > 1:
        doors += _lines_above(path, dialect)
    if path.suffix.lower() in (".gz", ".zst"):
        doors += packed_doors(path)
    if len(set(dialect.names)) < len(dialect.names):
        doors += ("columns of the same name",)
    said = {name: _as_said(name, column, dialect) for name, column in table.columns.items()}
    return TextTable(said, table.n_rows, doors)


def _lines_above(path: Path, dialect: TextDialect) -> tuple[str, ...]:
    """Whether something stands above the names of the columns, such as a title or remarks."""
    encoding = "utf-8-sig" if dialect.encoding == "utf-8" else dialect.encoding
    with open_text(path, encoding) as file:
        lines = [line for line, _ in zip(file, range(dialect.start), strict=False)]
    while lines and (not lines[0].strip() or _SEPARATOR.fullmatch(lines[0].strip())):
        del lines[0]
    reader = csv.reader(lines, delimiter=dialect.delimiter, quotechar=dialect.quote)
    return ("lines above the names of the columns",) if len(list(reader)) > 1 else ()


def with_own_header(path: Path, dialect: TextDialect) -> TextDialect:
    """The dialect with the names that stand in the file: a writer's word is not taken for them."""
    encoding = "utf-8-sig" if dialect.encoding == "utf-8" else dialect.encoding
    with open_text(path, encoding) as file:
        reader = csv.reader(file, delimiter=dialect.delimiter, quotechar=dialect.quote)
        header = next(reader, [])
        lines = reader.line_num  # a name may hold a line's end
    names = (
        _ESCAPED.sub("", name, count=1) if dialect.escaped and name[:1] == "'" else name
        for name in header
    )
    return replace(dialect, names=tuple(names), start=lines)


def _find_dialect(path: Path, names: Sequence[str] | None) -> TextDialect:
    """What separates the cells of the first row, by the names that it should hold."""
    dialects: list[TextDialect] = []
    for delimiter in _DELIMITERS:
        with open_text(path, "utf-8-sig") as file:
            reader = csv.reader(file, delimiter=delimiter)
            header = tuple(next(reader, []))
            # a name may hold a line's end
            bom, lines = _has_mark(path), reader.line_num
        dialects.append(TextDialect(delimiter=delimiter, names=header, bom=bom, start=lines))
        if names is not None and set(names) <= set(header):
            return dialects[-1]
    if names is not None:
        raise TableError(
            f"{path.name} has other columns than were expected, or cells separated by something "
            "else than a comma, a semicolon, a tab or a bar."
        )
    return max(dialects, key=lambda each: len(each.names))


def _has_mark(path: Path) -> bool:
    with open_text(path, "utf-8") as file:
        return file.read(1) == "\ufeff"


@contextmanager
def open_text(path: Path, encoding: str) -> Iterator[io.TextIOBase]:
    ending = path.suffix.lower()
    if ending == ".gz":
        with gzip.open(path, "rt", encoding=encoding, newline="") as text:
            yield text
    elif ending == ".zst":
        pyarrow = find_pyarrow()
        if pyarrow is None:
            raise TableError(f"{path.name} can be read again with pyarrow only. Install pyarrow.")
        with pyarrow.input_stream(str(path), compression="zstd") as packed:
            yield io.TextIOWrapper(io.BytesIO(packed.read()), encoding=encoding, newline="")
    else:
        with path.open(encoding=encoding, newline="") as text:
            yield text


def _read_slowly(
    path: Path, names: Sequence[str], dialect: TextDialect, bad: frozenset[int]
) -> TextTable:
    width = len(dialect.names)
    numbers: list[dict[str | None, int]] = [{} for _ in range(width)]
    codes: list[list[int]] = [[] for _ in range(width)]
    beyond = False
    encoding = "utf-8-sig" if dialect.encoding == "utf-8" else dialect.encoding
    before = csv.field_size_limit(sys.maxsize)
    try:
        with open_text(path, encoding) as file:
            lines = (
                line
                for number, line in enumerate(file, 1)
                if number > dialect.start and number not in bad
            )
            for row in csv.reader(
                lines,
                delimiter=dialect.delimiter,
                quotechar=dialect.quote,
                escapechar=dialect.escape or None,
                doublequote=not dialect.escape,
                skipinitialspace=dialect.spaced,
            ):
                if width > 1 and not any(cell.strip() for cell in row) and len(row) != width:
                    continue
                beyond |= len(row) > width
                cells = [*row, *[""] * (width - len(row))]
                for number, column, cell in zip(numbers, codes, cells, strict=False):
                    column.append(number.setdefault(cell, len(number)))
    finally:
        csv.field_size_limit(before)
    columns = {
        name: TextColumn(np.array(column, np.int32), tuple(number))
        for name, number, column in zip(dialect.names, numbers, codes, strict=True)
        if name in names
    }
    doors = ("cells beyond the header",) if beyond else ()
    return TextTable(columns, len(codes[0]) if codes else 0, doors)


def _without_unit(text: str, before: str, after: str) -> str:
    """The number beside a unit; the text itself where the unit is not there."""
    sign = "-" if text.startswith("-") else ""
    bare = text[len(sign) :]
    if not (bare.startswith(before) and bare.endswith(after)):
        return text
    return sign + bare[len(before) : len(bare) - len(after)].strip()


def _as_said(name: str, column: TextColumn, dialect: TextDialect) -> TextColumn:
    """Cells by what they say: nothing, a number in its own way of writing, or their text."""
    missing = dialect.missing.get(name, frozenset())
    point, apart = dialect.grouped.get(name, ("", ""))
    unit = dialect.units.get(name)
    said: list[str | None] = []
    for text in column.texts:
        bare = (text or "").strip(_BLANK) if dialect.blanks else text
        if not text or not bare or bare.strip(_BLANK).lower() in missing:
            said.append(None)
            continue
        if unit is not None:
            text = _without_unit(text.strip(), *unit)
        if apart:
            text = re.sub(rf"(?<=\d){re.escape(apart)}(?=\d)", "", text)
        if point == ",":
            text = re.sub(r"(?<=\d),(?=\d)", ".", text)
        is_escaped = dialect.escaped and text[0] == "'"
        said.append(_ESCAPED.sub("", text, count=1) if is_escaped else text)
    if len(set(said)) == len(said):
        return TextColumn(column.codes, tuple(said))
    number: dict[str | None, int] = {}
    of_text = np.array([number.setdefault(text, len(number)) for text in said], np.int32)
    return TextColumn(of_text[column.codes], tuple(number))
