"""Columns of rows as integer codes, when only equality counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import TableError
from shoal.typing import Codes

_ROOM = 4
"""Whole numbers whose range is at most this many times their number need no look-up."""


def code_array(name: str, column: NDArray[Any]) -> Codes:
    """A code per row; equal values have equal codes, and a missing value has one of its own.

    Codes start at 0 and are dense up to a small factor.  Masked entries, None and NaN are missing.
    """
    missing = np.ma.getmaskarray(column) if isinstance(column, np.ma.MaskedArray) else None
    values = np.ma.getdata(column) if missing is not None else np.asarray(column)
    if values.dtype == object:
        return _code_objects(name, values, missing)
    if values.dtype.kind == "f":
        absent = np.isnan(values)
        missing = absent if missing is None else missing | absent
    elif values.dtype.kind in "mM":
        absent = np.isnat(values)
        missing = absent if missing is None else missing | absent
        values = values.view(np.int64)
    codes = _code_numbers(values if missing is None else values[~missing])
    if missing is None or not missing.any():
        return codes
    result = np.full(len(values), codes.max(initial=-1) + 1, np.int32)
    result[~missing] = codes
    return result


def masked_array(values: Sequence[Any]) -> NDArray[Any]:
    """Python values as an array of their own type; masked where one is None."""
    missing = np.fromiter((value is None for value in values), np.bool_, len(values))
    known = [value for value in values if value is not None]
    array: NDArray[Any] = plain_array(known)
    if not missing.any():
        return array
    filled = np.zeros(len(values), array.dtype)
    filled[~missing] = array
    return np.ma.MaskedArray(filled, missing)


def plain_array(values: Any) -> NDArray[Any]:
    """Numbers as numbers, anything else as objects: an array of texts would make None a text."""
    if isinstance(values, np.ndarray):
        return values.astype(object) if values.dtype.kind in "US" else values
    listed = list(values)
    if all(issubclass(kind, int | float | np.number) for kind in set(map(type, listed))):
        return np.array(listed)
    return np.fromiter(listed, object, len(listed))


def stack_codes(columns: Iterable[Codes], n_rows: int) -> Codes:
    """Coded columns as one array, a column in each row."""
    listed = list(columns)
    result = np.empty((len(listed), n_rows), np.int32)
    for column, codes in enumerate(listed):
        result[column] = codes
    return result


def _code_numbers(values: NDArray[Any]) -> Codes:
    if not len(values):
        return np.empty(0, np.int32)
    if values.dtype.kind == "b":
        return values.astype(np.int32)
    if values.dtype.kind in "iu":
        low, high = int(values.min()), int(values.max())
        if high - low < max(_ROOM * len(values), 1024):
            if values.dtype.itemsize < 4:
                values = values.astype(np.int32)
            return (values - values.dtype.type(low)).astype(np.int32)
    _, codes = np.unique(values, return_inverse=True)
    return codes.astype(np.int32)


def _code_objects(name: str, values: NDArray[Any], missing: NDArray[np.bool_] | None) -> Codes:
    listed = values.tolist()
    try:
        code_of = {value: code for code, value in enumerate(dict.fromkeys(listed))}
    except TypeError:
        raise TableError(
            f"column {name!r} holds lists or other values that cannot be compared. "
            "Turn them into text or numbers first."
        ) from None
    absent = code_of.setdefault(None, len(code_of))
    for value in code_of:
        if value != value:  # every NaN is an object of its own
            code_of[value] = absent
    codes = np.fromiter(map(code_of.__getitem__, listed), np.int32, len(listed))
    if missing is not None:
        codes[missing] = absent
    return codes
