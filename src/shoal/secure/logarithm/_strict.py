"""The paper's own logarithm: shares modulo any number, and everything exact inside the circuit."""

import secrets
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from shoal.errors import ParameterError
from shoal.secure._party import Party
from shoal.secure._ring import Bits
from shoal.secure.circuits._circuit import FALSE, Builder, Circuit
from shoal.secure.circuits._library import add, add_modulo, choose, constant, encode, leading_one
from shoal.secure.circuits._yao import Program
from shoal.secure.logarithm._log_circuit import shifted
from shoal.secure.logarithm._logarithm import TaylorLogarithm, shifted_polynomial
from shoal.secure.logarithm._polynomial import evaluate_polynomials, serve_polynomials
from shoal.secure.logarithm._scaling import (
    bit_numbers,
    excessive_mask,
    number_bits,
    scale_autonomously,
    scale_exactly,
)


@dataclass(frozen=True)
class StrictLogarithm:
    """Natural logarithms of values shared modulo any number [RKW08]_.

    Parameters
    ----------
    bits : int
        Values are from 1 to ``2**bits - 1`` (the paper's N).
    terms : int
        Terms of the Taylor series (the paper's k).
    modulus : int
        Of the shares, in and out; at least ``2**(N k + 2 k + log2 N)``.
    scaling : {"exact", "autonomous"}, default="exact"
        How the shares of n become shares of n ln 2: by the circuit of section 4, or by each party
        alone on shares that always wrap (section 5).

    Notes
    -----
    **Reveals.**  Nothing; shares in, shares out.  With autonomous scaling the second party's share
    of n is within ``2 N / modulus`` of uniform instead of uniform.

    **Assumes.**  Semi-honest parties; garbled circuits; products (Paillier unless the modulus is a
    power of two).

    **Costs.**  Two rounds, three with exact scaling; some six times the gates of
    :class:`TaylorLogarithm`.

    **Departures from the paper.**  None in the mathematics.

    References
    ----------
    .. [RKW08] R. Ryger, O. Kardes, R. Wright.  On the Lindell-Pinkas secure computation of
       logarithms.  Practical Privacy-Preserving Data Mining workshop, SIAM 2008.

    Examples
    --------
    >>> from shoal.parties import run_parties
    >>> from shoal.secure import FirstParty, SecondParty
    >>> modulus = 2**24
    >>> logarithm = StrictLogarithm(bits=4, terms=2, modulus=modulus)
    >>> one, two = run_parties(  # shares of 9
    ...     lambda line: logarithm.shares(FirstParty(line), [1_000]),
    ...     lambda line: logarithm.shares(SecondParty(line), [9 - 1_000 + modulus]),
    ... )
    >>> round((one[0] + two[0]) % modulus / logarithm.taylor.scale, 2)  # ln 9 is 2.197
    2.2
    """

    bits: int
    terms: int
    modulus: int
    scaling: Literal["exact", "autonomous"] = "exact"

    def __post_init__(self) -> None:
        if self.scaling not in ("exact", "autonomous"):
            raise ParameterError(f"scaling is exact or autonomous, got {self.scaling!r}.")
        least = self.bits << (self.bits * self.terms + 2 * self.terms)
        if self.modulus < least:
            raise ParameterError(
                f"{self.bits} bits and {self.terms} terms need a modulus of at least "
                f"{least.bit_length()} bits, got {self.modulus.bit_length()}."
            )

    @property
    def taylor(self) -> TaylorLogarithm:
        """The series and its scale."""
        return TaylorLogarithm(self.bits, self.terms)

    @property
    def circuit(self) -> Circuit:
        """What phase one evaluates for each logarithm."""
        return phase_one(self.bits, self.modulus).circuit

    @property
    def error_units(self) -> float:
        """Distance from :meth:`TaylorLogarithm.clear` in units of the scale: rounding n ln 2."""
        return 1.5 + 0.5 * self.bits

    def shares(self, party: Party, shares: list[int]) -> list[int]:
        """Shares of ``sigma ln x`` from shares of x, all in one batch."""
        program = phase_one(self.bits, self.modulus)
        width = self.modulus.bit_length()
        if party.is_first:
            epsilon, exponent = self._masked(party, program, width, shares)
        else:
            told = party.run(program, number_bits([shares], width)).told
            epsilon = bit_numbers(told[:, :width])
            exponent = bit_numbers(told[:, width:])
        factor = Fraction(self.taylor.ln2_exact)
        scale = scale_exactly if self.scaling == "exact" else scale_autonomously
        main = scale(party, self.modulus, factor, exponent)
        refined = self._refine(party, epsilon)
        return [(a + b) % self.modulus for a, b in zip(main, refined, strict=True)]

    def _masked(
        self, party: Party, program: Program, width: int, shares: list[int]
    ) -> tuple[list[int], list[int]]:
        """Feed the circuit with masks, which become the first party's shares."""
        masks = [secrets.randbelow(self.modulus) for _ in shares]
        if self.scaling == "autonomous":
            others = [excessive_mask(self.modulus, self.bits) for _ in shares]
        else:
            others = [secrets.randbelow(self.modulus) for _ in shares]
        bits: Bits = number_bits([shares, masks, others], width)
        party.run(program, bits)
        return [-z % self.modulus for z in masks], [-z % self.modulus for z in others]

    def _refine(self, party: Party, epsilon: list[int]) -> list[int]:
        """Shares of the series: the first party expands it at its own share of epsilon."""
        if not party.is_first:
            return evaluate_polynomials(party, self.modulus, epsilon, self.terms)
        coefficients = self.taylor.coefficients
        polynomials = [shifted_polynomial(coefficients, e, self.modulus) for e in epsilon]
        return serve_polynomials(party, self.modulus, polynomials)


@lru_cache(maxsize=16)
def phase_one(bits: int, modulus: int) -> Program:
    """Return the circuit that tells the second party epsilon 2**N and n, each plus a mask.

    The first party feeds its share of x and the two masks, the second its share of x.
    """
    width = modulus.bit_length()
    b = Builder(3 * width, width)
    share, mask, other = (b.first[i : i + width] for i in range(0, 3 * width, width))
    x = add_modulo(b, share, b.second, modulus)[:bits]
    marks, _ = leading_one(b, x)
    shift, moved = encode(b, marks[::-1]), x
    for stage in range(len(shift) - 1, -1, -1):
        moved = shifted(b, moved, 1 << stage, shift[stage])
    # Rounded up, epsilon is negative, which is a number just below the modulus.
    up, low = moved[bits - 2], moved[: bits - 2]
    pad = [FALSE] * (width - bits + 1)
    raised, _ = add(b, [*low, FALSE, *pad], constant(modulus - (1 << bits - 2), width))
    epsilon = choose(b, up, raised, [FALSE, *low, *pad])
    size = bits.bit_length()
    top = encode(b, [*marks, *[FALSE] * (2**size - bits)])
    n, _ = add(b, top, [FALSE] * size, up)
    told = add_modulo(b, epsilon, mask, modulus)
    told += add_modulo(b, [*n, *[FALSE] * (width - size)], other, modulus)
    return Program(b.finish(told), 0, n_told=2 * width)
