"""Text files of cells between commas, tabs, semicolons or the like."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from shoal._scratch import scratch
from shoal.errors import TableError, TableWarning
from shoal.tables._dialect import TextDialect
from shoal.tables._engine import OpenOptions
from shoal.tables.engines._duck_connection import connect, disclose_nothing
from shoal.tables.engines._duck_engine import DuckEngine
from shoal.tables.engines._duck_staging import StagedRows, require_names, stage_table
from shoal.tables.engines._sql import paths_sql, value_sql
from shoal.tables.engines.formats._file_format import FileFormat
from shoal.tables.engines.formats._text_bytes import (
    SAMPLE_BYTES,
    Encoded,
    find_encoding,
    open_text,
)
from shoal.tables.engines.formats._text_rows import BadRows, clean_file
from shoal.tables.engines.formats._text_shape import Shape, find_shape
from shoal.tables.engines.formats._text_types import list_of_readings, read_types
from shoal.tables.engines.formats._text_values import Reading

_PACKED = {".gz": "gzip", ".zst": "zstd"}


def _read(paths: Sequence[Path], options: OpenOptions) -> DuckEngine:
    for path in paths:
        if path.stat().st_size == 0:
            raise TableError(f"file {path.name!r} is empty. It needs at least a header.")
    encoded = find_encoding(paths[0], options.encoding)
    shape = _shape_of(paths, encoded, options)
    require_names(shape.names)
    connection = connect()
    with disclose_nothing(), TemporaryDirectory(dir=scratch()) as folder:
        return DuckEngine.of_rows(_stage(connection, paths, shape, encoded, options, Path(folder)))


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
    connection: duckdb.DuckDBPyConnection,
    paths: Sequence[Path],
    shape: Shape,
    encoded: Encoded,
    options: OpenOptions,
    folder: Path,
) -> StagedRows:
    bad: tuple[BadRows, ...] = ()
    read = None if options.skip_bad_rows else _plain_sql(paths, shape, encoded)
    try:
        if read is None:
            raise duckdb.InvalidInputException
        readings = read_types(connection, read, shape.names, options)
        # a name among numbers would have made them texts
        if shape.has_header and all(reading.sort == "text" for reading in readings):
            _stop_at_names(connection, read, shape)
    except duckdb.InvalidInputException:  # or rows that DuckDB does not take: read one by one
        cleaned = [
            clean_file(path, encoded, shape, folder / f"{at}.csv", skip=options.skip_bad_rows)
            for at, path in enumerate(paths)
        ]
        bad = tuple(cleaned)
        _say_skipped(paths, bad)
        read = _clean_sql([folder / f"{at}.csv" for at in range(len(paths))], len(shape.names))
        readings = read_types(connection, read, shape.names, options)
    given = {i: options.types[name] for i, name in enumerate(shape.names) if name in options.types}
    listed = list_of_readings(readings, given)
    dialect = _dialect(shape, encoded, readings, bad)
    staged = stage_table(connection, f"(SELECT {listed} FROM {read})", shape.names, paths, dialect)
    return replace(staged, titles={name: f"in {''.join(u)}" for name, u in dialect.units.items()})


def _stop_at_names(connection: duckdb.DuckDBPyConnection, read: str, shape: Shape) -> None:
    """Raise where the header comes again among the rows, as in files that were put together."""
    same = " AND ".join(f"trim(p{i}) = {value_sql(name)}" for i, name in enumerate(shape.names))
    if connection.sql(f"SELECT count(*) FROM {read} WHERE {same}").fetchall()[0][0]:
        raise duckdb.InvalidInputException


def _plain_sql(paths: Sequence[Path], shape: Shape, encoded: Encoded) -> str | None:
    """A FROM clause of files that DuckDB reads as we do; None for others."""
    is_utf8 = encoded.name in ("utf-8", "utf-8-sig") and not (encoded.bom and shape.start == 0)
    # DuckDB would count rows where we count lines
    in_cells = not shape.escape and not shape.spaced and shape.whole_lines
    if not is_utf8 or not in_cells or len({path.suffix.lower() for path in paths}) > 1:
        return None
    packed = _PACKED.get(paths[0].suffix.lower(), "none")
    columns = ", ".join(f"'p{i}': 'VARCHAR'" for i in range(len(shape.names)))
    return (
        f"read_csv({paths_sql(paths)}, auto_detect=false, header=false, skip={shape.start}, "
        f"delim={value_sql(shape.delimiter)}, quote={value_sql(shape.quote)}, "
        f"escape={value_sql(shape.quote)}, strict_mode=true, hive_partitioning=false, "
        f"compression='{packed}', columns={{{columns}}})"
    )


def _clean_sql(paths: Sequence[Path], width: int) -> str:
    columns = ", ".join(f"'p{i}': 'VARCHAR'" for i in range(width))
    return (
        f"read_csv({paths_sql(paths)}, auto_detect=false, header=false, delim=',', quote='\"', "
        f"escape='\"', new_line='\\n', hive_partitioning=false, max_line_size=100000000, "
        f"columns={{{columns}}})"
    )


def _say_skipped(paths: Sequence[Path], bad: Sequence[BadRows]) -> None:
    count = sum(len(rows) for rows in bad)
    if count:
        where = f"{paths[0].name}" if len(paths) == 1 else f"{len(paths)} files"
        first = min(min(rows) for rows in bad if rows)
        lines = "1 line that is no row" if count == 1 else f"{count} lines that are no rows"
        warnings.warn(
            f"{where}: {lines} of the table {'was' if count == 1 else 'were'} left out, the first "
            f"at line {first}.",
            TableWarning,
            stacklevel=2,
        )


def _dialect(
    shape: Shape, encoded: Encoded, readings: Sequence[Reading], bad: tuple[BadRows, ...]
) -> TextDialect:
    named = list(zip(shape.names, readings, strict=True))
    grouped = {n: (r.decimal, r.thousands) for n, r in named if r.sort.startswith("grouped")}
    signs = {r.decimal for _, r in named if r.sort == "grouped"}
    return TextDialect(
        encoding="utf-8" if encoded.name == "utf-8-sig" else encoded.name,
        bom=encoded.bom,
        delimiter=shape.delimiter,
        quote=shape.quote,
        newline=shape.newline,
        escape=shape.escape,
        spaced=shape.spaced,
        names=shape.names,
        start=shape.start,
        bad_lines=bad,
        decimal="," if signs == {","} else ".",
        grouped=grouped,
        units={n: r.unit for n, r in named if any(r.unit)},
        blanks=True,
        missing={name: r.missing for name, r in named if r.missing},
    )


_ENDINGS = (".csv", ".tsv", ".txt", ".data", ".tab", ".dat", ".psv")
CSV = FileFormat(
    "CSV", tuple(end + packed for packed in ("", ".gz", ".zst") for end in _ENDINGS), _read
)
