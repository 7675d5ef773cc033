"""What the numbers of values alone rule out, without looking at a single set.

Attributes with d1, d2, ... values make at most d1 d2 ... combinations.  A key of n rows needs n of
them, and of g rows with one value at most as many can be alone as there are combinations of the
other attributes (pigeonhole).  Both bounds take no time on tables with hundreds of columns.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from shoal.discover.sources._partition import CodeTable
from shoal.typing import Floats


def least_key_cost(n_rows: int, n_values: Sequence[int], costs: Floats) -> float:
    """Lower bound on the cost of a key of the rows; infinite if the columns have too few values.

    Whole costs make it a whole number.
    """
    if n_rows < 2:
        return 0.0
    if (costs == 1).all():
        return _least_size(n_rows, n_values)
    weight = np.log(np.maximum(np.array(n_values, np.float64), 1.0))
    order = np.argsort(-weight / costs, kind="stable")
    filled = np.cumsum(weight[order])
    needed = math.log(n_rows) - 1e-9
    last = int(np.searchsorted(filled, needed))
    if last == len(order):
        return math.inf
    before = filled[last - 1] if last else 0.0
    full = float(costs[order[:last]].sum())
    spent = full + float(costs[order[last]] * (needed - before) / weight[order[last]])
    return math.ceil(spent - 1e-6) if (costs == np.round(costs)).all() else spent


def _least_size(n_rows: int, n_values: Sequence[int]) -> float:
    combinations = 1
    for size, n_codes in enumerate(sorted(n_values, reverse=True), 1):
        combinations *= n_codes
        if combinations >= n_rows:
            return size
    return math.inf


def in_small_keys(table: CodeTable, max_size: int) -> int:
    """Attributes, as bits, that can be in a key of at most `max_size` attributes."""
    order = sorted(range(table.n_columns), key=lambda j: -table.n_codes[j])
    mask = 0
    for j in range(table.n_columns):
        others = [table.n_codes[i] for i in order[:max_size] if i != j][: max_size - 1]
        if math.prod(others) * table.n_codes[j] >= table.n_rows:
            mask |= 1 << j
    return mask


def most_unique(table: CodeTable, max_size: int) -> list[int]:
    """For 1, 2, ... attributes: no set of that many makes more rows unique.

    A set makes no more rows unique than any of its members allows, so that the bound of the
    s-th best attribute holds for every set of s.
    """
    sizes = [np.bincount(codes) for codes in table.codes]
    values = [int(np.count_nonzero(own)) for own in sizes]
    order = sorted(range(table.n_columns), key=lambda j: -values[j])
    bounds = []
    for size in range(1, min(max_size, table.n_columns) + 1):
        each = []
        for j, own in enumerate(sizes):
            others = [values[i] for i in order[:size] if i != j][: size - 1]
            cells = min(math.prod(others), table.n_rows)
            each.append(int(np.where(own <= cells, own, cells - 1).sum()))
        bounds.append(sorted(each, reverse=True)[size - 1])
    return bounds
