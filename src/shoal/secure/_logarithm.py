"""Shares of x in, shares of a scaled logarithm of x out.

Phase one is a circuit: it rebuilds x, finds n and epsilon with ``x = 2**n (1 + epsilon)`` and
``-1/4 <= epsilon < 1/2``, and projects both into the ring.  Phase two adds ``ln(1 + epsilon)`` as
an oblivious polynomial, at a scale ``2**(N k) c`` at which every term is an integer; see
``docs/theory/twoparty.md``.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ParameterError
from shoal.secure._counts import count_bits
from shoal.secure._log_circuit import fast_program, normalizer
from shoal.secure._party import Party
from shoal.secure._ring import Ring

MAX_BITS = 31  # counts are shared modulo 2**32
_DIGITS = 120


@dataclass(frozen=True)
class LogShares:
    """Shares of one party, as integers modulo the ring: of log x, of x, and of whether x > 0."""

    log: list[int]
    x: list[int]
    positive: list[int]


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

    def x_log_x(self, party: Party, logs: LogShares) -> list[int]:
        """Shares of x log x; 0 for x = 0."""
        return party.products(self.ring, logs.x, logs.log)


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
            context.prec = _DIGITS
            return Decimal(2).ln() * self.sigma

    @cached_property
    def ln2(self) -> int:
        """Natural logarithm of 2 at this scale, rounded."""
        with localcontext() as context:
            context.prec = _DIGITS
            return int(self.ln2_exact.to_integral_value())

    def clear(self, x: int) -> int:
        """Return exactly what the protocol computes for x, in the clear."""
        if x == 0:
            return 0
        n, epsilon = split(x, self.bits)
        return n * self.ln2 + sum(c * epsilon**i for i, c in enumerate(self.coefficients))

    def shares(self, party: Party, counts: NDArray[np.uint32]) -> LogShares:
        """Shares of the logarithms of shared counts, all in one batch."""
        ring = self.ring
        program = normalizer(self.bits, ring, self.ln2, self.coefficients[0])
        results = party.run(program, count_bits(counts[:, None], self.bits)).shares
        epsilon, main, x, positive = (ring.integers(share) for share in results)
        rows = [self._row(party, e) for e in epsilon]
        refined = [0] * len(rows)
        if self.terms > 1:
            refined = party.inner_products(ring, [row for row, _ in rows])
        log = [
            (a + b + own) % ring.modulus for a, b, (_, own) in zip(main, refined, rows, strict=True)
        ]
        return LogShares(log, x, positive)

    def _row(self, party: Party, share: int) -> tuple[list[int], int]:
        """Return this party's vector of the inner product, and what it adds by itself.

        The leading coefficient is public, so the second party adds that term alone.
        """
        modulus = self.ring.modulus
        if party.is_first:
            row = shifted_polynomial([0, *self.coefficients[1:]], share, modulus)
            return row[1:-1], row[0]
        powers = [pow(share, i, modulus) for i in range(1, self.terms + 1)]
        return powers[:-1], self.coefficients[-1] * powers[-1]


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


@dataclass(frozen=True)
class ChebyshevLogarithm(PolynomialLogarithm):
    """Natural logarithms by a Chebyshev series over the same interval, at the same cost.

    Parameters
    ----------
    bits : int
        Counts are at most ``2**bits - 1``.
    terms : int, default=3
        Degree: absolute error below 0.0006 for 3, 0.00008 for 4, 0.00002 for 5.

    Notes
    -----
    A Taylor series wastes its precision around epsilon = 0.  With ``r = 3 - 2 sqrt 2`` and t the
    position in [-1/4, 1/2], scaled to [-1, 1], ``ln(1 + epsilon) = ln(3 / (16 r)) +
    2 sum (-1)**(i+1) r**i / i T_i(t)``; cut after k terms it is off by less than
    ``2 r**(k+1) / ((k+1)(1-r))``.  Coefficients are rounded at a scale of ``2**(N k + 24)``.

    **Reveals**, **Assumes** and **Costs** are those of :class:`TaylorLogarithm`.

    **Departures from the paper.**  The paper has the Taylor series.
    """

    @property
    def sigma(self) -> int:
        """The scale, 2**(N k + 24)."""
        return 1 << self.bits * self.terms + 24

    @property
    def error(self) -> float:
        """Tail of the series, and the rounding of the coefficients and of n ln 2."""
        r, k = 3 - 2 * math.sqrt(2), self.terms
        return 2 * r ** (k + 1) / ((k + 1) * (1 - r)) + (k + 1) * 2**-25 + self.bits / self.scale

    @cached_property
    def coefficients(self) -> list[int]:
        """Of the powers 0..k of ``epsilon 2**N``, rounded."""
        with localcontext() as context:
            context.prec = _DIGITS
            series = _chebyshev_series(self.terms)
            return [
                int((c * self.sigma / (1 << self.bits * i)).to_integral_value())
                for i, c in enumerate(series)
            ]


@dataclass(frozen=True)
class FastLogarithm(Logarithm):
    """Base-2 logarithms to four bits after the point: the circuit alone [RKW08]_.

    Notes
    -----
    The result is at most log2 x and lies within 0.149 of it: 0.086 from the straight line between
    powers of two, and 1/16 from cutting after four bits.  **Departures from the paper**: it states
    1/16 for both together, which does not hold (x = 23 * 2**j - 1 for large j).
    """

    @property
    def ring(self) -> Ring:
        """Room for 16 x log2 x, doubled and signed."""
        return Ring(self.bits + 4 + self.bits.bit_length() + 8)

    @property
    def exact_scale(self) -> Decimal:
        """Sixteen, in base 2."""
        with localcontext() as context:
            context.prec = _DIGITS
            return 16 / Decimal(2).ln()

    @property
    def error(self) -> float:
        """The bound in natural logarithms."""
        return 0.1487 * math.log(2)

    def clear(self, x: int) -> int:
        """Return exactly what the protocol computes for x, in the clear."""
        if x == 0:
            return 0
        top = x.bit_length() - 1
        return 16 * top + ((x << 4 >> top) & 15)

    def shares(self, party: Party, counts: NDArray[np.uint32]) -> LogShares:
        """Shares of the logarithms of shared counts, all in one batch."""
        bits = count_bits(counts[:, None], self.bits)
        results = party.run(fast_program(self.bits, self.ring), bits).shares
        log, x, positive = (self.ring.integers(share) for share in results)
        return LogShares(log, x, positive)


def logarithm_for(kind: str, largest: int, terms: int) -> Logarithm:
    """Return the logarithm for counts up to `largest`."""
    bits = max(4, largest.bit_length())
    if kind == "chebyshev":
        return ChebyshevLogarithm(bits, terms)
    if kind == "taylor":
        return TaylorLogarithm(bits, terms)
    if kind == "fast":
        return FastLogarithm(bits)
    raise ParameterError(f"logarithm is chebyshev, taylor or fast, got {kind!r}.")


def split(x: int, bits: int) -> tuple[int, int]:
    """Return n and ``epsilon * 2**bits`` with ``x = 2**n (1 + epsilon)`` and n rounded.

    >>> split(5, 4), split(7, 4)
    ((2, 4), (3, -2))
    """
    top = x.bit_length() - 1
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


def _chebyshev_series(degree: int) -> list[Decimal]:
    """Coefficients of the powers of epsilon, by the recurrence of the Chebyshev polynomials."""
    r = 3 - 2 * Decimal(2).sqrt()
    # t = (8 epsilon - 1) / 3 maps [-1/4, 1/2] to [-1, 1].
    t = [Decimal(-1) / 3, Decimal(8) / 3]
    total = [(Decimal(3) / 16 / r).ln()]
    before, now = [Decimal(1)], t
    for i in range(1, degree + 1):
        weight = 2 * (-1) ** (i + 1) * r**i / i
        total = _add(total, [weight * c for c in now])
        before, now = now, _add([2 * c for c in _multiply(t, now)], [-c for c in before])
    return total


def _add(p: list[Decimal], q: list[Decimal]) -> list[Decimal]:
    size = max(len(p), len(q))
    padded = [[*x, *[Decimal(0)] * (size - len(x))] for x in (p, q)]
    return [a + b for a, b in zip(*padded, strict=True)]


def _multiply(p: list[Decimal], q: list[Decimal]) -> list[Decimal]:
    result = [Decimal(0)] * (len(p) + len(q) - 1)
    for i, a in enumerate(p):
        for j, b in enumerate(q):
            result[i + j] += a * b
    return result
