"""The paper's own logarithm, for the counts of a miner."""

from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from shoal.secure._party import Party
from shoal.secure._ring import Ring
from shoal.secure.logarithm._logarithm import Logarithm, LogShares, TaylorLogarithm
from shoal.secure.logarithm._strict import StrictLogarithm


@dataclass(frozen=True)
class StrictCountLogarithm(Logarithm):
    """Logarithms of shared counts by :class:`StrictLogarithm`, with exact scaling [RKW08]_.

    Parameters
    ----------
    bits : int
        Counts are at most ``2**bits - 1``.
    terms : int, default=3
        Terms of the Taylor series.

    Notes
    -----
    **Reveals.**  Nothing; shares in, shares out.

    **Costs.**  A circuit brings counts into the large ring first; then what `StrictLogarithm`
    costs: some seven times the gates of :class:`TaylorLogarithm` and three rounds more.

    **Departures from the paper.**  A count of 0, which the paper excludes, is given to the protocol
    as 1: ln 1 is 0, as 0 ln 0 is taken to be.

    References
    ----------
    .. [RKW08] R. Ryger, O. Kardes, R. Wright.  On the Lindell-Pinkas secure computation of
       logarithms.  Practical Privacy-Preserving Data Mining workshop, SIAM 2008.
    """

    terms: int = 3

    @property
    def taylor(self) -> TaylorLogarithm:
        """The series, its scale, and the circuit that brings counts into its ring."""
        return TaylorLogarithm(self.bits, self.terms)

    @property
    def strict(self) -> StrictLogarithm:
        """The protocol of the paper, in the same ring."""
        return StrictLogarithm(self.bits, self.terms, self.ring.modulus)

    @property
    def ring(self) -> Ring:
        """That of the series."""
        return self.taylor.ring

    @property
    def exact_scale(self) -> Decimal:
        """That of the series."""
        return self.taylor.exact_scale

    @property
    def error(self) -> float:
        """Error of the series, and of rounding n ln 2 by shares."""
        return self.taylor.error + self.strict.error_units / self.scale

    def clear(self, x: int) -> int:
        """What the series gives; the protocol is within `strict.error_units` of it."""
        return self.taylor.clear(x)

    def shares(self, party: Party, counts: NDArray[np.uint32]) -> LogShares:
        """Shares of the logarithms of shared counts, all in one batch."""
        ring, lifted = self.ring, self.taylor.lift(party, counts)
        # a count of 0 becomes 1, whose logarithm is 0
        empty = ring.subtract(ring.limbs([int(party.is_first)])[0], lifted.positive)
        filled = ring.integers(ring.add(lifted.x, empty))
        return replace(lifted, log=ring.limbs(self.strict.shares(party, filled)))
