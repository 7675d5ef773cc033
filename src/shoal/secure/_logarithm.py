"""Shares of x in, shares of a scaled logarithm of x out.

Phase one is a circuit: it rebuilds x, finds n and epsilon with ``x = 2**n (1 + epsilon)`` and
``-1/4 <= epsilon < 1/2``, and projects both into the ring.  Phase two adds ``ln(1 + epsilon)`` from
its Taylor series as an oblivious polynomial, at the scale ``2**(N k) lcm(2..k)``, at which every
term is an integer; see ``docs/theory/twoparty.md``.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ParameterError
from shoal.secure._circuit import Builder
from shoal.secure._library import add, encode, leading_one
from shoal.secure._party import Party
from shoal.secure._ring import Bits, Ring
from shoal.secure._yao import Program

MAX_BITS = 31  # counts are shared modulo 2**32


@dataclass(frozen=True)
class LogShares:
    """Shares of one party, as integers modulo the ring: of ln x, of x, and of whether x > 0."""

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
        """Where results are shared; sums of x times log x fit."""

    @property
    @abstractmethod
    def scale(self) -> float:
        """What a result must be divided by to give natural logarithms."""

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

    def _input_bits(self, counts: NDArray[np.uint32]) -> Bits:
        # Modulo a power of two the low bits of two shares are shares of the low bits.
        octets = np.ascontiguousarray(counts, "<u4").view(np.uint8).reshape(len(counts), 4)
        return np.unpackbits(octets, axis=1, bitorder="little", count=self.bits).astype(np.bool_)


@dataclass(frozen=True)
class TaylorLogarithm(Logarithm):
    """Natural logarithms by the Taylor series, correctly scaled [RKW08]_.

    Parameters
    ----------
    bits : int
        Counts are at most ``2**bits - 1`` (the paper's N).
    terms : int, default=3
        Terms of the series (the paper's k): absolute error below 0.0112 for 3, 0.0044 for 4,
        0.0018 for 5.

    Notes
    -----
    **Reveals.**  Nothing; shares in, shares out.

    **Assumes.**  Semi-honest parties; what circuits and products assume.

    **Costs.**  Two rounds for a whole batch.

    **Departures from the paper.**  The ring is a power of two, so x is rebuilt from the low bits
    of the shares, exactly.  Projected outputs give shares of ``n ln 2`` at full scale directly:
    no table, no secure scaling.  The polynomial is evaluated by transfers unless Paillier is asked
    for.  :func:`strict_logarithm_first` is the paper's own circuit, for any modulus.

    References
    ----------
    .. [RKW08] R. Ryger, O. Kardes, R. Wright.  On the Lindell-Pinkas secure computation of
       logarithms.  Practical Privacy-Preserving Data Mining workshop, SIAM 2008.
    """

    terms: int = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.terms <= 8:
            raise ParameterError(f"terms is 1 to 8, got {self.terms}.")

    @property
    def sigma(self) -> int:
        """The scale, 2**(N k) lcm(2..k)."""
        return (1 << self.bits * self.terms) * math.lcm(*range(1, self.terms + 1))

    @property
    def scale(self) -> float:
        """The scale as a float."""
        return float(self.sigma)

    @property
    def ring(self) -> Ring:
        """At least N k + 2 k + log2 N + N bits; a few more for doubled, signed sums."""
        n, k = self.bits, self.terms
        return Ring(n * k + 2 * k + n.bit_length() + n + 4)

    @property
    def error(self) -> float:
        """Truncated series at its worst ends, and the rounding of n ln 2."""
        worst = max(abs(math.log1p(e) - _series(e, self.terms)) for e in (-0.25, 0.5))
        return worst + (self.bits + 1) / self.scale

    @cached_property
    def ln2(self) -> int:
        """Natural logarithm of 2 at this scale, rounded."""
        with localcontext() as context:
            context.prec = 120
            return int((Decimal(2).ln() * self.sigma).to_integral_value())

    @property
    def coefficients(self) -> list[int]:
        """Of the powers 1..k of ``epsilon 2**N``; integers, which is the point of the scale."""
        lcm = math.lcm(*range(1, self.terms + 1))
        return [
            (-1) ** (i - 1) * (1 << self.bits * (self.terms - i)) * (lcm // i)
            for i in range(1, self.terms + 1)
        ]

    def clear(self, x: int) -> int:
        """Return exactly what the protocol computes for x, in the clear."""
        if x == 0:
            return 0
        n, epsilon = split(x, self.bits)
        return n * self.ln2 + sum(c * epsilon**i for i, c in enumerate(self.coefficients, 1))

    def shares(self, party: Party, counts: NDArray[np.uint32]) -> LogShares:
        """Shares of the logarithms of shared counts, all in one batch."""
        ring = self.ring
        program = _normalizer(self.bits, ring, self.ln2)
        results = party.run(program, self._input_bits(counts)).shares
        epsilon, main, x, positive = (ring.integers(share) for share in results)
        rows = [self._row(party, e) for e in epsilon]
        refined = party.inner_products(ring, [row for row, _ in rows])
        log = [
            (a + b + own) % ring.modulus for a, b, (_, own) in zip(main, refined, rows, strict=True)
        ]
        return LogShares(log, x, positive)

    def _row(self, party: Party, share: int) -> tuple[list[int], int]:
        """Return this party's vector of the inner product, and what it adds by itself."""
        modulus = self.ring.modulus
        if party.is_first:
            row = shifted_polynomial([0, *self.coefficients], share, modulus)
            return row[1:], row[0]
        return [pow(share, i, modulus) for i in range(1, self.terms + 1)], 0


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
    def scale(self) -> float:
        """Sixteen, in base 2."""
        return 16 / math.log(2)

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
        results = party.run(_fast_program(self.bits, self.ring), self._input_bits(counts)).shares
        log, x, positive = (self.ring.integers(share) for share in results)
        return LogShares(log, x, positive)


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


def _series(epsilon: float, terms: int) -> float:
    return sum((-1) ** (i - 1) * epsilon**i / i for i in range(1, terms + 1))


def _normalized(b: Builder, bits: int) -> tuple[list[int], list[int], list[int], int]:
    """Return x, x shifted until its highest one-bit is on top, the shift, and x > 0."""
    x, _ = add(b, b.first, b.second)
    marks, positive = leading_one(b, x)
    shift = encode(b, marks[::-1])
    moved = x
    for stage in range(len(shift) - 1, -1, -1):
        step, choice = 1 << stage, shift[stage]
        if step >= bits:
            continue
        # Where the shift happens, the top `step` bits are 0 already.
        moved = [
            (b.xor(moved[i], b.and_(choice, moved[i - step])) if i >= bits - step
             else b.mux(choice, moved[i - step], moved[i]))
            if i >= step
            else (moved[i] if i >= bits - step else b.and_(b.not_(choice), moved[i]))
            for i in range(bits)
        ]  # fmt: skip
    return x, moved, shift, positive


@lru_cache(maxsize=32)
def _normalizer(bits: int, ring: Ring, ln2: int) -> Program:
    """Return the phase-one program: shares of epsilon 2**N, n ln 2, x, and x > 0."""
    b = Builder(bits, bits)
    x, moved, shift, positive = _normalized(b, bits)
    up, low = moved[bits - 2], moved[: bits - 2]
    # Rounded up, epsilon 2**N is low - 2**(N-2); rounded down, it is 2 low.
    epsilon = [b.mux(up, yes, no) for yes, no in zip([*low, 0], [0, *low], strict=True)]
    outputs = [(e, 1 << i, 0) for i, e in enumerate(epsilon)]
    outputs.append((up, -(1 << bits - 2), 0))
    # n = N - 1 - shift, plus 1 when rounded up.
    outputs += [(s, -ln2 << i, 1) for i, s in enumerate(shift)]
    outputs += [(positive, (bits - 1) * ln2, 1), (up, ln2, 1)]
    return _projected(b, outputs, x, positive, ring, 2)


@lru_cache(maxsize=32)
def _fast_program(bits: int, ring: Ring) -> Program:
    b = Builder(bits, bits)
    x, moved, shift, positive = _normalized(b, bits)
    outputs = [(moved[bits - 2 - i], 8 >> i, 0) for i in range(min(4, bits - 1))]
    outputs += [(s, -16 << i, 0) for i, s in enumerate(shift)]
    outputs.append((positive, 16 * (bits - 1), 0))
    return _projected(b, outputs, x, positive, ring, 1)


def _projected(
    b: Builder,
    outputs: list[tuple[int, int, int]],
    x: list[int],
    positive: int,
    ring: Ring,
    value: int,
) -> Program:
    outputs = outputs + [(bit, 1 << i, value) for i, bit in enumerate(x)]
    outputs = [*outputs, (positive, 1, value + 1)]
    literals, weights, values = zip(*outputs, strict=True)
    return Program(b.finish(list(literals)), 0, ring, tuple(weights), tuple(values))
