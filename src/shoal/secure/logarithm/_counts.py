"""Shared counts as input bits of a circuit, and opened without showing the shares."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from shoal.secure._party import Party
from shoal.secure._ring import Bits
from shoal.secure.circuits._circuit import Builder
from shoal.secure.circuits._library import add, any_of
from shoal.secure.circuits._yao import Program


def count_bits(counts: NDArray[np.uint32], width: int) -> Bits:
    """Low bits of every count, row by row.

    Modulo a power of two the low bits of two shares are shares of the low bits.
    """
    octets = np.ascontiguousarray(counts, "<u4").view(np.uint8).reshape(*counts.shape, 4)
    bits = np.unpackbits(octets, axis=-1, bitorder="little", count=width)
    return bits.reshape(len(counts), counts.shape[1] * width).astype(np.bool_)


def open_counts(party: Party, counts: NDArray[np.uint32], width: int) -> NDArray[np.int64]:
    """Let both parties learn shared counts below ``2**width``, one per row, and not the shares.

    Notes
    -----
    **Reveals.**  The sums only: counts of rows that one party holds alone are not uniform shares,
    so they must not be exchanged.  **Costs.**  Two rounds; `width` AND gates per count.
    """
    opened = party.run(_sums(width), count_bits(counts, width)).opened
    return opened @ (1 << np.arange(width, dtype=np.int64))


@lru_cache(maxsize=4)
def unequal(width: int) -> Program:
    """Opens whether the two parties' numbers differ.

    A shared number is 0 when one share is minus the other, which takes no adder.
    """
    b = Builder(width, width)
    differ = [b.xor(p, q) for p, q in zip(b.first, b.second, strict=True)]
    return Program(b.finish([any_of(b, differ)]), 1)


@lru_cache(maxsize=32)
def _sums(width: int) -> Program:
    b = Builder(width, width)
    return Program(b.finish(add(b, b.first, b.second)[0]), width)
