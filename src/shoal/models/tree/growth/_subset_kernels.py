"""The best split of a categorical column into two subsets of its values."""

import numpy as np

from shoal._jit import kernel
from shoal.models.tree.growth._kernel_types import (
    ABSENT,
    GAIN_RATIO,
    LEFT,
    LOST,
    RIGHT,
    GrowthState,
    GrowthWork,
    Settings,
    Target,
    TreeColumns,
    Whole,
)
from shoal.models.tree.growth._score_kernels import clear, count, impurity, times_log
from shoal.typing import Counts


@kernel
def _order_by_share(
    shown: int, n_values: Whole, n_classes: int, work: GrowthWork, order: Counts
) -> None:
    """Sort the codes touched by the share that class `shown` has among their rows, stably."""
    share = np.empty(n_values)
    for i in range(n_values):
        code = work.touched[i]
        size = 0.0
        for k in range(n_classes):
            size += work.mass[code * n_classes + k]
        share[i] = work.mass[code * n_classes + shown] / size if size > 0 else 0.0
    places = np.argsort(share, kind="mergesort")
    for i in range(n_values):
        order[i] = work.touched[places[i]]


@kernel
def score_subsets(
    columns: TreeColumns,
    target: Target,
    settings: Settings,
    column: Whole,
    rows: Counts,
    least: Whole,
    work: GrowthWork,
    state: GrowthState,
) -> None:
    """Score the best split into two subsets of at least `least` rows; write them down.

    Values are ordered by the share of a class among their rows and cut in two.  With two classes
    the best of these splits is the best of all splits into two subsets, under entropy and Gini's
    index alike [Bre84]_; with more, the orders by every class are tried.  Missing values are a
    branch of their own.

    References
    ----------
    .. [Bre84] L. Breiman, J. Friedman, R. Olshen, C. Stone.  Classification and regression trees.
       Wadsworth, 1984, theorem 4.5.
    """
    n_classes, criterion = target.n_classes, settings.criterion
    n_touched = count(columns, target, column, rows, work)
    n_values, n_known = n_touched, rows.shape[0]
    # one line each: the node, both subsets, missing values
    parts = np.zeros(4 * n_classes)
    left, right, lost = n_classes, 2 * n_classes, 3 * n_classes
    if n_touched and work.touched[n_touched - 1] == columns.missing[column]:
        n_values -= 1
        n_known -= work.total[work.touched[n_values]]
        for k in range(n_classes):
            parts[lost + k] = work.mass[work.touched[n_values] * n_classes + k]
    whole, lost_size = 0.0, 0.0
    for k in range(n_classes):
        parts[k] = parts[lost + k]
        for i in range(n_values):
            parts[k] += work.mass[work.touched[i] * n_classes + k]
        whole += parts[k]
        lost_size += parts[lost + k]
    before = impurity(parts, 0, whole, target, criterion)
    before -= impurity(parts, lost, lost_size, target, criterion)

    order = np.empty(n_values, np.int64)
    chosen = np.empty(n_values, np.int64)
    best, best_at, best_left, best_least = -1.0, -1, 0.0, n_known
    for shown in range(1 if n_classes == 2 else 0, n_classes):
        _order_by_share(shown, n_values, n_classes, work, order)
        left_size, right_size, n_left = 0.0, whole - lost_size, 0
        for k in range(n_classes):
            parts[left + k] = 0.0
            parts[right + k] = parts[k] - parts[lost + k]
        for i in range(n_values - 1):
            n_left += work.total[order[i]]
            for k in range(n_classes):
                mass = work.mass[order[i] * n_classes + k]
                parts[left + k] += mass
                parts[right + k] = max(parts[right + k] - mass, 0.0)
                left_size += mass
                right_size = max(right_size - mass, 0.0)
            if n_left < least or left_size < settings.min_branch:
                continue
            if n_known - n_left < least or right_size < settings.min_branch:
                break
            gained = before - impurity(parts, left, left_size, target, criterion)
            gained -= impurity(parts, right, right_size, target, criterion)
            if gained > best + 1e-9:
                best, best_at, best_left = gained, i, left_size
                best_least = min(n_left, n_known - n_left)
                chosen[:] = order

    state.gain[column] = -1.0
    state.score[column] = -1.0
    if best_at >= 0 and whole > 0:
        gain = best / whole
        state.gain[column], state.score[column] = gain, gain
        if criterion == GAIN_RATIO:
            scattered = times_log(best_left, target) + times_log(lost_size, target)
            scattered += times_log(max(whole - best_left - lost_size, 0.0), target)
            split = (times_log(whole, target) - scattered) / whole
            state.score[column] = gain / split if split > 0 else 0.0
        n_codes = columns.n_codes[column]
        at = columns.map_first[column] + columns.n_levels[column] * n_codes
        for code in range(n_codes):
            columns.group[at + code] = ABSENT
        for i in range(n_values):
            columns.group[at + chosen[i]] = LEFT if i <= best_at else RIGHT
        if columns.missing[column] >= 0:
            columns.group[at + columns.missing[column]] = LOST
    n_lost = rows.shape[0] - n_known
    state.least[column] = min(best_least, n_lost) if n_lost > 0 else best_least
    clear(n_touched, n_classes, work)
