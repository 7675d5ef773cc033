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
    spread: Floats  # n * log2(n) for n = 0, 1, ...; empty with weights


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
    touched: Counts
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

    level: Counts  # present level; for cuts 0: any, 1: those that are open; -1: nothing is left
    stale: Flags  # not scored at that level yet
    gain: Floats
    score: Floats
    cut: Counts
    threshold: Floats
    least: Counts  # rows of the smallest branch
    refused: Counts  # (capacity, 2): column and level
    cuts_refused: Floats
    n_refused: Counts  # one number


@kernel
def _spread(x: float, target: Target) -> float:
    """`x` log2 `x`."""
    if target.spread.shape[0]:
        return target.spread[int(x)]
    return x * np.log2(x) if x > 0 else 0.0


@kernel
def _impurity(counts: Floats, at: int, total: float, target: Target, criterion: int) -> float:
    """`total` times entropy in bits, or times Gini's index, of the counts from `at` on."""
    if total <= 0:
        return 0.0
    masses = 0.0
    if criterion == GINI:
        for k in range(target.n_classes):
            masses += counts[at + k] * counts[at + k]
        return total - masses / total
    for k in range(target.n_classes):
        masses += _spread(counts[at + k], target)
    return _spread(total, target) - masses


@kernel
def _sort(keys: Counts, n: int) -> None:
    """Sort the first `n` keys, which are not negative: insertion for few, else by bytes."""
    if n <= 64:
        for i in range(1, n):
            key = keys[i]
            at = i
            while at > 0 and keys[at - 1] > key:
                keys[at] = keys[at - 1]
                at -= 1
            keys[at] = key
        return
    most = np.int64(0)
    for i in range(n):
        most = max(most, keys[i])
    moved = np.empty(n, np.int64)
    first = np.empty(257, np.int64)
    shift = np.int64(0)
    while most >> shift > 0:
        for place in range(257):
            first[place] = 0
        for i in range(n):
            first[((keys[i] >> shift) & 255) + 1] += 1
        for place in range(256):
            first[place + 1] += first[place]
        for i in range(n):
            place = (keys[i] >> shift) & 255
            moved[first[place]] = keys[i]
            first[place] += 1
        for i in range(n):
            keys[i] = moved[i]
        shift += 8


@kernel
def _count(columns: Columns, target: Target, column: int, rows: Counts, work: Work) -> int:
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
    if n_touched * 16 < n_codes:
        _sort(work.touched, n_touched)
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
    for group in range(n_groups):
        work.group_total[group] = 0
    for place in range((n_groups + 1) * n_classes):
        work.group_mass[place] = 0.0
    whole = n_groups * n_classes  # the node itself comes after its groups
    for i in range(n_touched):
        code = work.touched[i]
        group = np.int64(columns.group[at + code])
        work.group_total[group] += work.total[code]
        for k in range(n_classes):
            mass = work.mass[code * n_classes + k]
            work.group_mass[group * n_classes + k] += mass
            work.group_mass[whole + k] += mass
    _clear(n_touched, n_classes, work)

    before, after, all_mass, scattered = 0.0, 0.0, 0.0, 0.0
    n_branches, n_large = 0, 0
    least = rows.shape[0]
    for group in range(n_groups + 1):
        if group < n_groups and work.group_total[group] == 0:
            continue
        size = 0.0
        for k in range(n_classes):
            size += work.group_mass[group * n_classes + k]
        impurity = _impurity(work.group_mass, group * n_classes, size, target, criterion)
        if group == n_groups:
            before, all_mass = impurity, size
            break
        n_branches += 1
        least = min(least, work.group_total[group])
        if work.group_total[group] >= settings.min_branch:
            n_large += 1
        after += impurity
        scattered += _spread(size, target)
    state.least[column] = least
    state.gain[column] = -1.0
    state.score[column] = -1.0
    if n_branches > 1 and n_large > 1 and all_mass > 0:
        gain = (before - after) / all_mass
        state.gain[column] = gain
        state.score[column] = gain
        if criterion == GAIN_RATIO:
            split = (_spread(all_mass, target) - scattered) / all_mass
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
    for away in range(1, 2 * (right - left)):
        other = cut + (away + 1) // 2 * (1 if away % 2 else -1)
        if left <= other < right and cut_open[other]:
            low, high = columns.values[first + other], columns.values[first + other + 1]
            middle = low + (high - low) / 2
            return other, middle if middle < high else low
    return np.int64(-1), middle


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
    before = _impurity(parts, 0, whole, target, criterion)
    before -= _impurity(parts, lost, lost_size, target, criterion)

    needed = max(least, settings.min_branch)
    if criterion == GAIN_RATIO:  # C4.5 wants a tenth of an even share, between its minimum and 25
        share = min(max(0.1 * whole / n_classes, float(settings.min_branch)), 25.0)
        needed = max(needed, int(np.ceil(share)))
    best, best_at, best_left = -1.0, -1, 0.0
    n_tried, n_left = 0, 0
    for i in range(n_values - 1):
        code = work.touched[i]
        n_left += work.total[code]
        for k in range(n_classes):
            mass = work.mass[code * n_classes + k]
            parts[left + k] += mass
            parts[right + k] = max(parts[right + k] - mass, 0.0)
            left_size += mass
            right_size = max(right_size - mass, 0.0)
        if n_left < needed:
            continue
        if n_known - n_left < needed:
            break
        if restricted:
            cut, _ = _cut_between(columns, column, code, work.touched[i + 1], True, work.cut_open)
            if cut < 0:
                continue
        n_tried += 1
        gained = before - _impurity(parts, left, left_size, target, criterion)
        gained -= _impurity(parts, right, right_size, target, criterion)
        if gained > best:
            best, best_at, best_left = gained, i, left_size
    state.gain[column] = -1.0
    state.score[column] = -1.0
    if best_at >= 0 and whole > 0:
        gain = best / whole
        score = gain
        if criterion == GAIN_RATIO:
            gain -= np.log2(n_tried) / whole  # the choice among cuts is paid for (Quinlan, 1996)
            scattered = _spread(best_left, target) + _spread(lost_size, target)
            scattered += _spread(whole - best_left - lost_size, target)
            split = (_spread(whole, target) - scattered) / whole
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
    state.least[column] = n_lost if n_lost > 0 else n_known
    _clear(n_touched, n_classes, work)


@kernel
def _label_parts(
    columns: Columns, settings: Settings, column: int, level: int, rows: Counts, work: Work
) -> int:
    """Say which part of a span each group of a split's column is; return the number of parts.

    Groups with rows in the node are parts of their own.  Then come values without a branch, and
    missing ones: a row whose value is missing could be in any branch.
    """
    if not columns.public[column]:
        return np.int64(1)
    if columns.ordered[column]:
        return np.int64(3)
    at = columns.map_first[column] + level * columns.n_codes[column]
    n_groups = columns.n_groups[column, level]
    lost = np.int64(-1)
    if columns.missing[column] >= 0:
        lost = np.int64(columns.group[at + columns.missing[column]])
    for group in range(n_groups):
        work.group_total[group] = 0
    for row in rows:
        work.group_total[columns.group[at + columns.codes[column, row]]] += 1
    other = n_groups
    if settings.to_majority:
        largest = np.int64(0)
        for group in range(n_groups):
            if group != lost and work.group_total[group] > largest:
                largest = work.group_total[group]
                other = group
    for group in range(n_groups):
        work.part[group] = group if work.group_total[group] > 0 else other
    if lost >= 0:
        work.part[lost] = n_groups + 1
    return n_groups + 2


@kernel
def _part_of(columns: Columns, column: int, level: int, cut: int, row: int, work: Work) -> int:
    if not columns.public[column]:
        return np.int64(0)
    code = np.int64(columns.codes[column, row])
    if not columns.ordered[column]:
        at = columns.map_first[column] + level * columns.n_codes[column]
        return work.part[columns.group[at + code]]
    if code == columns.missing[column]:
        return np.int64(2)
    return np.int64(0) if code <= cut else np.int64(1)


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
    """Whether a split would leave a span with several bins that is not allowed.

    A private split tells no rows apart, but gives several bins to spans that had one.
    """
    n_parts = _label_parts(columns, settings, column, level, rows, work)
    width = rules.n_codes
    for s in range(spans.start.shape[0]):
        if n_parts == 1 and not spans.single[s]:
            continue
        for part in range(n_parts):
            work.sizes[part] = 0
        for place in range(n_parts * width):
            work.histogram[place] = 0
        for i in range(spans.start[s], spans.stop[s]):
            row = spans.order[i]
            part = _part_of(columns, column, level, cut, row, work)
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
def open_cuts(columns: Columns, rules: Rules, spans: Segments, column: int, work: Work) -> None:
    """Mark in `cut_open` the cuts of an ordered column that every span allows.

    Missing values are a part of their own; :func:`breaks_rules` has to allow it beforehand.
    """
    missing = columns.missing[column]
    n_rows = np.int64(columns.codes.shape[1])
    width = rules.n_codes
    for code in range(columns.n_codes[column]):
        work.cut_open[code] = True
    for s in range(spans.start.shape[0]):
        if spans.single[s]:
            continue
        own = np.empty(spans.stop[s] - spans.start[s], np.int64)
        n = 0
        for place in range(2 * width):  # left of the cut, right of it
            work.histogram[place] = 0
        for i in range(spans.start[s], spans.stop[s]):
            row = spans.order[i]
            if columns.codes[column, row] != missing:
                own[n] = columns.codes[column, row] * n_rows + row
                n += 1
                if not rules.size_only:
                    add_cell(rules, row, 1, work.histogram[width : 2 * width])
        _sort(own, n)
        for i in range(n - 1):
            if not rules.size_only:
                row = own[i] % n_rows
                add_cell(rules, row, 1, work.histogram[:width])
                add_cell(rules, row, -1, work.histogram[width : 2 * width])
            low, high = own[i] // n_rows, own[i + 1] // n_rows
            if low == high:
                continue
            for side in range(2):
                size = i + 1 if side == 0 else n - i - 1
                if not allowed(rules, size, work.histogram[side * width : (side + 1) * width]):
                    for code in range(low, high):
                        work.cut_open[code] = False
                    break


@kernel
def _refuse(columns: Columns, column: int, spans_allow_missing: bool, state: State) -> None:
    """Note a refused split, and go on to the next level or to the cuts that are open."""
    at = state.n_refused[0]
    state.refused[at, 0], state.refused[at, 1] = column, state.level[column]
    state.cuts_refused[at] = state.threshold[column]
    state.n_refused[0] += 1
    state.stale[column] = True
    if columns.ordered[column]:
        more = columns.public[column] and spans_allow_missing
        state.level[column] = 1 if more and state.level[column] == 0 else -1
    else:
        state.level[column] += 1
        if state.level[column] >= columns.n_levels[column]:
            state.level[column] = -1


@kernel
def _choose(settings: Settings, average: float, state: State) -> int:
    """Column with the best candidate; with the gain ratio, gains of at least average come first."""
    best, best_tier = np.int64(-1), False
    for column in range(state.level.shape[0]):
        if state.level[column] < 0 or state.gain[column] <= settings.min_gain:
            continue
        tier = settings.criterion != GAIN_RATIO or state.gain[column] >= average - 1e-3
        better = best < 0 or (tier and not best_tier)
        if better or (tier == best_tier and state.score[column] > state.score[best]):
            best, best_tier = column, tier
    return best


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
    best cut that is allowed.  With the gain ratio, pass the average gain of the node's first
    search, or a negative number in it.
    """
    by_size = spans.own and rules.size_only
    n_rows = columns.codes.shape[1]
    cut = np.int64(0)
    for column in range(state.level.shape[0]):
        state.stale[column] = True
        state.threshold[column] = np.nan
        if columns.ordered[column] and state.level[column] > 0:
            state.level[column] = 0
    while True:
        for column in range(state.level.shape[0]):
            if state.level[column] < 0 or not state.stale[column]:
                continue
            state.stale[column] = False
            if not columns.ordered[column]:
                _score_groups(columns, target, settings, column, rows, work, state)
                continue
            restricted = state.level[column] == 1
            if restricted:
                open_cuts(columns, rules, spans, column, work)
            least = rules.minimum_size if by_size else np.int64(1)
            _score_cuts(columns, target, settings, column, rows, least, restricted, work, state)
        if average < 0:
            summed, n_summed = 0.0, 0
            for column in range(state.level.shape[0]):
                few = columns.ordered[column] or columns.n_codes[column] < 0.3 * n_rows
                if few and state.level[column] >= 0 and state.gain[column] > 0:
                    summed += state.gain[column]
                    n_summed += 1
            average = summed / n_summed if n_summed > 0 else 0.0

        best = _choose(settings, average, state)
        if best < 0 or (columns.ordered[best] and state.level[best] == 1):
            return best, average
        allows_missing = True
        if by_size:  # the smallest branch says it all; of cuts only the missing values are open
            broken = state.least[best] < rules.minimum_size
            allows_missing = not broken
        else:
            cut = state.cut[best]
            level = state.level[best]
            broken = breaks_rules(
                columns, settings, rules, spans, best, level, cut, rows, work
            )
            if broken and columns.ordered[best] and columns.missing[best] >= 0:
                cut = columns.n_codes[best]  # a cut beyond every value: only missing ones differ
                allows_missing = not breaks_rules(
                    columns, settings, rules, spans, best, level, cut, rows, work
                )
        if not broken:
            return best, average
        _refuse(columns, best, allows_missing, state)


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
    for i in range(start, stop):
        order[i] = moved[i - start]
    for part in range(n_parts + 1):
        first[part] += start
    return first


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


@kernel
def divide_node(
    columns: Columns,
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
    for found in side:
        size[found] += 1
    branch_of = np.full(n_groups, -1, np.int32)
    groups = np.empty(n_groups, np.int32)
    n_branches = 0
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
    columns: Columns,
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
            if codes[rows[i]] == missing:
                part[i] = n_branches + 1
            else:
                branch = branch_of[part[i]]
                part[i] = branch if branch >= 0 else n_branches
        first[s] = divide(part, order, start[s], stop[s], n_parts)
    return first
