"""What a cut gains: the loss and entropy that its parts lack.  Arrays in, arrays out."""

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.anonymize.mondrian._region_arrays import (
    Frontier,
    RegionTask,
    RegionWork,
    Scales,
    column_loss,
    scales_of,
)
from shoal.typing import Codes, Counts, Floats


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
        if before <= 0.0:  # one class: there is nothing to tell apart
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
        n_parts = frontier.n_parts[region]
        if n_parts > 0:
            drops[region] = region_drop(task, work, frontier, region, n_parts, low, high)
    return drops


@kernel
def region_drop(
    task: RegionTask,
    work: RegionWork,
    frontier: Frontier,
    region: int,
    n_parts: int,
    low: Codes,
    high: Codes,
) -> float:
    """The same of one region, whose cells are marked with the parts of a cut."""
    begin, end = frontier.begin[region], frontier.end[region]
    return _loss_drop(
        scales_of(task.columns),
        task.stakes,
        work.keys[:, begin:end],
        work.sizes[begin:end],
        work.part[begin:end],
        n_parts,
        low[region],
        high[region],
    )


@kernel
def _loss_drop(
    scales: Scales,
    weight: Floats,
    keys: Codes,
    sizes: Counts,
    part: NDArray[np.int64],
    n_parts: int,
    low: Codes,
    high: Codes,
) -> float:
    """How much loss a cut takes away for the bits it spends, 0 to 1.

    A table of n rows has log2(n / k) bits to spend until its groups are down to k rows, so what
    counts is the drop in loss per bit: with d the drop in the columns' weighted losses, l those
    before and b the entropy of the parts' sizes, d / (d + l b).
    """
    if n_parts == 2:
        return _drop_of_two(scales, weight, keys, sizes, part, low, high)
    rows = np.zeros(n_parts, np.int64)
    least = np.empty(n_parts, np.int32)
    largest = np.empty(n_parts, np.int32)
    n_rows = 0
    for i in range(part.shape[0]):
        rows[part[i]] += sizes[i]
        n_rows += sizes[i]
    before, after = 0.0, 0.0
    for column in range(low.shape[0]):
        if low[column] == high[column]:  # nothing left to lose there
            continue
        # any code of the part takes the place of these; a part has at least one cell
        least[:] = high[column]
        largest[:] = low[column]
        for i in range(part.shape[0]):
            code, own = keys[column, i], part[i]
            if code < least[own]:
                least[own] = code
            if code > largest[own]:
                largest[own] = code
        before += weight[column] * column_loss(scales, column, low[column], high[column])
        for own in range(n_parts):
            loss = column_loss(scales, column, least[own], largest[own])
            after += weight[column] * loss * rows[own] / n_rows
    return _per_bit(before - after, before, _entropy(rows), n_rows)


@kernel
def _drop_of_two(
    scales: Scales,
    weight: Floats,
    keys: Codes,
    sizes: Counts,
    part: NDArray[np.int64],
    low: Codes,
    high: Codes,
) -> float:
    """The same for two parts, which most cuts make: ends are kept without a branch."""
    n_rows, n_second = 0, 0
    for i in range(part.shape[0]):
        n_rows += sizes[i]
        n_second += sizes[i] * part[i]  # parts are 0 and 1
    n_first = n_rows - n_second
    before, after = 0.0, 0.0
    for column in range(low.shape[0]):
        if low[column] == high[column]:  # nothing left to lose there
            continue
        least, largest = high[column], low[column]
        others_least, others_largest = high[column], low[column]
        codes, bottom, top = keys[column], low[column], high[column]
        for i in range(part.shape[0]):
            first = part[i] == 0
            # a cell of the other part counts as the end that changes nothing
            least = min(least, codes[i] if first else top)
            largest = max(largest, codes[i] if first else bottom)
            others_least = min(others_least, top if first else codes[i])
            others_largest = max(others_largest, bottom if first else codes[i])
        before += weight[column] * column_loss(scales, column, low[column], high[column])
        loss = column_loss(scales, column, least, largest)
        after += weight[column] * loss * n_first / n_rows
        loss = column_loss(scales, column, others_least, others_largest)
        after += weight[column] * loss * n_second / n_rows
    return _per_bit(before - after, before, _entropy_of_two(n_first, n_second), n_rows)


@kernel
def _per_bit(drop: float, before: float, entropy: float, n_rows: int) -> float:
    if drop <= 0.0:  # also no loss before, where the quotient has no value
        return 0.0
    bits = entropy / n_rows / np.log(2.0)  # of a row: from nats of all rows
    return drop / (drop + before * bits)


@kernel
def _entropy_of_two(first: int, second: int) -> float:
    """As :func:`_entropy`, of two counts."""
    total, inner = first + second, 0.0
    if first > 0:
        inner += first * np.log(first)
    if second > 0:
        inner += second * np.log(second)
    return total * np.log(total) - inner if total > 0 else 0.0
