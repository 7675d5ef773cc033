"""Text files with cells separated by commas, tabs, semicolons or another character."""

from __future__ import annotations

import codecs
import re
import warnings
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from shoal._resources import scratch
from shoal.errors import TableError, TableWarning
from shoal.tables._dialect import TextDialect
from shoal.tables._engine import OpenOptions
from shoal.tables.engines._duck_connection import (
    StagedRows,
    connect,
    disclose_nothing,
    paths_sql,
    require_names,
    stage_table,
    value_sql,
)
from shoal.tables.engines._duck_engine import DuckEngine
from shoal.tables.engines.formats._file_format import FileFormat
from shoal.tables.engines.formats.text._bytes import (
    SAMPLE_BYTES,
    Encoded,
    find_encoding,
    open_text,
)
from shoal.tables.engines.formats.text._rows import LeftOut, clean_file
from shoal.tables.engines.formats.text._shape import Shape, find_shape
from shoal.tables.engines.formats.text._types import read_types

_PACKED = {".gz": "gzip", ".zst": "zstd"}
_LONG = 1 << 16  # signs of a line that may be too long for a reader of rows
_TELLING = re.compile(r"""["'\\;\t|^~\x1f¦\r\n\ufeff\0-\x08\x0e-\x1e]|,\s""")
"""What lets a line be read in more than one way: other signs, blanks behind commas."""


def _read(paths: Sequence[Path], options: OpenOptions) -> DuckEngine:
    for path in paths:
        if path.stat().st_size == 0:
            raise TableError(f"file {path.name!r} is empty. It needs at least a header.")
    is_told = options.encoding or options.delimiter is not None or options.header is False
    is_open = len(paths) == 1 and not is_told and options.guess != "none"
    encoded, shape = Encoded("utf-8"), plain_shape(paths[0]) if is_open else None
    if shape is None:
        encoded = find_encoding(paths[0], options.encoding)
        shape = _shape_of(paths, encoded, options)
    require_names(shape.names)
    is_utf8 = encoded.name in ("utf-8", "utf-8-sig") and not (encoded.bom and shape.start == 0)
    # DuckDB would count rows where we count lines
    in_cells = not shape.escape and not shape.spaced and shape.whole_lines
    endings = {path.suffix.lower() for path in paths}
    read = None
    if is_utf8 and in_cells and len(endings) == 1 and not options.skip_bad_rows:  # as DuckDB reads
        columns = ", ".join(f"'p{i}': 'VARCHAR'" for i in range(len(shape.names)))
        read = (
            f"read_csv({paths_sql(paths)}, auto_detect=false, header=false, skip={shape.start}, "
            f"delim={value_sql(shape.delimiter)}, quote={value_sql(shape.quote)}, "
            f"escape={value_sql(shape.quote)}, strict_mode=true, hive_partitioning=false, "
            f"compression='{_PACKED.get(endings.pop(), 'none')}', columns={{{columns}}})"
        )
    with disclose_nothing(), ExitStack() as kept:
        return DuckEngine(_stage(read, paths, shape, encoded, options, kept))


def plain_shape(path: Path) -> Shape | None:
    """The shape of a file that can be read in one way only; None where there is more to ask.

    UTF-8 without a mark, words and commas: names in the first line that no cell below repeats, as
    many cells in every line, and no sign that could be a quote, an escape or another delimiter.
    All that :func:`find_encoding` and :func:`find_shape` ask besides has one answer then.
    """
    if path.suffix.lower() in _PACKED:
        return None
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with path.open("rb") as file:
            lines = [line.decode("utf-8") for line in file.readlines(SAMPLE_BYTES)]
            while block := file.read(1 << 20):
                if not block.isascii() or decoder.getstate()[0]:
                    decoder.decode(block)
        decoder.decode(b"", final=True)
    except (UnicodeDecodeError, OSError):
        return None
    first = lines[0].rstrip("\r\n") if lines else ""
    end, names = lines[0][len(first) :] if lines else "", first.split(",")
    if len(names) < 2 or not end or not all(map(str.isidentifier, names)):
        return None
    for line in lines[1:]:
        cells = line.removesuffix(end).split(",")
        repeats = any(cell.strip() == name for cell, name in zip(cells, names, strict=False))
        if len(cells) != len(names) or repeats or _TELLING.search(line.removesuffix(end)):
            return None
    return None if max(map(len, lines)) > _LONG else Shape(",", '"', "", end, tuple(names), 1)


def _shape_of(paths: Sequence[Path], encoded: Encoded, options: OpenOptions) -> Shape:
    """The shape that all files share."""
    shapes: list[Shape] = []
    for path in paths:
        with open_text(path, encoded) as text:
            lines = text.readlines(SAMPLE_BYTES)
        if not any(map(str.strip, lines)):
            raise TableError(f"file {path.name!r} is empty. It needs at least a header.")
        shapes.append(find_shape(lines, path.name, options))
        if len({(shape.names, shape.delimiter) for shape in shapes}) > 1:
            raise TableError(
                f"{path.name!r} has other columns than {paths[0].name!r}, or separates its cells "
                "by another sign. Files of one table are written alike."
            )
    shape = shapes[0]
    if shape.titles:
        lines = "1 line" if shape.titles == 1 else f"{shape.titles} lines"
        are = "was" if shape.titles == 1 else "were"
        warnings.warn(
            f"{paths[0].name}: {lines} before the names of the columns {are} left out.",
            TableWarning,
            stacklevel=2,
        )
    return shape


def _stage(
    read: str | None,
    paths: Sequence[Path],
    shape: Shape,
    encoded: Encoded,
    options: OpenOptions,
    kept: ExitStack,
) -> StagedRows:
    """Rows by a FROM clause of texts, or read one by one, into files that are `kept` until then."""
    connection = connect()
    left_out: tuple[LeftOut, ...] = ()
    heard = replace(options, delimiter=shape.delimiter)
    keeps_empty = options.keep_empty_rows or options.guess == "none" or len(shape.names) == 1
    try:
        if read is None:
            raise duckdb.InvalidInputException
        readings, values, doubts = read_types(
            connection, read, shape.names, heard, stop_at_empty=not keeps_empty
        )
        # a name among numbers would have made them texts
        if shape.has_header and all(reading.sort == "text" for reading in readings):
            _stop_at_names(connection, read, shape)
    except duckdb.InvalidInputException:  # or rows that DuckDB does not take: read one by one
        folder = Path(kept.enter_context(TemporaryDirectory(dir=scratch())))
        cleaned = [
            clean_file(
                path,
                encoded,
                shape,
                folder / f"{index}.csv",
                skip=options.skip_bad_rows,
                keep_empty=keeps_empty,
            )
            for index, path in enumerate(paths)
        ]
        left_out = tuple(cleaned)
        _say_skipped(paths, left_out)
        read = _clean_sql(
            [folder / f"{index}.csv" for index in range(len(paths))], len(shape.names)
        )
        readings, values, doubts = read_types(connection, read, shape.names, heard)
    named = list(zip(shape.names, readings, strict=True))
    units = {name: reading.unit for name, reading in named if any(reading.unit)}
    dialect = TextDialect(
        encoding="utf-8" if encoded.name == "utf-8-sig" else encoded.name,
        bom=encoded.bom,
        delimiter=shape.delimiter,
        quote=shape.quote,
        newline=shape.newline,
        escape=shape.escape,
        spaced=shape.spaced,
        names=shape.names,
        start=shape.start,
        bad_lines=tuple(lines.bad | lines.empty for lines in left_out),
        decimal="," if {r.decimal for r in readings if r.sort == "grouped"} == {","} else ".",
        grouped={n: (r.decimal, r.thousands) for n, r in named if r.sort.startswith("grouped")},
        units=units,
        blanks=True,
        missing={name: r.missing for name, r in named if r.missing},
    )
    staged = stage_table(connection, values, shape.names, paths, dialect, doubts=doubts)
    titles = {name: f"in {''.join(unit)}" for name, unit in units.items()}
    return replace(staged, titles=titles, options=heard)


def _stop_at_names(connection: duckdb.DuckDBPyConnection, read: str, shape: Shape) -> None:
    """Raise where the header comes again among the rows, as in files that were put together."""
    same = " AND ".join(f"trim(p{i}) = {value_sql(name)}" for i, name in enumerate(shape.names))
    if connection.execute(f"SELECT count(*) FROM {read} WHERE {same}").fetchall()[0][0]:
        raise duckdb.InvalidInputException


def _clean_sql(paths: Sequence[Path], width: int) -> str:
    columns = ", ".join(f"'p{i}': 'VARCHAR'" for i in range(width))
    return (
        f"read_csv({paths_sql(paths)}, auto_detect=false, header=false, delim=',', quote='\"', "
        f"escape='\"', new_line='\\n', hive_partitioning=false, max_line_size=100000000, "
        f"columns={{{columns}}})"
    )


def _say_skipped(paths: Sequence[Path], left_out: Sequence[LeftOut]) -> None:
    where = f"{paths[0].name}" if len(paths) == 1 else f"{len(paths)} files"
    for one, several, lines in (
        ("line that is no row of the table", "lines that are no rows of the table", "bad"),
        ("row of empty cells", "rows of empty cells", "empty"),
    ):
        parts = [getattr(file, lines) for file in left_out]
        if count := sum(map(len, parts)):
            said = f"1 {one} was" if count == 1 else f"{count:,} {several} were"
            first = min(min(part) for part in parts if part)
            warnings.warn(
                f"{where}: {said} left out, the first at line {first}.",
                TableWarning,
                stacklevel=2,
            )


_ENDINGS = (".csv", ".tsv", ".txt", ".data", ".tab", ".dat", ".psv")
CSV = FileFormat(
    "CSV", tuple(end + packed for packed in ("", ".gz", ".zst") for end in _ENDINGS), _read
)
