"""Nodes of all columns packed into few words, so that groups are compared by one or two numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.typing import Codes

_LARGEST_WORD = 2**62  # one word holds no more combinations: sums of its digits cannot overflow


class Packing(NamedTuple):
    """Which word each column is packed into, and its place value there."""

    word: Codes
    weight: NDArray[np.uint64]


def make_packing(n_nodes: Sequence[int]) -> Packing:
    """Pack columns with these numbers of nodes in mixed radix, into as many words as needed."""
    word: list[int] = []
    weight: list[int] = []
    room = 0
    for n in n_nodes:
        if not word or room * n > _LARGEST_WORD:
            word.append(word[-1] + 1 if word else 0)
            room = 1
        else:
            word.append(word[-1])
        weight.append(room)
        room *= n
    return Packing(np.array(word, np.int32), np.array(weight, np.uint64))
