"""The region of a row as an expression over its values: Spark compiles it, and asks no Python.

A cut is made between codes.  Where codes rise with values, a cut between codes is one between
values; other columns are looked up.
"""
# ruff: noqa: PLC0415  PySpark and PyArrow are extras; they are there when a Spark table is

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.tables.engines.regions._cuts import Cut, cut_cases
from shoal.tables.engines.regions._region_rows import CodedColumn
from shoal.tables.engines.regions._spark_codes import look_up

_COMPARED = ("tinyint", "smallint", "int", "bigint", "float", "double", "date", "string")
"""Types whose order is the same in Spark and in Arrow."""


def add_region(
    frame: Any, cut: Cut | int, places: Sequence[str], columns: Sequence[CodedColumn], name: str
) -> Any:
    """The frame with one more column, the region of each row.

    Parameters
    ----------
    frame : Spark DataFrame
        The rows.
    cut : Cut or int
        Its columns are numbers of `columns`.
    places : sequence of str
        Column of the frame that has the values of each of `columns`.
    columns : sequence of CodedColumn
        How they are coded.
    name : str
        Of the new column.
    """
    types = dict(frame.dtypes)
    comparisons: dict[int, Callable[[int], str]] = {}
    for number in sorted(set(_columns_of(cut))):
        source, column = places[number], columns[number]
        compare = by_value(source, types[source], column)
        if compare is None:
            code = f"shoal_code{number}"
            numbers = column.codes[:-1]
            missing = column.coding.missing
            frame = look_up(frame, source, types[source], column.values, numbers, missing, code)
            compare = _by_code(code)
        comparisons[number] = compare
    region = cut_cases(cut, lambda number, start: comparisons[number](start))
    return frame.selectExpr(*(f"`{one}`" for one in types), f"CAST({region} AS INT) AS {name}")


def _columns_of(cut: Cut | int) -> Iterator[int]:
    if isinstance(cut, int):
        return
    yield cut.column
    for part in cut.parts:
        yield from _columns_of(part)


def _by_code(name: str) -> Callable[[int], str]:
    return lambda start: f"{name} < {start}"


def by_value(source: str, kind: str, column: CodedColumn) -> Callable[[int], str] | None:
    """A condition on values that says of each row whether its code is below another.

    None where codes do not rise with values, or where Spark may order them in another way.
    """
    import pyarrow.compute as pc

    if kind not in _COMPARED:
        return None
    order = pc.sort_indices(column.values).to_numpy()
    codes = column.codes[:-1][order]
    if (np.diff(codes) < 0).any():
        return None

    def below(start: int) -> str:
        hidden = column.coding.missing < start
        first = int(np.searchsorted(codes, start))
        if first == len(codes):
            return "TRUE" if hidden else f"{source} IS NOT NULL"
        least = literal(kind, column.values[int(order[first])].as_py())
        return f"coalesce({source} < {least}, {str(hidden).upper()})"

    return below


def literal(kind: str, value: Any) -> str:
    """A value as a constant in Spark's SQL; texts by their bytes, so that none ends the text.

    Examples
    --------
    >>> literal("double", 0.5), literal("string", "o'k")
    ("CAST('0.5' AS double)", "CAST(X'6F276B' AS STRING)")
    """
    if kind == "string":
        return f"CAST(X'{value.encode().hex().upper()}' AS STRING)"
    return f"CAST('{value}' AS {kind})"


def spread_keys(n_parts: int) -> list[int]:
    """Numbers that Spark hands to parts 0, 1, ...: each region has a part of its own.

    Spark gives a row to a part by a digest of its key, so regions numbered 0, 1, ... would share
    some parts and leave others empty.  Nothing but time rests on it.
    """
    keys = np.full(n_parts, -1, np.int64)
    start, step = 0, 16 * n_parts
    while (keys < 0).any():
        tried = np.arange(start, start + step)
        part = spark_hash(tried) % n_parts
        keys[part[::-1]] = np.where(keys[part] < 0, tried, keys[part])[::-1]
        start += step
    return [int(key) for key in keys]


def spark_hash(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """What Spark's `hash` says of whole numbers of 32 bits: Murmur3, seeded with 42."""
    mixed = _turn(numbers.astype(np.uint32) * np.uint32(0xCC9E2D51), 15) * np.uint32(0x1B873593)
    state = _turn(mixed ^ np.uint32(42), 13) * np.uint32(5) + np.uint32(0xE6546B64)
    state = state ^ np.uint32(4)  # bytes of a number
    state = (state ^ (state >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    state = (state ^ (state >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return (state ^ (state >> np.uint32(16))).astype(np.int32).astype(np.int64)


def _turn(bits: NDArray[np.uint32], by: int) -> NDArray[np.uint32]:
    return (bits << np.uint32(by)) | (bits >> np.uint32(32 - by))
