"""The tree of regions, and the region of a combination.  Arrays in, arrays out."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.typing import Codes

UNKNOWN = -(2**30)
"""Position of a value that has no place among the fitted ones."""

LEAF = -1
"""Column of a region that is not split."""


class Regions(NamedTuple):
    """A tree of regions as parallel arrays; node 0 is the whole, parents precede their children.

    A code of the split column leads to the first child that has it between `low` and `high`, to
    the last child when none has.  Where `pivot` names a row of `pivots`, the code `low` of the
    first child leads there only for combinations that do not sort before that row.
    """

    column: Codes  # split here; LEAF where the region is released
    first_child: NDArray[np.int64]
    n_children: NDArray[np.int64]
    low: Codes
    high: Codes
    pivot: NDArray[np.int64]
    pivots: Codes


@kernel
def walk(positions: NDArray[np.int64], regions: Regions) -> NDArray[np.int64]:
    """Leaf of each combination; `positions` has the shape (n_columns, n).

    The position of a fitted code is twice the code; odd positions lie between codes.
    """
    n_columns, n = positions.shape
    low, high, pivot = regions.low, regions.high, regions.pivot
    leaf = np.zeros(n, np.int64)
    for i in range(n):
        node = 0
        while regions.n_children[node] > 0:
            position = positions[regions.column[node], i]
            last = regions.first_child[node] + regions.n_children[node] - 1
            child = regions.first_child[node]
            if position == UNKNOWN:  # the last child is home to what leads nowhere else
                child = last
            while child < last:
                if 2 * low[child] <= position <= 2 * high[child]:
                    if pivot[node] < 0 or position > 2 * low[child]:
                        break
                    if not _before(positions, i, regions.pivots[pivot[node]], n_columns):
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
