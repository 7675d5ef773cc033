"""Rows in a connection of our own to DuckDB: set up, filled and asked, with errors without cells.

Columns are called `c0`, `c1`, ... there, and names of the user's never meet ours.
"""

from __future__ import annotations

import atexit
import ctypes
import datetime as dt
import itertools
import os
import re
import secrets
import shutil
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import duckdb
from numpy.typing import NDArray

from shoal._resources import database_memory, n_threads, scratch
from shoal.errors import TableError
from shoal.tables._dialect import TextDialect
from shoal.typing import PathText

if TYPE_CHECKING:
    from shoal.tables._engine import OpenOptions

STOP = "shoal: a value cannot be transformed"
"""What a query of ours raises, by SQL's own `error`, when it meets a value it must not pass."""

NUMBER = "row_id"
"""Column of the view with a row's number: 0, 1, ... in the order in which the rows were read."""

HUGE = ("HUGEINT", "UHUGEINT")
_INCOMING = "incoming_arrays"

_counter = itertools.count()
_databases: dict[tuple[Any, ...], duckdb.DuckDBPyConnection] = {}
"""The database of this process, by folder, memory and threads: one takes longer to make than a
small table to read.  Nobody else has these connections: closing one closes all made of it."""
_open: weakref.WeakSet[duckdb.DuckDBPyConnection] = weakref.WeakSet()
_spills: set[Path] = set()


class StoppedQueryError(TableError):
    """A query met a value that it was told to stop at."""


def connect(database: str | None = None) -> duckdb.DuckDBPyConnection:
    """A connection of our own, whose temporary tables and views no other connection sees.

    Parameters
    ----------
    database : str, optional
        A file, or `:memory:` for a database that no other connection has, as attached files are
        seen by all that have it.  If None, connections share one.
    """
    key = (database, str(scratch()), database_memory(), n_threads(otherwise=0))
    while True:
        shared = _databases.get(key)
        if shared is None:
            spill = scratch() / f"spill-{secrets.token_hex(8)}"  # not where the user happens to be
            settings: dict[str, Any] = {
                "temp_directory": str(spill),
                "python_enable_replacements": False,  # a table is never a variable
                "memory_limit": database_memory(),
                "enable_external_file_cache": False,  # a file that is written anew is read anew
            }
            if key[-1]:  # DuckDB takes every core unless told otherwise
                settings["threads"] = key[-1]
            connection = duckdb.connect(database or ":memory:", config=settings)
            if not _spills:
                atexit.register(_leave)
                if hasattr(os, "register_at_fork"):
                    os.register_at_fork(before=_databases.clear, after_in_child=_forget)
            _spills.add(spill)
            _open.add(connection)
            # whichever thread comes first: a database that nobody uses goes at once
            shared = connection if database else _databases.setdefault(key, connection)
        try:
            connection = shared if database else shared.cursor()
            # stdout belongs to the command; a notebook without widgets has no bar, and refuses
            with suppress(duckdb.InvalidInputException):
                connection.execute("SET enable_progress_bar = false")
            break
        except (
            duckdb.FatalException
        ):  # by a defect of DuckDB's in another table: it answers no more
            if database is not None:
                raise
            _databases.pop(key, None)
    _open.add(connection)
    return connection


def _leave() -> None:
    """Close what is open while the interpreter is whole: later DuckDB may abort the process."""
    for connection in list(_open):
        with suppress(duckdb.Error):
            connection.interrupt()
            connection.close()
    _databases.clear()
    for spill in _spills:
        shutil.rmtree(spill, ignore_errors=True)  # DuckDB does, unless it is cut short


def _forget() -> None:
    """Let a child neither use nor take apart what its parent has open.

    DuckDB would wait there for threads that only the parent has, and never end.  A database that no
    table uses goes before the fork; of others a child keeps what it cannot take apart.
    """
    for connection in _open:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))
    _open.clear()
    _spills.clear()


@contextmanager
def disclose_nothing(doing: Literal["read", "write"] = "read") -> Iterator[None]:
    """Turn DuckDB's errors into ours: its texts may quote cells, ours never do."""
    try:
        yield
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None  # somebody pressed Ctrl-C: no fault of the file
    except duckdb.Error as error:
        if STOP in str(error):
            raise StoppedQueryError("a value cannot be transformed; nothing was written.") from None
        raise TableError(_explain(error, doing)) from None


def _explain(error: duckdb.Error, doing: str) -> str:
    message = str(error)
    if isinstance(error, duckdb.OutOfMemoryException):
        return "the database needs more memory than it may take. Allow more, e.g. SHOAL_MEMORY=8GB."
    line = re.search(r"[Ll]ine:? ?(\d+)", message)
    where = f" at line {line.group(1)}" if line else ""
    # DuckDB names the encoding it tried in every message about a CSV file
    if re.search(r"not utf-8|unicode", message, re.IGNORECASE):
        return f"the file is not UTF-8{where}. Say how it is encoded, e.g. --encoding latin-1."
    # a large file is parsed while the result is written: then the row is at fault, not the folder
    if isinstance(error, duckdb.ConversionException | duckdb.InvalidInputException):
        return (
            f"the file cannot be read{where}: a row has another shape or type than those before. "
            "Mend the row, or write the table as Parquet."
        )
    if doing == "write" or isinstance(error, duckdb.IOException):
        if "space" in message.lower():
            return "the disk is full. Free space or choose another folder; nothing was kept."
        if doing == "write":
            return "the file cannot be written. Check the folder and its permissions."
        return "the file cannot be read: it is damaged, cut short, or not in the stated format."
    return (
        f"the table cannot be read{where}: it is damaged, cut short, or made of something that is "
        f"gone ({type(error).__name__}). Copy it again from where it came."
    )


def store(
    connection: duckdb.DuckDBPyConnection, table: str, columns: Mapping[str, NDArray[Any]]
) -> None:
    """Put arrays into a temporary table of a connection of our own."""
    with disclose_nothing():
        connection.register(_INCOMING, dict(columns))
        try:
            connection.execute(f"CREATE TEMP TABLE {table} AS FROM {_INCOMING}")
        finally:
            connection.unregister(_INCOMING)


@dataclass(frozen=True, eq=False)
class StagedRows:
    """Numbered rows in a connection of our own.

    Parameters
    ----------
    connection : DuckDBPyConnection
        Where they are.
    view : str
        Name of a view with `row_id`, `c0`, `c1`, ...; values are canonical.
    names, types : tuple of str
        The user's names and DuckDB's types of `c0`, `c1`, ...
    paths : tuple of Path
        Files of the user's that the numbers count; empty when the rows were read once.
    kept : object
        What has to stay alive: the folder that holds the rows.
    titles : mapping of str to str
        What a file says about its columns beside their names, as files of SPSS and Stata do.
    n_rows : int, optional
        How many there are, where they were counted while they were read.
    options : OpenOptions, optional
        How they were read, where types were told from values; None where they were declared.
    doubts : mapping of int to object
        Columns whose reading other rows may have decided, and that reading; `t0`, `t1`, ... of the
        view are their texts as they were written.
    """

    connection: duckdb.DuckDBPyConnection
    view: str
    names: tuple[str, ...]
    types: tuple[str, ...]
    paths: tuple[Path, ...] = ()
    dialect: TextDialect | None = None
    kept: Any = field(default=None, repr=False)
    titles: Mapping[str, str] = field(default_factory=dict)
    n_rows: int | None = None
    options: OpenOptions | None = None
    doubts: Mapping[int, Any] = field(default_factory=dict)

    @property
    def relation(self) -> duckdb.DuckDBPyRelation:
        """The rows with the user's names, in their order."""
        listed = ", ".join(f"c{i} AS {name_sql(name)}" for i, name in enumerate(self.names))
        return self.connection.sql(f"SELECT {listed} FROM {self.view}")


def require_names(names: Sequence[str]) -> None:
    """Refuse columns that a database would take for one another."""
    folded = [name.lower() for name in names]
    twice = sorted({name for name in names if folded.count(name.lower()) > 1})
    if twice:
        shown = ", ".join(map(repr, twice))
        raise TableError(f"columns given twice: {shown}. Rename or drop one of each.")


def stage_table(
    connection: duckdb.DuckDBPyConnection,
    read: str,
    names: Sequence[str],
    paths: Sequence[Path] = (),
    dialect: TextDialect | None = None,
    *,
    number: str | None = None,
    kept: Any = None,
    doubts: Mapping[int, Any] | None = None,
) -> StagedRows:
    """Number the rows of a FROM clause of columns `p0`, `p1`, ... and make values canonical.

    They are read into a temporary table, unless a column `number` of the clause has their numbers.
    Behind the columns the clause has the texts of those that `doubts` names.
    """
    view = f"rows_{next(_counter)}"
    listed = ", ".join(f"p{i}" for i in range(len(names)))
    n_rows = None
    if number is None:
        table, number = f"staged_{next(_counter)}", "rowid"
        every = ", ".join([listed, *(f"t{i}" for i in doubts or ())])
        made = connection.execute(
            f"CREATE TEMP TABLE {table} AS SELECT {every} FROM {read} AS t({every})"
        )
        read, n_rows = table, int(made.fetchall()[0][0])
    types = map(str, connection.sql(f"SELECT {listed} FROM {read}").types)
    columns = [f"CAST({number} AS BIGINT) AS {NUMBER}"]
    for i, kind in enumerate(types):
        is_huge = kind in HUGE
        value = _narrowed(connection, f"p{i}", read) if is_huge else canonical_sql(f"p{i}", kind)
        columns.append(f"{value} AS c{i}")
    columns += [f"t{i}" for i in doubts or ()]
    connection.execute(f"CREATE TEMP VIEW {view} AS SELECT {', '.join(columns)} FROM {read}")
    kinds = tuple(map(str, connection.table(view).types))[1 : 1 + len(names)]
    known = (connection, view, tuple(names), kinds, tuple(paths), dialect, kept)
    return StagedRows(*known, n_rows=n_rows, doubts=doubts or {})


def _narrowed(connection: duckdb.DuckDBPyConnection, column: str, read: str) -> str:
    """Whole numbers of 128 bits as those of 64, or as texts: hardly a file holds them as they are.

    Sums of DuckDB's have this type, whatever their size.
    """
    beyond = f"{column} IS NOT NULL AND TRY_CAST({column} AS BIGINT) IS NULL"
    beyond_rows = connection.sql(f"SELECT 1 FROM {read} WHERE {beyond} LIMIT 1").fetchall()
    return f"CAST({column} AS {'VARCHAR' if beyond_rows else 'BIGINT'})"


def name_sql(name: str) -> str:
    """A column's name, quoted."""
    return '"' + name.replace('"', '""') + '"'


def value_sql(value: Any) -> str:
    """A value as a literal."""
    match value:
        case None:
            return "NULL"
        case bool():
            return "TRUE" if value else "FALSE"
        case str():
            return "'" + value.replace("'", "''") + "'"
        case int() | Decimal():
            return str(value)
        case float():
            return f"'{value!r}'::DOUBLE"
        case dt.datetime():
            return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
        case dt.date():
            return f"DATE '{value.isoformat()}'"
        case _:
            return "'" + str(value).replace("'", "''") + "'"


MAP_LIMIT = 256
"""Entries up to which a MAP is fast: it is searched from its start."""


def paths_sql(paths: Sequence[PathText]) -> str:
    """Names of files, as a list; what DuckDB would take for a pattern stands for itself."""
    plain = (re.sub(r"([*?\[])", r"[\1]", str(path)) for path in paths)
    return "[" + ", ".join(map(value_sql, plain)) + "]"


_AS_TEXT = ("ENUM", "JSON", "UUID", "INTERVAL", "BIT", "TIMETZ", "TIME WITH", "VARINT", "BIGNUM")
NESTED = re.compile(r"STRUCT|MAP|UNION|VARIANT|.*\]$", re.DOTALL)
"""How the names of DuckDB's types begin whose values are made of other values."""


def is_nan_sql(number: str) -> str:
    """Whether a binary number is NaN, in DuckDB.

    Not `isnan`: Parquet's statistics leave NaN out, so that the optimizer takes it for never true.
    """
    return f"(NOT isfinite({number}) AND NOT isinf({number}))"


def canonical_sql(column: str, kind: str) -> str:
    """A column of a type of DuckDB's with one value for all that are equal.

    The same as :mod:`shoal.tables._canonical` says for every engine.
    """
    if kind in ("DOUBLE", "FLOAT"):
        return f"CASE WHEN {is_nan_sql(column)} THEN NULL ELSE {column} + CAST(0 AS {kind}) END"
    if kind == "BLOB":
        return f"lower(hex({column}))"
    if kind == "TIMESTAMP_NS":
        return f"regexp_replace(CAST({column} AS VARCHAR), ' 00:00:00$', '')"
    if kind in ("TIME", "TIME_NS") or (kind.startswith(_AS_TEXT) and not NESTED.match(kind)):
        return f"CAST({column} AS VARCHAR)"
    return column
