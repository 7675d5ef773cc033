"""Compiled: the leaves that rows can reach, and which rows can reach the same."""

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.typing import Codes, Flags, Floats

Places = NDArray[np.int64]
Nodes = NDArray[np.intp]

_ZERO = float(np.float32(1e-35))


@kernel
def goes_left(
    value: float,
    node: int,
    threshold: Floats,
    missing_left: Flags,
    zero_missing: Flags,
    code_start: Places,
    code_stop: Places,
    codes: Places,
) -> bool:
    """Whether a value goes left at a node."""
    if np.isnan(value) or (zero_missing[node] and abs(value) <= _ZERO):
        return missing_left[node]
    if code_start[node] < 0:
        return value <= threshold[node]
    code = np.trunc(value)
    low, high = code_start[node], code_stop[node]
    while low < high:
        middle = (low + high) // 2
        if codes[middle] < code:
            low = middle + 1
        else:
            high = middle
    return low < code_stop[node] and codes[low] == code


@kernel
def find_possible(
    depth: int,
    owner: Places,
    value_start: Places,
    values: Floats,
    cell_start: Places,
    left: Nodes,
    right: Nodes,
    feature: Nodes,
    threshold: Floats,
    missing_left: Flags,
    zero_missing: Flags,
    code_start: Places,
    code_stop: Places,
    codes: Places,
) -> Flags:
    """Which nodes some private values lead to.

    Attribute ``owner[f]`` of a private feature f (-1: public) can be in the cells from
    ``cell_start[owner]`` on, and is ``values[value_start[f] + i]`` in the i-th of them.
    """
    n_cells = cell_start[-1]
    alive = np.zeros(left.shape[0], np.bool_)
    open_cells = np.ones((depth + 1, max(n_cells, 1)), np.bool_)  # by depth on the way down
    stack = np.empty(left.shape[0], np.int64)
    level = np.zeros(left.shape[0], np.int64)
    parent = np.full(left.shape[0], -1, np.int64)
    stack[0] = 0
    top = 1
    while top > 0:
        top -= 1
        node = stack[top]
        here = level[node]
        if parent[node] >= 0:
            above = parent[node]
            open_cells[here] = open_cells[here - 1]
            attribute = owner[feature[above]]
            if attribute >= 0:
                first = cell_start[attribute]
                some = False
                for cell in range(first, cell_start[attribute + 1]):
                    if open_cells[here, cell]:
                        goes = goes_left(
                            values[value_start[feature[above]] + cell - first],
                            above,
                            threshold,
                            missing_left,
                            zero_missing,
                            code_start,
                            code_stop,
                            codes,
                        )
                        if goes == (left[above] == node):
                            some = True
                        else:
                            open_cells[here, cell] = False
                if not some:
                    continue
        alive[node] = True
        if left[node] >= 0:
            for child in (right[node], left[node]):
                parent[child] = node
                level[child] = here + 1
                stack[top] = child
                top += 1
    return alive


@kernel
def group_by_reach(
    matrix: Floats,
    closed: Flags,
    alive: Flags,
    left: Nodes,
    right: Nodes,
    feature: Nodes,
    threshold: Floats,
    missing_left: Flags,
    zero_missing: Flags,
    code_start: Places,
    code_stop: Places,
    codes: Places,
) -> tuple[Codes, Places, Places]:
    """Number the rows by the leaves they can reach, in order of first appearance.

    At a test of a closed feature a row goes to every child that is alive.  The leaves behind
    number j are ``leaves[start[j]:start[j + 1]]``, in the order of the walk, which is the same for
    all rows: equal sets are equal lists.
    """
    n_rows, n_nodes = matrix.shape[0], left.shape[0]
    quick = threshold.copy()  # not a number where a comparison does not settle the test
    for node in range(n_nodes):
        if zero_missing[node] or code_start[node] >= 0:
            quick[node] = np.nan
    label = np.empty(n_rows, np.int32)
    alone = np.full(n_nodes, -1, np.int32)  # number of the set that is this leaf only
    stack = np.empty(n_nodes, np.int64)
    found = np.empty(n_nodes, np.int64)
    capacity = 1024
    slots = np.full(capacity, -1, np.int64)
    mixes = np.empty(512, np.uint64)
    start = np.zeros(513, np.int64)
    leaves = np.empty(4096, np.int64)
    n_labels = 0
    for row in range(n_rows):
        stack[0] = 0
        top = 1
        width = 0
        mix = np.uint64(0xCBF29CE484222325)
        while top > 0:
            top -= 1
            node = stack[top]
            while left[node] >= 0:
                at = feature[node]
                if closed[at]:
                    if alive[left[node]] and alive[right[node]]:
                        stack[top] = right[node]
                        top += 1
                    node = left[node] if alive[left[node]] else right[node]
                    continue
                value = matrix[row, at]
                if value <= quick[node]:
                    node = left[node]
                elif value > quick[node]:
                    node = right[node]
                elif goes_left(
                    value,
                    node,
                    threshold,
                    missing_left,
                    zero_missing,
                    code_start,
                    code_stop,
                    codes,
                ):
                    node = left[node]
                else:
                    node = right[node]
            found[width] = node
            width += 1
            mix = (mix ^ np.uint64(node)) * np.uint64(0x9E3779B97F4A7C15)
            mix ^= mix >> np.uint64(29)
        if width == 1 and alone[found[0]] >= 0:
            label[row] = alone[found[0]]
            continue
        place = np.int64(mix & np.uint64(capacity - 1))
        known = -1
        while slots[place] >= 0:
            other = slots[place]
            if mixes[other] == mix and start[other + 1] - start[other] == width:
                same = True
                for i in range(width):
                    if leaves[start[other] + i] != found[i]:
                        same = False
                        break
                if same:
                    known = other
                    break
            place = (place + 1) & (capacity - 1)
        if known < 0:
            known = n_labels
            n_labels += 1
            slots[place] = known
            mixes[known] = mix
            used = start[known]
            if used + width > leaves.shape[0]:
                wider = np.empty(2 * (used + width), np.int64)
                wider[:used] = leaves[:used]
                leaves = wider
            leaves[used : used + width] = found[:width]
            start[known + 1] = used + width
            if width == 1:
                alone[found[0]] = known
            if n_labels == mixes.shape[0]:  # half full: twice the room
                capacity *= 2
                more = np.empty(2 * n_labels, np.uint64)
                more[:n_labels] = mixes
                mixes = more
                longer = np.zeros(2 * n_labels + 1, np.int64)
                longer[: n_labels + 1] = start
                start = longer
                slots = np.full(capacity, -1, np.int64)
                for one in range(n_labels):
                    place = np.int64(mixes[one] & np.uint64(capacity - 1))
                    while slots[place] >= 0:
                        place = (place + 1) & (capacity - 1)
                    slots[place] = one
        label[row] = known
    return label, start[: n_labels + 1].copy(), leaves[: start[n_labels]].copy()
