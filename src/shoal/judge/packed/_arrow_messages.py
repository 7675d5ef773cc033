"""Whether every byte of an Arrow file belongs to its schema, or to rows that its end lists.

Readers of cells go where the list sends them, and pass over whatever lies between.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shoal.judge._text_table import find_pyarrow

_MARK = b"ARROW1"
_BEGIN = 8
"""Bytes before the first message: a mark, and room to a multiple of eight."""

_NO_MORE = b"\xff\xff\xff\xff\x00\x00\x00\x00"
_DICTIONARIES, _BATCHES = 2, 3
"""Numbers of the lists of blocks at the end of a file."""

_TEXT = re.compile(rb"[ -~\x80-\xf4]{4,}")
_OF_COLUMN = 256
"""At most so many bytes say what a column is, besides its name."""


def message_doors(path: Path) -> Iterator[str]:
    """What an Arrow file holds between messages that it lists, by the words of a verdict."""
    if find_pyarrow() is None:
        yield "whatever lies between rows"
        return
    import pyarrow as pa  # noqa: PLC0415  optional

    with pa.memory_map(str(path)) as source:
        schema = pa.ipc.open_file(source).schema
        data = memoryview(source.read_buffer())
        (size,) = struct.unpack("<i", data[-10:-6])
        end = len(data) - 10 - size
        footer = bytes(data[end : end + size])
        blocks = sorted({*_blocks(footer, _DICTIONARIES), *_blocks(footer, _BATCHES)})
        offset = blocks[0][0] if blocks else end
        fills = data[:_BEGIN] == _MARK + bytes(2) and data[-6:] == _MARK
        fills &= _is_schema(bytes(data[_BEGIN:offset]), schema)
        for start, stop in blocks:
            fills &= offset <= start and not any(data[offset:start])
            offset = stop
        rest = bytes(data[offset:end]).replace(_NO_MORE, b"", 1)
        data.release()
    if not fills or any(rest) or len(rest) >= _BEGIN * 8:
        yield "bytes that belong to no row"


def _blocks(footer: bytes, field: int) -> Iterator[tuple[int, int]]:
    """Where messages of a list begin and end, from the table at the end of a file (Flatbuffers)."""
    (root,) = struct.unpack_from("<I", footer)
    (back,) = struct.unpack_from("<i", footer, root)
    slots = root - back
    (length,) = struct.unpack_from("<H", footer, slots)
    if 4 + 2 * field >= length:
        return
    (field_offset,) = struct.unpack_from("<H", footer, slots + 4 + 2 * field)
    if not field_offset:
        return
    offset = root + field_offset
    offset += struct.unpack_from("<I", footer, offset)[0]
    (count,) = struct.unpack_from("<I", footer, offset)
    for number in range(count):
        start, head, body = struct.unpack_from("<qi4xq", footer, offset + 4 + 24 * number)
        yield start, start + head + body


def _is_schema(message: bytes, schema: Any) -> bool:
    """Whether the first message is that of the schema, and nothing else."""
    import pyarrow as pa  # noqa: PLC0415  optional

    message = message.removesuffix(_NO_MORE)
    if message[:4] == _NO_MORE[:4]:
        (size,) = struct.unpack_from("<i", message, 4)
        own = pa.ipc.read_schema(pa.py_buffer(message))
        return own.equals(schema, check_metadata=True) and not any(message[8 + size :])
    # that of Polars has no length before it, and no reader can read it
    for name in schema.names:
        message = message.replace(name.encode(), b"")
    return len(message) <= _OF_COLUMN * (1 + len(schema.names)) and not _TEXT.search(
        re.sub(rb"[\xe0-\xff]\xff{2,3}|\xff{2,}", b"\0", message)
    )
