"""Minindex: which of several shared values is the least?  The answer is public, the values not."""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ProtocolError
from shoal.secure._party import Party
from shoal.secure._ring import Ring
from shoal.secure.circuits._circuit import Builder
from shoal.secure.circuits._library import add, least
from shoal.secure.circuits._yao import Program


def index_of_least(party: Party, ring: Ring, shares: list[list[int]]) -> NDArray[np.intp]:
    """Index of the least value in each row of shared, signed values; the first one wins a tie.

    Parameters
    ----------
    party : Party
        This end of the session; the other end calls the same function.
    ring : Ring
        The ring of the shares.
    shares : list of equally long lists of int
        This party's shares, one row per question; all rows are answered in one batch.

    Returns
    -------
    ndarray of shape (rows,)
        Known to both parties.

    Notes
    -----
    **Reveals.**  The index, to both.  **Assumes.**  Semi-honest parties; garbled circuits.
    **Costs.**  Two rounds; about ``3 * ring.bits`` AND gates per value.
    """
    if not shares:
        return np.zeros(0, np.intp)
    count = len(shares[0])
    if count == 1:  # no circuit is needed to find the only one
        return np.zeros(len(shares), np.intp)
    limbs = ring.limbs(value for row in shares for value in row)
    bits = ring.bit_array(limbs).reshape(len(shares), count * ring.bits)
    opened = party.run(_program(ring, count), bits).opened
    picks = opened @ (1 << np.arange(opened.shape[1]))
    return np.array(in_range(picks, 0, count, "the least value"), np.intp)


def in_range(opened: NDArray[Any], low: int, high: int, what: str) -> list[int]:
    """Opened numbers from `low` to below `high`; a circuit that gives others is not the agreed one.

    The second party cannot see what the first one garbled, so it checks what comes out.
    """
    values = opened.astype(np.int64)
    if not ((values >= low) & (values < high)).all():
        raise ProtocolError(f"the other party's circuit gave an impossible answer for {what}.")
    return values.tolist()


@lru_cache(maxsize=64)
def _program(ring: Ring, count: int) -> Program:
    width = ring.bits
    b = Builder(count * width, count * width)
    numbers = [
        add(b, b.first[i : i + width], b.second[i : i + width])[0]
        for i in range(0, count * width, width)
    ]
    index, _ = least(b, numbers, signed=True)
    return Program(b.finish(index), len(index))
