"""Arrow tables as text, with what they hold besides their cells."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

import numpy as np

from shoal.judge._text_table import TextColumn, TextTable, make_column, narrow

_OWN = {b"ARROW:schema"}
"""What writers of Parquet add by themselves: the types of the columns."""


def find_pyarrow() -> Any:
    """PyArrow, or None where it is not installed."""
    if find_spec("pyarrow") is None:
        return None
    import pyarrow  # noqa: PLC0415  optional

    return pyarrow


def of_arrow(table: Any, doors: tuple[str, ...] = ()) -> TextTable:
    """Every column of a PyArrow table as text."""
    columns, found = {}, list(doors)
    for name, column in zip(table.column_names, table.columns, strict=True):
        columns[name] = _text_column(column)
        if columns[name].unused():
            found.append(f"values that no row has in the dictionary of column {name!r}")
    return TextTable(columns, table.num_rows, tuple(found))


def metadata_doors(schema: Any, stored: Mapping[bytes, bytes] | None = None) -> tuple[str, ...]:
    """Metadata of a schema, of its fields and of a file, named by where they are."""
    found = []
    if (schema.metadata or {}).keys() - _OWN or (stored or {}).keys() - _OWN:
        found.append("metadata of the file")
    found += [f"metadata of column {field.name!r}" for field in schema if _noted(field)]
    return tuple(found)


def _noted(field: Any) -> bool:
    own = {b"PARQUET:field_id"}
    return bool((field.metadata or {}).keys() - own)


def numbers_of(array: Any, missing: int = -1) -> np.ndarray[Any, np.dtype[Any]]:
    """Whole numbers of a PyArrow array, `missing` where there is none.

    Not by PyArrow's own ways to arrays, which load pandas: that takes longer than a small table.
    """
    if not array.null_count:
        return np.from_dlpack(array)
    valid, values = array.buffers()
    stop = array.offset + len(array)
    numbers = np.frombuffer(values, np.dtype(str(array.type)))[array.offset : stop]
    known = np.unpackbits(np.frombuffer(valid, np.uint8), bitorder="little", count=stop)
    return np.where(known[array.offset :], numbers, missing)


def _text_column(column: Any) -> TextColumn:
    import pyarrow as pa  # noqa: PLC0415  optional

    if str(column.type) in ("string_view", "binary_view"):  # few functions take views
        column = column.cast(pa.string() if str(column.type) == "string_view" else pa.binary())
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode(null_encoding="mask")
    if column.num_chunks > 1:
        column = column.unify_dictionaries()
    if not column.num_chunks:  # no rows
        return TextColumn(np.empty(0, np.int32), ())
    values = column.chunk(0).dictionary.to_pylist()
    n_known = len(values)
    values = [*values, None] if column.null_count else values
    # chunk by chunk: all codes at once would take four bytes a row, twice
    parts = [narrow(numbers_of(chunk.indices, n_known), len(values)) for chunk in column.chunks]
    numbers = parts[0] if len(parts) == 1 else np.concatenate(parts)
    if all(value is None or type(value) is str for value in values) and values.count(None) < 2:
        return TextColumn(narrow(numbers, len(values)), tuple(values))
    return make_column(numbers, values)
