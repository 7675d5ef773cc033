"""Encode and decode tables wherever they are: frames, DuckDB relations, Spark."""

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from shoal.errors import SchemaError, TableError
from shoal.federated.transforms._aliases import AliasTable
from shoal.federated.transforms._key import TransformKey
from shoal.federated.transforms._ranges import GradedRanges
from shoal.federated.transforms._sql import BAD, DUCKDB, SPARK, decode_sql, encode_sql
from shoal.typing import Native


def encode(table: Native, key: TransformKey) -> Native:
    """Replace the key's columns by their published form.

    Parameters
    ----------
    table : pandas, Polars or PyArrow table, DuckDB relation or Spark DataFrame
        Must have every column of the key; other columns pass unchanged.
    key : TransformKey
        The shared key.

    Returns
    -------
    table
        In the caller's own library.  Frames are checked now; relations and Spark tables, which are
        lazy, stop the query that meets a value outside the key.
    """
    return _apply(table, key, back=False)


def decode(table: Native, key: TransformKey) -> Native:
    """Exact inverse of `encode`; columns that the miner left out may be missing."""
    return _apply(table, key, back=True)


def require(key: TransformKey, columns: list[str]) -> None:
    """Raise when a table lacks a column of the key."""
    missing = [name for name in key.columns if name not in columns]
    if missing:
        shown = ", ".join(map(repr, missing))
        raise SchemaError(f"columns of the key missing from the table: {shown}.")


def require_any(key: TransformKey, columns: list[str]) -> None:
    """Raise when a table has no column of the key: there is nothing to decode."""
    if not any(name in columns for name in key.columns):
        raise SchemaError("the table has none of the key's columns.")


def _apply(table: Native, key: TransformKey, *, back: bool) -> Native:
    library = type(table).__module__.split(".")[0]
    if library in ("duckdb", "_duckdb"):
        (require_any if back else require)(key, list(table.columns))
        sql = (decode_sql if back else encode_sql)(key, list(table.columns), DUCKDB)
        return table.project(", ".join(sql))
    if library == "pyspark":
        (require_any if back else require)(key, list(table.columns))
        sql = (decode_sql if back else encode_sql)(key, list(table.columns), SPARK)
        return table.selectExpr(*sql)
    frame = nw.from_native(table, pass_through=True)
    if isinstance(frame, nw.LazyFrame) and frame.implementation.is_polars():
        return _frame(frame.collect(), key, back=back).lazy().to_native()
    if not isinstance(frame, nw.DataFrame):
        raise TableError(
            f"cannot transform a table of type {type(table).__name__}. Pass a pandas, Polars or "
            "PyArrow table, a DuckDB relation or a Spark DataFrame."
        )
    return _frame(frame, key, back=back).to_native()


def _frame(frame: "nw.DataFrame[Any]", key: TransformKey, *, back: bool) -> "nw.DataFrame[Any]":
    (require_any if back else require)(key, frame.columns)
    made = []
    for name, code in key.columns.items():
        if name not in frame.columns:
            continue
        series = frame.get_column(name)
        if isinstance(code, AliasTable):
            made.append(_unmap(series, code) if back else _map(series, code))
        else:
            made.append(_grade(series, code, back=back))
    return frame.with_columns(*made)


def _map(series: "nw.Series[Any]", table: AliasTable) -> "nw.Series[Any]":
    if series.dtype in (nw.Categorical, nw.Enum):
        series = series.cast(nw.String)
    table.check(_distinct(series), series.name)
    return _replace(series, list(table.categories), list(table.aliases), nw.String)


def _unmap(series: "nw.Series[Any]", table: AliasTable) -> "nw.Series[Any]":
    if series.dtype in (nw.Categorical, nw.Enum):
        series = series.cast(nw.String)
    table.check_aliases(_distinct(series), series.name)
    kinds = {bool: nw.Boolean, int: nw.Int64, str: nw.String}
    dtype = kinds[type(table.categories[0])] if table.categories else nw.String
    return _replace(series, list(table.aliases), list(table.categories), dtype)


def _replace(series: "nw.Series[Any]", old: list[Any], new: list[Any], dtype: Any) -> Any:
    present = series.null_count() < len(series)
    return series.replace_strict(old, new, return_dtype=dtype) if present else series.cast(dtype)


def _distinct(series: "nw.Series[Any]") -> list[Any]:
    return list(series.drop_nulls().unique().to_list())


def _grade(series: "nw.Series[Any]", ranges: GradedRanges, *, back: bool) -> "nw.Series[Any]":
    if not series.dtype.is_numeric():
        raise SchemaError(f"column '{series.name}' is graded by the key but is not numeric.")
    values = np.asarray(series.cast(nw.Float64).to_numpy(), np.float64)
    result = (ranges.decode if back else ranges.encode)(values, series.name)
    missing = bool(np.isnan(result).any())
    whole = back and ranges.decimals == 0 and not missing
    array = result.astype(np.int64) if whole else result
    dtype = nw.Int64 if whole else nw.Float64
    made = nw.new_series(series.name, array, dtype, backend=series.implementation)
    if missing and not series.implementation.is_pandas_like():
        column = made.to_frame().select(nw.when(~nw.col(series.name).is_nan()).then(series.name))
        made = column.get_column(series.name)
    return made


def is_refusal(error: Exception) -> bool:
    """Whether a lazy query stopped because a value has no place in the key."""
    return BAD in str(error)
