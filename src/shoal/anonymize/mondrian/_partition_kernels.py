"""Bound, score and divide regions.  Arrays in, arrays out."""

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.anonymize.mondrian._region_arrays import (
    Frontier,
    RegionColumns,
    RegionTask,
    RegionWork,
    column_loss,
)
from shoal.typing import Codes, Counts, Floats


@kernel
def bound_regions(
    keys: Codes, order: NDArray[np.int64], begin: NDArray[np.int64], end: NDArray[np.int64]
) -> tuple[Codes, Codes]:
    """Least and largest code of each region in every column."""
    n_regions, n_columns = begin.shape[0], keys.shape[0]
    low = np.empty((n_regions, n_columns), np.int32)
    high = np.empty((n_regions, n_columns), np.int32)
    for region in range(n_regions):
        for column in range(n_columns):
            codes = keys[column]
            least = largest = codes[order[begin[region]]]
            for i in range(begin[region] + 1, end[region]):
                code = codes[order[i]]
                if code < least:
                    least = code
                elif code > largest:
                    largest = code
            low[region, column], high[region, column] = least, largest
    return low, high


@kernel
def region_losses(columns: RegionColumns, low: Codes, high: Codes) -> Floats:
    """Share of each column's domain that each region leaves open."""
    losses = np.empty(low.shape)
    for region in range(low.shape[0]):
        for column in range(low.shape[1]):
            losses[region, column] = column_loss(
                columns, column, low[region, column], high[region, column]
            )
    return losses


@kernel
def entropy_drops(
    work: RegionWork,
    frontier: Frontier,
    n_classes: int,
    start: NDArray[np.int64],
    codes: Codes,
    counts: Counts,
) -> Floats:
    """Share of each region's class entropy that its parts take away.

    Cell c has ``counts[e]`` rows of class ``codes[e]``, for e from ``start[c]`` on.
    """
    drops = np.zeros(frontier.begin.shape[0])
    for region in range(drops.shape[0]):
        n_parts = frontier.n_parts[region]
        if n_parts == 0:
            continue
        rows = np.zeros((n_parts + 1, n_classes), np.int64)
        for i in range(frontier.begin[region], frontier.end[region]):
            cell = work.order[i]
            for entry in range(start[cell], start[cell + 1]):
                rows[work.part[i], codes[entry]] += counts[entry]
                rows[n_parts, codes[entry]] += counts[entry]
        before = _entropy(rows[n_parts])  # the last row counts the whole region
        if before <= 0.0:
            continue
        after = 0.0
        for part in range(n_parts):
            after += _entropy(rows[part])
        drops[region] = (before - after) / before
    return drops


@kernel
def _entropy(counts: Counts) -> float:
    """Rows times their entropy in nats."""
    total, inner = 0, 0.0
    for count in counts:
        if count > 0:
            total += count
            inner += count * np.log(count)
    return total * np.log(total) - inner if total > 0 else 0.0


@kernel
def loss_drops(
    task: RegionTask, work: RegionWork, frontier: Frontier, low: Codes, high: Codes
) -> Floats:
    """How much loss each region's cut takes away for the bits it spends, 0 to 1."""
    drops = np.zeros(frontier.begin.shape[0])
    for region in range(drops.shape[0]):
        begin, end, n_parts = frontier.begin[region], frontier.end[region], frontier.n_parts[region]
        if n_parts > 0:
            drops[region] = loss_drop(task, work, begin, end, n_parts, low[region], high[region])
    return drops


@kernel
def loss_drop(
    task: RegionTask,
    work: RegionWork,
    begin: int,
    end: int,
    n_parts: int,
    low: Codes,
    high: Codes,
) -> float:
    """How much loss a cut takes away for the bits it spends, 0 to 1.

    A table of n rows has log2(n / k) bits to spend until its groups are down to k rows, so what
    counts is the drop in loss per bit: with d the drop in the columns' weighted losses, l those
    before and b the entropy of the parts' sizes, d / (d + l b).
    """
    columns, sizes, weight = task.columns, task.compiled.sizes, task.stakes
    rows = np.zeros(n_parts, np.int64)
    least = np.empty(n_parts, np.int32)
    largest = np.empty(n_parts, np.int32)
    n_rows = 0
    for i in range(begin, end):
        rows[work.part[i]] += sizes[work.order[i]]
        n_rows += sizes[work.order[i]]
    before, after = 0.0, 0.0
    for column in range(low.shape[0]):
        if low[column] == high[column]:  # nothing left to lose there
            continue
        least[:] = high[column]
        largest[:] = low[column]
        keys = columns.keys[column]
        for i in range(begin, end):
            code, part = keys[work.order[i]], work.part[i]
            if code < least[part]:
                least[part] = code
            if code > largest[part]:
                largest[part] = code
        before += weight[column] * column_loss(columns, column, low[column], high[column])
        for part in range(n_parts):
            loss = column_loss(columns, column, least[part], largest[part])
            after += weight[column] * loss * rows[part] / n_rows
    drop = before - after
    if drop <= 0.0:
        return 0.0
    bits = _entropy(rows) / n_rows / np.log(2.0)
    return drop / (drop + before * bits)


@kernel
def divide(work: RegionWork, frontier: Frontier) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Bring the cells of each part together, keeping their order; begin and end of each part."""
    total = 0
    for region in range(frontier.begin.shape[0]):
        total += frontier.n_parts[region]
    begin = np.empty(total, np.int64)
    end = np.empty(total, np.int64)
    n = 0
    for region in range(frontier.begin.shape[0]):
        first, stop = frontier.begin[region], frontier.end[region]
        n_parts = frontier.n_parts[region]
        end[n : n + n_parts] = 0
        for i in range(first, stop):
            end[n + work.part[i]] += 1
        offset = first
        for part in range(n, n + n_parts):
            begin[part] = offset
            offset += end[part]
            end[part] = begin[part]  # grows to the end as cells are put there
        for i in range(first, stop):
            part = n + work.part[i]
            work.spare[end[part]] = work.order[i]
            end[part] += 1
        for i in range(first, stop):
            work.order[i] = work.spare[i]
        n += n_parts
    return begin, end
