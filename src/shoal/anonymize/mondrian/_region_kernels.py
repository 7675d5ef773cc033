"""Find the region of a combination.  Arrays in, arrays out."""

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.typing import Codes

UNKNOWN = -(2**30)
"""Position of a value that has no place among the fitted ones."""


@kernel
def walk(
    positions: NDArray[np.int64],
    column: Codes,
    first_child: NDArray[np.int64],
    n_children: NDArray[np.int64],
    low: Codes,
    high: Codes,
    pivot: NDArray[np.int64],
    pivots: Codes,
) -> NDArray[np.int64]:
    """Leaf of each combination, shape (n_columns, n).

    The position of a fitted code is twice the code; odd positions lie between codes.
    """
    n_columns, n = positions.shape
    leaf = np.zeros(n, np.int64)
    for i in range(n):
        node = 0
        while n_children[node] > 0:
            at = positions[column[node], i]
            last = first_child[node] + n_children[node] - 1
            child = first_child[node]
            if at == UNKNOWN:
                child = last
            while child < last:
                if 2 * low[child] <= at <= 2 * high[child]:
                    if pivot[node] < 0 or at > 2 * low[child]:
                        break
                    if not _before(positions, i, pivots[pivot[node]], n_columns):
                        break
                child += 1
            node = child
        leaf[i] = node
    return leaf


@kernel
def _before(positions: NDArray[np.int64], i: int, pivot: Codes, n_columns: int) -> bool:
    """Whether a combination sorts before the pivot, first column first."""
    for column in range(n_columns):
        if positions[column, i] != 2 * pivot[column]:
            return positions[column, i] < 2 * pivot[column]
    return False
