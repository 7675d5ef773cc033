"""The order in which released rows are given out."""

import secrets

import numpy as np
from numpy.typing import NDArray

from shoal.tables._engine import RowOptions


def put_in_order(row_ids: NDArray[np.int64], output: RowOptions) -> NDArray[np.int64]:
    """The rows that are released, in the order in which they are given out.

    A secret order is drawn with 256 bits of the system's randomness, which are not kept.
    """
    if output.keep_order:
        return row_ids
    seed = secrets.randbits(256) if output.shuffle is None else output.shuffle
    return np.random.default_rng(seed).permutation(row_ids)
