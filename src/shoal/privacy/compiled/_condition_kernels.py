"""Is a group allowed?  All rules of a model, evaluated on a group's size and its value counts.

Each kind of rule reads its part of the group's histogram, two numbers and arrays of its own:

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
========== ======================= ============ ========================== ========================

Two sets of loops answer: these scan a dense histogram, which is fastest for the few dozen values
that most columns have; those in ``_sparse_rule_kernels.py`` look only at the values present.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.typing import Codes, Counts, Flags, Floats

DISTINCT, ENTROPY, RECURSIVE, EQUAL, ORDERED, TREE, CAP, PROXIMITY, PRESENCE = range(9)

SLACK = 1e-9


class CompiledModel(NamedTuple):
    """A privacy model compiled for one table of cells: arrays only, so kernels can take it.

    A group is allowed when its size is at least `minimum_size` and every rule holds.  Rules read a
    dense histogram of length `n_codes`, in which the columns they speak of lie one after another.
    When `size_only` there are no rules, and the histogram has length 0.
    """

    minimum_size: int
    size_only: bool
    n_codes: int
    kind: Codes  # one per rule, as are the next four
    level: Floats
    second: Floats
    first: NDArray[np.int64]  # the rule's part of the histogram
    stop: NDArray[np.int64]
    float_first: NDArray[np.int64]  # the rule's part of `floats`
    code_first: NDArray[np.int64]  # one more than rules: part of `values`
    floats: Floats
    values: NDArray[np.int64]
    sizes: Counts  # one per cell
    start: NDArray[np.int64]  # entries of each cell in `codes` and `counts`
    codes: Codes
    counts: Counts


@kernel
def add_cell(rules: CompiledModel, cell: int, sign: int, histogram: Counts) -> None:
    """Add the values of a cell to a histogram (`sign` 1), or take them away (-1)."""
    for entry in range(rules.start[cell], rules.start[cell + 1]):
        histogram[rules.codes[entry]] += sign * rules.counts[entry]


@kernel
def allowed(rules: CompiledModel, size: int, histogram: Counts) -> bool:
    """Whether a group of `size` rows with these values is allowed."""
    if size > 0 and size < rules.minimum_size:
        return False
    for rule in range(rules.kind.shape[0]):
        if not _meets(rules, rule, size, histogram[rules.first[rule] : rules.stop[rule]]):
            return False
    return True


@kernel
def group_members(
    group_of: NDArray[np.int64], n_groups: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Cells of each group: group g owns ``member[first[g]]`` to ``member[first[g + 1] - 1]``."""
    first = np.zeros(n_groups + 1, np.int64)
    for group in group_of:
        if group >= 0:
            first[group + 1] += 1
    for group in range(n_groups):
        first[group + 1] += first[group]
    member = np.empty(first[n_groups], np.int64)
    at = first[:n_groups].copy()
    for cell in range(group_of.shape[0]):
        group = group_of[cell]
        if group >= 0:
            member[at[group]] = cell
            at[group] += 1
    return first, member


@kernel
def allowed_dense(
    rules: CompiledModel, first: NDArray[np.int64], member: NDArray[np.int64]
) -> Flags:
    """Whether each group is allowed, by :func:`allowed`."""
    n_groups = first.shape[0] - 1
    found = np.zeros(n_groups, np.bool_)
    histogram = np.zeros(rules.n_codes, np.int64)
    for group in range(n_groups):
        size = 0
        for place in range(first[group], first[group + 1]):
            size += rules.sizes[member[place]]
        if size > 0 and size < rules.minimum_size:
            continue
        for place in range(first[group], first[group + 1]):
            add_cell(rules, member[place], 1, histogram)
        found[group] = allowed(rules, size, histogram)
        for place in range(first[group], first[group + 1]):
            add_cell(rules, member[place], -1, histogram)
    return found


@kernel
def _meets(rules: CompiledModel, rule: int, size: int, counts: Counts) -> bool:
    kind, level, second = rules.kind[rule], rules.level[rule], rules.second[rule]
    if kind == PRESENCE:
        return _presence(size, counts, level, second)
    if size == 0:
        return True
    if kind == DISTINCT:
        return _distinct(counts) >= level
    if kind == ENTROPY:
        return _entropy(size, counts) >= level - SLACK
    if kind == RECURSIVE:
        return _recursive(size, counts, level, int(second))
    floats = rules.floats[rules.float_first[rule] : rules.float_first[rule + 1]]
    if kind == EQUAL:
        return _equal_distance(size, counts, floats) <= level + SLACK
    if kind == CAP:
        return _capped(size, counts, floats)
    values = rules.values[rules.code_first[rule] : rules.code_first[rule + 1]]
    if kind == ORDERED:
        order = values[: int(second)]
        return _ordered_distance(size, counts, floats, order) <= level + SLACK
    if kind == TREE:
        return _tree_distance(size, counts, floats, values) <= level + SLACK
    return _sparse(size, counts, floats, values, level, second)


@kernel
def _distinct(counts: Counts) -> int:
    found = 0
    for count in counts:
        if count > 0:
            found += 1
    return found


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
            at = l - 1
            while at > 0 and top[at - 1] < count:
                top[at] = top[at - 1]
                at -= 1
            top[at] = count
    tail = size  # rows of the l-th value and on
    for place in range(l - 1):
        tail -= top[place]
    return top[0] < c * tail - SLACK * size


@kernel
def _equal_distance(size: int, counts: Counts, overall: Floats) -> float:
    surplus = 0.0
    for code in range(counts.shape[0]):
        if counts[code] > 0:
            over = counts[code] / size - overall[code]
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
    for place in range(order.shape[0]):
        carried += counts[order[place]] / size - overall[place]
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
def _sparse(
    size: int, counts: Counts, numbers: Floats, order: NDArray[np.int64], e: float, m: float
) -> bool:
    """Whether at most 1/m of the rows lie within e of any present value."""
    n = numbers.shape[0]
    low, high, inside = 0, 0, 0
    for place in range(n):
        here = numbers[place]
        while high < n and (high <= place or numbers[high] - here <= e):
            inside += counts[order[high]]
            high += 1
        while low < place and not here - numbers[low] <= e:
            inside -= counts[order[low]]
            low += 1
        if counts[order[place]] > 0 and inside * m > size * (1 + SLACK):
            return False
    return True


@kernel
def _presence(size: int, counts: Counts, low: float, high: float) -> bool:
    if counts[0] == 0:
        return size == 0
    share = size / counts[0]
    return share >= low - SLACK and share <= high + SLACK
