"""How good is a split?  Rows of a node counted per value and class, and scored."""

import numpy as np

from shoal._jit import kernel
from shoal.models.tree.growth._kernel_types import (
    GAIN_RATIO,
    GINI,
    GrowthState,
    GrowthWork,
    Settings,
    Target,
    TreeColumns,
    Whole,
)
from shoal.typing import Counts, Flags, Floats


@kernel
def times_log(x: float, target: Target) -> float:
    """`x` log2 `x`."""
    if target.spread.shape[0]:  # no weights: masses are whole numbers of rows
        return target.spread[int(x)]
    return x * np.log2(x) if x > 0 else 0.0


@kernel
def impurity(counts: Floats, first: int, total: float, target: Target, criterion: int) -> float:
    """`total` times entropy in bits, or times Gini's index, of the counts from `first` on."""
    if total <= 0:
        return 0.0
    masses = 0.0
    if criterion == GINI:
        for k in range(target.n_classes):
            masses += counts[first + k] * counts[first + k]
        return total - masses / total
    for k in range(target.n_classes):
        masses += times_log(counts[first + k], target)
    return times_log(total, target) - masses


@kernel
def sort_keys(keys: Counts, n: Whole) -> None:
    """Sort the first `n` keys, which are not negative: insertion for few, else by bytes."""
    if n <= 64:
        for i in range(1, n):
            key = keys[i]
            slot = i
            while slot > 0 and keys[slot - 1] > key:
                keys[slot] = keys[slot - 1]
                slot -= 1
            keys[slot] = key
        return
    most = np.int64(0)
    for i in range(n):
        most = max(most, keys[i])
    moved = np.empty(n, np.int64)
    first = np.empty(257, np.int64)
    shift = np.int64(0)
    # a byte at a time from the last: each pass is stable, so earlier ones are not undone
    while most >> shift > 0:
        for byte in range(257):
            first[byte] = 0
        for i in range(n):
            first[((keys[i] >> shift) & 255) + 1] += 1
        for byte in range(256):
            first[byte + 1] += first[byte]
        for i in range(n):
            byte = (keys[i] >> shift) & 255
            moved[first[byte]] = keys[i]
            first[byte] += 1
        for i in range(n):
            keys[i] = moved[i]
        shift += 8


@kernel
def count(
    columns: TreeColumns, target: Target, column: Whole, rows: Counts, work: GrowthWork
) -> Whole:
    """Fill `total`, `mass` and the rising list `touched` of codes that occur; return its length."""
    n_classes = target.n_classes
    n_codes = columns.n_codes[column]
    weighted = target.weights.shape[0] > 0
    n_touched = 0
    for row in rows:
        code = np.int64(columns.codes[column, row])
        if work.total[code] == 0:
            work.touched[n_touched] = code
            n_touched += 1
        work.total[code] += 1
        work.mass[code * n_classes + target.codes[row]] += target.weights[row] if weighted else 1.0
    # few of many codes: sorting them beats looking at all
    if n_touched * 16 < n_codes:
        sort_keys(work.touched, n_touched)
    else:
        n_touched = 0
        for code in range(n_codes):
            if work.total[code] > 0:
                work.touched[n_touched] = code
                n_touched += 1
    return n_touched


@kernel
def clear(n_touched: Whole, n_classes: int, work: GrowthWork) -> None:
    """Set what :func:`count` filled back to zero; `touched` lists it."""
    for i in range(n_touched):
        code = work.touched[i]
        work.total[code] = 0
        for k in range(n_classes):
            work.mass[code * n_classes + k] = 0.0


@kernel
def score_groups(
    columns: TreeColumns,
    target: Target,
    settings: Settings,
    column: Whole,
    rows: Counts,
    work: GrowthWork,
    state: GrowthState,
) -> None:
    """Score the split of a categorical column at its present level."""
    n_classes, criterion = target.n_classes, settings.criterion
    level = state.level[column]
    level_first = columns.map_first[column] + level * columns.n_codes[column]
    n_groups = columns.n_groups[column, level]
    n_touched = count(columns, target, column, rows, work)
    for group in range(n_groups):
        work.group_total[group] = 0
    for entry in range((n_groups + 1) * n_classes):
        work.group_mass[entry] = 0.0
    whole = n_groups * n_classes  # the node itself comes after its groups
    for i in range(n_touched):
        code = work.touched[i]
        group = np.int64(columns.group[level_first + code])
        work.group_total[group] += work.total[code]
        for k in range(n_classes):
            mass = work.mass[code * n_classes + k]
            work.group_mass[group * n_classes + k] += mass
            work.group_mass[whole + k] += mass
    clear(n_touched, n_classes, work)

    before, after, all_mass, scattered = 0.0, 0.0, 0.0, 0.0
    n_branches, n_large = 0, 0
    least = rows.shape[0]
    for group in range(n_groups + 1):
        if group < n_groups and work.group_total[group] == 0:
            continue
        size = 0.0
        for k in range(n_classes):
            size += work.group_mass[group * n_classes + k]
        mixed = impurity(work.group_mass, group * n_classes, size, target, criterion)
        if group == n_groups:
            before, all_mass = mixed, size
            break
        n_branches += 1
        least = min(least, work.group_total[group])
        if size >= settings.min_branch:  # C4.5 wants two such branches
            n_large += 1
        after += mixed
        scattered += times_log(size, target)
    state.least[column] = least
    state.gain[column] = -1.0
    state.score[column] = -1.0
    if n_branches > 1 and n_large > 1 and all_mass > 0:
        gain = (before - after) / all_mass
        state.gain[column] = gain
        state.score[column] = gain
        if criterion == GAIN_RATIO:
            split = (times_log(all_mass, target) - scattered) / all_mass
            state.score[column] = gain / split if split > 0 else 0.0


@kernel
def _cut_between(
    columns: TreeColumns,
    column: Whole,
    left: Whole,
    right: Whole,
    restricted: bool,
    cut_open: Flags,
) -> tuple[Whole, float]:
    """Cut and threshold between two neighbouring codes of a node; -1 when none is open."""
    first = columns.value_first[column]
    low, high = columns.values[first + left], columns.values[first + right]
    middle = low + (high - low) / 2
    if not (low <= middle < high):  # neighbouring floats: their middle may round to `high`
        middle = low
    cut = left
    step = right - left
    while step > 0:  # largest code whose value is at most the middle
        if cut + step < right and columns.values[first + cut + step] <= middle:
            cut += step
        else:
            step //= 2
    if not restricted or cut_open[cut]:
        return cut, middle
    # the nearest open cut: one to the right first, then one to the left, then two
    for away in range(1, 2 * (right - left)):
        other = cut + (away + 1) // 2 * (1 if away % 2 else -1)
        if left <= other < right and cut_open[other]:
            low, high = columns.values[first + other], columns.values[first + other + 1]
            middle = low + (high - low) / 2
            return other, middle if middle < high else low
    return np.int64(-1), middle


@kernel
def score_cuts(
    columns: TreeColumns,
    target: Target,
    settings: Settings,
    column: Whole,
    rows: Counts,
    least: Whole,
    restricted: bool,
    work: GrowthWork,
    state: GrowthState,
) -> None:
    """Score the best cut of an ordered column that leaves `least` rows on both sides."""
    n_classes, criterion = target.n_classes, settings.criterion
    n_touched = count(columns, target, column, rows, work)
    n_values, n_known = n_touched, rows.shape[0]
    # one line each: the node, left of the cut, right of it, missing values
    parts = np.zeros(4 * n_classes)
    left, right, lost = n_classes, 2 * n_classes, 3 * n_classes
    if n_touched and work.touched[n_touched - 1] == columns.missing[column]:
        n_values -= 1
        code = work.touched[n_values]
        n_known -= work.total[code]
        for k in range(n_classes):
            parts[lost + k] = work.mass[code * n_classes + k]
    for i in range(n_values):
        code = work.touched[i]
        for k in range(n_classes):
            parts[right + k] += work.mass[code * n_classes + k]
    whole, left_size, right_size, lost_size = 0.0, 0.0, 0.0, 0.0
    for k in range(n_classes):
        parts[k] = parts[right + k] + parts[lost + k]
        whole += parts[k]
        right_size += parts[right + k]
        lost_size += parts[lost + k]
    before = impurity(parts, 0, whole, target, criterion)
    before -= impurity(parts, lost, lost_size, target, criterion)

    needed = settings.min_branch
    if criterion == GAIN_RATIO:  # C4.5 wants a tenth of an even share, between its minimum and 25
        needed = min(max(0.1 * whole / n_classes, settings.min_branch), 25.0)
    best, best_at, best_left = -1.0, -1, 0.0
    n_tried, n_left = 0, 0
    for i in range(n_values - 1):
        code = work.touched[i]
        n_left += work.total[code]
        for k in range(n_classes):
            mass = work.mass[code * n_classes + k]
            parts[left + k] += mass
            # differences of weights are rounded, and must not come out below nothing
            parts[right + k] = max(parts[right + k] - mass, 0.0)
            left_size += mass
            right_size = max(right_size - mass, 0.0)
        if n_left < least or left_size < needed:
            continue
        if n_known - n_left < least or right_size < needed:  # the right side only shrinks from here
            break
        if restricted:
            cut, _ = _cut_between(columns, column, code, work.touched[i + 1], True, work.cut_open)
            if cut < 0:
                continue
        n_tried += 1
        gained = before - impurity(parts, left, left_size, target, criterion)
        gained -= impurity(parts, right, right_size, target, criterion)
        if gained > best:
            best, best_at, best_left = gained, i, left_size
    state.gain[column] = -1.0
    state.score[column] = -1.0
    if best_at >= 0 and whole > 0:
        gain = best / whole
        score = gain
        if criterion == GAIN_RATIO:
            gain -= np.log2(n_tried) / whole  # the choice among cuts is paid for (Quinlan, 1996)
            scattered = times_log(best_left, target) + times_log(lost_size, target)
            scattered += times_log(whole - best_left - lost_size, target)
            split = (times_log(whole, target) - scattered) / whole
            score = gain / split if split > 0 else 0.0
        cut, threshold = _cut_between(
            columns,
            column,
            work.touched[best_at],
            work.touched[best_at + 1],
            restricted,
            work.cut_open,
        )
        state.gain[column], state.score[column] = gain, score
        state.cut[column], state.threshold[column] = cut, threshold
    n_lost = rows.shape[0] - n_known
    # both sides are large enough by now; missing values may be too few for a branch
    state.least[column] = n_lost if n_lost > 0 else n_known
    clear(n_touched, n_classes, work)
