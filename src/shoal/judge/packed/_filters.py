"""Filters of a Parquet file, made again from its cells: of which values a filter says "there".

Such a filter is a set of bits from a hash of every value.  One that knows more values than there
are cells tells of rows that are not there.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from shoal.judge._text_table import find_pyarrow
from shoal.judge.packed._thrift import RecordReader

_SALTS = (
    0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D, 0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31,
)  # fmt: skip
_PRIMES = (
    0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
    0x27D4EB2F165667C5,
)  # fmt: skip
_64 = (1 << 64) - 1
_BLOCK = 32
_MOST_VALUES = 1_000_000
_WHOLE = {1: ("<i", "int32"), 2: ("<q", "int64")}
_FRACTIONS = {4: "<f", 5: "<d"}
_TEXTS = 6


def is_filter_of(
    data: Any, start: int, path: Path, chunk: tuple[int, int], column: Mapping[int, Any]
) -> tuple[int, bool]:
    """Where a filter ends, and whether the values of its column (group, place) alone make it."""
    reader = RecordReader(data, start)
    head = reader.record()
    stop = reader.at + head[1]
    known = head.get(2) == {1: {}} and head.get(3) == {1: {}} and head.get(4) == {1: {}}
    values = _values(path, chunk, column[1]) if known and not head[1] % _BLOCK else None
    if values is None or stop > len(data):
        return stop, False
    return stop, make_filter(values, head[1]) == data[reader.at : stop]


def _values(path: Path, chunk: tuple[int, int], kind: int) -> list[bytes] | None:
    """Values of a column of a group, as a filter hashes them; None where that is not known."""
    if find_pyarrow() is None:
        return None
    from pyarrow import parquet  # noqa: PLC0415  optional

    with parquet.ParquetFile(path) as file:
        name = file.schema_arrow.names[chunk[1]]
        distinct = file.read_row_group(chunk[0], [name]).column(0).unique().drop_null()
    if len(distinct) > _MOST_VALUES:
        return None
    try:
        if kind in _WHOLE:
            how, width = _WHOLE[kind]
            if str(distinct.type).startswith("decimal"):
                scale = distinct.type.scale
                return [
                    struct.pack(how, int(value.scaleb(scale))) for value in distinct.to_pylist()
                ]
            return [struct.pack(how, value) for value in distinct.cast(width).to_pylist()]
        if kind in _FRACTIONS:
            return [struct.pack(_FRACTIONS[kind], value) for value in distinct.to_pylist()]
        if kind != _TEXTS:
            return None
        return [text.encode() if isinstance(text, str) else text for text in distinct.to_pylist()]
    except (ValueError, TypeError, struct.error):  # a kind whose bytes are not known here
        return None


def make_filter(values: list[bytes], size: int) -> bytes:
    """A Bloom filter of `size` bytes that contains some values."""
    words = [0] * (size // 4)
    n_blocks = size // _BLOCK
    for value in values:
        mark = hash_of(value)
        block = ((mark >> 32) * n_blocks) >> 32
        for index, salt in enumerate(_SALTS):
            words[8 * block + index] |= 1 << (((mark & 0xFFFFFFFF) * salt & 0xFFFFFFFF) >> 27)
    return struct.pack(f"<{len(words)}I", *words)


@lru_cache(maxsize=1 << 18)
def hash_of(value: bytes) -> int:
    """XXH64 without a seed, which filters are made with.

    Examples
    --------
    >>> hex(hash_of(b"")), hex(hash_of(b"abc"))
    ('0xef46db3751d8e999', '0x44bc2cf5ad770999')
    """
    one, two, three, four, five = _PRIMES
    offset, size = 0, len(value)
    if size >= _BLOCK:
        lanes = [(one + two) & _64, two, 0, -one & _64]
        while offset + _BLOCK <= size:
            parts = struct.unpack_from("<4Q", value, offset)
            lanes = [_round(lane, part) for lane, part in zip(lanes, parts, strict=True)]
            offset += _BLOCK
        turns = (1, 7, 12, 18)
        mark = sum(_turned(lane, by) for lane, by in zip(lanes, turns, strict=True)) & _64
        for lane in lanes:
            mark = ((mark ^ _round(0, lane)) * one + four) & _64
    else:
        mark = five
    mark = (mark + size) & _64
    while offset + 8 <= size:
        (part,) = struct.unpack_from("<Q", value, offset)
        mark = (_turned(mark ^ _round(0, part), 27) * one + four) & _64
        offset += 8
    if offset + 4 <= size:
        (part,) = struct.unpack_from("<I", value, offset)
        mark = (_turned(mark ^ part * one & _64, 23) * two + three) & _64
        offset += 4
    for byte in value[offset:]:
        mark = _turned(mark ^ byte * five & _64, 11) * one & _64
    mark = (mark ^ mark >> 33) * two & _64
    mark = (mark ^ mark >> 29) * three & _64
    return mark ^ mark >> 32


def _round(lane: int, part: int) -> int:
    return _turned((lane + part * _PRIMES[1]) & _64, 31) * _PRIMES[0] & _64


def _turned(number: int, by: int) -> int:
    return (number << by | number >> (64 - by)) & _64
