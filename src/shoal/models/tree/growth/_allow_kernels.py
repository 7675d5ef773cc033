"""Is a split allowed?  Decided on spans: rows that an attacker cannot tell apart."""

import numpy as np

from shoal._jit import kernel
from shoal.models.tree.growth._kernel_types import (
    GrowthWork,
    Segments,
    Settings,
    TreeColumns,
    Whole,
)
from shoal.models.tree.growth._score_kernels import sort_keys
from shoal.privacy.compiled._condition_kernels import CompiledModel, add_cell, allowed
from shoal.typing import Counts


@kernel
def _label_parts(
    columns: TreeColumns,
    settings: Settings,
    column: Whole,
    level: int,
    rows: Counts,
    work: GrowthWork,
) -> Whole:
    """Say which part of a span each group of a split's column is; return the number of parts.

    Groups with rows in the node are parts of their own.  Then come values without a branch, and
    missing ones: a row whose value is missing could be in any branch.
    """
    if not columns.public[column]:
        return np.int64(1)  # a private column tells no rows apart
    if columns.ordered[column]:
        return np.int64(3)  # at most the cut, above it, missing
    first = columns.map_first[column] + level * columns.n_codes[column]
    n_groups = columns.n_groups[column, level]
    lost = np.int64(-1)
    if columns.missing[column] >= 0:
        lost = np.int64(columns.group[first + columns.missing[column]])
    for group in range(n_groups):
        work.group_total[group] = 0
    for row in rows:
        work.group_total[columns.group[first + columns.codes[column, row]]] += 1
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
def _part_of(
    columns: TreeColumns, column: Whole, level: int, cut: int, row: int, work: GrowthWork
) -> Whole:
    if not columns.public[column]:
        return np.int64(0)
    code = np.int64(columns.codes[column, row])
    if not columns.ordered[column]:
        first = columns.map_first[column] + level * columns.n_codes[column]
        return work.part[columns.group[first + code]]
    if code == columns.missing[column]:
        return np.int64(2)
    return np.int64(0) if code <= cut else np.int64(1)


@kernel
def breaks_model(
    columns: TreeColumns,
    settings: Settings,
    compiled: CompiledModel,
    spans: Segments,
    column: Whole,
    level: int,
    cut: int,
    rows: Counts,
    work: GrowthWork,
) -> bool:
    """Whether a split would leave a span with several bins that is not allowed.

    A private split tells no rows apart, but gives several bins to spans that had one.
    """
    n_parts = _label_parts(columns, settings, column, level, rows, work)
    width = compiled.n_codes
    for s in range(spans.start.shape[0]):
        if n_parts == 1 and not spans.single[s]:  # nothing changes for these
            continue
        for part in range(n_parts):
            work.sizes[part] = 0
        for entry in range(n_parts * width):
            work.histogram[entry] = 0
        for i in range(spans.start[s], spans.stop[s]):
            row = spans.order[i]
            part = _part_of(columns, column, level, cut, row, work)
            work.sizes[part] += 1
            if not compiled.size_only:
                add_cell(compiled, row, 1, work.histogram[part * width : (part + 1) * width])
        for part in range(n_parts):
            # a span with a single bin gets others only where its rows may go to several branches:
            # on a private column, or where the value is missing, which is the last part
            if work.sizes[part] == 0 or (spans.single[s] and part < n_parts - 1):
                continue
            own = work.histogram[part * width : (part + 1) * width]
            if not allowed(compiled, work.sizes[part], own):
                return True
    return False


@kernel
def names_rare(
    columns: TreeColumns,
    column: Whole,
    level: int,
    spans: Segments,
    rows: Counts,
    least: Whole,
) -> bool:
    """Whether a branch for each label names one that fewer than `least` people have.

    Those who may be in the node are counted, on private columns, too: that somebody has a value is
    told by its name, whoever it is.
    """
    first = columns.map_first[column] + level * columns.n_codes[column]
    n_groups = columns.n_groups[column, level]
    lost = np.int64(-1)
    if columns.missing[column] >= 0:
        lost = np.int64(columns.group[first + columns.missing[column]])
    named = np.zeros(n_groups, np.bool_)
    for row in rows:
        named[columns.group[first + columns.codes[column, row]]] = True
    n_people = np.zeros(n_groups, np.int64)
    for s in range(spans.start.shape[0]):
        for i in range(spans.start[s], spans.stop[s]):
            n_people[columns.group[first + columns.codes[column, spans.order[i]]]] += 1
    for group in range(n_groups):
        if named[group] and group != lost and n_people[group] < least:
            return True
    return False


@kernel
def open_cuts(
    columns: TreeColumns, compiled: CompiledModel, spans: Segments, column: Whole, work: GrowthWork
) -> None:
    """Mark in `cut_open` the cuts of an ordered column that every span allows.

    Missing values are a part of their own; :func:`breaks_model` has to allow it beforehand.
    """
    missing = columns.missing[column]
    n_rows = np.int64(columns.codes.shape[1])
    width = compiled.n_codes
    for code in range(columns.n_codes[column]):
        work.cut_open[code] = True
    for s in range(spans.start.shape[0]):
        if spans.single[s]:  # a cut leaves its parts with a single bin
            continue
        own = np.empty(spans.stop[s] - spans.start[s], np.int64)
        n = 0
        for entry in range(2 * width):  # left of the cut, right of it
            work.histogram[entry] = 0
        for i in range(spans.start[s], spans.stop[s]):
            row = spans.order[i]
            if columns.codes[column, row] != missing:
                # one number sorts by code and keeps the row
                own[n] = columns.codes[column, row] * n_rows + row
                n += 1
                if not compiled.size_only:
                    add_cell(compiled, row, 1, work.histogram[width : 2 * width])
        sort_keys(own, n)
        for i in range(n - 1):
            if not compiled.size_only:
                row = own[i] % n_rows
                add_cell(compiled, row, 1, work.histogram[:width])
                add_cell(compiled, row, -1, work.histogram[width : 2 * width])
            low, high = own[i] // n_rows, own[i + 1] // n_rows
            if low == high:  # no cut parts equal codes
                continue
            for side in range(2):
                size = i + 1 if side == 0 else n - i - 1
                if not allowed(compiled, size, work.histogram[side * width : (side + 1) * width]):
                    # cuts between two neighbouring codes of the span part it alike
                    for code in range(low, high):
                        work.cut_open[code] = False
                    break
