"""Ends that a Parquet file tells of its columns: each has to be a value of a cell.

Readers skip parts of a file by them, and show them to nobody.  A writer that leaves a row out and
keeps what was said of its part tells the least or the largest value of that row.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Collection, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from shoal.judge._text_table import find_pyarrow
from shoal.judge.packed._thrift import RecordReader

_ENDS = (1, 2, 5, 6)
"""Fields of what is said of a column or a page that hold values."""

_TRUTH, _WHOLE, _FRACTIONS, _TEXT, _FIXED = 0, {1: 4, 2: 8}, {4: "<f", 5: "<d"}, 6, 7
"""Kinds of cells as they are stored, by their numbers."""

_UNITS = (1, 1000, 1_000_000, 1_000_000_000, 86_400_000)
"""By how much a time may be stored in another unit than it is read in."""

_CUT, _COUNTED_UP = 32, 4
"""Bytes of a text from which on a writer may have cut it, and at most how many at its end are other
ones then, since the largest may not become less."""


def ends_said(said: Mapping[int, Any] | None) -> set[bytes]:
    """Values that one record about a column, or a page of one, tells.

    Examples
    --------
    >>> sorted(ends_said({5: b"z", 6: b"a", 3: 0})), ends_said(None)
    ([b'a', b'z'], set())
    """
    return {said[field] for field in _ENDS if isinstance(said.get(field), bytes)} if said else set()


def ends_in_index(data: Any, start: int | None) -> set[bytes]:
    """Values that an index of pages tells, if there is one; pages without any have empty ones."""
    if start is None:
        return set()
    index = RecordReader(data, start).record()
    told = zip(index[1], index[2], index[3], strict=True)
    return {end for empty, least, most in told if not empty for end in (least, most)}


def are_of_cells(ends: Collection[bytes], path: Path, place: tuple[int, int], kind: int) -> bool:
    """Whether all ends are values of a column of a group of rows; no, where that is not known."""
    if not ends:
        return True
    if find_pyarrow() is None:
        return False
    from pyarrow import parquet  # noqa: PLC0415  optional

    with parquet.ParquetFile(path) as file:
        names = file.schema_arrow.names
        if len(names) != file.metadata.num_columns:  # columns within columns
            return False
        found = file.read_row_group(place[0], [names[place[1]]]).column(0)
    if hasattr(found.type, "storage_type"):
        found = found.cast(found.type.storage_type)
    found = found.unique().drop_null()
    if kind == _TEXT or (kind == _FIXED and "binary" in str(found.type)):
        return _are_texts(ends, {_bytes(value) for value in found.to_pylist()})
    is_told = _reader(kind, found)
    return is_told is not None and all(map(is_told, ends))


def _bytes(value: Any) -> bytes:
    return value.encode() if isinstance(value, str) else bytes(value)


def _are_texts(ends: Collection[bytes], cells: Collection[bytes]) -> bool:
    return all(
        end in cells
        or (
            len(end) >= _CUT
            and any(len(c) > len(end) and c.startswith(end[:-_COUNTED_UP]) for c in cells)
        )
        for end in ends
    )


def _reader(kind: int, found: Any) -> Callable[[bytes], bool] | None:
    """What says of stored bytes whether some cell has that value; None for kinds not known."""
    values = _numbers(found)
    if values is None:
        return None
    if kind == _TRUTH or kind in _WHOLE or (kind == _FIXED and str(found.type)[:7] == "decimal"):
        wholes = {int(value) for value in values}
        order: Literal["big", "little"] = "big" if kind == _FIXED else "little"
        # unsigned numbers are told with a sign, and times in the unit in which they are stored
        return lambda end: any(
            number * unit in wholes or (number % unit == 0 and number // unit in wholes)
            for number in {
                int.from_bytes(end, order, signed=True),
                int.from_bytes(end, order),
            }
            for unit in (_UNITS if kind in _WHOLE else (1,))
        )
    how = _FRACTIONS.get(kind, "<e" if str(found.type) == "halffloat" else "")
    if not how:
        return None
    return lambda end: (
        len(end) == struct.calcsize(how) and struct.unpack(how, end)[0] in values  # -0.0 is 0.0
    )


def _numbers(found: Any) -> set[Any] | None:
    """Values as numbers: decimals without their point, times as so many of their unit."""
    import pyarrow as pa  # noqa: PLC0415  optional

    kind = found.type
    if pa.types.is_decimal(kind):
        return {int(Decimal(value).scaleb(kind.scale)) for value in found.to_pylist()}
    if pa.types.is_temporal(kind):
        narrow = pa.types.is_date32(kind) or pa.types.is_time32(kind)
        found = found.cast(pa.int32() if narrow else pa.int64())
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
        return None
    return {value for value in found.to_pylist() if not math.isnan(value)}
