"""Connections to DuckDB: how they are set up, and errors that quote no cell."""

from __future__ import annotations

import atexit
import re
import secrets
import shutil
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

import duckdb

from shoal._scratch import scratch
from shoal._threads import asked_threads, database_memory
from shoal.errors import TableError

STOP = "shoal: a value cannot be transformed"
"""What a query of ours raises, by SQL's own `error`, when it meets a value it must not pass."""


_open: weakref.WeakSet[duckdb.DuckDBPyConnection] = weakref.WeakSet()
_spills: set[Path] = set()


class StoppedQueryError(TableError):
    """A query met a value that it was told to stop at."""


def connect(database: str = ":memory:") -> duckdb.DuckDBPyConnection:
    """A connection of our own."""
    spill = scratch() / f"spill-{secrets.token_hex(8)}"
    settings: dict[str, Any] = {
        "temp_directory": str(spill),  # not where the user happens to be
        "python_enable_replacements": False,  # a table is never a variable
        "memory_limit": database_memory(),
    }
    asked = asked_threads()
    if asked is not None:  # DuckDB takes every core unless told otherwise
        settings["threads"] = asked
    connection = duckdb.connect(database, config=settings)
    # stdout belongs to the command; a notebook without widgets has no bar, and refuses the setting
    with suppress(duckdb.InvalidInputException):
        connection.execute("SET enable_progress_bar = false")
    if not _spills:
        atexit.register(_leave)
    _spills.add(spill)
    _open.add(connection)
    return connection


def _leave() -> None:
    """Close what is open while the interpreter is whole: later DuckDB may abort the process."""
    for connection in list(_open):
        with suppress(duckdb.Error):
            connection.interrupt()
            connection.close()
    for spill in _spills:
        shutil.rmtree(spill, ignore_errors=True)  # DuckDB does, unless it is cut short


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
