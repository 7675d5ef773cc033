"""Sorting rows by the branch that a split sends them to."""

import numpy as np

from shoal._jit import kernel
from shoal.models.tree.growth._kernel_types import Target, TreeColumns
from shoal.typing import Codes, Counts, Floats


@kernel
def divide(parts: Codes, order: Counts, start: int, stop: int, n_parts: int) -> Counts:
    """Sort a run of `order` by the part of each row, stably; return where the parts begin."""
    first = np.zeros(n_parts + 1, np.int64)
    # a counting sort: first how many rows each part has, then where the next one goes
    for i in range(start, stop):
        first[parts[i - start] + 1] += 1
    for part in range(n_parts):
        first[part + 1] += first[part]
    following = first[:n_parts].copy()
    moved = np.empty(stop - start, np.int64)
    for i in range(start, stop):
        part = parts[i - start]
        moved[following[part]] = order[i]
        following[part] += 1
    for i in range(start, stop):
        order[i] = moved[i - start]
    for part in range(n_parts + 1):
        first[part] += start
    return first


@kernel
def route_rows(columns: TreeColumns, column: int, level: int, cut: int, rows: Counts) -> Codes:
    """Group (categorical) or side of the cut (0, 1; 2 when missing) of each row."""
    codes = columns.codes[column]
    side = np.empty(rows.shape[0], np.int32)
    first = columns.map_first[column] + level * columns.n_codes[column]
    for i in range(rows.shape[0]):
        code = codes[rows[i]]
        if not columns.ordered[column]:
            side[i] = columns.group[first + code]
        elif code == columns.missing[column]:
            side[i] = 2
        else:
            side[i] = 0 if code <= cut else 1
    return side


@kernel
def count_classes(target: Target, rows: Counts) -> tuple[Counts, Floats]:
    """Rows and weight of each class."""
    counts = np.zeros(target.n_classes, np.int64)
    mass = np.zeros(target.n_classes, np.float64)
    weighted = target.weights.shape[0] > 0
    for row in rows:
        counts[target.codes[row]] += 1
        mass[target.codes[row]] += target.weights[row] if weighted else 1.0
    return counts, mass


@kernel
def divide_node(
    columns: TreeColumns,
    target: Target,
    column: int,
    level: int,
    cut: int,
    order: Counts,
    start: int,
    stop: int,
) -> tuple[Codes, Counts, Counts, Floats]:
    """Sort a node's run of `order` by branch.

    Returns the groups (or sides) that became branches, where each branch begins (and the last one
    ends), and the rows and the weight of each class in each.
    """
    rows = order[start:stop]
    side = route_rows(columns, column, level, cut, rows)
    n_groups = 3 if columns.ordered[column] else columns.n_groups[column, level]
    size = np.zeros(n_groups, np.int64)
    for own in side:
        size[own] += 1
    branch_of = np.full(n_groups, -1, np.int32)
    groups = np.empty(n_groups, np.int32)
    n_branches = 0
    # only groups with rows in the node become branches
    for group in range(n_groups):
        if size[group] > 0:
            branch_of[group] = n_branches
            groups[n_branches] = group
            n_branches += 1
    counts = np.zeros((n_branches, target.n_classes), np.int64)
    mass = np.zeros((n_branches, target.n_classes), np.float64)
    weighted = target.weights.shape[0] > 0
    for i in range(rows.shape[0]):
        side[i] = branch_of[side[i]]
        counts[side[i], target.codes[rows[i]]] += 1
        mass[side[i], target.codes[rows[i]]] += target.weights[rows[i]] if weighted else 1.0
    first = divide(side, order, start, stop, n_branches)
    return groups[:n_branches].copy(), first, counts, mass


@kernel
def divide_spans(
    columns: TreeColumns,
    column: int,
    level: int,
    cut: int,
    branch_of: Codes,
    n_branches: int,
    order: Counts,
    start: Counts,
    stop: Counts,
) -> Counts:
    """Sort the runs of spans by branch; then values without a branch, then missing values.

    Returns, span after span, where its parts begin and the last one ends.
    """
    n_parts = n_branches + 2
    first = np.empty((start.shape[0], n_parts + 1), np.int64)
    missing = columns.missing[column]
    codes = columns.codes[column]
    for s in range(start.shape[0]):
        rows = order[start[s] : stop[s]]
        part = route_rows(columns, column, level, cut, rows)
        for i in range(rows.shape[0]):
            # apart also where missing values have a group: such a row could be in any branch
            if codes[rows[i]] == missing:
                part[i] = n_branches + 1
            else:
                branch = branch_of[part[i]]
                part[i] = branch if branch >= 0 else n_branches
        first[s] = divide(part, order, start[s], stop[s], n_parts)
    return first
