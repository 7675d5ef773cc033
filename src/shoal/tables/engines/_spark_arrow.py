"""What comes from Spark to the driver and goes back: columns through Arrow, not rows of objects."""
# ruff: noqa: PLC0415  PySpark and PyArrow are extras; they are there when a Spark table is

from __future__ import annotations

import datetime as dt
from typing import Any, NamedTuple

import numpy as np

from shoal.errors import TableError
from shoal.frames._native import nested_error
from shoal.typing import Codes


class ArrowColumn(NamedTuple):
    """A column: its distinct values in an Arrow array, and the place of each row's; -1 missing."""

    values: Any
    codes: Codes

    @property
    def has_missing(self) -> bool:
        """Whether a row has no value."""
        return bool((self.codes < 0).any())

    def listed(self) -> list[Any]:
        """The distinct values as Python's."""
        return plain_values(self.values)


def fetch(frame: Any) -> Any:
    """A DataFrame as an Arrow table, in the order of its rows."""
    from pyspark.errors import PySparkImportError

    try:
        return frame.toArrow()
    except PySparkImportError:
        raise TableError(
            "Spark tables are read through PyArrow, which is not installed or too old. Install "
            "shoal[spark]."
        ) from None


def read_column(column: Any) -> ArrowColumn:
    """A column of an Arrow table."""
    if column.null_count == len(column):  # of no type, perhaps, or no rows
        return ArrowColumn(column.slice(0, 0).combine_chunks(), np.full(len(column), -1, np.int32))
    encoded = column.dictionary_encode().unify_dictionaries()
    parts = [chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False) for chunk in encoded.chunks]
    return ArrowColumn(encoded.chunk(0).dictionary, np.concatenate(parts).astype(np.int32))


def plain_values(values: Any) -> list[Any]:
    """Values of an Arrow array as Spark hands them to Python: moments by this machine's clock."""
    listed = values.to_pylist()
    if getattr(values.type, "tz", None) is None:
        return list(listed)
    return [None if moment is None else _by_clock(moment) for moment in listed]


def code_rows(names: tuple[str, ...], table: Any) -> Codes:
    """Codes of every column (first axis) and row of an Arrow table; missing has its own."""
    result = np.empty((len(names), table.num_rows), np.int32)
    for i, name in enumerate(names):
        column = table.column(i)
        if column.type.num_fields:
            raise nested_error(name)
        read = read_column(column)
        result[i] = np.where(read.codes < 0, len(read.values), read.codes)
    return result


def _by_clock(moment: dt.datetime) -> dt.datetime:
    return moment.astimezone().replace(tzinfo=None)
