"""Shares of a value times a public number that is not an integer.

Rounding does not distribute over a modular sum: it matters whether the shares wrap.  *Exact*
scaling lets a small circuit choose between the two cases; *autonomous* scaling draws the
independent share far from the ends of the ring, so that the shares always wrap once [RKW08]_.
"""

import secrets
from fractions import Fraction
from functools import lru_cache

import numpy as np

from shoal.errors import ParameterError
from shoal.secure._party import Party
from shoal.secure._ring import Bits
from shoal.secure.circuits._circuit import Builder
from shoal.secure.circuits._library import add, add_modulo, choose, constant, less, subtract
from shoal.secure.circuits._yao import Program

EXACT_ERROR = 1.5
"""Largest distance, in units of the result, of a scaled value from the true product."""


def scale_exactly(party: Party, modulus: int, factor: Fraction, shares: list[int]) -> list[int]:
    """Share `factor` times each shared value, rounded; for shares that wrap and that do not.

    Parameters
    ----------
    party : Party
        This end; the other end calls the same function.
    modulus : int
        Of the shares; any number.
    factor : Fraction
        Public and not negative.
    shares : list of int
        This party's shares of values from 0 to `modulus` - 1.

    Returns
    -------
    list of int
        Shares of the products, off by less than 1.5.

    Notes
    -----
    **Reveals.**  Nothing; the result is shared uniformly.

    **Assumes.**  Semi-honest parties; garbled circuits.

    **Costs.**  One round; about nine AND gates per bit of the modulus.
    """
    # The whole part of the factor distributes over the sum of shares; only the rest is delicate.
    whole, rest = divmod(factor.numerator, factor.denominator)
    rounded = [_rounded(rest * share, factor.denominator) for share in shares]
    width = modulus.bit_length()
    program = _selection(modulus, width, _rounded(rest * modulus, factor.denominator))
    if party.is_first:
        masks = [secrets.randbelow(modulus) for _ in shares]
        party.run(program, number_bits([shares, rounded, masks], width))
        parts = [-mask for mask in masks]
    else:
        parts = bit_numbers(party.run(program, number_bits([shares, rounded], width)).told)
    return [(whole * s + p) % modulus for s, p in zip(shares, parts, strict=True)]


def scale_autonomously(
    party: Party, modulus: int, factor: Fraction, shares: list[int]
) -> list[int]:
    """Share `factor` times each value, of which the shares are known to wrap; no messages.

    Use it on shares whose independent part came from :func:`excessive_mask`.

    Notes
    -----
    **Reveals.**  Nothing: nothing is sent.

    **Assumes.**  The shares sum to the value plus exactly one `modulus`.  Off by less than 1.5.
    """
    whole, rest = divmod(factor.numerator, factor.denominator)
    excess = _rounded(rest * modulus, factor.denominator) if party.is_first else 0
    return [
        (whole * share + _rounded(rest * share, factor.denominator) - excess) % modulus
        for share in shares
    ]


def excessive_mask(modulus: int, largest: int) -> int:
    """Return a mask z for which shares ``value + z`` and ``modulus - z`` always wrap once.

    Drawn uniformly from the middle half of the ring.  The other party's share is then not exactly
    uniform: its distribution for two values up to `largest` differs by at most
    ``2 * largest / modulus`` in total, which must be at most 2**-40.
    """
    if largest << 41 > modulus:
        raise ParameterError(
            f"a modulus of {modulus.bit_length()} bits is too small to hide values of "
            f"{largest.bit_length()} bits with excessive shares. Use exact scaling."
        )
    quarter = modulus // 4
    return quarter + secrets.randbelow(modulus // 2)


@lru_cache(maxsize=16)
def _selection(modulus: int, width: int, excess: int) -> Program:
    """Return the circuit of the paper's section 4.

    The first party feeds its share, its scaled share and a mask, the second its share and its
    scaled share; only the second learns the chosen sum plus the mask.
    """
    b = Builder(3 * width, 2 * width)
    share_1, scaled_1, mask = (b.first[i : i + width] for i in range(0, 3 * width, width))
    share_2, scaled_2 = b.second[:width], b.second[width:]
    total, carry = add(b, share_1, share_2)
    below = less(b, [*total, carry], constant(modulus, width + 1))
    sum_, top = add(b, scaled_1, scaled_2)
    plain = [*sum_, top, 0]
    wrapped, _ = subtract(b, plain, constant(excess, width + 2))
    chosen = choose(b, below, plain, wrapped)
    # Rounding can leave -1 or the modulus itself: one correction each way brings it into range.
    negative = chosen[-1]
    lifted, _ = add(b, chosen, choose(b, negative, constant(modulus, width + 2), [0] * (width + 2)))
    reduced, borrow = subtract(b, lifted, constant(modulus, width + 2))
    residue = choose(b, borrow, lifted, reduced)[:width]
    told = add_modulo(b, residue, mask, modulus)
    return Program(b.finish(told), 0, n_told=width)


def _rounded(numerator: int, denominator: int) -> int:
    """Nearest integer to a quotient of integers that are not negative."""
    return (2 * numerator + denominator) // (2 * denominator)


def number_bits(columns: list[list[int]], width: int) -> Bits:
    """Input bits: one row per instance, the columns' numbers side by side."""
    size = -(-width // 8)
    blocks = [
        np.frombuffer(b"".join(v.to_bytes(size, "little") for v in column), np.uint8).reshape(
            len(column), size
        )
        for column in columns
    ]
    bits = [np.unpackbits(block, axis=1, bitorder="little", count=width) for block in blocks]
    return np.concatenate(bits, axis=1).astype(np.bool_)


def bit_numbers(bits: Bits) -> list[int]:
    return [
        int.from_bytes(row.tobytes(), "little")
        for row in np.packbits(bits, axis=1, bitorder="little")
    ]
