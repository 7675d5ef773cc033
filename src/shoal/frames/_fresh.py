"""Tables made anew: nothing but values comes along from the table that they are taken from.

No index, no attributes, no metadata of a schema or a field, no category or dictionary entry, no
buffer of a row that is not taken.
"""
# ruff: noqa: PLC0415  dataframe libraries are optional: imported when a table of theirs is at hand

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from shoal.typing import Codes, Flags

Pool = tuple[Sequence[Any], Codes]
"""A column as distinct values of one kind (None is missing) and the number of each row's value."""


def is_loose(frame: nw.DataFrame[Any], name: str) -> bool:
    """Whether equal values of a column may differ in kind, or be listed apart from the rows.

    Objects, categories, dictionaries, bytes: such a column is made anew from a pool of values.
    """
    native, library = frame.to_native(), frame.implementation
    if library.is_polars():
        import polars as pl

        loose = (pl.Object, pl.Categorical, pl.Enum, pl.Binary, pl.Null)
        return native[name].dtype in loose
    if library.is_pyarrow():
        import pyarrow as pa

        kind = native[name].type
        tests = (pa.types.is_dictionary, pa.types.is_null, pa.types.is_binary,
                 pa.types.is_large_binary, pa.types.is_fixed_size_binary)  # fmt: skip
        return isinstance(kind, pa.BaseExtensionType) or any(test(kind) for test in tests)
    return not _is_typed_pandas(native[name].dtype)


def _is_typed_pandas(dtype: Any) -> bool:
    import pandas as pd

    if isinstance(dtype, np.dtype):
        return dtype.kind in "biufmM"
    if isinstance(dtype, pd.SparseDtype):
        return False
    masked = (pd.BooleanDtype, pd.StringDtype, pd.DatetimeTZDtype)
    is_number = pd.api.types.is_integer_dtype(dtype) or pd.api.types.is_float_dtype(dtype)
    return isinstance(dtype, masked) or bool(is_number)


def make_fresh(
    frame: nw.DataFrame[Any],
    names: Sequence[str],
    rows: NDArray[np.int64],
    pools: Mapping[str, Pool],
    numbers: Mapping[str, NDArray[Any]],
    *,
    by_values: bool = False,
) -> nw.DataFrame[Any]:
    """Some rows of some columns as a new table of the same library.

    Parameters
    ----------
    frame : DataFrame
        Where columns without a pool come from; they must not be loose.
    names : sequence of str
        Columns of the result; those of `numbers` follow.
    rows : ndarray of int64
        Rows to take, in this order.
    pools : mapping of str to Pool
        Columns that are given by value instead; a number for each row taken.
    numbers : mapping of str to ndarray
        Columns of floats to add; NaN is missing.
    by_values : bool
        Whether types are those that the taken values alone would have: of a gap or a fraction in a
        row that is not taken, which made whole numbers floats, of a longer decimal, or of the only
        value of a column, nothing is to be seen.
    """
    native, library = frame.to_native(), frame.implementation
    used = {name: _used(*pool) for name, pool in pools.items()}
    if library.is_polars():
        result = _fresh_polars(native, names, rows, used, numbers, by_values)
    elif library.is_pyarrow():
        result = _fresh_arrow(native, names, rows, used, numbers, by_values)
    else:
        result = _fresh_pandas(native, names, rows, used, numbers, by_values)
    return nw.from_native(result, eager_only=True)


def _used(values: Sequence[Any], codes: Codes) -> Pool:
    """Only the values that occur, sorted by nothing but the numbers they had."""
    numbers, inside = np.unique(codes, return_inverse=True)
    return [values[number] for number in numbers.tolist()], inside.ravel().astype(np.int32)


def _are_whole(floats: NDArray[Any]) -> bool:
    """Whether there are floats, all of them whole numbers that they hold exactly."""
    return len(floats) > 0 and bool(((floats == np.floor(floats)) & (abs(floats) < 2**53)).all())


def _fit(most: Any) -> bool:
    """Whether whole numbers up to this one fit into those of 64 bits with a sign."""
    return int(most) < 2**63


def _digits(decimals: Sequence[Decimal | None]) -> tuple[int, int]:
    """Digits that some decimals need, and how many of them stand behind the point.

    Examples
    --------
    >>> _digits([Decimal("-120.50"), Decimal("0.070"), None])
    (5, 2)
    """
    parts = [f"{value:f}".lstrip("-").partition(".") for value in decimals if value is not None]
    before = max((len(whole.lstrip("0")) for whole, _, _ in parts), default=0)
    behind = max((len(fraction.rstrip("0")) for _, _, fraction in parts), default=0)
    return max(before + behind, 1), behind


def _fresh_polars(
    native: Any,
    names: Sequence[str],
    rows: NDArray[np.int64],
    pools: Mapping[str, Pool],
    numbers: Mapping[str, NDArray[Any]],
    by_values: bool,
) -> Any:
    import polars as pl

    def column(name: str) -> Any:
        if name in pools:
            values, codes = pools[name]
            dtype = pl.String if not any(value is not None for value in values) else None
            column = pl.Series(name, values, dtype=dtype)
            return column if len(codes) == 1 else column.gather(codes)  # see below
        series = native[name].gather(rows)
        if by_values and series.null_count() == len(series):
            return pl.Series(name, [None] * len(series), dtype=pl.String)
        if by_values and isinstance(series.dtype, pl.Decimal):
            kind = pl.Decimal(*_digits(series.unique().to_list()))
            # by way of texts, else marks of what is missing are there or not as they were
            return series.cast(pl.String).cast(kind).alias(name)
        if by_values and series.dtype == pl.UInt64 and _fit(series.max()):
            return series.cast(pl.Int64).alias(name)
        # a view of a text would bring along the texts beside it; one truth value taken fills a byte
        if series.dtype in (pl.String, pl.Boolean):
            return pl.Series(name, series.to_list(), dtype=series.dtype)
        if series.dtype.is_float():
            known = series.fill_nan(None)
            zero = pl.lit(0.0, dtype=series.dtype)  # adding 0 would be optimized away
            series = pl.select(pl.when(known == 0).then(zero).otherwise(known)).to_series()
            if (
                by_values
                and series.dtype == pl.Float64
                and _are_whole(known.drop_nulls().to_numpy())
            ):
                series = series.cast(pl.Int64)
        return series.alias(name)

    added = [pl.Series(name, values).fill_nan(None) for name, values in numbers.items()]
    return pl.DataFrame([*map(column, names), *added])


def _fresh_arrow(
    native: Any,
    names: Sequence[str],
    rows: NDArray[np.int64],
    pools: Mapping[str, Pool],
    numbers: Mapping[str, NDArray[Any]],
    by_values: bool,
) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    def column(name: str) -> Any:
        if name in pools:
            values, codes = pools[name]
            kind = pa.string() if not any(value is not None for value in values) else None
            return pa.array(values, kind).take(pa.array(codes))
        source = native[name]
        if str(source.type) == "string_view":  # few functions of PyArrow take views
            source = source.cast(pa.string())
        taken = source.take(pa.array(rows))
        if by_values and taken.null_count == len(taken):
            return pa.nulls(len(taken), pa.string())
        if by_values and pa.types.is_decimal(taken.type):
            return taken.cast(pa.decimal128(*_digits(pc.unique(taken).to_pylist())))
        if pa.types.is_floating(taken.type):
            taken = pc.if_else(pc.is_nan(taken), None, pc.add(taken, pa.scalar(0, taken.type)))
            known = taken.drop_null()
            if by_values and taken.type == pa.float64() and _are_whole(known.to_numpy()):
                taken = taken.cast(pa.int64())
        if str(taken.type) == "large_string":
            taken = taken.cast(pa.string())
        return taken

    added = {name: pa.array(values, mask=np.isnan(values)) for name, values in numbers.items()}
    arrays = [*map(column, names), *added.values()]
    return pa.Table.from_arrays(arrays, names=[*names, *added])


def _fresh_pandas(
    native: Any,
    names: Sequence[str],
    rows: NDArray[np.int64],
    pools: Mapping[str, Pool],
    numbers: Mapping[str, NDArray[Any]],
    by_values: bool,
) -> Any:
    import pandas as pd

    def column(name: str) -> Any:
        if name in pools:
            return _pandas_pool(*pools[name])
        array = native[name].array
        if by_values and native[name].isna().to_numpy()[rows].all():
            return _pandas_pool([None], np.zeros(len(rows), np.int32))
        if pd.api.types.is_float_dtype(array.dtype):
            floats = array.to_numpy(np.float64, na_value=np.nan)[rows] + 0.0
            missing = np.isnan(floats)
            if not by_values or not _are_whole(floats[~missing]):
                return floats
            if not missing.any():  # of an array, even NumPy's types are those of pandas
                whole = floats.astype(np.int64)
                return whole if isinstance(native[name].dtype, np.dtype) else pd.array(whole)
            return _masked(pd.array(np.where(missing, None, floats), "Int64"), missing)
        taken = array.take(rows)
        if (
            by_values
            and taken.dtype in ("uint64", "UInt64")
            and _fit(native[name].iloc[rows].max())
        ):
            taken = pd.array(taken, dtype="Int64" if taken.dtype == "UInt64" else "int64")
        missing = np.asarray(taken.isna(), np.bool_)
        if hasattr(taken, "_mask") and missing.any():  # what lies under the mask stays behind
            return _masked(taken, missing)
        return taken

    made = {name: column(name) for name in names} | dict(numbers)
    # a dictionary would do, were it not for a table without columns, whose rows would be lost
    return pd.DataFrame(made, index=pd.RangeIndex(len(rows)))


def _masked(array: Any, missing: Flags) -> Any:
    filled = array.fillna(array.dtype.type(0)).to_numpy(array.dtype.numpy_dtype)
    return type(array)(filled, missing)


def _pandas_pool(values: Sequence[Any], codes: Codes) -> Any:
    import pandas as pd

    kinds = {type(value) for value in values if value is not None}
    if kinds == {float}:
        return np.array([np.nan if value is None else value for value in values])[codes]
    if kinds in ({int}, {bool}):
        dtype = "Int64" if kinds == {int} else "boolean"
        if None not in values:
            return np.array(values)[codes]
        taken = pd.array(list(values), dtype=dtype).take(codes)
        missing = np.asarray(taken.isna(), np.bool_)
        return _masked(taken, missing) if missing.any() else taken  # pandas has a 1 under the mask
    if kinds == {dt.date}:
        return pd.array(pd.to_datetime([*values]), dtype="datetime64[s]").take(codes)
    if pd.__version__ >= "3":
        pool = pd.Series(list(values), dtype="str")
        return pool.take(codes).array if len(codes) else pool.iloc[:0].array
    return np.array([*values, None], object)[codes]
