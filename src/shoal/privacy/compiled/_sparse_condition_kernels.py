"""Is a group allowed?  As in ``_condition_kernels.py``, at the cost of the values present.

A group is given by its dense histogram and a list of the codes that are not zero in it, in any
order.  For columns with thousands of values, such as a salary, a group of ten rows then costs ten
steps instead of thousands.
"""

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.privacy.compiled._condition_kernels import (
    CAP,
    DISTINCT,
    ENTROPY,
    EQUAL,
    FLOOR,
    MAP,
    ORDERED,
    PRESENCE,
    RECURSIVE,
    SLACK,
    TREE,
    CompiledModel,
)
from shoal.typing import Counts, Flags, Floats


@kernel
def touch_cell(
    compiled: CompiledModel,
    cell: int,
    histogram: Counts,
    present: NDArray[np.int64],
    n_present: int,
) -> int:
    """Add the values of a cell to a histogram and list the new ones; return the list's length."""
    for entry in range(compiled.start[cell], compiled.start[cell + 1]):
        code = compiled.codes[entry]
        # cells are only ever added here: a count that is not zero was listed before
        if histogram[code] == 0:
            present[n_present] = code
            n_present += 1
        histogram[code] += compiled.counts[entry]
    return n_present


@kernel
def allowed_present(
    compiled: CompiledModel,
    size: int,
    histogram: Counts,
    present: NDArray[np.int64],
    n_present: int,
) -> bool:
    """Whether a group of `size` rows is allowed; `present` lists the codes that it has."""
    if size > 0 and size < compiled.minimum_size:
        return False
    codes = np.empty(n_present, np.int64)
    for condition in range(compiled.kind.shape[0]):
        first, stop = compiled.first[condition], compiled.stop[condition]
        n = 0
        for i in range(n_present):
            if first <= present[i] < stop:
                codes[n] = present[i] - first
                n += 1
        if not _meets_sparse(compiled, condition, size, histogram[first:stop], codes[:n]):
            return False
    return True


@kernel
def allowed_sparse(
    compiled: CompiledModel, first: NDArray[np.int64], member: NDArray[np.int64]
) -> Flags:
    """Whether each group is allowed, by :func:`allowed_present`."""
    n_groups = first.shape[0] - 1
    is_allowed = np.zeros(n_groups, np.bool_)
    histogram = np.zeros(compiled.n_codes, np.int64)
    present = np.empty(compiled.n_codes, np.int64)
    for group in range(n_groups):
        size = 0
        for index in range(first[group], first[group + 1]):
            size += compiled.sizes[member[index]]
        if size > 0 and size < compiled.minimum_size:
            continue
        n_present = 0
        for index in range(first[group], first[group + 1]):
            n_present = touch_cell(compiled, member[index], histogram, present, n_present)
        is_allowed[group] = allowed_present(compiled, size, histogram, present, n_present)
        for i in range(n_present):
            histogram[present[i]] = 0
    return is_allowed


@kernel
def _sort(values: NDArray[np.int64]) -> None:
    """Sort in place, by Shell's method: short lists, and far quicker to compile than np.sort."""
    gap = 1
    while gap < values.shape[0] // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, values.shape[0]):
            value = values[i]
            slot = i
            while slot >= gap and values[slot - gap] > value:
                values[slot] = values[slot - gap]
                slot -= gap
            values[slot] = value
        gap //= 3


@kernel
def _meets_sparse(
    compiled: CompiledModel, condition: int, size: int, counts: Counts, codes: NDArray[np.int64]
) -> bool:
    kind, level, second = (
        compiled.kind[condition],
        compiled.level[condition],
        compiled.second[condition],
    )
    if kind == PRESENCE:
        if counts[0] == 0:
            return size == 0
        share = size / counts[0]
        return share >= level - SLACK and share <= second + SLACK
    if size == 0:
        return True
    if kind == MAP:
        return counts[0] >= level
    if kind == DISTINCT:
        return codes.shape[0] >= level
    if kind == ENTROPY:
        total = 0.0
        for code in codes:
            total += counts[code] * np.log(counts[code])
        return np.log(size) - total / size >= level - SLACK
    if kind == RECURSIVE:
        return _recursive_sparse(size, counts, codes, level, int(second))
    floats = compiled.floats[compiled.float_first[condition] : compiled.float_first[condition + 1]]
    if kind == EQUAL:
        surplus = 0.0
        for code in codes:
            # absent values only lack, and what they lack is surplus in others
            surplus += max(0.0, counts[code] / size - floats[code])
        return surplus <= level + SLACK
    if kind == CAP:
        over = 0
        for code in codes:
            over += counts[code] / size > floats[code] + SLACK
        return over == 0
    if kind == FLOOR:
        reached = 0  # of the values asked for; those absent do not
        for code in codes:
            if floats[code] > SLACK:
                reached += counts[code] / size >= floats[code] - SLACK
        return reached >= second
    values = compiled.values[compiled.code_first[condition] : compiled.code_first[condition + 1]]
    if kind == ORDERED:
        m = int(second)
        return _ordered_sparse(size, counts, codes, floats, values, m) <= level + SLACK
    # `second` is the distance of an empty group, which the values present change
    if kind == TREE:
        return second + _tree_sparse(size, counts, codes, floats, values) <= level + SLACK
    return _proximity_sparse(size, counts, codes, floats, values, level, second)


@kernel
def _recursive_sparse(
    size: int,
    counts: Counts,
    codes: NDArray[np.int64],
    c: float,
    l: int,  # noqa: E741
) -> bool:
    ranked = np.empty(codes.shape[0], np.int64)
    for i in range(codes.shape[0]):
        ranked[i] = counts[codes[i]]
    _sort(ranked)
    tail = 0
    # counts rise: all but the l - 1 largest, as in the dense loop
    for i in range(codes.shape[0] - l + 1):
        tail += ranked[i]
    return codes.shape[0] >= l and ranked[codes.shape[0] - 1] < c * tail - SLACK * size


@kernel
def _ordered_sparse(
    size: int,
    counts: Counts,
    codes: NDArray[np.int64],
    floats: Floats,
    values: NDArray[np.int64],
    m: int,
) -> float:
    """Between two present values the group's running share is constant and the whole's rises.

    So the gap between them is summed from sums made beforehand, either side of where they cross.
    """
    if m < 2 or codes.shape[0] == 0:
        return 0.0
    running, before = floats[m : 2 * m], floats[2 * m :]
    places = np.empty(codes.shape[0], np.int64)
    for i in range(codes.shape[0]):
        places[i] = values[m + codes[i]]
    _sort(places)
    # up to the first present value nothing is carried, and the whole's own share is missing
    moved, carried = before[places[0]], 0.0
    for i in range(places.shape[0]):
        carried += counts[values[places[i]]] / size
        a = places[i]
        b = places[i + 1] if i + 1 < places.shape[0] else m
        cross, end = a, b  # first place from a on where the whole has overtaken
        while cross < end:
            middle = (cross + end) // 2
            if running[middle] < carried:
                cross = middle + 1
            else:
                end = middle
        moved += carried * (cross - a) - (before[cross] - before[a])
        moved += (before[b] - before[cross]) - carried * (b - cross)
    return moved / (m - 1)


@kernel
def _tree_sparse(
    size: int, counts: Counts, codes: NDArray[np.int64], floats: Floats, values: NDArray[np.int64]
) -> float:
    """What the present values change in the distance of an empty group from the whole."""
    n_leaves, n_nodes = counts.shape[0], values.shape[0] // 3
    parent, start, stop = values[:n_nodes], values[n_nodes : 2 * n_nodes], values[2 * n_nodes :]
    climb = floats[n_leaves + n_nodes : n_leaves + 2 * n_nodes]
    below = floats[n_leaves + 2 * n_nodes :]
    leaves = codes.copy()  # sorted, since the leaves below a node lie together
    _sort(leaves)
    n = leaves.shape[0]
    rows = np.zeros(n + 1, np.int64)
    for i in range(n):
        rows[i + 1] = rows[i] + counts[leaves[i]]
    changed = 0.0
    for i in range(n):
        node = leaves[i]
        # A node covers one run of leaves; the first present leaf in it speaks for the node.
        while node >= 0 and (i == 0 or leaves[i - 1] < start[node]):
            last, end = i + 1, n
            while last < end:
                middle = (last + end) // 2
                if leaves[middle] < stop[node]:
                    last = middle + 1
                else:
                    end = middle
            inside = (rows[last] - rows[i]) / size
            # earth mover's distance in a tree: what crosses the edge above a node, times its cost
            changed += climb[node] * (abs(inside - below[node]) - below[node])
            node = parent[node]
    return changed


@kernel
def _proximity_sparse(
    size: int,
    counts: Counts,
    codes: NDArray[np.int64],
    numbers: Floats,
    values: NDArray[np.int64],
    e: float,
    m: float,
) -> bool:
    n = codes.shape[0]
    places = np.empty(n, np.int64)
    for i in range(n):
        places[i] = values[numbers.shape[0] + codes[i]]
    _sort(places)
    low, high, inside = 0, 0, 0
    for i in range(n):
        here = numbers[places[i]]
        # as in the dense loop, over the places of present values only
        while high < n and (high <= i or numbers[places[high]] - here <= e):
            inside += counts[values[places[high]]]
            high += 1
        while low < i and not here - numbers[places[low]] <= e:
            inside -= counts[values[places[low]]]
            low += 1
        if inside * m > size * (1 + SLACK):
            return False
    return True
