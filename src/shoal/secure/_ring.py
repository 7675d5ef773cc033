"""Integers modulo a power of two, many at a time, and what it means to share one.

A share of a value is one of two numbers whose sum modulo ``2**bits`` is the value; the upper half
of the ring reads as negative.  In arrays a ring element is a row of 64-bit limbs, lowest first.
The limbs above ``bits`` hold noise that every reading cuts off, which is why a narrow ring costs
nothing extra.
"""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ParameterError

Limbs = NDArray[np.uint64]
Bits = NDArray[np.bool_]

_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)


@dataclass(frozen=True)
class Ring:
    """The integers modulo ``2**bits``.

    >>> ring = Ring(80)
    >>> ring.signed(ring.add(ring.limbs([5]), ring.limbs([-7])))
    [-2]
    """

    bits: int

    def __post_init__(self) -> None:
        if not 1 <= self.bits <= 1024:
            raise ParameterError(f"a ring has 1 to 1024 bits, got {self.bits}.")

    @property
    def modulus(self) -> int:
        """Number of elements."""
        return 1 << self.bits

    @property
    def words(self) -> int:
        """Limbs per element."""
        return -(-self.bits // 64)

    def limbs(self, values: Iterable[int]) -> Limbs:
        """Elements as an array of shape ``(n, words)``."""
        size = 8 * self.words
        data = b"".join((int(v) & (self.modulus - 1)).to_bytes(size, "little") for v in values)
        return np.frombuffer(data, "<u8").reshape(-1, self.words).astype(np.uint64)

    def integers(self, limbs: Limbs) -> list[int]:
        """Elements as integers from 0 to ``2**bits - 1``."""
        size, mask = 8 * self.words, self.modulus - 1
        data = np.ascontiguousarray(limbs, "<u8").tobytes()
        return [
            int.from_bytes(data[i : i + size], "little") & mask for i in range(0, len(data), size)
        ]

    def signed(self, limbs: Limbs) -> list[int]:
        """Elements as integers around 0: the upper half of the ring is negative."""
        half = self.modulus >> 1
        return [v - self.modulus if v >= half else v for v in self.integers(limbs)]

    def random(self, *shape: int) -> Limbs:
        """Uniform elements from the system's cryptographic source."""
        return random_words(*shape, self.words)

    def add(self, a: Limbs, b: Limbs) -> Limbs:
        """Sum, element by element."""
        result = np.empty(np.broadcast_shapes(a.shape, b.shape), np.uint64)
        carry = np.zeros(result.shape[:-1], np.bool_)
        for i in range(self.words):
            partial = a[..., i] + b[..., i]
            result[..., i] = partial + carry
            # An unsigned sum wrapped exactly when it is smaller than a summand.
            carry = (partial < a[..., i]) | (result[..., i] < partial)
        return result

    def negative(self, a: Limbs) -> Limbs:
        """Negation, element by element."""
        return self.add(~a, self.limbs([1])[0])

    def subtract(self, a: Limbs, b: Limbs) -> Limbs:
        """Difference, element by element."""
        return self.add(a, self.negative(b))

    def double(self, a: Limbs) -> Limbs:
        """Twice each element."""
        result = a << np.uint64(1)
        result[..., 1:] |= a[..., :-1] >> np.uint64(63)
        return result

    def shifts(self, a: Limbs, count: int) -> Limbs:
        """Each element times 1, 2, 4, ...: shape ``(..., count, words)``."""
        result = np.empty((*a.shape[:-1], count, self.words), np.uint64)
        for power in range(count):
            result[..., power, :] = a
            a = self.double(a)
        return result

    def multiply(self, a: Limbs, b: Limbs) -> Limbs:
        """Product, element by element."""
        x, y = _halves(a), _halves(b)
        # The product of two half limbs fills a limb.  Its own halves are added up apart, so that
        # no sum wraps, and carries are added once.
        columns = [np.zeros(np.broadcast_shapes(a.shape, b.shape)[:-1], np.uint64) for _ in x]
        for i, left in enumerate(x):
            for j, right in enumerate(y[: len(x) - i]):
                product = left * right
                columns[i + j] += product & _LOW
                if i + j + 1 < len(columns):
                    columns[i + j + 1] += product >> _HALF
        for below, above in pairwise(columns):
            above += below >> _HALF
        halves = [column & _LOW for column in columns]
        return np.stack(
            [low | high << _HALF for low, high in zip(halves[::2], halves[1::2], strict=True)], -1
        )

    def total(self, a: Limbs, axis: int) -> Limbs:
        """Sum along an axis (fewer than 2**32 elements)."""
        # Half limbs leave 32 bits of room, so that no sum wraps and carries are added once.
        low, high = a & _LOW, a >> _HALF
        low, high = low.sum(axis=axis), high.sum(axis=axis)
        result = np.empty_like(low)
        carry = np.zeros(low.shape[:-1], np.uint64)
        for i in range(self.words):
            bottom = low[..., i] + carry
            top = high[..., i] + (bottom >> _HALF)
            result[..., i] = (top << _HALF) | (bottom & _LOW)
            carry = top >> _HALF
        return result

    def select(self, bits: Bits, a: Limbs) -> Limbs:
        """Return `a` where the bit is set and 0 elsewhere, without a branch."""
        return a & -bits.astype(np.uint64)[..., None]

    def bit_array(self, limbs: Limbs, count: int | None = None) -> Bits:
        """Lowest `count` bits of each element, shape ``(..., count)``."""
        count = self.bits if count is None else count
        octets = np.ascontiguousarray(limbs, "<u8").view(np.uint8)
        return np.unpackbits(octets, axis=-1, bitorder="little", count=count).astype(np.bool_)


def _halves(a: Limbs) -> list[Limbs]:
    return [half for i in range(a.shape[-1]) for half in (a[..., i] & _LOW, a[..., i] >> _HALF)]


def random_words(*shape: int) -> Limbs:
    """Uniform 64-bit words from the system's cryptographic source."""
    size = int(np.prod(shape, dtype=np.int64))
    return np.frombuffer(secrets.token_bytes(8 * size), np.uint64).reshape(shape).copy()
