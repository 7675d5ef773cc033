"""Did the receiver use one choice per transfer?  A check on random combinations of rows.

An honest receiver sends columns that all carry the same choices; one that sends different ones
learns bits of the sender's secret offset.  The sender therefore asks for random combinations of
the receiver's rows and choices, in the field of 2**128 elements, and compares them with its own
[KOS15]_.  Some transfers more, with random choices that are then dropped, hide the real ones.

The original proof has a gap that [Roy22]_ found and mended for a variant; no attack on this check
beyond its statistical error is known to us.

.. [KOS15] M. Keller, E. Orsini, P. Scholl.  Actively secure OT extension with optimal overhead.
   CRYPTO 2015.  doi:10.1007/978-3-662-47989-6_35
.. [Roy22] L. Roy.  SoftSpokenOT.  CRYPTO 2022.  doi:10.1007/978-3-031-15802-5_23
"""

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from numpy.typing import NDArray

from shoal.secure._hash import Labels
from shoal.secure._ring import Bits

EXTRA = 192
"""Transfers that are used up by a check: 128 and 64 bits of statistical security."""
SEED_SIZE = 16
_BLOCK = 2**16  # rows at a time


def random_factors(seed: bytes, count: int) -> Labels:
    """One factor of 128 bits per transfer, from a seed that is drawn after the columns are sent."""
    stream = Cipher(algorithms.AES(seed), modes.CTR(bytes(16))).encryptor()
    return np.frombuffer(stream.update(bytes(16 * count)), np.uint64).reshape(count, 2)


def combine_choices(choices: Bits, factors: Labels) -> Labels:
    """Sum of the factors of transfers whose choice is 1."""
    masked = factors & -choices.astype(np.uint64)[:, None]
    combined: Labels = np.bitwise_xor.reduce(masked, axis=0)
    return combined


def combine_rows(rows: Labels, factors: Labels) -> Labels:
    """Sum of the products of rows and factors."""
    product = np.zeros((128, 128), np.int64)
    for start in range(0, len(rows), _BLOCK):
        part = slice(start, start + _BLOCK)
        # Bit i of a row meets bit j of its factor: how often, for all rows, is a product of
        # matrices, exact in single precision below 2**24.
        left, right = (_bits(side[part]).astype(np.float32) for side in (rows, factors))
        product += (left.T @ right).astype(np.int64)
    return reduce_product(product)


def multiply(a: Labels, b: Labels) -> Labels:
    """Product of two field elements."""
    return combine_rows(a.reshape(1, 2), b.reshape(1, 2))


def reduce_product(product: NDArray[np.int64]) -> Labels:
    """Coefficients of x**i times x**j as an element, modulo x**128 + x**7 + x**2 + x + 1."""
    coefficients = np.zeros(255, np.int64)
    for i in range(128):
        coefficients[i : i + 128] += product[i]
    for power in range(254, 127, -1):
        for lower in (0, 1, 2, 7):
            coefficients[power - 128 + lower] += coefficients[power] & 1
    bits = (coefficients[:128] & 1).astype(np.uint8)
    return np.packbits(bits, bitorder="little").view(np.uint64)


def _bits(elements: Labels) -> NDArray[np.uint8]:
    return np.unpackbits(
        np.ascontiguousarray(elements).view(np.uint8).reshape(len(elements), 16),
        axis=1,
        bitorder="little",
    )
