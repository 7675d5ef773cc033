"""The best split of a categorical column into two sets of its values."""

from typing import NamedTuple

import numpy as np

from shoal._jit import kernel
from shoal.models.tree.growth._kernel_types import (
    GAIN_RATIO,
    LEFT,
    LOST,
    OTHERS,
    RIGHT,
    GrowthState,
    GrowthWork,
    Segments,
    Settings,
    Target,
    TreeColumns,
    Whole,
)
from shoal.models.tree.growth._score_kernels import clear, count, impurity, times_log
from shoal.typing import Counts, Flags, Floats

ALL_WAYS_UP_TO = 8
"""Number of labels up to which every way to split them in two is tried: 127 of them."""


class Items(NamedTuple):
    """What is to be split in two: labels that enough rows have, then the rare ones as one."""

    item_of: Counts  # item of each label; -1 where no row of the node has it
    n_rows: Counts  # rows that may be in the node
    mass: Floats  # rows that are, weighted, per item and class
    pooled: bool  # whether the last item is the rare labels
    open: bool  # whether rows that may be in the node have labels that no row in it has


class Halves(NamedTuple):
    """Two sets of items while they are looked for, and the best two so far."""

    parts: Floats  # weight per class of the left set, then of the right one
    n_rows: Counts  # of both
    is_left: Flags
    best: Floats  # what the best two gain
    best_left: Flags


@kernel
def _seen(columns: TreeColumns, column: Whole, spans: Segments, work: GrowthWork) -> Counts:
    """Rows of each code among all that may be in the node."""
    n_codes = columns.n_codes[column]
    if spans.own:
        return work.total[:n_codes].copy()
    seen = np.zeros(n_codes, np.int64)
    for s in range(spans.start.shape[0]):
        for i in range(spans.start[s], spans.stop[s]):
            seen[columns.codes[column, spans.order[i]]] += 1
    return seen


@kernel
def _items(
    columns: TreeColumns,
    column: Whole,
    level: Whole,
    n_values: Whole,
    n_classes: int,
    least_named: Whole,
    seen: Counts,
    work: GrowthWork,
) -> Items:
    """Pool the labels of a level that fewer than `least_named` rows have: no test names them."""
    level_first = columns.map_first[column] + level * columns.n_codes[column]
    n_labels = columns.n_groups[column, level]
    size, here = np.zeros(n_labels, np.int64), np.zeros(n_labels, np.int64)
    for code in range(columns.n_codes[column]):
        if code != columns.missing[column]:
            size[columns.group[level_first + code]] += seen[code]
    for i in range(n_values):
        here[columns.group[level_first + work.touched[i]]] += work.total[work.touched[i]]
    item_of = np.full(n_labels, -1, np.int64)
    n_items, n_rare, n_absent = 0, np.int64(0), np.int64(0)
    for label in range(n_labels):
        if here[label] > 0 and size[label] >= least_named:
            item_of[label] = n_items
            n_items += 1
        elif here[label] > 0:
            n_rare += size[label]
        else:
            n_absent += size[label]
    pooled = bool(n_rare > 0)
    n_rows = np.zeros(n_items + 1, np.int64)
    # labels that no row here has go with the rare ones: neither are named
    n_rows[n_items] = n_rare + n_absent
    for label in range(n_labels):
        if item_of[label] >= 0:
            n_rows[item_of[label]] = size[label]
        elif here[label] > 0:
            item_of[label] = n_items
    mass = np.zeros((n_items + 1) * n_classes)
    for i in range(n_values):
        item = item_of[columns.group[level_first + work.touched[i]]]
        for k in range(n_classes):
            mass[item * n_classes + k] += work.mass[work.touched[i] * n_classes + k]
    n_items += 1 if pooled else 0
    return Items(item_of, n_rows[:n_items], mass, pooled, bool(n_absent > 0))


@kernel
def _move(items: Items, item: Whole, n_classes: int, halves: Halves) -> None:
    """Move an item to the other set."""
    halves.is_left[item] = not halves.is_left[item]
    sign = 1 if halves.is_left[item] else -1
    halves.n_rows[0] += sign * items.n_rows[item]
    halves.n_rows[1] -= sign * items.n_rows[item]
    for k in range(n_classes):
        mass = sign * items.mass[item * n_classes + k]
        halves.parts[k] = max(halves.parts[k] + mass, 0.0)
        halves.parts[n_classes + k] = max(halves.parts[n_classes + k] - mass, 0.0)


@kernel
def _start(items: Items, n_classes: int, halves: Halves) -> None:
    """Put every item into the right set."""
    halves.parts[:] = 0.0
    halves.n_rows[0], halves.n_rows[1] = 0, 0
    for item in range(items.n_rows.shape[0]):
        halves.is_left[item] = False
        halves.n_rows[1] += items.n_rows[item]
        for k in range(n_classes):
            halves.parts[n_classes + k] += items.mass[item * n_classes + k]


@kernel
def _judge(target: Target, settings: Settings, least: Whole, halves: Halves) -> None:
    """Keep the present sets if they are large enough and better than the best ones."""
    if halves.n_rows[0] < least or halves.n_rows[1] < least:
        return
    n_classes = target.n_classes
    left, right = 0.0, 0.0
    for k in range(n_classes):
        left += halves.parts[k]
        right += halves.parts[n_classes + k]
    if left < settings.min_branch or right < settings.min_branch:
        return
    mixed = impurity(halves.parts, 0, left, target, settings.criterion)
    mixed += impurity(halves.parts, n_classes, right, target, settings.criterion)
    if -mixed > halves.best[0] + 1e-9:  # less is rounding: ties go to the first
        halves.best[0] = -mixed
        halves.best_left[:] = halves.is_left


@kernel
def _try_all(
    items: Items, target: Target, settings: Settings, least: Whole, halves: Halves
) -> None:
    """Every way to split the items in two; each differs from the one before by one item."""
    _start(items, target.n_classes, halves)
    # in Gray code, step n changes the item of n's lowest bit; the last item stays on the right,
    # since sides swapped are the same split
    for way in range(1, 1 << (items.n_rows.shape[0] - 1)):
        item = 0
        while (way >> item) & 1 == 0:
            item += 1
        _move(items, item, target.n_classes, halves)
        _judge(target, settings, least, halves)


@kernel
def _try_orders(
    items: Items, target: Target, settings: Settings, least: Whole, halves: Halves
) -> None:
    """Items in the order of each class's share, cut in two; and every item against all others."""
    n_items, n_classes = items.n_rows.shape[0], target.n_classes
    share = np.empty(n_items)
    # of two classes one order is the other backwards, and would cut alike
    for shown in range(1 if n_classes == 2 else 0, n_classes):
        for item in range(n_items):
            size = 0.0
            for k in range(n_classes):
                size += items.mass[item * n_classes + k]
            share[item] = items.mass[item * n_classes + shown] / size if size > 0 else 0.0
        _start(items, n_classes, halves)
        for item in np.argsort(share, kind="mergesort"):
            _move(items, item, n_classes, halves)
            _judge(target, settings, least, halves)
    _start(items, n_classes, halves)
    for item in range(n_items):
        _move(items, item, n_classes, halves)
        _judge(target, settings, least, halves)
        _move(items, item, n_classes, halves)


@kernel
def _write_down(
    columns: TreeColumns, column: Whole, level: Whole, items: Items, halves: Halves
) -> None:
    """Say which set each code is in.

    Where there are labels that the test must not or cannot name, it names one set only: not the
    one with the rare labels, and without any the one with fewer rows.
    """
    n_codes = columns.n_codes[column]
    spare_first = columns.map_first[column] + columns.n_levels[column] * n_codes
    level_first = columns.map_first[column] + level * n_codes
    named = True
    if items.pooled:
        named = not halves.best_left[items.n_rows.shape[0] - 1]
    elif items.open:
        n_left, n_rows = np.int64(0), np.int64(0)
        for item in range(items.n_rows.shape[0]):
            n_rows += items.n_rows[item]
            n_left += items.n_rows[item] if halves.best_left[item] else 0
        named = bool(2 * n_left <= n_rows)
    for code in range(n_codes):
        item = items.item_of[columns.group[level_first + code]]
        columns.group[spare_first + code] = OTHERS
        if item >= 0 and halves.best_left[item] == named:
            columns.group[spare_first + code] = LEFT
        elif item >= 0 and not items.pooled and not items.open:
            columns.group[spare_first + code] = RIGHT
    if columns.missing[column] >= 0:
        columns.group[spare_first + columns.missing[column]] = LOST


@kernel
def _search(items: Items, target: Target, settings: Settings, least: Whole) -> Halves:
    """The best two sets of some items."""
    n_items, n_classes = items.n_rows.shape[0], target.n_classes
    halves = Halves(
        np.zeros(2 * n_classes),
        np.zeros(2, np.int64),
        np.zeros(n_items, np.bool_),
        np.full(1, -np.inf),
        np.zeros(n_items, np.bool_),
    )
    if n_items > ALL_WAYS_UP_TO:
        _try_orders(items, target, settings, least, halves)
    elif n_items > 1:
        _try_all(items, target, settings, least, halves)
    return halves


@kernel
def score_subsets(
    columns: TreeColumns,
    target: Target,
    settings: Settings,
    column: Whole,
    spans: Segments,
    rows: Counts,
    least: Whole,
    least_named: Whole,
    work: GrowthWork,
    state: GrowthState,
) -> None:
    """Score the best split into two sets that at least `least` rows may be in; write them down.

    Values that fewer than `least_named` rows have stay together, and the test does not name them,
    on a private column, too, whose sets may have any size; where there are such, sets of the
    labels above them in the hierarchy are tried as well.  Up to
    `ALL_WAYS_UP_TO` labels every way is tried.  With more, labels are ordered by the share of a
    class among their rows and cut in two: with two classes, and where size forbids nothing, the
    best of these is the best of all, under entropy and Gini's index alike [Bre84]_; with more
    classes the orders by every class are tried, and each label against the others.  Missing values
    are a branch of their own.

    References
    ----------
    .. [Bre84] L. Breiman, J. Friedman, R. Olshen, C. Stone.  Classification and regression trees.
       Wadsworth, 1984, theorem 4.5.
    """
    n_classes, criterion = target.n_classes, settings.criterion
    n_touched = count(columns, target, column, rows, work)
    n_values, n_lost = n_touched, np.int64(0)
    node, lost = np.zeros(n_classes), np.zeros(n_classes)
    if n_touched and work.touched[n_touched - 1] == columns.missing[column]:
        n_values -= 1
        n_lost = work.total[work.touched[n_values]]
    for i in range(n_touched):
        for k in range(n_classes):
            mass = work.mass[work.touched[i] * n_classes + k]
            node[k] += mass
            if i >= n_values:
                lost[k] += mass
    seen = _seen(columns, column, spans, work)
    level = np.int64(0)
    items = _items(columns, column, level, n_values, n_classes, least_named, seen, work)
    halves = _search(items, target, settings, least)
    pooled = items.pooled
    for above in range(1, columns.n_levels[column]):
        if not pooled:
            break
        labels = _items(columns, column, above, n_values, n_classes, least_named, seen, work)
        coarser = _search(labels, target, settings, least)
        pooled = labels.pooled
        if coarser.best[0] > halves.best[0] + 1e-9:
            level, items, halves = np.int64(above), labels, coarser

    state.gain[column], state.score[column] = -1.0, -1.0
    state.least[column] = n_lost if n_lost > 0 else rows.shape[0]
    whole, lost_size = node.sum(), lost.sum()
    if halves.best[0] > -np.inf and whole > 0:
        before = impurity(node, 0, whole, target, criterion)
        before -= impurity(lost, 0, lost_size, target, criterion)
        gain = (before + halves.best[0]) / whole
        state.gain[column], state.score[column] = gain, gain
        state.cut[column] = level
        left_size, n_left = 0.0, np.int64(0)
        for item in range(items.n_rows.shape[0]):
            if halves.best_left[item]:
                n_left += items.n_rows[item]
                for k in range(n_classes):
                    left_size += items.mass[item * n_classes + k]
        if criterion == GAIN_RATIO:
            scattered = times_log(left_size, target) + times_log(lost_size, target)
            scattered += times_log(max(whole - left_size - lost_size, 0.0), target)
            split = (times_log(whole, target) - scattered) / whole
            state.score[column] = gain / split if split > 0 else 0.0
        smaller = min(n_left, rows.shape[0] - n_lost - n_left)  # of nodes that are a span
        state.least[column] = min(smaller, n_lost) if n_lost > 0 else smaller
        _write_down(columns, column, level, items, halves)
    clear(n_touched, n_classes, work)
