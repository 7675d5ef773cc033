"""Shares of x in, shares of a scaled logarithm of x out.

Phase one is a circuit: it rebuilds x, finds n and epsilon with ``x = 2**n (1 + epsilon)`` and
``-1/4 <= epsilon < 1/2``, and projects both into the ring.  Phase two adds ``ln(1 + epsilon)`` as
an oblivious polynomial, at a scale ``2**(N k) c`` at which every term is an integer; see
``docs/theory/twoparty.md``.
"""

import math
import operator
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ParameterError
from shoal.secure._party import Party
from shoal.secure._ring import Bits, Limbs, Ring
from shoal.secure.circuits._circuit import Circuit
from shoal.secure.circuits._yao import Program
from shoal.secure.logarithm._counts import count_bits
from shoal.secure.logarithm._log_circuit import normalizer
from shoal.secure.logarithm._shared_polynomial import SharedPolynomial

MAX_BITS = 31  # counts are shared modulo 2**32
DIGITS = 120


@dataclass(frozen=True)
class LogShares:
    """Shares of one party: of log x, of x, of whether x > 0, and of the bits of x.

    Those of the bits are exclusive-or shares, the others elements of the ring.
    """

    log: Limbs
    x: Limbs
    positive: Limbs
    bits: Bits


@dataclass(frozen=True)
class Logarithm(ABC):
    """A way to compute logarithms of shared counts below ``2**bits``.

    Parameters
    ----------
    bits : int
        Counts are at most ``2**bits - 1``; 0 is allowed and has logarithm 0.
    """

    bits: int

    def __post_init__(self) -> None:
        if not 4 <= self.bits <= MAX_BITS:
            raise ParameterError(f"counts have 4 to {MAX_BITS} bits, got {self.bits}.")

    @property
    @abstractmethod
    def ring(self) -> Ring:
        """Where results are shared; doubled, signed sums of x times log x fit."""

    @property
    @abstractmethod
    def exact_scale(self) -> Decimal:
        """What a result must be divided by to give natural logarithms."""

    @property
    def scale(self) -> float:
        """The scale as a float."""
        return float(self.exact_scale)

    @property
    @abstractmethod
    def error(self) -> float:
        """Bound on the absolute error, in natural logarithms."""

    @abstractmethod
    def clear(self, x: int) -> int:
        """Return exactly what the protocol computes for x, in the clear."""

    @abstractmethod
    def shares(self, party: Party, counts: NDArray[np.uint32]) -> LogShares:
        """Shares of the logarithms of shared counts, all in one batch."""

    def x_log_x(self, party: Party, logs: LogShares) -> Limbs:
        """Shares of x log x; 0 for x = 0."""
        ring = self.ring
        if party.settings.products == "paillier":
            return ring.limbs(party.products(ring, ring.integers(logs.x), ring.integers(logs.log)))
        return product_of_bits(party, ring, logs)


@dataclass(frozen=True)
class PolynomialLogarithm(Logarithm):
    """Natural logarithms: n ln 2 from the circuit, ln(1 + epsilon) by an oblivious polynomial."""

    terms: int = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.terms <= 8:
            raise ParameterError(f"terms is 1 to 8, got {self.terms}.")

    @property
    @abstractmethod
    def sigma(self) -> int:
        """The scale: a multiple of 2**(N k), so that coefficients are integers."""

    @property
    @abstractmethod
    def coefficients(self) -> list[int]:
        """Of the powers 0..k of ``epsilon 2**N``, at this scale."""

    @property
    def exact_scale(self) -> Decimal:
        """The scale as a decimal."""
        return Decimal(self.sigma)

    @property
    def ring(self) -> Ring:
        """At least N k + 2 k + log2 N + N bits; a few more for doubled, signed sums."""
        n, k = self.bits, self.terms
        scale = max(n * k + 2 * k + 1, self.sigma.bit_length())
        return Ring(scale + n.bit_length() + n + 3)

    @cached_property
    def ln2_exact(self) -> Decimal:
        """Natural logarithm of 2 at this scale, to many more digits than are used."""
        with localcontext() as context:
            context.prec = DIGITS
            return Decimal(2).ln() * self.sigma

    @cached_property
    def ln2(self) -> int:
        """Natural logarithm of 2 at this scale, rounded."""
        with localcontext() as context:
            context.prec = DIGITS
            return int(self.ln2_exact.to_integral_value())

    @property
    def circuit(self) -> Circuit:
        """What phase one evaluates for each logarithm."""
        return self._program.circuit

    @property
    def _program(self) -> Program:
        """Phase one alone, without what the circuit can do for the polynomial."""
        constant = SharedPolynomial(self.ring, tuple(self.coefficients[:1]))
        return normalizer(self.bits, constant, self.ln2)

    def clear(self, x: int) -> int:
        """Return exactly what the protocol computes for x, in the clear."""
        if x == 0:
            return 0
        n, epsilon = split(x, self.bits)
        return n * self.ln2 + sum(c * epsilon**i for i, c in enumerate(self.coefficients))

    def shares(self, party: Party, counts: NDArray[np.uint32]) -> LogShares:
        """Shares of the logarithms of shared counts, all in one batch."""
        if party.settings.products == "paillier":
            logs, epsilon, _ = self._phase_one(party, self._program, counts)
            refined = self._by_paillier(party, self.ring.integers(epsilon))
        else:
            polynomial = SharedPolynomial(self.ring, tuple(self.coefficients))
            program = normalizer(self.bits, polynomial, self.ln2)
            logs, epsilon, products = self._phase_one(party, program, counts)
            refined = polynomial.shares(party, epsilon, products)
        return replace(logs, log=self.ring.add(logs.log, refined))

    def lift(self, party: Party, counts: NDArray[np.uint32]) -> LogShares:
        """Shares in the ring of shared counts and of whether they are above 0; no logarithms."""
        return self._phase_one(party, self._program, counts)[0]

    def _phase_one(
        self, party: Party, program: Program, counts: NDArray[np.uint32]
    ) -> tuple[LogShares, Limbs, Limbs]:
        """Shares of the main part and of x, of epsilon, and of products of epsilon."""
        results = party.run(program, count_bits(counts[:, None], self.bits))
        epsilon, main, x, positive = results.shares[:4]
        return LogShares(main, x, positive, results.split), epsilon, results.shares[4:]

    def _by_paillier(self, party: Party, epsilon: list[int]) -> Limbs:
        """The paper's way: one inner product with the powers of the second party's share."""
        ring = self.ring
        rows, alone = self._rows(party, epsilon, ring.modulus)
        refined = party.inner_products(ring, rows) if self.terms > 1 else [0] * len(rows)
        return ring.limbs(a + b for a, b in zip(refined, alone, strict=True))

    def _rows(
        self, party: Party, shares: list[int], modulus: int
    ) -> tuple[list[list[int]], list[int]]:
        """Vectors of the inner products, and what this party adds by itself.

        The first party expands the polynomial at its share, the second takes powers of its own.
        The leading coefficient is public, so the second party adds that term alone.
        """
        terms, coefficients = self.terms, self.coefficients
        # The j-th coefficient of f(s + y) is a sum over powers of s.
        weights = [
            [coefficients[i] * math.comb(i, j) for i in range(j, terms + 1)] for j in range(terms)
        ]
        weights[0][0] = 0  # the constant is in the circuit
        rows, alone = [], []
        for share in shares:
            powers = [1]
            for _ in range(terms):
                powers.append(powers[-1] * share % modulus)
            if party.is_first:
                expanded = [sum(map(operator.mul, weight, powers)) for weight in weights]
                rows.append(expanded[1:])
                alone.append(expanded[0])
            else:
                rows.append(powers[1:-1])
                alone.append(coefficients[-1] * powers[-1])
        return rows, alone


@dataclass(frozen=True)
class TaylorLogarithm(PolynomialLogarithm):
    """Natural logarithms by the Taylor series, correctly scaled [RKW08]_.

    Parameters
    ----------
    bits : int
        Counts are at most ``2**bits - 1`` (the paper's N).
    terms : int, default=3
        Terms of the series (the paper's k): absolute error below 0.0113 for 3, 0.0045 for 4,
        0.0019 for 5; the paper rounds these to 0.0112, 0.0044 and 0.0018.

    Notes
    -----
    **Reveals.**  Nothing; shares in, shares out.

    **Assumes.**  Semi-honest parties; what circuits and products assume.

    **Costs.**  Two rounds for a whole batch.

    **Departures from the paper.**  The ring is a power of two, so x is rebuilt from the low bits
    of the shares, exactly.  Projected outputs give shares of ``n ln 2`` at full scale directly:
    no table, no secure scaling.  The polynomial is evaluated by transfers unless Paillier is asked
    for.  :class:`StrictLogarithm` is the paper's own circuit, for any modulus.

    References
    ----------
    .. [RKW08] R. Ryger, O. Kardes, R. Wright.  On the Lindell-Pinkas secure computation of
       logarithms.  Practical Privacy-Preserving Data Mining workshop, SIAM 2008.

    Examples
    --------
    >>> logarithm = TaylorLogarithm(bits=10, terms=3)
    >>> off = abs(logarithm.clear(100) / logarithm.scale - math.log(100))
    >>> off < logarithm.error < 0.0113
    True
    """

    @property
    def sigma(self) -> int:
        """The scale, 2**(N k) lcm(2..k)."""
        return (1 << self.bits * self.terms) * self._lcm

    @property
    def _lcm(self) -> int:
        return math.lcm(*range(1, self.terms + 1))

    @property
    def error(self) -> float:
        """Truncated series at its worst ends, and the rounding of n ln 2."""
        worst = max(
            abs(math.log1p(e) - sum((-1) ** (i - 1) * e**i / i for i in range(1, self.terms + 1)))
            for e in (-0.25, 0.5)
        )
        return worst + (self.bits + 1) / self.scale

    @cached_property
    def coefficients(self) -> list[int]:
        """Of the powers 0..k of ``epsilon 2**N``; integers, which is the point of the scale."""
        return [
            0,
            *(
                (-1) ** (i - 1) * (1 << self.bits * (self.terms - i)) * (self._lcm // i)
                for i in range(1, self.terms + 1)
            ),
        ]


def product_of_bits(party: Party, ring: Ring, logs: LogShares) -> Limbs:
    """Shares of x times log x, where x is shared by its bits as well.

    Let the first party have p, y and s of the bits of x, of log x and of x, and the second party q,
    z and t.  A bit is ``p + q (1 - 2 p)``, so that q chooses in ``x y = sum 2**i (p_i + q_i (1 - 2
    p_i)) y``: as many transfers as x has bits.  The rest is ``s z + t z``, where z chooses.
    """
    width, total = logs.bits.shape[1], logs.bits.shape[1] + ring.bits

    def amounts(part: slice) -> Limbs:
        powers = ring.shifts(logs.log[part], width)
        minus = ring.select(logs.bits[part], ring.negative(powers))
        signed = minus | ring.select(~logs.bits[part], powers)
        return np.concatenate([signed, ring.shifts(logs.x[part], ring.bits)], axis=1)

    def choices(part: slice) -> Bits:
        return np.concatenate([logs.bits[part], ring.bit_array(logs.log[part])], axis=1)

    crossed = party.chosen_sums(ring, (len(logs.log), total), amounts, choices)
    if party.is_first:
        own = ring.total(ring.select(logs.bits, ring.shifts(logs.log, width)), axis=1)
    else:
        own = ring.multiply(logs.x, logs.log)
    return ring.add(own, crossed)


def split(x: int, bits: int) -> tuple[int, int]:
    """Return n and ``epsilon * 2**bits`` with ``x = 2**n (1 + epsilon)`` and n rounded.

    >>> split(5, 4), split(7, 4)
    ((2, 4), (3, -2))
    """
    top = x.bit_length() - 1
    # The bit below the highest says whether x is nearer to the next power of two.
    n = top + (x >> (top - 1) & 1 if top else 0)
    return n, (x << (bits - n)) - (1 << bits)


def shifted_polynomial(coefficients: list[int], shift: int, modulus: int) -> list[int]:
    """Coefficients of f(shift + y) as a polynomial in y."""
    degree = len(coefficients) - 1
    return [
        sum(
            coefficients[i] * math.comb(i, j) * pow(shift, i - j, modulus)
            for i in range(j, degree + 1)
        )
        % modulus
        for j in range(degree + 1)
    ]
