"""How a message becomes bytes: a closed set of plain types, never code.

Every value is a tag byte, a length and a body.  Decoding builds only the types listed in
:data:`Message`, checks every length before it allocates, counts the values that it builds, looks at
the clock, and raises :class:`ProtocolError` for anything else: a hostile peer can cost a bounded
amount of memory and time and nothing more.
"""

import math
import struct
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ProtocolError, TimeLimitError

Message: TypeAlias = (
    "bool | int | float | str | bytes | Sequence[Message] | Mapping[str, Message]"
    " | NDArray[Any] | None"
)
"""What can be sent; nothing else is ever read from a line."""

Buffer: TypeAlias = bytes | bytearray | memoryview
"""Bytes, wherever they are."""

MAX_DEPTH = 16
MAX_DIMENSIONS = 6
MAX_VALUES = 2**18
"""Values in one message, outside arrays; many numbers travel as one array."""
_CLOCK = 2**10  # values between two looks at the clock

# The only array types that travel; little-endian on the wire.
DTYPES = ("|b1", "|u1", "<u2", "<u4", "<u8", "|i1", "<i2", "<i4", "<i8", "<f8")

_LENGTH = struct.Struct("<Q")


def encode(message: Message) -> bytes:
    """Turn a message into bytes.

    >>> decode(encode({"rows": 3, "parts": [b"ab", -(2**70), None]}))
    {'rows': 3, 'parts': [b'ab', -1180591620717411303424, None]}
    """
    return b"".join(encoded(message))


def encoded(message: Message) -> Sequence[Buffer]:
    """The same bytes in parts: arrays are not copied, and must stay as they are until sent."""
    parts = _Parts()
    _write(message, parts, 0)
    return parts


def decode(data: bytes | memoryview) -> Message:
    """Turn bytes back into the message; anything unexpected is a :class:`ProtocolError`."""
    reader = Reader(memoryview(data))
    message: Message = read_any(reader, 0)
    reader.finish()
    return message


class _Parts(list[Buffer]):
    """Bytes of a message in order, and how many values they are."""

    values = 0


def _write(message: Any, parts: _Parts, depth: int) -> None:
    parts.values += 1
    if depth > MAX_DEPTH:
        raise ProtocolError(f"a message nests deeper than {MAX_DEPTH} levels.")
    if parts.values > MAX_VALUES:
        raise ProtocolError(
            f"a message holds more than {MAX_VALUES} values. Send many numbers as an array."
        )
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


def _write_mapping(message: Mapping[Any, Any], parts: _Parts, depth: int) -> None:
    parts += (b"M", _LENGTH.pack(len(message)))
    for key, item in message.items():
        if not isinstance(key, str):
            raise ProtocolError("a mapping in a message needs text keys.")
        _write(key, parts, depth + 1)
        _write(item, parts, depth + 1)


def _write_scalar(message: Any, parts: list[Buffer]) -> None:
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


def _write_array(array: NDArray[Any], parts: list[Buffer]) -> None:
    dtype = array.dtype.newbyteorder("<")
    if dtype.str not in DTYPES or array.ndim > MAX_DIMENSIONS:
        raise ProtocolError(f"an array of type {array.dtype} cannot be sent.")
    shape = struct.pack(f"<{array.ndim}Q", *array.shape)
    flat = np.ascontiguousarray(array, dtype).reshape(-1)
    body: Buffer = flat.view(np.uint8).data if flat.size else b""
    parts += (b"A", bytes([DTYPES.index(dtype.str), array.ndim]), shape)
    parts += (_LENGTH.pack(len(body)), body)


class Reader:
    """A cursor over received bytes that never reads past their end, nor past its deadline."""

    def __init__(self, data: memoryview, deadline: float = math.inf) -> None:
        self._data, self._at = data, 0
        self._values, self._deadline = 0, deadline

    @property
    def left(self) -> int:
        """Bytes that are not read yet."""
        return len(self._data) - self._at

    def take(self, count: int) -> memoryview:
        """Return the next bytes."""
        if count > self.left:
            raise ProtocolError(
                f"malformed message: {count} bytes announced, {self.left} are there."
            )
        self._at += count
        return self._data[self._at - count : self._at]

    def tag(self) -> bytes:
        """Begin a value: its type."""
        self._values += 1
        if self._values > MAX_VALUES:
            raise ProtocolError(f"malformed message: more than {MAX_VALUES} values.")
        if self._values % _CLOCK == 0 and time.monotonic() > self._deadline:
            raise TimeLimitError("a message could not be read within the time limit.")
        return bytes(self.take(1))

    def length(self) -> int:
        """Return the length that is announced next."""
        return int(_LENGTH.unpack(self.take(8))[0])

    def count(self, least: int) -> int:
        """Return the number of items that is announced next; each takes at least `least` bytes."""
        count = self.length()
        if count * least > self.left or count > MAX_VALUES:
            raise ProtocolError(f"malformed message: {count} items announced in {self.left} bytes.")
        return count

    def text(self, size: int) -> str:
        """Return the next bytes as a text."""
        try:
            return str(self.take(size), "utf-8")
        except UnicodeDecodeError:
            raise ProtocolError("malformed message: a value does not decode.") from None

    def array_type(self) -> tuple[np.dtype[Any], tuple[int, ...]]:
        """Return the type and shape of the array that follows."""
        code, ndim = self.take(2)
        if code >= len(DTYPES) or ndim > MAX_DIMENSIONS:
            raise ProtocolError("malformed message: unknown array type.")
        return np.dtype(DTYPES[code]), struct.unpack(f"<{ndim}Q", self.take(8 * ndim))

    def finish(self) -> None:
        """Raise unless everything was read."""
        if self.left:
            raise ProtocolError(f"malformed message: {self.left} bytes after its end.")


def read_any(reader: Reader, depth: int, *, arrays: bool = True) -> Any:
    """Take any value; an array is an error where none are wanted."""
    if depth > MAX_DEPTH:
        raise ProtocolError(f"malformed message: nested deeper than {MAX_DEPTH} levels.")
    tag = reader.tag()
    if tag in _CONSTANTS:
        return _CONSTANTS[tag]
    if tag == b"A" and arrays:
        return read_array_body(reader, *reader.array_type())
    if tag in (b"L", b"U"):
        items = [read_any(reader, depth + 1, arrays=arrays) for _ in range(reader.count(1))]
        return items if tag == b"L" else tuple(items)
    if tag == b"M":
        return _read_mapping(reader, depth, arrays=arrays)
    if tag == b"S":
        return reader.text(reader.length())
    if tag not in _SCALARS:
        raise ProtocolError("malformed message: unknown type tag, or one that is not wanted here.")
    body = bytes(reader.take(reader.length()))
    try:
        return _SCALARS[tag](body)
    except struct.error:
        raise ProtocolError("malformed message: a value does not decode.") from None


def _read_mapping(reader: Reader, depth: int, *, arrays: bool) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for _ in range(reader.count(2)):
        key = read_any(reader, depth + 1, arrays=arrays)
        if not isinstance(key, str) or key in result:
            raise ProtocolError("malformed message: a mapping needs distinct text keys.")
        result[key] = read_any(reader, depth + 1, arrays=arrays)
    return result


def read_array_body(reader: Reader, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Take the elements of an array whose type and shape are read."""
    size = reader.length()
    if math.prod(shape) * dtype.itemsize != size:
        raise ProtocolError("malformed message: an array's size does not fit its shape.")
    body = reader.take(size)
    if dtype == np.bool_ and size and np.frombuffer(body, np.uint8).max() > 1:
        raise ProtocolError("malformed message: a truth value is neither 0 nor 1.")
    try:
        return np.frombuffer(body, dtype).reshape(shape).copy()
    except ValueError:  # an extent that NumPy cannot hold, beside one of 0
        raise ProtocolError("malformed message: an array's shape is impossible.") from None


_CONSTANTS: dict[bytes, bool | None] = {b"N": None, b"T": True, b"F": False}
_SCALARS: dict[bytes, Callable[[bytes], Any]] = {
    b"+": lambda body: int.from_bytes(body, "little"),
    b"-": lambda body: -int.from_bytes(body, "little"),
    b"D": lambda body: struct.unpack("<d", body)[0],
    b"B": lambda body: body,
}
