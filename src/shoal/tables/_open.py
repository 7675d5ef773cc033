"""One door for every kind of table."""

from os import PathLike
from pathlib import Path
from typing import Any

import duckdb

from shoal.errors import TableError
from shoal.frames._frame import is_frame
from shoal.frames._native import read_arrow
from shoal.tables._engine import Engine
from shoal.tables.engines._duck_engine import DuckEngine
from shoal.tables.engines._files import open_files
from shoal.tables.engines._frame_engine import FrameEngine
from shoal.tables.engines._spark_engine import SparkEngine, is_spark

ARROW = (".arrow", ".feather", ".ipc")


def open_table(source: Any, *, encoding: str | None = None) -> Engine:
    """Find the engine for a table.

    Parameters
    ----------
    source : table or path
        A pandas, Polars (eager or lazy) or PyArrow table, a DuckDB relation, a Spark DataFrame,
        a CSV or Parquet file, a folder of such files, or an engine.
    encoding : str, optional
        Encoding of CSV files; UTF-8 when not given.
    """
    if isinstance(source, FrameEngine | DuckEngine | SparkEngine):
        return source
    if isinstance(source, str | PathLike) and Path(source).suffix.lower() in ARROW:
        return FrameEngine(read_arrow(Path(source)))
    if isinstance(source, str | PathLike):
        return DuckEngine(*open_files(source, encoding=encoding))
    if isinstance(source, duckdb.DuckDBPyRelation):
        return DuckEngine(source)
    if is_spark(source):
        return SparkEngine(source)
    if is_frame(source):
        return FrameEngine(source)
    raise TableError(
        f"cannot read a table from {type(source).__name__}. Pass a pandas, Polars or PyArrow "
        "table, a DuckDB relation, a Spark DataFrame, or a path to a CSV or Parquet file."
    )
