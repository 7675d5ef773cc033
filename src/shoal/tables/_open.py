"""One door for every kind of table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from typing import Any, TypedDict, Unpack

from shoal._addresses import address_of, is_address, path_of
from shoal.errors import SchemaError, TableError
from shoal.schema import Schema
from shoal.tables._engine import STANDARD, Engine, Guess, OpenOptions
from shoal.tables.engines._duck_engine import DuckEngine
from shoal.tables.engines._engines import ENGINES, find_engine
from shoal.tables.engines._logged_tables import refuse_logged_files
from shoal.tables.engines.formats._databases import open_address
from shoal.tables.engines.formats._formats import (
    FORMATS,
    NO_TEXT,
    open_several,
    refuse_content,
    refuse_name,
    spooled,
    unpacked,
)
from shoal.tables.engines.formats._parquet import PARQUET
from shoal.typing import PathText


class ReadingOptions(TypedDict, total=False):
    """What may be said about how a file is written; what is not said is found."""

    delimiter: str | None
    decimal: str | None
    thousands: str | None
    dates: str | None
    header: bool | None
    missing: tuple[str, ...] | None
    skip_bad_rows: bool
    sheet: str | None
    table: str | None
    keep_empty_rows: bool


def open_table(
    source: Any,
    *,
    encoding: str | None = None,
    guess: Guess = "all",
    types: Mapping[str, str] | None = None,
    schema: Schema | None = None,
    **reading: Unpack[ReadingOptions],
) -> Engine:
    """Find the engine for a table.

    Parameters
    ----------
    source : table or path
        A pandas, Polars (eager or lazy) or PyArrow table, a DuckDB relation, a Spark DataFrame, a
        mapping of names to sequences, a file (CSV, Parquet, Arrow, Excel, JSON lines, SPSS, Stata,
        SAS, SQLite, DuckDB), a folder of such files, an address of a table in a database, or an
        engine.
    encoding : str, optional
        Encoding of CSV files; detected by default.
    guess : {"all", "numbers", "none"}, default="all"
        What cells of a CSV file may be besides texts: anything, numbers only, or nothing.
    types : mapping of str to str, optional
        SQL types of columns of a CSV file that are not left to a guess; names that the file does
        not have are passed over.
    schema : Schema, optional
        Its `reading` holds where nothing else is said about the file.
    **reading
        How a file is written, where that should not be detected: `delimiter`, `decimal`,
        `thousands`, `dates` ("dmy" or "mdy"), `header` (whether there is one), `missing` (words for
        nothing), `skip_bad_rows`, `keep_empty_rows` (rows of empty cells between commas, which are
        left out else), `sheet` of a workbook, `table` of a database.

    Examples
    --------
    >>> open_table({"age": [30, 30, 41]}).n_rows
    3
    """
    if isinstance(source, ENGINES):
        return source
    told: OpenOptions = getattr(source, "options", None) or OpenOptions()
    options = replace(
        told,
        encoding=encoding or told.encoding,
        guess=guess,
        types=dict(types or {}),
        **{name: value for name, value in reading.items() if value is not None},  # type: ignore[arg-type]
    )
    if schema is not None and not isinstance(schema, Schema):
        raise SchemaError(
            f"schema must be a Schema, got {type(schema).__name__}. `Schema.from_toml(path)` reads "
            "one of a file; k, or a privacy model, is given as privacy=."
        )
    if schema is not None and schema.reading:
        options = options.filled(schema.reading)
    if isinstance(source, str | PathLike):
        return _open_file(source, options)
    engine = find_engine(source)
    if engine is None:
        raise TableError(
            f"cannot read a table from {type(source).__name__}. {_instead(source)}Pass a pandas, "
            "Polars or PyArrow table, a DuckDB relation, a Spark DataFrame, or a path to a CSV, "
            "Parquet, Excel or other file."
        )
    return engine.open(source, options)


def _instead(source: object) -> str:
    """How a table is made of something that is nearly one, as a sentence."""
    if isinstance(source, list | tuple) or hasattr(source, "__array__"):
        if getattr(source, "ndim", 2) == 1 or hasattr(source, "to_frame"):
            return "It is one column: `.to_frame()`, or {name: values}, makes a table of it. "
        named = isinstance(source, list | tuple) and source and isinstance(source[0], Mapping)
        columns = "" if named else ", columns=[...]"
        return f"Its columns need names: `pandas.DataFrame(rows{columns})` is a table of them. "
    if isinstance(source, bytes) or hasattr(source, "read"):
        return "Give the path of the file as text. "
    return ""


def _open_file(source: PathText, options: OpenOptions) -> Engine:
    """The table in a file, in all files of a folder, at an address, or in standard input."""
    if is_address(source):
        return open_address(address_of(source), options)
    path = path_of(source)
    if str(source) == STANDARD or path.is_fifo() or path.is_char_device():  # <(command) in a shell
        path = spooled(path)
    elif not path.exists() or path.is_dir():
        return open_several(path, options)
    if path.suffix.lower() == ".zip":
        path = unpacked(path)
    name = path.name.lower()
    named = next((known for known in FORMATS if name.endswith(known.suffixes)), None)
    if named is None:
        refuse_name(path)
    if named is PARQUET:
        refuse_logged_files([path])
    try:
        with path.open("rb") as file:
            head = file.read(64)
    except OSError as error:
        raise TableError(
            f"{path.name!r} cannot be read: {error.strerror}. Check the file and its permissions."
        ) from None
    if NO_TEXT.match(head):
        refuse_content(path, head, named)
    return named.read([path], options)


def require_filled(engine: Engine, purpose: str) -> None:
    """Raise for a table without rows, before anything is asked of it."""
    if engine.n_rows == 0:
        raise TableError(
            f"the table has no rows, so there is nothing to {purpose}. Check that it is the right "
            "one."
        )


def is_table(source: Any) -> bool:
    """Whether :func:`open_table` would try to open it."""
    return isinstance(source, (str, PathLike, *ENGINES)) or find_engine(source) is not None


def open_relation(
    source: Any,
    *,
    encoding: str | None = None,
    guess: Guess = "all",
    types: Mapping[str, str] | None = None,
) -> DuckEngine:
    """The same door for work that is written in SQL; other tables are handed to DuckDB."""
    engine = open_table(source, encoding=encoding, guess=guess, types=types)
    return engine if isinstance(engine, DuckEngine) else DuckEngine.of_frame(engine.frame())
