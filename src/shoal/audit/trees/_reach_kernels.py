"""Compiled: the leaves that rows can reach, and which rows can reach the same."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.typing import Codes, Flags, Floats

Places = NDArray[np.int64]
Nodes = NDArray[np.intp]
Hashes = NDArray[np.uint64]

_ZERO = float(np.float32(1e-35))


class TreeArrays(NamedTuple):
    """The tests of a binary tree, by node."""

    left: Nodes  # -1 at leaves
    right: Nodes
    feature: Nodes
    threshold: Floats  # the largest value that goes left
    missing_left: Flags
    zero_missing: Flags
    code_start: Places  # where the codes begin that go left; -1 where a threshold decides
    code_stop: Places
    codes: Places  # rising within a node


class PrivateCells(NamedTuple):
    """What private attributes can be, as far as the tests of a tree tell values apart."""

    owner: Places  # by feature: the attribute it comes from, -1 when it is public
    value_start: Places  # by feature: where its values begin, one per cell of the attribute
    values: Floats
    cell_start: Places  # by attribute: where its cells begin, and the end of the last


@kernel
def goes_left(value: float, node: int, tree: TreeArrays) -> bool:
    """Whether a value goes left at a node."""
    if np.isnan(value) or (tree.zero_missing[node] and abs(value) <= _ZERO):
        return tree.missing_left[node]
    if tree.code_start[node] < 0:
        return value <= tree.threshold[node]
    code = np.trunc(value)
    low, high = tree.code_start[node], tree.code_stop[node]
    while low < high:  # no set of codes: kernels know no sets, and a library may list thousands
        middle = (low + high) // 2
        if tree.codes[middle] < code:
            low = middle + 1
        else:
            high = middle
    return low < tree.code_stop[node] and tree.codes[low] == code


@kernel
def _close_cells(
    open_cells: Flags, above: int, is_left: bool, cells: PrivateCells, tree: TreeArrays
) -> bool:
    """Close the cells that do not lead from a node to one child; whether any stays open."""
    feature = tree.feature[above]
    attribute = cells.owner[feature]
    first = cells.cell_start[attribute]
    some = False
    for cell in range(first, cells.cell_start[attribute + 1]):
        if open_cells[cell]:
            value = cells.values[cells.value_start[feature] + cell - first]
            if goes_left(value, above, tree) == is_left:
                some = True
            else:
                open_cells[cell] = False
    return some


@kernel
def find_possible(depth: int, cells: PrivateCells, tree: TreeArrays) -> Flags:
    """Which nodes some private values lead to; `depth` is that of the tree."""
    n_nodes = tree.left.shape[0]
    alive = np.zeros(n_nodes, np.bool_)
    # One line per depth is enough: the walk is depth first, so that a line is only read by nodes
    # below the one that wrote it.
    open_cells = np.ones((depth + 1, max(cells.cell_start[-1], 1)), np.bool_)
    stack = np.empty(n_nodes, np.int64)
    level = np.zeros(n_nodes, np.int64)
    parent = np.full(n_nodes, -1, np.int64)
    stack[0] = 0
    top = 1
    while top > 0:
        top -= 1
        node = stack[top]
        here = level[node]
        above = parent[node]
        if above >= 0:
            open_cells[here] = open_cells[here - 1]
            if cells.owner[tree.feature[above]] >= 0:
                is_left = tree.left[above] == node
                if not _close_cells(open_cells[here], above, is_left, cells, tree):
                    continue
        alive[node] = True
        if tree.left[node] >= 0:
            for child in (tree.right[node], tree.left[node]):
                parent[child] = node
                level[child] = here + 1
                stack[top] = child
                top += 1
    return alive


@kernel
def _find_slot(
    slots: Places, mixes: Hashes, start: Places, leaves: Places, mix: np.uint64, own: Places
) -> np.int64:
    """Slot of a list of leaves, or the empty one where it belongs."""
    mask = np.int64(slots.shape[0] - 1)
    slot = np.int64(mix & np.uint64(mask))
    while slots[slot] >= 0:
        other = slots[slot]
        # hashes are compared first, then leaf by leaf: a chance collision must not join groups
        if mixes[other] == mix and start[other + 1] - start[other] == own.shape[0]:
            same = True
            for i in range(own.shape[0]):
                if leaves[start[other] + i] != own[i]:
                    same = False
                    break
            if same:
                return slot
        slot = (slot + 1) & mask
    return slot


@kernel
def _hash_again(mixes: Hashes, n: int, capacity: int) -> Places:
    """Slots of the first `n` lists in a larger table."""
    slots = np.full(capacity, -1, np.int64)
    for one in range(n):
        slot = np.int64(mixes[one] & np.uint64(capacity - 1))
        while slots[slot] >= 0:
            slot = (slot + 1) & (capacity - 1)
        slots[slot] = one
    return slots


@kernel
def group_by_reach(
    matrix: Floats, closed: Flags, alive: Flags, tree: TreeArrays
) -> tuple[Codes, Places, Places]:
    """Number the rows by the leaves they can reach, in order of first appearance.

    At a test of a closed feature a row goes to every child that is alive.  The leaves behind
    number j are ``leaves[start[j]:start[j + 1]]``, in the order of the walk, which is the same for
    all rows: equal sets are equal lists.
    """
    n_rows, n_nodes = matrix.shape[0], tree.left.shape[0]
    left, right, feature = tree.left, tree.right, tree.feature
    quick = tree.threshold.copy()  # not a number where a comparison does not settle the test
    for node in range(n_nodes):
        if tree.zero_missing[node] or tree.code_start[node] >= 0:
            quick[node] = np.nan
    label = np.empty(n_rows, np.int32)
    alone = np.full(n_nodes, -1, np.int32)  # number of the set that is this leaf only
    stack = np.empty(n_nodes, np.int64)
    reached = np.empty(n_nodes, np.int64)
    slots = np.full(1024, -1, np.int64)
    mixes = np.empty(512, np.uint64)
    start = np.zeros(513, np.int64)
    leaves = np.empty(4096, np.int64)
    n_labels = 0
    for row in range(n_rows):
        # written out here: a call for every row takes more time than the walk down a tree
        stack[0] = 0
        top = 1
        width = 0
        mix = np.uint64(0xCBF29CE484222325)
        while top > 0:
            top -= 1
            node = stack[top]
            while left[node] >= 0:
                tested = feature[node]
                if closed[tested]:
                    if alive[left[node]] and alive[right[node]]:
                        stack[top] = right[node]
                        top += 1
                    node = left[node] if alive[left[node]] else right[node]
                    continue
                value = matrix[row, tested]
                if value <= quick[node]:
                    node = left[node]
                elif value > quick[node]:
                    node = right[node]
                else:
                    node = left[node] if goes_left(value, node, tree) else right[node]
            reached[width] = node
            width += 1
            mix = (mix ^ np.uint64(node)) * np.uint64(0x9E3779B97F4A7C15)
            mix ^= mix >> np.uint64(29)  # the product moves bits up only
        if width == 1 and alone[reached[0]] >= 0:  # most rows of most trees: no hashing
            label[row] = alone[reached[0]]
            continue
        slot = _find_slot(slots, mixes, start, leaves, mix, reached[:width])
        known = slots[slot]
        if known < 0:
            known = n_labels
            n_labels += 1
            slots[slot] = known
            mixes[known] = mix
            used = start[known]
            if used + width > leaves.shape[0]:
                wider = np.empty(2 * (used + width), np.int64)
                wider[:used] = leaves[:used]
                leaves = wider
            leaves[used : used + width] = reached[:width]
            start[known + 1] = used + width
            if width == 1:
                alone[reached[0]] = known
            if n_labels == mixes.shape[0]:  # half full: twice the room
                more = np.empty(2 * n_labels, np.uint64)
                more[:n_labels] = mixes
                mixes = more
                longer = np.zeros(2 * n_labels + 1, np.int64)
                longer[: n_labels + 1] = start
                start = longer
                slots = _hash_again(mixes, n_labels, 2 * slots.shape[0])
        label[row] = known
    return label, start[: n_labels + 1].copy(), leaves[: start[n_labels]].copy()
