"""Is a group allowed?  All conditions of a model, evaluated on a group's size and its value counts.

Each kind of condition reads its part of the group's histogram, two numbers and arrays of its own:

========== ======================= ============ ========================== ========================
kind       level                   second       floats                     codes
========== ======================= ============ ========================== ========================
DISTINCT   least number of values
ENTROPY    least entropy, nats
RECURSIVE  c                       l
EQUAL      t                                    share of each value in
           .                                    the whole table
ORDERED    t                       values that  their shares in order,     values in order, then
           .                       occur        running sums, sums of      the place of each value
           .                                    running sums
TREE       t                       distance of  shares; per node height,   per node parent,
           .                       an empty     edge cost, share below     first leaf, end of leaves
           .                       group
CAP                                             largest share of each
           .                                    value
PROXIMITY  e                       m            numbers, rising            as for ORDERED
PRESENCE   least share             most
MAP        least people
FLOOR                              values that  least share of each
           .                       are asked    value
           .                       for
========== ======================= ============ ========================== ========================

Two sets of loops answer: these scan a dense histogram, which is fastest for the few dozen values
that most columns have; those in ``_sparse_condition_kernels.py`` look only at the values present.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.typing import Codes, Counts, Flags, Floats

(
    DISTINCT,
    ENTROPY,
    RECURSIVE,
    EQUAL,
    ORDERED,
    TREE,
    CAP,
    PROXIMITY,
    PRESENCE,
    MAP,
    FLOOR,
) = range(11)

SLACK = 1e-9


class CompiledModel(NamedTuple):
    """A privacy model compiled for one table of cells: arrays only, so kernels can take it.

    A group is allowed when its size is at least `minimum_size` and every condition holds.
    Conditions read a dense histogram of length `n_codes`, in which the columns they speak of lie
    one after another.  When `size_only` there are no conditions, and the histogram has length 0.
    """

    minimum_size: int
    size_only: bool
    n_codes: int
    kind: Codes  # one per condition, as are the next four
    level: Floats
    second: Floats
    first: NDArray[np.int64]  # the condition's part of the histogram
    stop: NDArray[np.int64]
    float_first: NDArray[np.int64]  # the condition's part of `floats`
    code_first: NDArray[np.int64]  # part of `values`; one more than there are conditions
    floats: Floats
    values: NDArray[np.int64]
    sizes: Counts  # one per cell
    start: NDArray[np.int64]  # entries of each cell in `codes` and `counts`
    codes: Codes
    counts: Counts


@kernel
def add_cell(compiled: CompiledModel, cell: int, sign: int, histogram: Counts) -> None:
    """Add the values of a cell to a histogram (`sign` 1), or take them away (-1)."""
    for entry in range(compiled.start[cell], compiled.start[cell + 1]):
        histogram[compiled.codes[entry]] += sign * compiled.counts[entry]


@kernel
def allowed(compiled: CompiledModel, size: int, histogram: Counts) -> bool:
    """Whether a group of `size` rows with these values is allowed."""
    if size > 0 and size < compiled.minimum_size:
        return False
    for condition in range(compiled.kind.shape[0]):
        if not _meets(
            compiled,
            condition,
            size,
            histogram[compiled.first[condition] : compiled.stop[condition]],
        ):
            return False
    return True


@kernel
def allowed_dense(
    compiled: CompiledModel, first: NDArray[np.int64], member: NDArray[np.int64]
) -> Flags:
    """Whether each group is allowed, by :func:`allowed`."""
    n_groups = first.shape[0] - 1
    is_allowed = np.zeros(n_groups, np.bool_)
    histogram = np.zeros(compiled.n_codes, np.int64)
    for group in range(n_groups):
        size = 0
        for index in range(first[group], first[group + 1]):
            size += compiled.sizes[member[index]]
        if size > 0 and size < compiled.minimum_size:
            continue
        for index in range(first[group], first[group + 1]):
            add_cell(compiled, member[index], 1, histogram)
        is_allowed[group] = allowed(compiled, size, histogram)
        for index in range(first[group], first[group + 1]):
            add_cell(compiled, member[index], -1, histogram)
    return is_allowed


@kernel
def _meets(compiled: CompiledModel, condition: int, size: int, counts: Counts) -> bool:
    kind, level, second = (
        compiled.kind[condition],
        compiled.level[condition],
        compiled.second[condition],
    )
    # asked even of a group without rows: that nobody of it is in the table tells something, too
    if kind == PRESENCE:
        return _presence(size, counts, level, second)
    if size == 0:
        return True
    if kind == MAP:
        return counts[0] >= level
    if kind == DISTINCT:
        return _distinct(counts) >= level
    if kind == ENTROPY:
        return _entropy(size, counts) >= level - SLACK
    if kind == RECURSIVE:
        return _recursive(size, counts, level, int(second))
    floats = compiled.floats[compiled.float_first[condition] : compiled.float_first[condition + 1]]
    if kind == EQUAL:
        return _equal_distance(size, counts, floats) <= level + SLACK
    if kind == CAP:
        return _capped(size, counts, floats)
    if kind == FLOOR:
        return _reaches(size, counts, floats)
    values = compiled.values[compiled.code_first[condition] : compiled.code_first[condition + 1]]
    if kind == ORDERED:
        order = values[: int(second)]
        return _ordered_distance(size, counts, floats, order) <= level + SLACK
    if kind == TREE:
        return _tree_distance(size, counts, floats, values) <= level + SLACK
    return _proximity(size, counts, floats, values, level, second)


@kernel
def _distinct(counts: Counts) -> int:
    n_values = 0
    for count in counts:
        if count > 0:
            n_values += 1
    return n_values


@kernel
def _entropy(size: int, counts: Counts) -> float:
    total = 0.0
    for count in counts:
        if count > 0:
            total += count * np.log(count)
    return np.log(size) - total / size


@kernel
def _recursive(size: int, counts: Counts, c: float, l: int) -> bool:  # noqa: E741
    top = np.zeros(l, np.int64)  # the l largest counts, falling
    for count in counts:
        if count > top[l - 1]:
            slot = l - 1
            while slot > 0 and top[slot - 1] < count:
                top[slot] = top[slot - 1]
                slot -= 1
            top[slot] = count
    tail = size  # rows of the l-th value and on
    for index in range(l - 1):
        tail -= top[index]
    return top[0] < c * tail - SLACK * size


@kernel
def _equal_distance(size: int, counts: Counts, overall: Floats) -> float:
    surplus = 0.0
    for code in range(counts.shape[0]):
        if counts[code] > 0:
            over = counts[code] / size - overall[code]
            # what some values have too much of others lack: the surplus is half of all differences
            if over > 0:
                surplus += over
    return surplus


@kernel
def _ordered_distance(
    size: int, counts: Counts, overall: Floats, order: NDArray[np.int64]
) -> float:
    if order.shape[0] < 2:
        return 0.0
    moved, carried = 0.0, 0.0
    for index in range(order.shape[0]):
        carried += counts[order[index]] / size - overall[index]
        # earth mover's distance on a line: what is carried past each value, summed up
        moved += abs(carried)
    return moved / (order.shape[0] - 1)


@kernel
def _tree_distance(size: int, counts: Counts, floats: Floats, values: NDArray[np.int64]) -> float:
    # At every inner node, surplus below it meets want below it; the rest travels on to its parent.
    n_leaves, n_nodes = counts.shape[0], values.shape[0] // 3
    parent = values[:n_nodes]
    surplus = np.zeros(n_nodes)
    want = np.zeros(n_nodes)
    moved = 0.0
    for node in range(n_nodes):
        if node < n_leaves:
            over = counts[node] / size - floats[node]
            if over > 0:
                surplus[node] = over
            else:
                want[node] = -over
        else:
            meets = min(surplus[node], want[node])
            moved += meets * floats[n_leaves + node]
            surplus[node] -= meets
            want[node] -= meets
        if parent[node] >= 0:
            surplus[parent[node]] += surplus[node]
            want[parent[node]] += want[node]
    return moved


@kernel
def _capped(size: int, counts: Counts, most: Floats) -> bool:
    for code in range(counts.shape[0]):
        if counts[code] > 0 and counts[code] / size > most[code] + SLACK:
            return False
    return True


@kernel
def _reaches(size: int, counts: Counts, least: Floats) -> bool:
    short = 0
    for code in range(counts.shape[0]):
        short += counts[code] / size < least[code] - SLACK
    return short == 0


@kernel
def _proximity(
    size: int, counts: Counts, numbers: Floats, order: NDArray[np.int64], e: float, m: float
) -> bool:
    """Whether at most 1/m of the rows lie within e of any present value."""
    n = numbers.shape[0]
    low, high, inside = 0, 0, 0
    for index in range(n):
        here = numbers[index]
        # a missing value is no number (NaN): near itself alone, which `high <= index` sees to
        while high < n and (high <= index or numbers[high] - here <= e):
            inside += counts[order[high]]
            high += 1
        while low < index and not here - numbers[low] <= e:
            inside -= counts[order[low]]
            low += 1
        if counts[order[index]] > 0 and inside * m > size * (1 + SLACK):
            return False
    return True


@kernel
def _presence(size: int, counts: Counts, low: float, high: float) -> bool:
    if counts[0] == 0:
        return size == 0
    share = size / counts[0]  # of the population's people, who are counted in the one code
    return share >= low - SLACK and share <= high + SLACK
