"""Single columns, in the words that all dataframe libraries share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

Series = nw.Series[Any]


def to_array(series: Series) -> NDArray[Any]:
    """A column as an array of its own type; masked where a value is missing."""
    missing = np.asarray(series.is_null().to_numpy(), np.bool_)
    values = _filled(series, bool(missing.any()))
    return np.ma.MaskedArray(values, missing) if missing.any() else values


def _filled(series: Series, has_missing: bool) -> NDArray[Any]:
    dtype = series.dtype
    if dtype.is_decimal():
        series, dtype = series.cast(nw.Float64), nw.Float64()
    if dtype.is_numeric():
        return np.asarray((series.fill_null(0) if has_missing else series).to_numpy())
    if dtype == nw.Boolean:
        return np.asarray((series.fill_null(False) if has_missing else series).to_numpy(), np.bool_)
    listed = series.to_list()
    if dtype == nw.Date or (dtype == nw.Datetime and getattr(dtype, "time_zone", None) is None):
        # pandas' NaT is a value that is not equal to itself
        return np.array([None if day != day else day for day in listed], "datetime64[us]")
    return np.fromiter(listed, object, len(listed))


def as_text(series: Series) -> Series:
    """Categories as the texts that they stand for; any other column as it is."""
    return series.cast(nw.String) if series.dtype in (nw.Categorical, nw.Enum) else series


def distinct(series: Series) -> list[Any]:
    """Distinct values that are not missing, in no order."""
    return list(series.drop_nulls().unique().to_list())


def exchange(series: Series, new_of: Mapping[Any, Any]) -> Series:
    """Values exchanged one for one; missing ones stay missing."""
    kinds: dict[type, Any] = {bool: nw.Boolean, int: nw.Int64, str: nw.String}
    new = list(new_of.values())
    dtype = kinds[type(new[0])] if new else nw.String
    if series.null_count() == len(series):  # nothing to exchange: only the type changes
        return series.cast(dtype)
    return series.replace_strict(list(new_of), new, return_dtype=dtype)


def of_numbers(name: str, numbers: NDArray[Any], *, like: Series) -> Series:
    """A column in the library of another one; NaN becomes a missing value."""
    whole = numbers.dtype.kind in "iu"
    dtype = nw.Int64 if whole else nw.Float64
    series = nw.new_series(name, numbers, dtype, backend=like.implementation)
    if whole or not np.isnan(numbers).any() or like.implementation.is_pandas_like():
        return series
    column = series.to_frame().select(nw.when(~nw.col(name).is_nan()).then(name))
    return column.get_column(name)
