"""Walk through generalization steps, finest first, and release what is allowed at each.

A step is a node of a lattice, given as its two halves, and a width on one numeric column, the
axis.  Cells are numbered along the axis.  Sets of cells are bit masks of 64-bit words, so a step
costs next to nothing when few cells can still be released at it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.privacy.compiled._condition_kernels import CompiledModel, add_cell, allowed
from shoal.typing import Codes, Counts, Flags, Floats

Masks = NDArray[np.uint64]

_PLACE_OF_BIT = np.zeros(67, np.int64)  # 2**i modulo 67 is different for every i below 64
for _bit in range(64):
    _PLACE_OF_BIT[2**_bit % 67] = _bit


class Walk(NamedTuple):
    """The steps, and how far a walk has come; kernels change all but the steps in place."""

    axis: Floats  # place of each cell, rising
    first_class: Codes  # (n_first, n_cells): class of each cell at each first half of a node
    second_class: Codes
    n_second: Counts  # classes at each second half
    first: Codes  # halves of each step's node
    second: Codes
    width: Floats  # of each step; 1 and more takes whole classes
    first_alive: Masks  # cells whose class at a half node is large enough
    second_alive: Masks
    alive: Masks  # the same for whole nodes, once visited; no rows when nothing is remembered
    visited: NDArray[np.int8]  # 0 not yet, 1 visited, 2 nothing can be released any more
    remaining: Masks  # one row: cells in no group
    group_of: NDArray[np.int64]


@kernel
def mark_alive(
    classes: Codes, sizes: Counts, group_of: NDArray[np.int64], least: int, alive: Masks
) -> None:
    """Mark the cells in no group whose class holds at least `least` rows of such cells."""
    n_nodes, n = classes.shape
    rows = np.zeros(n + 1, np.int64)
    for node in range(n_nodes):
        rows[:] = 0
        for cell in range(n):
            if group_of[cell] < 0:
                rows[classes[node, cell]] += sizes[cell]
        alive[node] = np.uint64(0)
        for cell in range(n):
            if group_of[cell] < 0 and rows[classes[node, cell]] >= least:
                alive[node, cell >> 6] |= np.uint64(1) << np.uint64(cell & 63)


@kernel
def _list_cells(base: Masks, other: Masks, remaining: Masks, cells: NDArray[np.int64]) -> int:
    """Numbers of the cells in all three masks."""
    found = 0
    for word in range(remaining.shape[0]):
        bits = base[word] & other[word] & remaining[word]
        while bits != np.uint64(0):
            lowest = bits & (~bits + np.uint64(1))
            cells[found] = (word << 6) + _PLACE_OF_BIT[np.int64(lowest % np.uint64(67))]
            found += 1
            bits ^= lowest
    return found


@kernel
def walk_steps(rules: CompiledModel, walk: Walk, begin: int, end: int, n_groups: int) -> int:
    """Make the steps from `begin` to `end`; returns the number of groups then."""
    n = walk.axis.shape[0]
    cells, class_of = np.empty(n, np.int64), np.empty(n, np.int64)
    rows, place, member = (
        np.empty(n + 1, np.int64),
        np.empty(n + 1, np.int64),
        np.empty(n, np.int64),
    )
    capacity = 1024
    while capacity < 2 * n:
        capacity *= 2
    slot, word, stamp = (
        np.empty(capacity, np.int64),
        np.empty(capacity, np.int64),
        np.full(capacity, -1, np.int64),
    )
    histogram = np.zeros(rules.n_codes, np.int64)
    least = rules.minimum_size
    remembers = walk.alive.shape[0] > 0
    n_halves = walk.second_alive.shape[0]
    for step in range(begin, end):
        a, b = walk.first[step], walk.second[step]
        node = a * n_halves + b
        if walk.visited[node] == 2:
            continue
        if walk.visited[node] == 1 and remembers:
            n_cells = _list_cells(walk.alive[node], walk.remaining[0], walk.remaining[0], cells)
        else:
            n_cells = _list_cells(
                walk.first_alive[a], walk.second_alive[b], walk.remaining[0], cells
            )
        # number the classes; small tables stay in the cache
        mask = 1024
        while mask < 2 * n_cells:
            mask *= 2
        mask -= 1
        n_classes, enough = 0, False
        for i in range(n_cells):
            key = np.int64(walk.first_class[a, cells[i]]) * walk.n_second[b] + np.int64(
                walk.second_class[b, cells[i]]
            )
            mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
            at = np.int64(mixed >> np.uint64(33)) & mask
            while stamp[at] == step and word[at] != key:
                at = (at + 1) & mask
            if stamp[at] != step:
                stamp[at], word[at], slot[at] = step, key, n_classes
                rows[n_classes] = 0
                n_classes += 1
            class_of[i] = slot[at]
            rows[slot[at]] += rules.sizes[cells[i]]
            enough = enough or rows[slot[at]] >= least
        walk.visited[node] = 1 if enough else 2
        if not enough:
            continue
        place[: n_classes + 1] = 0
        for i in range(n_cells):
            if rows[class_of[i]] >= least:
                place[class_of[i] + 1] += 1
        for c in range(n_classes):
            place[c + 1] += place[c]
        if remembers:
            walk.alive[node] = np.uint64(0)
        for i in range(n_cells):
            if rows[class_of[i]] >= least:
                member[place[class_of[i]]] = cells[i]
                place[class_of[i]] += 1
                if remembers:
                    bit = np.uint64(1) << np.uint64(cells[i] & 63)
                    walk.alive[node, cells[i] >> 6] |= bit
        begins = 0
        for c in range(n_classes):  # the end of class c is now place[c]
            if place[c] > begins:
                n_groups = _release(
                    rules, walk, member[begins : place[c]], walk.width[step], n_groups, histogram
                )
            begins = place[c]
    return n_groups


@kernel
def _release(
    rules: CompiledModel,
    walk: Walk,
    members: NDArray[np.int64],
    width: float,
    n_groups: int,
    histogram: Counts,
) -> int:
    """Release runs of a class that are allowed, each as soon as it is, none wider than `width`."""
    whole = width >= 1
    begins, rows = 0, 0
    for i in range(members.shape[0]):
        cell = members[i]
        rows += rules.sizes[cell]
        add_cell(rules, cell, 1, histogram)
        while not whole and walk.axis[cell] - walk.axis[members[begins]] > width:
            rows -= rules.sizes[members[begins]]
            add_cell(rules, members[begins], -1, histogram)
            begins += 1
        last = i == members.shape[0] - 1
        if rows < rules.minimum_size or (whole and not last):
            continue
        if rules.size_only or allowed(rules, rows, histogram):
            for place in range(begins, i + 1):
                member = members[place]
                walk.group_of[member] = n_groups
                walk.remaining[0, member >> 6] &= ~(np.uint64(1) << np.uint64(member & 63))
            n_groups += 1
            histogram[:] = 0
            rows, begins = 0, i + 1
    histogram[:] = 0
    return n_groups


@kernel
def count_remaining(group_of: NDArray[np.int64]) -> int:
    """Cells in no group."""
    found = 0
    for group in group_of:
        if group < 0:
            found += 1
    return found


@kernel
def full_mask(flags: Flags) -> Masks:
    """One row of bits, set where `flags` is."""
    mask = np.zeros((1, (flags.shape[0] + 63) // 64), np.uint64)
    for cell in range(flags.shape[0]):
        if flags[cell]:
            mask[0, cell >> 6] |= np.uint64(1) << np.uint64(cell & 63)
    return mask
