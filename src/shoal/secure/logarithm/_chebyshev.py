"""Logarithms by a Chebyshev series: the price of the Taylor series, a fraction of its error."""

import math
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import cached_property

from shoal.secure.logarithm._logarithm import DIGITS, PolynomialLogarithm


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
            context.prec = DIGITS
            series = _chebyshev_series(self.terms)
            return [
                int((c * self.sigma / (1 << self.bits * i)).to_integral_value())
                for i, c in enumerate(series)
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
