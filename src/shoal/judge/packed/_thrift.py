"""Records as Parquet files keep them (Thrift's compact protocol): numbers of fields and values."""

from __future__ import annotations

import struct
from typing import Any

_STRUCT, _LIST, _SET, _MAP = 12, 9, 10, 11


class RecordReader:
    """Reads records from bytes, and knows how far it came.

    Examples
    --------
    >>> reader = RecordReader(bytes([0x15, 0x06, 0x18, 0x02, 0x68, 0x69, 0x00]), 0)
    >>> reader.record(), reader.at
    ({1: 3, 2: b'hi'}, 7)
    """

    def __init__(self, data: Any, at: int) -> None:
        self.data = data
        self.at = at

    def record(self) -> dict[int, Any]:
        """The next record: its values by the numbers of their fields."""
        fields: dict[int, Any] = {}
        field = 0
        while head := self._byte():
            field = field + (head >> 4) if head >> 4 else self._signed()
            fields[field] = self._value(head & 15)
        return fields

    def _value(self, kind: int) -> Any:
        if kind in (1, 2):
            return kind == 1
        if kind == 3:
            return self._byte()
        if kind in (4, 5, 6):
            return self._signed()
        if kind == 7:
            return struct.unpack("<d", self._bytes(8))[0]
        if kind == 8:
            return self._bytes(self._number())
        if kind in (_LIST, _SET):
            return self._list()
        if kind == _STRUCT:
            return self.record()
        if kind == _MAP and not self._number():
            return {}
        raise ValueError("a record of another kind")

    def _list(self) -> list[Any]:
        head = self._byte()
        size = head >> 4 if head >> 4 < 15 else self._number()
        kind = head & 15
        if kind in (1, 2):  # truth values in a list take a byte each
            return [self._byte() == 1 for _ in range(size)]
        return [self._value(kind) for _ in range(size)]

    def _byte(self) -> int:
        self.at += 1
        return int(self.data[self.at - 1])

    def _bytes(self, size: int) -> bytes:
        self.at += size
        if self.at > len(self.data):
            raise ValueError("a record that is cut short")
        return bytes(self.data[self.at - size : self.at])

    def _number(self) -> int:
        value = shift = 0
        while (byte := self._byte()) & 128:
            value |= (byte & 127) << shift
            shift += 7
        return value | byte << shift

    def _signed(self) -> int:
        number = self._number()
        return (number >> 1) ^ -(number & 1)
