"""Groups of cells split by one more column."""

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.typing import Codes, Flags

_Numbers = NDArray[np.int64]


@kernel
def split_groups(
    members: _Numbers,
    start: _Numbers,
    codes: Codes,
    single: Flags,
    n_codes: int,
) -> tuple[_Numbers, _Numbers, _Numbers]:
    """Split groups of cells by a column; groups of one cell are dropped.

    Group g has the cells ``members[start[g]]`` to ``members[start[g + 1] - 1]``.  Returns members
    and starts of the groups that remain, and the cells of one row (`single`) that are alone now.
    """
    n = members.shape[0]
    kept, begin = np.empty(n, np.int64), np.zeros(n // 2 + 1, np.int64)
    alone = np.empty(n, np.int64)
    count, following = np.zeros(n_codes, np.int64), np.zeros(n_codes, np.int64)
    n_kept, n_groups, n_alone = 0, 0, 0
    for group in range(start.shape[0] - 1):
        for i in range(start[group], start[group + 1]):
            count[codes[members[i]]] += 1
        for i in range(start[group], start[group + 1]):
            cell = members[i]
            code = codes[cell]
            # with more columns it stays alone, and they are no minimal set
            if count[code] == 1:
                if single[cell]:
                    alone[n_alone] = cell
                    n_alone += 1
                continue
            if count[code] > 1:  # the first of its code: room for all of them
                following[code] = n_kept
                n_kept += count[code]
                n_groups += 1
                begin[n_groups] = n_kept
                count[code] = -1
            kept[following[code]] = cell
            following[code] += 1
        for i in range(start[group], start[group + 1]):
            count[codes[members[i]]] = 0
    return kept[:n_kept].copy(), begin[: n_groups + 1].copy(), alone[:n_alone].copy()
