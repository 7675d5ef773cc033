"""A table as text: what a reader of the file sees, before any library interprets it."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import TableError
from shoal.judge._arrow_bytes import ways_to_be_missing
from shoal.typing import Codes

BLOCK = 1 << 22
"""Rows that are worked on together, so that what is in between takes little memory."""

_OWN = {b"ARROW:schema"}
"""What writers of Parquet add by themselves: the types of the columns."""
_TYPE = re.compile(
    r"unicode|string|str|object|bytes|bool|boolean|date|datetime|time|decimal|empty|"
    r"([Uu]?[Ii]nt|[Ff]loat)(8|16|32|64)|datetime64\[(s|ms|us|ns)\]"
)
"""Types of columns by their names in pandas."""


@dataclass(frozen=True, eq=False)
class TextColumn:
    """One column: the distinct texts in it, and which of them stands in each row.

    Parameters
    ----------
    codes : ndarray of int
        Place in `texts` of each row's text, in as few bytes as do.
    texts : tuple of str or None
        Distinct texts; None where nothing is written.
    """

    codes: Codes
    texts: tuple[str | None, ...] = field(repr=False)


@dataclass(frozen=True, eq=False)
class TextTable:
    """Columns of equal length.

    Parameters
    ----------
    columns : mapping of str to TextColumn
        In the order of the table.
    n_rows : int
        Rows of every column.
    side_doors : tuple of str
        What a reader finds besides the cells: metadata, an index, values that no row has.
    """

    columns: Mapping[str, TextColumn]
    n_rows: int
    side_doors: tuple[str, ...] = field(default=())

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self.columns)


def narrow(codes: NDArray[Any], n_texts: int) -> Codes:
    """The same codes in as few bytes as `n_texts` of them need: large tables have many rows."""
    kind = np.int8 if n_texts < 2**7 else np.int16 if n_texts < 2**15 else np.int32
    slim: Codes = codes.astype(kind, copy=False)
    return slim


def take(values: NDArray[Any], rows: NDArray[Any]) -> NDArray[Any]:
    """``values[rows]``; NumPy makes wide numbers of all rows at once, which takes much memory."""
    taken = np.empty(len(rows), values.dtype)
    for start in range(0, len(rows), BLOCK):
        taken[start : start + BLOCK] = values[rows[start : start + BLOCK]]
    return taken


def make_column(codes: NDArray[Any], values: list[Any]) -> TextColumn:
    """A column of values that are no texts yet; values of equal text become one."""
    number: dict[str | None, int] = {}
    of_value = [number.setdefault(plain_text(value), len(number)) for value in values]
    if len(number) == len(values) and all(of == index for index, of in enumerate(of_value)):
        return TextColumn(narrow(codes, len(number)), tuple(number))
    return TextColumn(narrow(np.array(of_value, np.int32), len(number))[codes], tuple(number))


def plain_text(value: Any) -> str | None:
    """What a value is written as; None for nothing.  Equal values may have different texts."""
    if value is None or type(value) is str:
        return value
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dt.datetime):
        return None if value != value else value.isoformat(" ")
    if isinstance(value, bytes):
        return value.hex()
    if type(value).__name__ in ("NAType", "NaTType"):  # pandas' own; they equal nothing
        return None
    return None if value != value else str(value)


# -- tables of Arrow, with what they hold besides their cells --------------------------------------


def find_pyarrow() -> Any:
    """PyArrow, or None where it is not installed."""
    if find_spec("pyarrow") is None:
        return None
    import pyarrow  # noqa: PLC0415  optional

    return pyarrow


def of_arrow(table: Any, doors: tuple[str, ...] = ()) -> TextTable:
    """Every column of a PyArrow table as text."""
    import pyarrow as pa  # noqa: PLC0415  optional

    columns, side_doors = {}, list(doors)
    for name, column in zip(table.column_names, table.columns, strict=True):
        is_coded = pa.types.is_dictionary(column.type)
        if not (is_coded and pa.types.is_string(column.type.value_type)):
            column = _plain_column(name, column, side_doors)
        if not pa.types.is_dictionary(column.type):
            column = column.dictionary_encode(null_encoding="mask")
        if column.num_chunks > 1:
            column = column.unify_dictionaries()
        if not column.num_chunks:  # no rows
            columns[name] = TextColumn(np.empty(0, np.int32), ())
            continue
        values = column.chunk(0).dictionary.to_pylist()
        n_known = len(values)
        values = [*values, None] if column.null_count else values
        # chunk by chunk: all codes at once would take four bytes a row, twice
        parts = [narrow(numbers_of(chunk.indices, n_known), len(values)) for chunk in column.chunks]
        numbers = parts[0] if len(parts) == 1 else np.concatenate(parts)
        if numbers.max(initial=-1) >= len(values):  # PyArrow has equal entries of a file once
            raise TableError(
                f"column {name!r} has codes without a value, or several for one. Write the file "
                "again."
            )
        if all(value is None or type(value) is str for value in values) and values.count(None) < 2:
            own = TextColumn(numbers, tuple(values))
        else:
            own = make_column(numbers, values)
        used = np.zeros(len(own.texts), np.bool_)
        for start in range(0, len(own.codes), BLOCK):
            used[own.codes[start : start + BLOCK]] = True
        if not used.all():
            side_doors.append(f"values that no row has in the dictionary of column {name!r}")
        columns[name] = own
    return TextTable(columns, table.num_rows, tuple(side_doors))


def _plain_column(name: str, column: Any, side_doors: list[str]) -> Any:
    """The column in a type that most functions take; what else it has goes to `side_doors`."""
    import pyarrow as pa  # noqa: PLC0415  optional

    if isinstance(column.type, pa.BaseExtensionType):
        if not column.type.extension_name.startswith("arrow."):
            side_doors.append(f"metadata of column {name!r}")
        parts = [chunk.storage for chunk in column.chunks]
        column = pa.chunked_array(parts, column.type.storage_type)
    if pa.types.is_nested(column.type):
        raise TableError(
            f"column {name!r} holds lists or structures, which are not judged. Give each of their "
            "parts a column or a row of its own first."
        )
    if pa.types.is_floating(column.type) and ways_to_be_missing(column) > 1:
        side_doors.append(f"several kinds of missing numbers in column {name!r}")
    if str(column.type) == "time64[ns]":  # Python's own times would lose the last three digits
        return column.cast(pa.string())
    if str(column.type) in ("string_view", "binary_view"):  # few functions take views
        return column.cast(pa.string() if str(column.type) == "string_view" else pa.binary())
    return column


def metadata_doors(
    schema: Any, stored: Mapping[bytes, bytes] | None = None, n_rows: int = -1
) -> tuple[str, ...]:
    """Metadata of a schema, of its fields and of a file of `n_rows`, named by where they are."""
    side_doors = []
    for key, text in (*(schema.metadata or {}).items(), *(stored or {}).items()):
        if key in _OWN or _is_sparks(key, text, schema.names):
            continue
        if key != b"pandas" or not _is_plain_pandas(text, schema.names, n_rows):
            side_doors = ["metadata of the file"]
    side_doors += [f"metadata of column {field.name!r}" for field in schema if _noted(field)]
    return tuple(side_doors)


def _is_sparks(key: bytes, text: bytes, names: Sequence[str]) -> bool:
    """Whether Spark notes its version or the columns' names and types, and nothing on any column.

    The text is made again from what it says: a name that stands twice in it, or blanks, could hide
    something.
    """
    if key == b"org.apache.spark.version":
        return re.fullmatch(rb"[0-9][\w.+-]{0,30}", text) is not None
    if key != b"org.apache.spark.sql.parquet.row.metadata":
        return False
    try:
        types = [field["type"] for field in json.loads(text)["fields"]]
        missing = [field["nullable"] for field in json.loads(text)["fields"]]
    except (ValueError, TypeError, KeyError):
        return False
    plain = all(re.fullmatch(r"[a-z_]+(\(\d+,\d+\))?", str(one)) for one in types)
    fields = [
        {"name": name, "type": one, "nullable": bool(may_miss), "metadata": {}}
        for name, one, may_miss in zip(names, types, missing, strict=False)
    ]
    said = json.dumps(
        {"type": "struct", "fields": fields}, separators=(",", ":"), ensure_ascii=False
    )
    return plain and said.encode() == text


def _is_plain_pandas(text: bytes, names: Sequence[str], n_rows: int) -> bool:
    """Whether pandas notes the columns' names and types, numbered rows, and nothing else.

    The text is made again, as above: types are words, and rows are numbered from 0 to their number.
    """
    try:
        said = json.loads(text)
        types = [(one["pandas_type"], one["numpy_type"]) for one in said["columns"]]
        heads = [(one["pandas_type"], one["numpy_type"]) for one in said["column_indexes"]]
        versions = (said["creator"]["version"], said["pandas_version"])
    except (ValueError, TypeError, KeyError):
        return False
    is_plain = all(_TYPE.fullmatch(str(one)) for both in types for one in both)
    is_plain &= heads in ([("unicode", "object")], [("unicode", "str")])
    is_plain &= all(re.fullmatch(r"[0-9][\w.+-]{0,30}", str(version)) for version in versions)
    encoded = {"metadata": {"encoding": "UTF-8"}}
    made = {
        "index_columns": [{"kind": "range", "name": None, "start": 0, "stop": n_rows, "step": 1}],
        "column_indexes": [
            {"name": None, "field_name": None, "pandas_type": one, "numpy_type": other, **encoded}
            for one, other in heads
        ],
        "columns": [
            {"name": name, "field_name": name, "pandas_type": one, "numpy_type": other}
            | {"metadata": None}
            for name, (one, other) in zip(names, types, strict=False)
        ],
        "attributes": {},
        "creator": {"library": "pyarrow", "version": versions[0]},
        "pandas_version": versions[1],
    }
    return is_plain and json.dumps(made).encode() == text


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
