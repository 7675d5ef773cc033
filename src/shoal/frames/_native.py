"""The few operations that each dataframe library does better in its own words.

The one file that names dataframe libraries.  They are optional: each is imported only when a
table of that library is at hand, so it is there.
"""
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from shoal.errors import MissingExtraError, TableError
from shoal.frames._arrow_files import ARROW_SUFFIXES
from shoal.typing import Codes

_AT_ONCE = 65_536
"""Texts that are looked through together."""


def column_names(frame: nw.DataFrame[Any]) -> list[str]:
    """Names of the columns; an error when they are not distinct texts."""
    native = frame.to_native()
    names = list(native.column_names if frame.implementation.is_pyarrow() else native.columns)
    odd = sum(not isinstance(name, str) for name in names)
    if odd:
        joined = any(
            isinstance(name, tuple) for name in names
        )  # pandas has names of several levels
        how = '["_".join(map(str, name)) for name in table.columns]'
        how = how if joined else "table.columns.map(str)"
        raise TableError(
            f"{odd} column names are not text. Rename the columns to strings"
            f"{f': table.columns = {how}' if frame.implementation.is_pandas_like() else ''}."
        )
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        shown = ", ".join(map(repr, twice))
        raise TableError(f"columns given twice: {shown}. Rename or drop one of each.")
    if frame.implementation.is_polars() and (odd_names := [n for n in names if _is_pattern(n)]):
        raise TableError(
            f"Polars takes the name {odd_names[0]!r} for a pattern of names. Rename the column."
        )
    return names


def _is_pattern(name: str) -> bool:
    return name.startswith("^") and name.endswith("$")


def factorize(frame: nw.DataFrame[Any], name: str) -> tuple[Codes, list[Any]]:
    """Codes of a column (-1 where missing) and the distinct values they stand for."""
    native, library = frame.to_native(), frame.implementation
    try:
        if library.is_polars():
            return _factorize_polars(native[name])
        if library.is_pyarrow():
            return _factorize_arrow(native[name])
        if library.is_pandas():
            return _factorize_pandas(native[name])
        return _factorize_list(frame[name].to_list())
    except TypeError:
        raise nested_error(name) from None


def nested_error(name: str) -> TableError:
    """The error for a column of lists, structs or other nested values."""
    return TableError(
        f"column {name!r} holds lists or other values that cannot be compared. "
        "Turn them into text or numbers first."
    )


def _factorize_polars(series: Any) -> tuple[Codes, list[Any]]:
    import polars as pl

    if series.dtype.is_nested():
        raise TypeError
    if series.dtype == pl.Object:
        return _factorize_list(series.to_list())
    if series.dtype.is_float():
        series = series.fill_nan(None)
    if series.dtype in (pl.Categorical, pl.Enum):
        series = series.cast(pl.String)
    distinct = series.unique(maintain_order=True).drop_nulls()
    if not len(distinct):
        return np.full(len(series), -1, np.int32), []
    numbers = pl.Series(np.arange(len(distinct), dtype=np.int32))
    codes = series.replace_strict(distinct, numbers, default=None, return_dtype=pl.Int32)
    return codes.fill_null(-1).to_numpy().astype(np.int32), distinct.to_list()


def _factorize_arrow(column: Any) -> tuple[Codes, list[Any]]:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_nested(column.type):
        raise TypeError
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if isinstance(column.type, pa.BaseExtensionType):
        column = column.cast(column.type.storage_type)
    if pa.types.is_null(column.type):
        column = column.cast(pa.string())
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), None, column)
    if not len(column):
        return np.empty(0, np.int32), []
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    encoded = column.dictionary_encode()
    codes = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False)
    return codes.astype(np.int32), encoded.dictionary.to_pylist()


def _factorize_pandas(series: Any) -> tuple[Codes, list[Any]]:
    import pandas as pd

    if isinstance(series.dtype, pd.CategoricalDtype):
        return _used_categories(series.cat)
    mixed = series.dtype == object and pd.api.types.infer_dtype(series, skipna=True) != "string"
    if mixed or _cut_short(series):
        return _factorize_list([None if value is pd.NA else value for value in series.tolist()])
    if isinstance(series.dtype, pd.ArrowDtype):
        return _factorize_arrow(series.array.__arrow_array__())
    codes, distinct = pd.factorize(series, use_na_sentinel=True)
    return codes.astype(np.int32), list(distinct.tolist())


def _cut_short(series: Any) -> bool:
    """Whether pandas would take different texts for one: it reads them up to U+0000 only."""
    import pandas as pd

    if series.dtype != object and not isinstance(series.dtype, pd.StringDtype):
        return False
    known = series.dropna().tolist()
    return any("\0" in "".join(known[i : i + _AT_ONCE]) for i in range(0, len(known), _AT_ONCE))


def _used_categories(categorical: Any) -> tuple[Codes, list[Any]]:
    codes = categorical.codes.to_numpy()
    rows = np.bincount(codes[codes >= 0], minlength=len(categorical.categories))
    used = np.flatnonzero(rows)
    code_of = np.full(len(rows) + 1, -1, np.int32)  # code -1, a missing value, reads the last one
    code_of[used] = np.arange(len(used))
    return code_of[codes], list(categorical.categories[used].tolist())


def _factorize_list(values: list[Any]) -> tuple[Codes, list[Any]]:
    code_of: dict[tuple[bool, Any], int] = {}  # True is no 1, as far as a reader can tell
    codes = np.empty(len(values), np.int32)
    for row, value in enumerate(values):
        if isinstance(value, tuple | frozenset):
            raise TypeError
        missing = value is None or value != value
        key = (isinstance(value, bool | np.bool_), value)
        codes[row] = -1 if missing else code_of.setdefault(key, len(code_of))
    return codes, [value for _, value in code_of]


def with_arrays(frame: nw.DataFrame[Any], columns: Mapping[str, NDArray[Any]]) -> nw.DataFrame[Any]:
    """Add or exchange columns given as arrays."""
    native = frame.to_native()
    if frame.implementation.is_polars():
        import polars as pl

        made = [pl.Series(name, array) for name, array in columns.items()]
        return nw.from_native(native.with_columns(made), eager_only=True)
    if frame.implementation.is_pyarrow():
        import pyarrow as pa

        for name, array in columns.items():
            native = _put_arrow(native, name, pa.array(array))
        return nw.from_native(native, eager_only=True)
    result = native.copy(deep=False)
    for name, array in columns.items():
        result[name] = array
    return nw.from_native(result, eager_only=True)


def _put_arrow(table: Any, name: str, column: Any) -> Any:
    if name in table.column_names:
        return table.set_column(table.column_names.index(name), name, column)
    return table.append_column(name, column)


def pandas_frame(matrix: NDArray[Any], names: Sequence[str]) -> Any:
    """A pandas frame, for libraries that take nothing else and brought pandas with them."""
    import pandas as pd

    return pd.DataFrame(matrix, columns=list(names))


def numbers_frame(matrix: NDArray[Any], names: Sequence[str], library: str, like: Any) -> Any:
    """A pandas or Polars table of numbers; one of pandas has the index of `like` where it has one.

    Examples
    --------
    >>> import numpy as np
    >>> numbers_frame(np.array([[1.0, 2.0]]), ["a", "b"], "pandas", None).columns.tolist()
    ['a', 'b']
    """
    if library == "pandas":
        made = pandas_frame(matrix, names)
        if nw.dependencies.is_pandas_dataframe(like):
            made.index = like.index
        return made
    return nw.from_numpy(matrix, list(names), backend="polars").to_native()


def only_nanoseconds_differ(series: nw.Series[Any]) -> bool:
    """Whether times of a column are apart that are one to the microsecond."""
    kind, native = series.dtype, series.to_native()
    if kind != nw.Time and not (isinstance(kind, nw.Datetime) and kind.time_unit == "ns"):
        return False
    if series.implementation.is_polars():
        numbers = native.drop_nulls().cast(int).to_numpy()
    elif series.implementation.is_pandas_like() and not hasattr(native.dtype, "pyarrow_dtype"):
        numbers = native.dropna().astype("int64").to_numpy()
    else:
        import pyarrow as pa

        known = pa.chunked_array([native.array]) if hasattr(native, "array") else native
        if str(known.type).startswith("time") and "[ns" not in str(known.type):
            return False
        numbers = known.drop_null().cast(pa.int64()).to_numpy()
    apart = np.unique(numbers)
    return len(np.unique(apart // 1000)) < len(apart)


def from_columns(columns: Mapping[str, Any]) -> Any:
    """A table of whichever library is installed; masked values are missing."""
    plain = {name: _unmasked(column) for name, column in columns.items()}
    try:
        import pandas as pd
    except ImportError:
        try:
            import polars as pl
        except ImportError:
            raise MissingExtraError(
                "pandas or polars", "pandas", "a table from columns or a file"
            ) from None
        return pl.DataFrame(plain, strict=False)
    exact = {
        name: pd.Series(column, dtype=object) if _needs_objects(column) else column
        for name, column in plain.items()
    }
    return pd.DataFrame(exact)


def _needs_objects(column: Any) -> bool:
    """Whether pandas would make floats of whole numbers that floats miss: beside other values."""
    if not isinstance(column, list | tuple) or all(type(value) is int for value in column):
        return False
    return any(type(value) is int and abs(value) >= 2**53 for value in column)


def _unmasked(column: Any) -> Any:
    if np.ma.isMaskedArray(column) and np.ma.getmaskarray(column).any():
        return column.tolist()  # None where masked
    return np.asarray(column) if np.ma.isMaskedArray(column) else column


def write(frame: nw.DataFrame[Any], path: Path, *, formula: str = "", number: str = "") -> None:
    """Write a table; the suffix tells the format.

    In CSV, texts that match the pattern `formula`, and are no `number`, get an apostrophe in front,
    and an empty text is written as nothing is: in quotes it would tell rows of a group apart.
    """
    if formula and path.suffix.lower() == ".csv":
        places = {name: f"c{i}" for i, name in enumerate(frame.columns)}  # "*" names all columns
        texts = [places[name] for name, kind in frame.schema.items() if kind == nw.String]
        is_alone = len(places) == 1  # else rows of nothing would be empty lines
        marked = frame.rename(places).with_columns(
            _nothing_once(_escaped(c, formula, number), is_alone=is_alone).alias(c) for c in texts
        )
        frame = marked.rename({place: name for name, place in places.items()})
    native, suffix = frame.to_native(), path.suffix.lower()
    if suffix in ARROW_SUFFIXES:
        _write_arrow(frame, path)
    elif frame.implementation.is_polars():
        (native.write_parquet if suffix == ".parquet" else native.write_csv)(path)
    elif frame.implementation.is_pandas() and suffix != ".parquet" and not _holds_returns(frame):
        native.to_csv(path, index=False, lineterminator="\n")
    else:  # PyArrow quotes every text, and pandas writes no Parquet of its own
        import duckdb

        refuse_same_letters(frame.columns, path.suffix)
        how = "FORMAT parquet" if suffix == ".parquet" else "FORMAT csv, HEADER true"
        target = str(path).replace("'", "''")
        with duckdb.connect() as connection:
            connection.register("made", native)
            connection.execute(f"COPY made TO '{target}' ({how})")


def _holds_returns(frame: nw.DataFrame[Any]) -> bool:
    """Whether a text holds a carriage return: pandas does not quote it, and it ends a line."""
    texts = [name for name, kind in frame.schema.items() if kind == nw.String]
    return any("\r" in name for name in frame.columns) or any(
        frame[name].str.contains("\r", literal=True).any() for name in texts
    )


def _escaped(name: str, formula: str, number: str) -> nw.Expr:
    text = nw.col(name)
    computed = text.str.contains(formula) & ~text.str.contains(f"^(?:{number})$")
    marked = nw.concat_str([nw.lit("'"), text])
    return nw.when(computed & (text.str.len_chars() > 1)).then(marked).otherwise(text)


def _nothing_once(text: nw.Expr, *, is_alone: bool) -> nw.Expr:
    """An empty text as nothing; in the only column nothing as an empty text."""
    return text.fill_null("") if is_alone else nw.when(text != "").then(text)


def refuse_same_letters(names: Sequence[str], suffix: str) -> None:
    """Raise for names that a database would take for one another."""
    # DuckDB would rename the second one and say nothing
    first: dict[str, str] = {}
    for name in names:
        other = first.setdefault(name.lower(), name)
        if other != name:
            raise TableError(
                f"columns {other!r} and {name!r} differ in upper and lower case only, which cannot "
                f"be written as {suffix}. Rename one of them."
            )


def _write_arrow(frame: nw.DataFrame[Any], path: Path) -> None:
    if frame.implementation.is_polars():
        import polars as pl

        frame.to_native().write_ipc(path, compat_level=pl.CompatLevel.oldest())
        return
    try:
        import pyarrow.feather as feather
    except ImportError:
        raise MissingExtraError("PyArrow", "arrow", "writing Arrow files") from None
    feather.write_feather(frame.to_arrow().replace_schema_metadata(None), path)
