"""What must arrive: a message is held against an expectation while it is read.

Type, size, shape and range are compared before an object is built, so that a peer can neither put
something else where a protocol expects a number, nor make this end build more than it asked for.
Every protocol of Shoal says what it expects; only a caller's own protocol may take anything.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ProtocolError
from shoal.parties._wire import Reader, read_any, read_array_body

_HEAD = 9  # bytes of a tag and a length
SETTINGS_BYTES = 2**24
"""Most bytes of parameters that the parties compare, 16 MiB."""


class Expected(ABC):
    """What a message must be; `most` is how many bytes it can take."""

    @property
    @abstractmethod
    def most(self) -> int | None:
        """Most bytes that this message may take; None leaves it to the channel's limit."""

    @abstractmethod
    def read(self, reader: Reader) -> Any:
        """Take it off the reader, or raise :class:`ProtocolError`."""


@dataclass(frozen=True)
class Anything(Expected):
    """Whatever can be sent; without arrays where they are not `arrays`."""

    most: int | None = None
    arrays: bool = True

    def read(self, reader: Reader) -> Any:
        """Take any value, within the bounds of the format."""
        return read_any(reader, 0, arrays=self.arrays)


PLAIN = Anything(SETTINGS_BYTES, arrays=False)
"""Numbers, texts, lists and mappings, for parameters that are compared."""


@dataclass(frozen=True)
class Whole(Expected):
    """A whole number from `low` to below `high`."""

    what: str
    high: int
    low: int = 0

    @property
    def most(self) -> int:
        """A tag, a length, and the bytes of the larger end."""
        return _HEAD + 1 + max(abs(self.high), abs(self.low)).bit_length() // 8

    def read(self, reader: Reader) -> int:
        """Take a number in range."""
        tag = reader.tag()
        if tag not in (b"+", b"-"):
            raise ProtocolError(f"expected {self.what}: a whole number.")
        size = reader.length()
        if size > self.most:
            raise ProtocolError(f"expected {self.what}: a whole number in its range.")
        value = int.from_bytes(reader.take(size), "little")
        value = -value if tag == b"-" else value
        if not self.low <= value < self.high:
            raise ProtocolError(f"expected {self.what}: a whole number in its range.")
        return value


@dataclass(frozen=True)
class Octets(Expected):
    """A byte string of `size` bytes, or of up to that many where it is not `exact`."""

    what: str
    size: int
    exact: bool = True

    @property
    def most(self) -> int:
        """A tag, a length, the bytes."""
        return _HEAD + self.size

    def read(self, reader: Reader) -> bytes:
        """Take the bytes."""
        size = reader.length() if reader.tag() == b"B" else -1
        if size < 0 or size > self.size or (self.exact and size != self.size):
            raise ProtocolError(f"expected {self.what} of {self.size} bytes.")
        return bytes(reader.take(size))


@dataclass(frozen=True)
class Text(Expected):
    """A text of up to `size` bytes."""

    what: str
    size: int

    @property
    def most(self) -> int:
        """A tag, a length, the bytes."""
        return _HEAD + self.size

    def read(self, reader: Reader) -> str:
        """Take the text."""
        size = reader.length() if reader.tag() == b"S" else -1
        if not 0 <= size <= self.size:
            raise ProtocolError(f"expected {self.what}: a text of up to {self.size} bytes.")
        return reader.text(size)


@dataclass(frozen=True)
class Array(Expected):
    """An array of one type and shape."""

    what: str
    dtype: type[np.generic]
    shape: tuple[int, ...]

    @property
    def most(self) -> int:
        """Type, shape, length, the elements."""
        return _HEAD + 2 + 8 * len(self.shape) + self._size

    @property
    def _size(self) -> int:
        return math.prod(self.shape) * np.dtype(self.dtype).itemsize

    def read(self, reader: Reader) -> NDArray[Any]:
        """Take the array."""
        if reader.tag() == b"A":
            dtype, shape = reader.array_type()
            if dtype == np.dtype(self.dtype).newbyteorder("<") and shape == self.shape:
                return read_array_body(reader, dtype, shape)
        raise ProtocolError(
            f"expected {self.what} as {np.dtype(self.dtype)} of shape {self.shape}."
        )


@dataclass(frozen=True)
class Several(Expected):
    """A list of `least` to `count` items of one kind; of exactly `count` where `least` is None."""

    what: str
    item: Expected
    count: int
    least: int | None = None

    @property
    def most(self) -> int | None:
        """A tag, a length, the items."""
        return None if self.item.most is None else _HEAD + self.count * self.item.most

    def read(self, reader: Reader) -> list[Any]:
        """Take the list."""
        count = reader.length() if reader.tag() == b"L" else -1
        if not (self.count if self.least is None else self.least) <= count <= self.count:
            raise ProtocolError(f"expected {self.what}: a list of {self.count} items.")
        return [self.item.read(reader) for _ in range(count)]


@dataclass(frozen=True)
class Fields(Expected):
    """A mapping with exactly these keys; read as the values, in the order given here."""

    what: str
    items: dict[str, Expected] = field(default_factory=dict)

    @property
    def most(self) -> int | None:
        """A tag, a length, keys and values."""
        sizes = [item.most for item in self.items.values()]
        if any(size is None for size in sizes):
            return None
        keys = sum(_HEAD + len(name.encode()) for name in self.items)
        return _HEAD + keys + sum(size for size in sizes if size is not None)

    def read(self, reader: Reader) -> list[Any]:
        """Take the mapping."""
        content: dict[str, Any] = {}
        count = reader.length() if reader.tag() == b"M" else -1
        if count == len(self.items):
            key = Text("a key", max((len(name.encode()) for name in self.items), default=0))
            for _ in range(count):
                name = key.read(reader)
                if name not in self.items or name in content:
                    break
                content[name] = self.items[name].read(reader)
        if count != len(self.items) or len(content) != count:
            raise ProtocolError(f"expected {self.what} with {', '.join(self.items)}.")
        return [content[name] for name in self.items]


ANYTHING = Anything()
