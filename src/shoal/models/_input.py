"""What a classifier is given: arrays or frames of any library, reduced to columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from shoal.errors import SchemaError, TableError
from shoal.frames._frame import Frame, has_names, is_frame
from shoal.schema._text import number
from shoal.tables import open_table
from shoal.tables._open import is_table
from shoal.typing import Codes, Floats


@dataclass(frozen=True)
class Factor:
    """A column as codes (-1 where missing) and the distinct values behind them."""

    codes: Codes
    values: Sequence[Any]

    def numbers(self) -> Floats:
        """The column on the number line; NaN where missing."""
        placed = np.array([*map(number, self.values), np.nan], np.float64)
        return placed[self.codes]


class Input:
    """A table by column: `numbers` for numeric ones, `factor` for any."""

    def __init__(
        self, names: tuple[str, ...], table: NDArray[Any] | Frame | Mapping[str, NDArray[Any]]
    ) -> None:
        self.names = names
        self._table = table
        self._types = table.types if isinstance(table, Frame) else {}

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        if isinstance(self._table, Frame):
            return self._table.n_rows
        return len(self._array(0)) if self.names else 0

    def _array(self, column: int) -> NDArray[Any]:
        """A column that is not in a frame."""
        if isinstance(self._table, Mapping):
            return self._table[self.names[column]]
        assert isinstance(self._table, np.ndarray)
        values: NDArray[Any] = self._table[:, column]
        return values

    def is_numeric(self, column: int) -> bool:
        """Whether the column holds numbers (and missing values) only."""
        if isinstance(self._table, Frame):
            return self._types[self.names[column]] == "number"
        values = self._array(column)
        if values.dtype.kind != "O":
            return values.dtype.kind in "fiub"
        return all(value is None or isinstance(value, int | float | np.number) for value in values)

    def is_date(self, column: int) -> bool:
        """Whether the column holds dates."""
        if isinstance(self._table, Frame):
            return self._types[self.names[column]] == "date"
        return self._array(column).dtype.kind == "M"

    def numbers(self, column: int) -> Floats:
        """A numeric column as floats; NaN where missing."""
        if isinstance(self._table, Frame):
            numbers = self._table.numbers(self.names[column])
        else:
            numbers = np.array(self._array(column), np.float64)
        if np.isinf(numbers).any():
            raise TableError(f"column {self.names[column]!r}: Input contains infinity.")
        return numbers

    def factor(self, column: int) -> Factor:
        """A column as codes and distinct values."""
        if isinstance(self._table, Frame):
            return Factor(*self._table.factorize(self.names[column]))
        values = self._array(column)
        if values.dtype.kind in "fiub":
            distinct, codes = np.unique(values, return_inverse=True)
            codes = codes.astype(np.int32)
            if len(distinct) and distinct[-1] != distinct[-1]:  # NaN sorts last
                codes[codes == len(distinct) - 1] = -1
                distinct = distinct[:-1]
            return Factor(codes, distinct.tolist())
        listed = values.tolist()
        known = [value for value in dict.fromkeys(listed) if value is not None and value == value]
        code_of = {value: code for code, value in enumerate(known)}
        codes = np.fromiter(map(code_of.get, listed, repeat(-1)), np.int32, len(listed))
        return Factor(codes, known)

    def take(self, rows: NDArray[np.intp]) -> Input:
        """Some of the rows."""
        if isinstance(self._table, Frame):
            return Input(self.names, self._table.take(rows))
        if isinstance(self._table, Mapping):
            return Input(self.names, {name: own[rows] for name, own in self._table.items()})
        return Input(self.names, self._table[rows])


def read_input(estimator: Any, X: Any, *, reset: bool) -> Input:
    """Check what was given and remember (or compare) the names and the number of columns."""
    # scikit-learn's own conventions hold for arrays and for frames whose columns are numbered
    if has_names(X) if is_frame(X) else is_table(X):
        return _read_table(estimator, X, reset)
    table = check_array(
        X, dtype=None, ensure_all_finite="allow-nan" if _is_plain(X) else False, estimator=estimator
    )
    if table.dtype.kind == "c":
        raise TableError("Complex data not supported. Pass real numbers or text.")
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    known = getattr(estimator, "feature_names_in_", None)
    names = known if known is not None else [f"x{i}" for i in range(table.shape[1])]
    return Input(tuple(map(str, names)), table)


def _read_table(estimator: Any, X: Any, reset: bool) -> Input:
    """Whatever is a table by itself: a frame, a file, a relation, columns by name."""
    engine = open_table(X, schema=getattr(estimator, "schema", None))
    if not engine.names:
        raise TableError("0 feature(s): the table has no columns.")
    if not engine.n_rows:
        raise TableError("the table has 0 rows. Found array with 0 sample(s).")
    if is_frame(X):
        _names(estimator, X, engine.names, reset)
        return Input(engine.names, engine.frame())
    _remember(estimator, engine.names, reset)
    columns = engine.columns()
    return Input(engine.names, {name: _filled(column) for name, column in columns.items()})


def _is_plain(X: Any) -> bool:
    kind = getattr(getattr(X, "dtype", None), "kind", None)
    return kind is None or kind in "fiu"


def _names(estimator: Any, X: Any, names: tuple[str, ...], reset: bool) -> None:
    """Remember or compare the names of a frame's columns."""
    if hasattr(X, "__dataframe__") and hasattr(X, "columns") and not hasattr(X, "collect_schema"):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        return
    _remember(estimator, names, reset)


def _filled(column: Any) -> NDArray[Any]:
    """A column as an array, with None or NaN where it is masked."""
    values: NDArray[Any] = np.asarray(np.ma.getdata(column))
    if values.dtype.kind == "M":
        values = values.astype("datetime64[us]").astype(object)
    masked = np.ma.getmaskarray(column)
    if not masked.any():
        return values
    values = values.astype(np.float64 if values.dtype.kind in "fiub" else object)
    values[masked] = np.nan if values.dtype.kind == "f" else None
    return values


def _remember(estimator: Any, names: tuple[str, ...], reset: bool) -> None:
    """Remember the names of columns, or compare them."""
    if reset:
        estimator.feature_names_in_ = np.array(names, object)
        estimator.n_features_in_ = len(names)
        return
    known = tuple(getattr(estimator, "feature_names_in_", names))
    if known != names:
        raise SchemaError(
            "The feature names should match those that were passed during fit: "
            f"{len(set(known) - set(names))} are missing, {len(set(names) - set(known))} are new, "
            "or their order differs."
        )
