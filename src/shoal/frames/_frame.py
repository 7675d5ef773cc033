"""Eager dataframes of any library, reduced to what Shoal needs: codes out, columns back in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray

from shoal.errors import MissingExtraError, TableError
from shoal.frames import _fresh, _native, _series
from shoal.typing import Codes, Flags, Native


class Frame:
    """One pandas, Polars or PyArrow table.  Never changes what it was given."""

    def __init__(self, native: Native) -> None:
        frame = _read(native)
        self.was_lazy = isinstance(frame, nw.LazyFrame)
        if isinstance(frame, nw.LazyFrame):
            if not frame.implementation.is_polars():
                raise TableError(
                    f"lazy tables of {frame.implementation.value} are not supported. "
                    "Write them to Parquet and pass the path."
                )
            frame = frame.collect()
        if not isinstance(frame, nw.DataFrame):
            raise TableError(
                f"cannot read a table from {type(native).__name__}. Pass a pandas, Polars or "
                "PyArrow table, a DuckDB relation, a Spark DataFrame, or a path to a file."
            )
        self._frame = frame
        self.names: tuple[str, ...] = tuple(_native.column_names(frame))
        if frame.implementation.is_polars():
            self._refuse_wide()

    def _refuse_wide(self) -> None:
        """Raise for whole numbers of 128 bits: no file that is released can hold them."""
        for name, dtype in self._frame.schema.items():
            if dtype in (nw.Int128, nw.UInt128):
                raise TableError(
                    f"column {name!r} holds whole numbers of 128 bits, which no other library "
                    "reads. Cast it to Int64, to Decimal or to text."
                )

    @classmethod
    def from_columns(cls, columns: Mapping[str, Any]) -> Frame:
        """A table of columns by name, in whichever dataframe library is installed."""
        return cls(_native.from_columns(columns))

    @property
    def index_names(self) -> tuple[str, ...]:
        """Names of the index of a table of pandas, which is no column."""
        names = getattr(getattr(self.native, "index", None), "names", ())
        return tuple(name for name in names if isinstance(name, str))

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self._frame)

    @property
    def native(self) -> Native:
        """The table in its own library, lazy when it came lazy."""
        native = self._frame.to_native()
        return native.lazy() if self.was_lazy else native

    @property
    def eager(self) -> Native:
        """The table in its own library, in memory."""
        return self._frame.to_native()

    @property
    def types(self) -> dict[str, str]:
        """Sort of value of each column: "number", "text", "date", "boolean" or "other"."""
        return {name: _sort(dtype) for name, dtype in self._frame.schema.items()}

    def factorize(self, name: str) -> tuple[Codes, list[Any]]:
        """Codes of a column (-1 where missing; NaN is missing) and the values behind them."""
        return _native.factorize(self._frame, name)

    def values(self, name: str) -> list[Any]:
        """The column as Python values."""
        return self._frame[name].to_list()

    def numbers(self, name: str) -> NDArray[np.float64]:
        """A numeric column as floats; NaN where missing."""
        return np.asarray(self._frame[name].cast(nw.Float64).to_numpy(), np.float64)

    def array(self, name: str) -> NDArray[Any]:
        """A column as an array of its own type; masked where a value is missing."""
        return _series.to_array(self._frame[name])

    def arrow(self) -> Any:
        """The table as one of PyArrow."""
        try:
            return self._frame.to_arrow()
        except ModuleNotFoundError:
            raise MissingExtraError("PyArrow", "arrow", "handing tables to DuckDB") from None

    def binned(self, widths: Mapping[str, float]) -> Frame:
        """Numbers of some columns exchanged for the number of their bin of a given width."""
        if not widths:
            return self
        return self.with_arrays(
            {name: np.floor(self.numbers(name) / width) for name, width in widths.items()}
        )

    def fractional(self) -> tuple[str, ...]:
        """Columns with numbers that are not whole."""
        names = []
        for name, dtype in self._frame.schema.items():
            if dtype.is_float() or dtype.is_decimal():
                numbers = self.numbers(name)
                if (numbers != np.floor(numbers))[~np.isnan(numbers)].any():
                    names.append(name)
        return tuple(names)

    def with_arrays(self, columns: Mapping[str, NDArray[Any]]) -> Frame:
        """Add or exchange columns, given as arrays."""
        return self._wrap(_native.with_arrays(self._frame, columns))

    def with_values(self, name: str, new_of: Mapping[Any, Any]) -> Frame:
        """Exchange the values of a column one for one; each that occurs must be listed."""
        series = _series.exchange(_series.as_text(self._frame[name]), new_of)
        return self._wrap(self._frame.with_columns(series))

    def distinct(self, name: str) -> list[Any]:
        """Distinct values of a column that are not missing, in no order."""
        return _series.distinct(_series.as_text(self._frame[name]))

    def with_numbers(self, name: str, numbers: NDArray[Any]) -> Frame:
        """Exchange a column for numbers; NaN becomes a missing value."""
        series = _series.of_numbers(name, numbers, like=self._frame[name])
        return self._wrap(self._frame.with_columns(series))

    def is_loose(self, name: str) -> bool:
        """Whether a column has to be made anew from its values, so that nothing else comes along.

        Objects of several kinds, categories, dictionaries, bytes.
        """
        return _fresh.is_loose(self._frame, name)

    def require_plain(self, names: Sequence[str], grouped: Sequence[str] = ()) -> None:
        """Raise when one of the columns holds lists or other nested values, or spans of time.

        In those that rows are `grouped` by no times may differ by less than a microsecond: they
        would be one group, and stay apart where values are released as they are.
        """
        for name in names:
            dtype = self._frame.schema[name]
            if dtype.is_nested():
                raise _native.nested_error(name)
            if dtype == nw.Duration:
                raise TableError(
                    f"column {name!r} holds spans of time, which files write in ways of their own. "
                    "Turn them into numbers first, of days or of seconds."
                )
            if name in grouped and _native.only_nanoseconds_differ(self._frame[name]):
                raise TableError(
                    f"column {name!r} holds times that differ by less than a microsecond, and rows "
                    "are grouped by whole ones. Round them first, or turn them into text."
                )

    def fresh(
        self,
        names: Sequence[str],
        rows: NDArray[np.int64],
        pools: Mapping[str, _fresh.Pool],
        numbers: Mapping[str, NDArray[Any]],
        *,
        by_values: bool = False,
    ) -> Frame:
        """A new table of some rows, to which nothing sticks; see :func:`make_fresh`."""
        made = _fresh.make_fresh(self._frame, names, rows, pools, numbers, by_values=by_values)
        return self._wrap(made)

    def select(self, names: Sequence[str]) -> Frame:
        """Only some columns, in this order."""
        return self._wrap(self._frame.select(list(names)))

    def keep(self, rows: Flags) -> Frame:
        """Only some rows, in their order."""
        return self.take(np.flatnonzero(rows))

    def take(self, rows: NDArray[np.intp]) -> Frame:
        """Rows by position."""
        return self._wrap(self._frame[rows])

    def write(self, path: Path, *, formula: str = "", number: str = "") -> None:
        """Write to a file; the suffix tells the format (CSV, Parquet or Arrow).

        In CSV, texts that match the pattern `formula`, and are no `number`, get an apostrophe.
        """
        _native.write(self._frame, path, formula=formula, number=number)

    def _wrap(self, frame: nw.DataFrame[Any]) -> Frame:
        wrapped = object.__new__(Frame)
        wrapped._frame, wrapped.was_lazy = frame, self.was_lazy
        wrapped.names = tuple(frame.columns)
        return wrapped


def _read(native: Any) -> Any:
    try:
        return nw.from_native(native, pass_through=True)
    except DuplicateError:
        names = list(native.columns)
        twice = ", ".join(sorted({repr(name) for name in names if names.count(name) > 1}))
        raise TableError(f"columns given twice: {twice}. Rename or drop one of each.") from None


def _sort(dtype: Any) -> str:
    if dtype.is_numeric():
        return "number"
    if dtype == nw.Boolean:
        return "boolean"
    if dtype in (nw.Date, nw.Datetime):
        return "date"
    return "text" if dtype in (nw.String, nw.Categorical, nw.Enum, nw.Object) else "other"


def has_names(source: Any) -> bool:
    """Whether the columns of a frame go by names: one whose columns are numbered is an array."""
    if hasattr(source, "collect_schema"):  # a lazy frame of Polars warns of `columns`
        return True
    names = getattr(source, "column_names", None)  # PyArrow's `columns` are the values
    return all(isinstance(name, str) for name in (source.columns if names is None else names))


def is_frame(source: Any) -> bool:
    """Whether a table belongs to a library that :class:`Frame` reads."""
    frame = _read(source)
    if isinstance(frame, nw.DataFrame):
        return True
    return isinstance(frame, nw.LazyFrame) and frame.implementation.is_polars()
