"""How a message becomes bytes: a closed set of plain types, never code.

Every value is a tag byte, a length and a body.  Decoding builds only the types listed in
:data:`Message`, checks every length before it allocates, and raises :class:`ProtocolError` for
anything else, so a hostile peer can cost a bounded amount of memory and nothing more.
"""

import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ProtocolError

Message: TypeAlias = (
    "bool | int | float | str | bytes | Sequence[Message] | Mapping[str, Message]"
    " | NDArray[Any] | None"
)
"""What can be sent; nothing else is ever read from a line."""

MAX_DEPTH = 16
MAX_DIMENSIONS = 6

# The only array types that travel; little-endian on the wire.
DTYPES = ("|b1", "|u1", "<u2", "<u4", "<u8", "|i1", "<i2", "<i4", "<i8", "<f8")

_LENGTH = struct.Struct("<Q")


def encode(message: Message) -> bytes:
    """Turn a message into bytes.

    >>> decode(encode({"rows": 3, "parts": [b"ab", -(2**70), None]}))
    {'rows': 3, 'parts': [b'ab', -1180591620717411303424, None]}
    """
    parts: list[bytes] = []
    _write(message, parts, 0)
    return b"".join(parts)


def decode(data: bytes | memoryview) -> Message:
    """Turn bytes back into the message; anything unexpected is a :class:`ProtocolError`."""
    reader = _Reader(memoryview(data))
    message = _read(reader, 0)
    if reader.left:
        raise ProtocolError(f"malformed message: {reader.left} bytes after its end.")
    return message


def _write(message: Any, parts: list[bytes], depth: int) -> None:
    if depth > MAX_DEPTH:
        raise ProtocolError(f"a message nests deeper than {MAX_DEPTH} levels.")
    if isinstance(message, np.generic):
        message = message.item()
    if message is None or isinstance(message, bool):
        parts.append({None: b"N", True: b"T", False: b"F"}[message])
    elif isinstance(message, np.ndarray):
        _write_array(message, parts)
    elif isinstance(message, list | tuple):
        parts += (b"L" if isinstance(message, list) else b"U", _LENGTH.pack(len(message)))
        for item in message:
            _write(item, parts, depth + 1)
    elif isinstance(message, Mapping):
        _write_mapping(message, parts, depth)
    else:
        _write_scalar(message, parts)


def _write_mapping(message: Mapping[Any, Any], parts: list[bytes], depth: int) -> None:
    parts += (b"M", _LENGTH.pack(len(message)))
    for key, item in message.items():
        if not isinstance(key, str):
            raise ProtocolError("a mapping in a message needs text keys.")
        _write(key, parts, depth + 1)
        _write(item, parts, depth + 1)


def _write_scalar(message: Any, parts: list[bytes]) -> None:
    match message:
        case int():
            body = abs(message).to_bytes((message.bit_length() + 7) // 8, "little")
            tag = b"-" if message < 0 else b"+"
        case float():
            tag, body = b"D", struct.pack("<d", message)
        case str():
            tag, body = b"S", message.encode()
        case bytes() | bytearray() | memoryview():
            tag, body = b"B", bytes(message)
        case _:
            raise ProtocolError(f"a {type(message).__name__} cannot be sent.")
    parts += (tag, _LENGTH.pack(len(body)), body)


def _write_array(array: NDArray[Any], parts: list[bytes]) -> None:
    dtype = array.dtype.newbyteorder("<")
    if dtype.str not in DTYPES or array.ndim > MAX_DIMENSIONS:
        raise ProtocolError(f"an array of type {array.dtype} cannot be sent.")
    shape = struct.pack(f"<{array.ndim}Q", *array.shape)
    body = np.ascontiguousarray(array, dtype).tobytes()
    parts += (b"A", bytes([DTYPES.index(dtype.str), array.ndim]), shape)
    parts += (_LENGTH.pack(len(body)), body)


class _Reader:
    """A cursor over received bytes that never reads past their end."""

    def __init__(self, data: memoryview) -> None:
        self._data, self._at = data, 0

    @property
    def left(self) -> int:
        return len(self._data) - self._at

    def take(self, count: int) -> memoryview:
        if count > self.left:
            raise ProtocolError(
                f"malformed message: {count} bytes announced, {self.left} are there."
            )
        self._at += count
        return self._data[self._at - count : self._at]

    def length(self) -> int:
        return int(_LENGTH.unpack(self.take(8))[0])


def _read(reader: _Reader, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise ProtocolError(f"malformed message: nested deeper than {MAX_DEPTH} levels.")
    tag = bytes(reader.take(1))
    if tag in _CONSTANTS:
        return _CONSTANTS[tag]
    if tag == b"A":
        return _read_array(reader)
    if tag in (b"L", b"U"):
        items = [_read(reader, depth + 1) for _ in range(_count(reader, 1))]
        return items if tag == b"L" else tuple(items)
    if tag == b"M":
        return _read_mapping(reader, depth)
    if tag not in _SCALARS:
        raise ProtocolError("malformed message: unknown type tag.")
    body = bytes(reader.take(reader.length()))
    try:
        return _SCALARS[tag](body)
    except (struct.error, UnicodeDecodeError):
        raise ProtocolError("malformed message: a value does not decode.") from None


def _count(reader: _Reader, least: int) -> int:
    count = reader.length()
    if count * least > reader.left:  # each item takes at least `least` bytes
        raise ProtocolError(f"malformed message: {count} items announced in {reader.left} bytes.")
    return count


def _read_mapping(reader: _Reader, depth: int) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for _ in range(_count(reader, 2)):
        key = _read(reader, depth + 1)
        if not isinstance(key, str) or key in result:
            raise ProtocolError("malformed message: a mapping needs distinct text keys.")
        result[key] = _read(reader, depth + 1)
    return result


def _read_array(reader: _Reader) -> NDArray[Any]:
    code, ndim = reader.take(2)
    if code >= len(DTYPES) or ndim > MAX_DIMENSIONS:
        raise ProtocolError("malformed message: unknown array type.")
    shape = struct.unpack(f"<{ndim}Q", reader.take(8 * ndim))
    dtype, size, expected = np.dtype(DTYPES[code]), reader.length(), 1
    for extent in shape:
        expected *= extent
    if expected * dtype.itemsize != size:
        raise ProtocolError("malformed message: an array's size does not fit its shape.")
    body = reader.take(size)
    if dtype == np.bool_ and size and np.frombuffer(body, np.uint8).max() > 1:
        raise ProtocolError("malformed message: a truth value is neither 0 nor 1.")
    return np.frombuffer(body, dtype).reshape(shape).copy()


_CONSTANTS: dict[bytes, bool | None] = {b"N": None, b"T": True, b"F": False}
_SCALARS: dict[bytes, Callable[[bytes], Any]] = {
    b"+": lambda body: int.from_bytes(body, "little"),
    b"-": lambda body: -int.from_bytes(body, "little"),
    b"D": lambda body: struct.unpack("<d", body)[0],
    b"S": lambda body: body.decode(),
    b"B": lambda body: body,
}
