"""Loops over groups of rows.  Arrays in, arrays and numbers out; no objects, no errors, no I/O.

A partition is two arrays: `order` lists the rows group by group, `start` says where each group
begins.  Groups of one row are left out: nothing can split them any more.  `scratch` has one
zero per code of the column and is handed back all zero.
"""

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.typing import Codes


@kernel
def count_split(
    codes: Codes, order: Codes, start: NDArray[np.int64], scratch: Codes
) -> tuple[int, int, int]:
    """Pairs that `codes` leaves together, values that differ, values of a single row.

    Each is counted within the groups and summed over them.
    """
    together = 0
    n_distinct = 0
    n_single = 0
    for group in range(start.shape[0] - 1):
        for i in range(start[group], start[group + 1]):
            code = codes[order[i]]
            seen = scratch[code]
            together += seen  # pairs with each of the rows that came before
            n_distinct += seen == 0
            n_single += (seen == 0) - (seen == 1)  # single until its second row comes
            scratch[code] = seen + 1
        for i in range(start[group], start[group + 1]):
            scratch[codes[order[i]]] = 0
    return together, n_distinct, n_single


@kernel
def refine(
    codes: Codes, order: Codes, start: NDArray[np.int64], scratch: Codes
) -> tuple[Codes, NDArray[np.int64]]:
    """Split every group by `codes` and leave out the groups that become single rows."""
    n = order.shape[0]
    new_order = np.empty(n, np.int32)
    new_start = np.empty(n // 2 + 1, np.int64)
    new_start[0] = 0
    n_groups = 0
    end = 0
    for group in range(start.shape[0] - 1):
        for i in range(start[group], start[group + 1]):
            scratch[codes[order[i]]] += 1
        for i in range(start[group], start[group + 1]):
            code = codes[order[i]]
            count = scratch[code]
            # from its first row on, a code's count gives way to the place of its next row,
            # kept as -place - 1 so that it cannot be taken for a count
            if count == 1:
                scratch[code] = 0
            elif count > 1:
                scratch[code] = -end - 1
                end += count
                n_groups += 1
                new_start[n_groups] = end
            if scratch[code] < 0:
                new_order[-scratch[code] - 1] = order[i]
                scratch[code] -= 1
        for i in range(start[group], start[group + 1]):
            scratch[codes[order[i]]] = 0
    return new_order[:end].copy(), new_start[: n_groups + 1].copy()
