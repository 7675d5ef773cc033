"""Split the groups of a top-down search.  Arrays in, arrays out."""

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.typing import Codes


@kernel
def split_groups(
    leaves: Codes, child_of: Codes, group_of: NDArray[np.int64], n_groups: int, n_children: int
) -> tuple[NDArray[np.int64], int]:
    """New group of each cell when groups split by the child that one column's leaf lies under.

    `child_of` gives 0, 1, ... for leaves below the node that is specialized, -1 for the others.
    Groups that are not touched keep their order and come first.
    """
    n = leaves.shape[0]
    touched = np.full(n_groups, -1, np.int64)
    n_touched = 0
    for cell in range(n):
        group = group_of[cell]
        if group >= 0 and child_of[leaves[cell]] >= 0 and touched[group] < 0:
            touched[group] = n_touched
            n_touched += 1
    kept = np.empty(n_groups, np.int64)
    n_new = 0
    for group in range(n_groups):
        if touched[group] < 0:
            kept[group] = n_new
            n_new += 1
    # a group has one node in this column, so all cells of a touched group lie below some child
    number = np.full(n_touched * n_children, -1, np.int64)
    new = np.empty(n, np.int64)
    for cell in range(n):
        group = group_of[cell]
        if group < 0:
            new[cell] = -1
        elif touched[group] < 0:
            new[cell] = kept[group]
        else:
            part = touched[group] * n_children + child_of[leaves[cell]]
            if number[part] < 0:
                number[part] = n_new
                n_new += 1
            new[cell] = number[part]
    return new, n_new
