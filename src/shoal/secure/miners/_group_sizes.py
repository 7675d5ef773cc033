"""Is every group empty or of at least k people?  Decided on shares; one bit is opened."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ProtocolError
from shoal.secure._party import Party
from shoal.secure._ring import Ring
from shoal.secure.circuits._circuit import Builder
from shoal.secure.circuits._library import add, any_of, constant, less
from shoal.secure.circuits._yao import Program
from shoal.secure.logarithm._counts import count_bits, unequal

_RING = Ring(32)


def all_large(party: Party, sizes: NDArray[np.uint32], k: int, width: int) -> bool:
    """Whether every group of shared size is empty or has at least k people.

    Notes
    -----
    **Reveals.**  That one bit, not which group is small.  **Costs.**  Two runs of a circuit; about
    three AND gates per bit of a size.
    """
    bits = count_bits(sizes.reshape(-1, 1), width)
    small = party.run(_small(width, k), bits).shares[0]
    total = _RING.total(small, axis=0)  # a share of how many groups are small
    mine = total if party.is_first else _RING.negative(total)
    opened = party.run(unequal(_RING.bits), _RING.bit_array(mine[None])).opened
    return not opened.any()


@lru_cache(maxsize=32)
def _small(width: int, k: int) -> Program:
    b = Builder(width, width)
    size, _ = add(b, b.first, b.second)
    # A limit that the counter cannot hold is above every size.
    below = less(b, size, constant(k, width)) if k < 2**width else 1
    return Program(b.finish([b.and_(any_of(b, size), below)]), 0, _RING, (1,), (0,))


def too_few_left(k: int) -> ProtocolError:
    """The error at every seat when a group has become too small on the way."""
    return ProtocolError(
        f"a group has fewer than k={k} people of those who still take part: an owner was lost, or "
        "answers with other rows than before. Nothing of such a group is opened. Agree anew, "
        "without that owner or with a lower k."
    )
