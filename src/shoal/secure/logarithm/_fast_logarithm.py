"""Logarithms to four bits after the point, by the circuit alone; and the choice among all kinds."""

import math
from dataclasses import dataclass
from decimal import Decimal, localcontext
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ParameterError
from shoal.secure._party import Party
from shoal.secure._ring import Ring
from shoal.secure.logarithm._chebyshev import ChebyshevLogarithm
from shoal.secure.logarithm._counts import count_bits
from shoal.secure.logarithm._log_circuit import fast_program
from shoal.secure.logarithm._logarithm import DIGITS, Logarithm, LogShares, TaylorLogarithm
from shoal.secure.logarithm._strict_counts import StrictCountLogarithm


@dataclass(frozen=True)
class FastLogarithm(Logarithm):
    """Base-2 logarithms to four bits after the point: the circuit alone [RKW08]_.

    Notes
    -----
    **Reveals.**  Nothing; shares in, shares out.  **Assumes.**  Semi-honest parties; garbled
    circuits.  **Costs.**  One round for a whole batch.

    The result is at most log2 x and lies within 0.149 of it: 0.086 from the straight line between
    powers of two, and 1/16 from cutting after four bits.  **Departures from the paper**: it states
    1/16 for both together, which does not hold (x = 23 * 2**j - 1 for large j).

    Examples
    --------
    The same arithmetic in the clear, here 16 log2 of 32 and of 40:

    >>> FastLogarithm(bits=8).clear(32), FastLogarithm(bits=8).clear(40)
    (80, 84)
    """

    @property
    def ring(self) -> Ring:
        """Room for 16 x log2 x, doubled and signed."""
        return Ring(self.bits + 4 + self.bits.bit_length() + 8)

    @property
    def exact_scale(self) -> Decimal:
        """Sixteen, in base 2."""
        with localcontext() as context:
            context.prec = DIGITS
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
        results = party.run(fast_program(self.bits, self.ring), bits)
        log, x, positive = results.shares
        return LogShares(log, x, positive, results.split)


def logarithm_for(kind: str, largest: int, terms: int) -> Logarithm:
    """Return the logarithm for counts up to `largest`."""
    if not isinstance(terms, Integral):
        raise ParameterError(f"terms is a whole number from 1 to 8, got {terms!r}.")
    bits = max(4, largest.bit_length())
    if kind == "chebyshev":
        return ChebyshevLogarithm(bits, terms)
    if kind == "taylor":
        return TaylorLogarithm(bits, terms)
    if kind == "fast":
        return FastLogarithm(bits)
    if kind == "strict":
        return StrictCountLogarithm(bits, terms)
    raise ParameterError(f"logarithm is chebyshev, taylor, fast or strict, got {kind!r}.")
