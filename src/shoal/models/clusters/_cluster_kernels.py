"""What one more cut of a spanning tree does to clusters and spans.  Arrays in, arrays out."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.typing import Counts, Flags, Floats

Hashes = NDArray[np.uint64]


class OutputScores(NamedTuple):
    """Linear scores of outputs over kinds of public values; arrays may be longer than in use."""

    scores: Floats  # (n_kinds, n_outputs): where private values add nothing
    slopes: Floats  # what the private range adds over its whole length; zeros without one
    shifts: Floats  # (n_points, n_outputs): what finite private values add


class KindSpans(NamedTuple):
    """The outputs that each kind of public values can get: its span."""

    start: NDArray[np.int64]  # those of kind i are ids[start[i]:start[i + 1]]
    ids: NDArray[np.int64]
    sums: Hashes  # the keys of these outputs, added up: equal sets have equal sums
    sizes: Counts


@kernel
def sum_below(
    order: NDArray[np.int64],
    parent: NDArray[np.int64],
    cut: Flags,
    points: Floats,
    weights: Counts,
) -> tuple[Floats, Counts]:
    """Sums of points and of weights over each node and what hangs from it by edges not cut."""
    n, width = points.shape
    sums = np.zeros((n, width))
    rows = np.zeros(n, np.int64)
    for node in range(n):
        rows[node] = weights[node]
        for d in range(width):
            sums[node, d] = points[node, d] * weights[node]
    for rank in range(n - 1, 0, -1):  # leaves first: what hangs from a node is summed up by then
        node = order[rank]
        if not cut[node]:
            rows[parent[node]] += rows[node]
            for d in range(width):
                sums[parent[node], d] += sums[node, d]
    return sums, rows


@kernel
def move_below(
    order: NDArray[np.int64],
    parent: NDArray[np.int64],
    cut: Flags,
    top: int,
    label: NDArray[np.int64],
    new: int,
) -> None:
    """Give `top` and what hangs from it by edges not cut a new label."""
    old = label[top]
    label[top] = new
    for node in order:
        if node != top and label[node] == old and not cut[node] and label[parent[node]] == new:
            label[node] = new


@kernel
def _wins(
    scores: Floats,
    slopes: Floats,
    shift: Floats,
    j: int,
    first: NDArray[np.int64],
    n: int,
    tie: float,
) -> bool:
    """Whether output j is the best for some t in [0, 1]; outputs in `first` are met first."""
    low, high = 0.0, 1.0
    low_open, high_open = False, False
    for turn in range(len(first) + n):
        i = first[turn] if turn < len(first) else turn - len(first)
        if i == j:
            continue
        strict = j > i
        gap = (scores[j] + shift[j]) - (scores[i] + shift[i]) + (-tie if strict else tie)
        rise = slopes[j] - slopes[i]
        if rise == 0:
            if gap < 0 or (gap == 0 and strict):
                return False
            continue
        end = -gap / rise
        if rise > 0:
            if end > low:
                low, low_open = end, strict
            elif end == low and strict:
                low_open = True
        elif end < high:
            high, high_open = end, strict
        elif end == high and strict:
            high_open = True
        if low > high:
            return False
    return low < high or not (low_open or high_open)


@kernel
def _may_win(
    scores: Floats, slopes: Floats, shift: Floats, j: int, others: NDArray[np.int64], margin: float
) -> bool:
    """Whether output j may beat the others somewhere; errs towards yes, by the margin."""
    low, high = 0.0, 1.0
    for i in others:
        gap = (scores[j] + shift[j]) - (scores[i] + shift[i]) + margin
        rise = slopes[j] - slopes[i]
        if rise == 0:
            if gap < 0:
                return False
        elif rise > 0:
            low = max(low, -gap / rise)
        else:
            high = min(high, -gap / rise)
        if low > high + 1e-9:
            return False
    return True


@kernel
def is_affected(
    output: OutputScores, kind: int, own: NDArray[np.int64], old: int, new: int, margin: float
) -> bool:
    """Whether the outputs that one kind can get may change when `old` is split off `new`."""
    for j in own:
        if j == old:
            return True
    for point in range(len(output.shifts)):
        for j in (old, new):
            shift = output.shifts[point]
            if _may_win(output.scores[kind], output.slopes, shift, j, own, margin):
                return True
    return False


@kernel
def find_kind_spans(
    output: OutputScores, n: int, before: KindSpans, old: int, tie: float, keys: Hashes
) -> KindSpans:
    """Outputs that each kind can get, after output `old` was split into itself and the last one.

    Parameters
    ----------
    output : OutputScores
        Scores after the split.
    n : int
        Outputs; `old` and ``n - 1`` are new, unless `old` is -1: then everything is found anew.
    before : KindSpans
        What kinds could get before.
    old : int
        The output that was split.
    tie : float
        Difference of scores that counts as none.
    keys : ndarray of uint64
        A random number for each output.
    """
    slopes, shifts = output.slopes, output.shifts
    start, ids = before.start, before.ids
    n_kinds = len(output.scores)
    new_start = np.zeros(n_kinds + 1, np.int64)
    new_ids = np.empty(max(16, len(ids) + len(ids) // 4 + n_kinds), np.int64)
    sums, sizes = before.sums.copy(), before.sizes.copy()
    margin = 2 * tie  # scores nearer than this are looked at exactly
    stop = 0
    own = np.empty(2, np.int64)
    for kind in range(n_kinds):
        was = ids[start[kind] : start[kind + 1]]
        if stop + max(n, len(was)) > len(new_ids):
            more = np.empty(2 * len(new_ids) + n, np.int64)
            more[:stop] = new_ids[:stop]
            new_ids = more
        row = output.scores[kind]
        # most cuts are far from most kinds: what they could get before is what they can get now
        if old >= 0 and not is_affected(output, kind, was, old, n - 1, margin):
            new_ids[stop : stop + len(was)] = was
            stop += len(was)
            new_start[kind + 1] = stop
            continue
        total = np.uint64(0)
        first = stop
        own[0], own[1] = max(old, 0), n - 1
        for j in range(n):
            for point in range(len(shifts)):
                shift = shifts[point]
                # against the two new ones first: they rule out most of the others
                if not _may_win(row, slopes, shift, j, own, margin):
                    continue
                if _wins(row, slopes, shift, j, was, n, tie):
                    new_ids[stop] = j
                    stop += 1
                    total += keys[j]
                    break
        sums[kind], sizes[kind] = total, stop - first
        new_start[kind + 1] = stop
    return KindSpans(new_start, new_ids[:stop].copy(), sums, sizes)


@kernel
def has_small_span(sums: Hashes, sizes: Counts, rows: Counts, least: int) -> bool:
    """Whether some set of two or more outputs is that of fewer rows than `least`."""
    capacity = 16
    while capacity < 2 * len(sums):
        capacity *= 2
    known = np.zeros(capacity, np.uint64)
    total = np.full(capacity, -1, np.int64)
    mask = np.uint64(capacity - 1)
    for kind in range(len(sums)):
        if sizes[kind] < 2:
            continue
        slot = sums[kind] & mask
        while total[slot] >= 0 and known[slot] != sums[kind]:
            slot = (slot + np.uint64(1)) & mask
        known[slot] = sums[kind]
        total[slot] = max(total[slot], 0) + rows[kind]
    return bool(((total >= 0) & (total < least)).any())
