"""Row-wise kernels K(A, B'): each row's result depends on that row alone, to the last bit.

So does the order in which rows are published and added up.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal.typing import Floats

BLOCK = 4096  # rows whose sums fit a processor's cache
KERNELS = ("linear", "gaussian")
Matrix: TypeAlias = Floats


def linear(rows: Matrix, basis: Matrix) -> Matrix:
    """``rows @ basis.T``, added up feature by feature.

    A BLAS product of a stack of rows may differ in the last bit from the products of its parts;
    a fixed order of additions makes a site's share equal to its slice of the pooled projection.
    """
    result = np.zeros((len(rows), len(basis)))
    for start in range(0, len(rows), BLOCK):
        part, sums = rows[start : start + BLOCK], result[start : start + BLOCK]
        for feature in range(rows.shape[1]):
            sums += part[:, feature, None] * basis[None, :, feature]
    return result


def gaussian(rows: Matrix, basis: Matrix, gamma: float) -> Matrix:
    """``exp(-gamma |row - b|^2)`` for every row and every b."""
    squared = np.zeros((len(rows), len(basis)))
    for start in range(0, len(rows), BLOCK):
        part, sums = rows[start : start + BLOCK], squared[start : start + BLOCK]
        for feature in range(rows.shape[1]):
            sums += (part[:, feature, None] - basis[None, :, feature]) ** 2
    return np.exp(-gamma * squared)


def order_of_rows(projection: Matrix, *others: NDArray[Any]) -> NDArray[np.intp]:
    """An order of projected rows that depends on their content alone, not on their former order.

    Rows that are equal in it are equal in everything, so sums in this order are equal to the last
    bit, too, however the rows were dealt to sites.
    """
    first = np.argsort(projection[:, 0], kind="stable")
    if len(first) < 2 or (np.diff(projection[first, 0]) > 0).all():
        return first
    codes = [np.unique(other, return_inverse=True)[1] for other in others]
    return np.lexsort([*codes, *projection.T[::-1]])
