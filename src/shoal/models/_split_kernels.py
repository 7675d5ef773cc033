"""Split search of one node.  Arrays in, numbers out; no objects, no errors, no I/O.

A node's rows are counted per value and class; a column is scored on its values (categorical, at
one level of its hierarchy) or on its best cut (ordered).  Whether a split is allowed is decided on
spans: lists of rows that an attacker cannot tell apart.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.privacy import Rules, add_cell, allowed
from shoal.typing import Codes, Counts, Flags, Floats

GAIN, GAIN_RATIO, GINI = range(3)


class Columns(NamedTuple):
    """The training table as kernels read it; codes of ordered columns rise with their values."""

    codes: Codes  # (n_columns, n_rows)
    ordered: Flags
    public: Flags
    n_codes: Counts  # the code of a missing value, which is the last, included
    missing: Codes  # code of a missing value, -1 without one
    n_levels: Counts  # levels at which a categorical column can be split
    map_first: Counts  # where the map of a column's level 0 begins in `group`
    group: Codes  # level after level: group of each code
    n_groups: Counts  # (n_columns, largest number of levels)
    value_first: Counts  # where an ordered column's values begin in `values`
    values: Floats


class Target(NamedTuple):
    """Classes and weights of the rows."""

    codes: Codes
    n_classes: int
    weights: Floats  # empty when every row weighs 1
    entropy_mass: Floats  # n * log2(n) for n = 0, 1, ...; empty with weights


class Settings(NamedTuple):
    """What the search is asked for."""

    criterion: int
    min_gain: float
    min_branch: int
    to_majority: bool  # values without a branch join the largest one


class Work(NamedTuple):
    """Memory that every call uses anew; `total` and `mass` are zero between calls."""

    total: Counts  # rows per code
    mass: Floats  # weight per code and class
    touched: Codes
    group_total: Counts
    group_mass: Floats
    part: Counts  # part of each group, for spans
    sizes: Counts  # rows of each part
    histogram: Counts  # private values of each part
    cut_open: Flags


class Segments(NamedTuple):
    """Spans of a node: runs of `order`, and whether each has a single bin."""

    order: Counts
    start: Counts
    stop: Counts
    single: Flags
    own: bool  # the one span is the node's rows and belongs to no other node


class State(NamedTuple):
    """What is known of a node's candidates: one entry per column, and the splits refused."""

    level: Codes  # next level to try; -1 when there is none left
    gain: Floats
    score: Floats
    cut: Codes
    threshold: Floats
    least: Counts  # rows of the smallest branch
    refused: Codes  # (capacity, 2): column and level
    cuts_refused: Floats
    n_refused: Counts  # one number


@kernel
def _mass(x: float, target: Target, criterion: int) -> float:
    """Contribution of one count: x log2 x, or x squared."""
    if criterion == GINI:
        return x * x
    if target.entropy_mass.shape[0]:
        return target.entropy_mass[int(x)]
    return x * np.log2(x) if x > 0 else 0.0


@kernel
def _impurity(total: float, masses: float, target: Target, criterion: int) -> float:
    """`total` times entropy in bits, or times Gini's index."""
    if total <= 0:
        return 0.0
    if criterion == GINI:
        return total - masses / total
    return _mass(total, target, criterion) - masses


@kernel
def _count(
    columns: Columns, target: Target, column: int, rows: Counts, work: Work
) -> int:
    """Fill `total`, `mass` and the rising list `touched` of codes that occur; return its length."""
    n, n_classes = rows.shape[0], target.n_classes
    n_codes = columns.n_codes[column]
    codes = columns.codes[column]
    weighted = target.weights.shape[0] > 0
    n_touched = 0
    for i in range(n):
        row = rows[i]
        code = codes[row]
        if work.total[code] == 0:
            work.touched[n_touched] = code
            n_touched += 1
        work.total[code] += 1
        work.mass[code * n_classes + target.codes[row]] += target.weights[row] if weighted else 1.0
    if n_touched * 16 < n_codes:
        work.touched[:n_touched].sort()
    else:
        n_touched = 0
        for code in range(n_codes):
            if work.total[code] > 0:
                work.touched[n_touched] = code
                n_touched += 1
    return n_touched


@kernel
def _clear(n_touched: int, n_classes: int, work: Work) -> None:
    for i in range(n_touched):
        code = work.touched[i]
        work.total[code] = 0
        for k in range(n_classes):
            work.mass[code * n_classes + k] = 0.0


@kernel
def _score_groups(
    columns: Columns,
    target: Target,
    settings: Settings,
    column: int,
    rows: Counts,
    work: Work,
    state: State,
) -> None:
    """Score the split of a categorical column at its present level."""
    n_classes, criterion = target.n_classes, settings.criterion
    level = state.level[column]
    at = columns.map_first[column] + level * columns.n_codes[column]
    n_groups = columns.n_groups[column, level]
    n_touched = _count(columns, target, column, rows, work)
    work.group_total[:n_groups] = 0
    work.group_mass[: n_groups * n_classes] = 0.0
    parent = np.zeros(n_classes)
    for i in range(n_touched):
        code = work.touched[i]
        group = columns.group[at + code]
        work.group_total[group] += work.total[code]
        for k in range(n_classes):
            mass = work.mass[code * n_classes + k]
            work.group_mass[group * n_classes + k] += mass
            parent[k] += mass
    _clear(n_touched, n_classes, work)

    whole, masses = 0.0, 0.0
    for k in range(n_classes):
        whole += parent[k]
        masses += _mass(parent[k], target, criterion)
    before = _impurity(whole, masses, target, criterion)
    after, scattered = 0.0, 0.0
    n_branches, n_large = 0, 0
    least = rows.shape[0]
    for group in range(n_groups):
        if work.group_total[group] == 0:
            continue
        n_branches += 1
        least = min(least, work.group_total[group])
        if work.group_total[group] >= settings.min_branch:
            n_large += 1
        size, masses = 0.0, 0.0
        for k in range(n_classes):
            mass = work.group_mass[group * n_classes + k]
            size += mass
            masses += _mass(mass, target, criterion)
        after += _impurity(size, masses, target, criterion)
        scattered += _mass(size, target, GAIN)
    state.least[column] = least
    state.gain[column] = -1.0
    state.score[column] = -1.0
    if n_branches > 1 and n_large > 1 and whole > 0:
        gain = (before - after) / whole
        state.gain[column] = gain
        state.score[column] = gain
        if criterion == GAIN_RATIO:
            split = (_mass(whole, target, GAIN) - scattered) / whole
            state.score[column] = gain / split if split > 0 else 0.0


@kernel
def _cut_between(
    columns: Columns, column: int, left: int, right: int, restricted: bool, cut_open: Flags
) -> tuple[int, float]:
    """Cut and threshold between two neighbouring codes of a node; -1 when none is open."""
    first = columns.value_first[column]
    low, high = columns.values[first + left], columns.values[first + right]
    middle = low + (high - low) / 2
    if not (low <= middle < high):
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
    for away in range(1, right - left):
        for other in (cut - away, cut + away):
            if left <= other < right and cut_open[other]:
                low, high = columns.values[first + other], columns.values[first + other + 1]
                middle = low + (high - low) / 2
                return other, middle if middle < high else low
    return -1, middle


@kernel
def _score_cuts(
    columns: Columns,
    target: Target,
    settings: Settings,
    column: int,
    rows: Counts,
    least: int,
    restricted: bool,
    work: Work,
    state: State,
) -> None:
    """Score the best cut of an ordered column that leaves `least` rows on both sides."""
    n_classes, criterion = target.n_classes, settings.criterion
    n_touched = _count(columns, target, column, rows, work)
    n_values = n_touched
    n = rows.shape[0]
    lost_total, lost_size, lost_masses = 0, 0.0, 0.0
    parent = np.zeros(n_classes)
    left = np.zeros(n_classes)
    right = np.zeros(n_classes)
    for i in range(n_touched):
        code = work.touched[i]
        for k in range(n_classes):
            parent[k] += work.mass[code * n_classes + k]
    if n_touched and work.touched[n_touched - 1] == columns.missing[column]:
        n_values -= 1
        code = work.touched[n_values]
        lost_total = work.total[code]
        for k in range(n_classes):
            mass = work.mass[code * n_classes + k]
            lost_size += mass
            lost_masses += _mass(mass, target, criterion)
            right[k] = -mass
    whole, masses, right_size = 0.0, 0.0, 0.0
    for k in range(n_classes):
        right[k] += parent[k]
        right_size += right[k]
        whole += parent[k]
        masses += _mass(parent[k], target, criterion)
    before = _impurity(whole, masses, target, criterion)
    lost = _impurity(lost_size, lost_masses, target, criterion)

    needed = max(least, 1)
    if criterion == GAIN_RATIO:  # C4.5 wants a tenth of an even share, between its minimum and 25
        share = 0.1 * whole / n_classes
        needed = max(needed, int(np.ceil(min(max(share, settings.min_branch), 25.0))))
    else:
        needed = max(needed, settings.min_branch)
    best, best_at, best_left = -1.0, -1, 0.0
    n_tried = 0
    n_left, left_size = 0, 0.0
    n_known = n - lost_total
    for i in range(n_values - 1):
        code = work.touched[i]
        n_left += work.total[code]
        for k in range(n_classes):
            mass = work.mass[code * n_classes + k]
            left[k] += mass
            right[k] -= mass
            left_size += mass
            right_size -= mass
        if n_left < needed:
            continue
        if n_known - n_left < needed:
            break
        if restricted:
            cut, _ = _cut_between(columns, column, code, work.touched[i + 1], True, work.cut_open)
            if cut < 0:
                continue
        n_tried += 1
        masses_left, masses_right = 0.0, 0.0
        for k in range(n_classes):
            masses_left += _mass(left[k], target, criterion)
            masses_right += _mass(max(right[k], 0.0), target, criterion)
        after = _impurity(left_size, masses_left, target, criterion)
        after += _impurity(max(right_size, 0.0), masses_right, target, criterion)
        if before - after - lost > best:
            best, best_at, best_left = before - after - lost, i, left_size
    state.gain[column] = -1.0
    state.score[column] = -1.0
    if best_at >= 0 and whole > 0:
        gain = best / whole
        score = gain
        if criterion == GAIN_RATIO:
            gain -= np.log2(n_tried) / whole  # the choice among cuts is paid for (Quinlan, 1996)
            parts = _mass(best_left, target, GAIN) + _mass(lost_size, target, GAIN)
            parts += _mass(whole - best_left - lost_size, target, GAIN)
            split = (_mass(whole, target, GAIN) - parts) / whole
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
    state.least[column] = n if lost_total == 0 else lost_total
    _clear(n_touched, n_classes, work)


@kernel
def _label_parts(
    columns: Columns, settings: Settings, column: int, level: int, rows: Counts, work: Work
) -> int:
    """Number the branches that a categorical split makes; return where values without one go."""
    at = columns.map_first[column] + level * columns.n_codes[column]
    n_groups = columns.n_groups[column, level]
    codes = columns.codes[column]
    work.group_total[:n_groups] = 0
    for i in range(rows.shape[0]):
        work.group_total[columns.group[at + codes[rows[i]]]] += 1
    lost = -1 if columns.missing[column] < 0 else columns.group[at + columns.missing[column]]
    largest, other = -1, n_groups
    if settings.to_majority:
        for group in range(n_groups):
            if group != lost and work.group_total[group] > 0:
                if largest < 0 or work.group_total[group] > work.group_total[largest]:
                    largest = group
        if largest >= 0:
            other = largest
    for group in range(n_groups):
        work.part[group] = group if work.group_total[group] > 0 else other
    if lost >= 0:
        work.part[lost] = n_groups + 1  # a row whose value is missing could be in any branch
    return other


@kernel
def _part_of(
    columns: Columns, column: int, level: int, cut: int, code: int, n_parts: int, work: Work
) -> int:
    if code == columns.missing[column]:
        return n_parts - 1
    if columns.ordered[column]:
        return 0 if code <= cut else 1
    at = columns.map_first[column] + level * columns.n_codes[column]
    return work.part[columns.group[at + code]]


@kernel
def _breaks_alone(spans: Segments, rules: Rules) -> bool:
    """Whether a span that has a single bin would not be allowed with more."""
    histogram = np.zeros(rules.n_codes, np.int64)
    for s in range(spans.start.shape[0]):
        if not spans.single[s]:
            continue
        histogram[:] = 0
        for i in range(spans.start[s], spans.stop[s]):
            if not rules.size_only:
                add_cell(rules, spans.order[i], 1, histogram)
        if not allowed(rules, spans.stop[s] - spans.start[s], histogram):
            return True
    return False


@kernel
def breaks_rules(
    columns: Columns,
    settings: Settings,
    rules: Rules,
    spans: Segments,
    column: int,
    level: int,
    cut: int,
    rows: Counts,
    work: Work,
) -> bool:
    """Whether a split would leave a span with several bins that is not allowed."""
    if not columns.public[column]:
        return _breaks_alone(spans, rules)
    n_parts = 3
    if not columns.ordered[column]:
        n_parts = columns.n_groups[column, level] + 2
        _label_parts(columns, settings, column, level, rows, work)
    codes = columns.codes[column]
    width = rules.n_codes
    for s in range(spans.start.shape[0]):
        work.sizes[:n_parts] = 0
        work.histogram[: n_parts * width] = 0
        for i in range(spans.start[s], spans.stop[s]):
            row = spans.order[i]
            part = _part_of(columns, column, level, cut, codes[row], n_parts, work)
            work.sizes[part] += 1
            if not rules.size_only:
                add_cell(rules, row, 1, work.histogram[part * width : (part + 1) * width])
        for part in range(n_parts):
            if work.sizes[part] == 0 or (spans.single[s] and part < n_parts - 1):
                continue
            own = work.histogram[part * width : (part + 1) * width]
            if not allowed(rules, work.sizes[part], own):
                return True
    return False


@kernel
def open_cuts(
    columns: Columns, rules: Rules, spans: Segments, column: int, work: Work
) -> bool:
    """Mark in `cut_open` the cuts of an ordered column that every span allows; False: no cut."""
    n_codes, missing = columns.n_codes[column], columns.missing[column]
    codes = columns.codes[column]
    work.cut_open[:n_codes] = True
    left = np.zeros(rules.n_codes, np.int64)
    right = np.zeros(rules.n_codes, np.int64)
    for s in range(spans.start.shape[0]):
        rows = spans.order[spans.start[s] : spans.stop[s]]
        own = np.empty(rows.shape[0], np.int64)
        n, n_lost = 0, 0
        left[:], right[:] = 0, 0
        for row in rows:
            if codes[row] == missing:
                n_lost += 1
                if not rules.size_only:
                    add_cell(rules, row, 1, left)
            else:
                own[n] = codes[row] * np.int64(columns.codes.shape[1]) + row
                n += 1
        if n_lost > 0 and not allowed(rules, n_lost, left):
            return False
        if spans.single[s] or n == 0:
            continue
        own = np.sort(own[:n])  # by code, then by row
        n_rows = np.int64(columns.codes.shape[1])
        left[:] = 0
        if not rules.size_only:
            for i in range(n):
                add_cell(rules, own[i] % n_rows, 1, right)
        for i in range(n - 1):
            if not rules.size_only:
                add_cell(rules, own[i] % n_rows, 1, left)
                add_cell(rules, own[i] % n_rows, -1, right)
            low, high = own[i] // n_rows, own[i + 1] // n_rows
            if low == high:
                continue
            if not (allowed(rules, i + 1, left) and allowed(rules, n - i - 1, right)):
                work.cut_open[low:high] = False
    return True


@kernel
def _refuse(column: int, level: int, state: State) -> None:
    at = state.n_refused[0]
    state.refused[at, 0], state.refused[at, 1] = column, level
    state.cuts_refused[at] = state.threshold[column]
    state.n_refused[0] += 1


@kernel
def _generalize(
    columns: Columns,
    target: Target,
    settings: Settings,
    column: int,
    rows: Counts,
    work: Work,
    state: State,
) -> None:
    """Go on with the next level at which the column's split differs from the refused one."""
    _refuse(column, state.level[column], state)
    state.level[column] += 1
    if state.level[column] >= columns.n_levels[column]:
        state.level[column] = -1
        return
    _score_groups(columns, target, settings, column, rows, work, state)


@kernel
def _restrict(
    columns: Columns,
    target: Target,
    settings: Settings,
    rules: Rules,
    spans: Segments,
    column: int,
    rows: Counts,
    work: Work,
    state: State,
) -> None:
    """After a refused cut: go on with the best cut that every span allows."""
    _refuse(column, 0, state)
    state.level[column] = -1
    if columns.public[column] and open_cuts(columns, rules, spans, column, work):
        state.level[column] = 1
        _score_cuts(columns, target, settings, column, rows, 1, True, work, state)


@kernel
def best_split(
    columns: Columns,
    target: Target,
    settings: Settings,
    rules: Rules,
    spans: Segments,
    rows: Counts,
    average: float,
    work: Work,
    state: State,
) -> tuple[int, float]:
    """Column of the best allowed split of a node, -1 without one; and the average gain.

    Candidates are taken best first.  A refused one is replaced by its generalization, or by the
    best cut that is allowed.  With the gain ratio, candidates of at least average gain come first;
    pass the average of the node's first search, or a negative number in it.
    """
    n_columns = columns.ordered.shape[0]
    by_size = spans.own and rules.size_only
    n_rows = columns.codes.shape[1]
    summed, n_summed = 0.0, 0
    for column in range(n_columns):
        if state.level[column] < 0:
            continue
        if columns.ordered[column]:
            state.level[column] = 0
            least = rules.minimum_size if by_size else 1
            _score_cuts(columns, target, settings, column, rows, least, False, work, state)
            if by_size and state.least[column] < rules.minimum_size:
                _refuse(column, 0, state)
                state.level[column] = -1
                continue
        else:
            _score_groups(columns, target, settings, column, rows, work, state)
        few = columns.ordered[column] or columns.n_codes[column] < 0.3 * n_rows
        if state.gain[column] > 0 and few:
            summed += state.gain[column]
            n_summed += 1
    if average < 0:
        average = summed / n_summed if n_summed > 0 else 0.0

    while True:
        best, best_tier = -1, False
        for column in range(n_columns):
            if state.level[column] < 0 or state.gain[column] <= settings.min_gain:
                continue
            tier = settings.criterion != GAIN_RATIO or state.gain[column] >= average - 1e-3
            if best < 0 or (
                tier == best_tier and state.score[column] > state.score[best]
            ) or (tier and not best_tier):
                best, best_tier = column, tier
        if best < 0:
            return -1, average
        level = state.level[best]
        if columns.ordered[best]:
            if by_size or level == 1:
                return best, average
            cut = state.cut[best]
            if not breaks_rules(columns, settings, rules, spans, best, 0, cut, rows, work):
                return best, average
            _restrict(columns, target, settings, rules, spans, best, rows, work, state)
            continue
        if by_size:
            broken = state.least[best] < rules.minimum_size
        else:
            broken = breaks_rules(columns, settings, rules, spans, best, level, 0, rows, work)
        if not broken:
            return best, average
        _generalize(columns, target, settings, best, rows, work, state)


@kernel
def divide(parts: Codes, order: Counts, start: int, stop: int, n_parts: int) -> Counts:
    """Sort a run of `order` by the part of each row, stably; return where the parts begin."""
    first = np.zeros(n_parts + 1, np.int64)
    for i in range(start, stop):
        first[parts[i - start] + 1] += 1
    for part in range(n_parts):
        first[part + 1] += first[part]
    at = first[:n_parts].copy()
    moved = np.empty(stop - start, np.int64)
    for i in range(start, stop):
        part = parts[i - start]
        moved[at[part]] = order[i]
        at[part] += 1
    order[start:stop] = moved
    return first + start


@kernel
def route_rows(
    columns: Columns, column: int, level: int, cut: int, rows: Counts
) -> Codes:
    """Group (categorical) or side of the cut (0, 1; 2 when missing) of each row."""
    codes = columns.codes[column]
    found = np.empty(rows.shape[0], np.int32)
    at = columns.map_first[column] + level * columns.n_codes[column]
    for i in range(rows.shape[0]):
        code = codes[rows[i]]
        if not columns.ordered[column]:
            found[i] = columns.group[at + code]
        elif code == columns.missing[column]:
            found[i] = 2
        else:
            found[i] = 0 if code <= cut else 1
    return found


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
