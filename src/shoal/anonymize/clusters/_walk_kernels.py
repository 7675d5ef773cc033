"""Walk through generalization steps, finest first, and release what is allowed at each.

A step is a node of a lattice, given as its two halves, and a width on one numeric column, the
axis.  A node cuts the cells into parts: those of one part look alike at it.  Cells are numbered
along the axis.  Sets of cells are bit masks of 64-bit words, so a step costs next to nothing when
few cells can still be released at it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.privacy.compiled._condition_kernels import CompiledModel, add_cell, allowed
from shoal.tables._count_kernels import table_size
from shoal.typing import Codes, Counts, Floats

Masks = NDArray[np.uint64]

VISITED, EXHAUSTED = 1, 2  # 0: not visited yet

SPREAD = 0x03F79D71B4CB0A89  # its first six bits are others after every shift by less than 64
NUMBER_OF_BIT = np.zeros(64, np.int64)  # so they tell which bit a number of one bit has
for _bit in range(64):
    NUMBER_OF_BIT[(SPREAD << _bit) % 2**64 >> 58] = _bit


class Walk(NamedTuple):
    """The steps, and how far a walk has come; kernels change all but the steps.

    Marks of living cells only save time: a cell that is not marked is in a part too small to be
    released, and parts only shrink.
    """

    axis: Floats  # number of each cell on the axis, rising
    first_part: Codes  # (n_first, n_cells): part of each cell at each first half of a node
    second_part: Codes
    n_second: Counts  # parts at each second half
    first: Codes  # halves of each step's node
    second: Codes
    width: Floats  # of each step; 1 and more takes whole parts
    first_alive: Masks  # cells whose part at a half of a node is large enough
    second_alive: Masks
    alive: Masks  # the same for each whole node once visited; without rows, it is not kept
    visited: NDArray[np.int8]  # for each node 0, VISITED, or EXHAUSTED: no large part left
    remaining: Masks  # one row: cells in no group
    group_of: NDArray[np.int64]
    is_whole: bool  # whether all nodes of the lattice are among the steps


class Scratch(NamedTuple):
    """What a step works with; made once, since there are thousands of steps."""

    cells: NDArray[np.int64]  # those that may be released at this step
    part_of: NDArray[np.int64]  # part of each of them
    rows: Counts  # of each part
    end: NDArray[np.int64]  # of each part in `members`
    members: NDArray[np.int64]  # cells of large parts, part by part
    word: NDArray[np.int64]  # a hash table of parts, valid where `stamp` is this step
    part: NDArray[np.int64]
    stamp: NDArray[np.int64]
    histogram: Counts  # of the run that may be released, zero between runs
    place: NDArray[np.int64]  # where the rows of each listed cell's part are added up
    sums: Counts


@kernel
def mark_alive(
    sizes: Counts, group_of: NDArray[np.int64], least: int, parts: Codes, alive: Masks
) -> None:
    """Mark the cells in no group whose part holds at least `least` rows of such cells."""
    n_nodes, n = parts.shape
    rows = np.empty(n + 1, np.int64)
    free = np.flatnonzero(group_of < 0)
    for node in range(n_nodes):
        for cell in free:
            # only the counts that are needed: towards the end few cells are free
            rows[parts[node, cell]] = 0
        for cell in free:
            rows[parts[node, cell]] += sizes[cell]
        alive[node] = np.uint64(0)
        for cell in free:
            large = np.uint64(rows[parts[node, cell]] >= least)
            alive[node, cell >> 6] |= large << np.uint64(cell & 63)


@kernel
def list_cells(first: Masks, second: Masks, remaining: Masks, cells: NDArray[np.int64]) -> int:
    """Write the numbers of the cells in all three masks into `cells`; returns how many."""
    n_cells = 0
    for word in range(remaining.shape[0]):
        bits = first[word] & second[word] & remaining[word]
        while bits != np.uint64(0):
            lowest = bits & (~bits + np.uint64(1))
            bit = NUMBER_OF_BIT[(lowest * np.uint64(SPREAD)) >> np.uint64(58)]
            cells[n_cells] = (word << 6) + bit
            n_cells += 1
            bits ^= lowest
    return n_cells


@kernel
def make_scratch(n: int, n_codes: int) -> Scratch:
    """Room for the steps over `n` cells."""
    capacity = table_size(n)
    return Scratch(
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n + 1, np.int64),
        np.empty(n + 1, np.int64),
        np.empty(n, np.int64),
        np.empty(capacity, np.int64),
        np.empty(capacity, np.int64),
        np.full(capacity, -1, np.int64),
        np.zeros(n_codes, np.int64),
        np.empty(n, np.int64),
        np.empty(capacity, np.int64),
    )


@kernel
def drop_small_parts(
    compiled: CompiledModel, walk: Walk, scratch: Scratch, step: int, n_cells: int
) -> int:
    """Leave out listed cells whose parts are too small, most of them; returns how many stay.

    Rows are added up at a number made of the part's, which others may have as well: what is too
    small there is too small.  It takes no look-up, and next to no cell gets beyond it.
    """
    first, second = walk.first[step], walk.second[step]
    least, n_second = compiled.minimum_size, walk.n_second[second]
    cells, place, sums = scratch.cells, scratch.place, scratch.sums
    n_places, bits = 1024, 10
    while n_places < 2 * n_cells:
        n_places *= 2
        bits += 1
    shift = np.uint64(64 - bits)
    sums[:n_places] = 0
    for i in range(n_cells):
        cell = cells[i]
        key = np.int64(walk.first_part[first, cell]) * n_second + walk.second_part[second, cell]
        slot = np.int64((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> shift)
        place[i] = slot
        sums[slot] += compiled.sizes[cell]
    n_kept = 0
    for i in range(n_cells):
        cells[n_kept] = cells[i]
        # written without a branch: the slot is overwritten unless the count moves on
        n_kept += sums[place[i]] >= least
    return n_kept


@kernel
def number_parts(
    compiled: CompiledModel, walk: Walk, scratch: Scratch, step: int, n_cells: int
) -> int:
    """Number the parts of the listed cells as they appear, and count their rows."""
    first, second = walk.first[step], walk.second[step]
    word, part, stamp, rows = scratch.word, scratch.part, scratch.stamp, scratch.rows
    mask = 1024
    while mask < 2 * n_cells:  # no larger than needed: a small hash table stays in the cache
        mask *= 2
    mask -= 1
    n_parts = 0
    for i in range(n_cells):
        cell = scratch.cells[i]
        key = np.int64(walk.first_part[first, cell]) * walk.n_second[second] + np.int64(
            walk.second_part[second, cell]
        )
        mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
        slot = np.int64(mixed >> np.uint64(33)) & mask
        while stamp[slot] == step and word[slot] != key:
            slot = (slot + 1) & mask
        if stamp[slot] != step:
            stamp[slot], word[slot], part[slot] = step, key, n_parts
            rows[n_parts] = 0
            n_parts += 1
        scratch.part_of[i] = part[slot]
        rows[part[slot]] += compiled.sizes[cell]
    return n_parts


@kernel
def gather_parts(scratch: Scratch, n_cells: int, n_parts: int, least: int) -> int:
    """Bring the cells of each part with at least `least` rows together; returns how many cells."""
    part_of, rows, end = scratch.part_of, scratch.rows, scratch.end
    end[: n_parts + 1] = 0
    for i in range(n_cells):
        if rows[part_of[i]] >= least:
            end[part_of[i] + 1] += 1
    for part in range(n_parts):
        end[part + 1] += end[part]
    n_members = end[n_parts]
    for i in range(n_cells):  # what is the beginning of each part now is its end afterwards
        if rows[part_of[i]] >= least:
            scratch.members[end[part_of[i]]] = scratch.cells[i]
            end[part_of[i]] += 1
    return n_members


@kernel
def walk_steps(compiled: CompiledModel, walk: Walk, begin: int, end: int, n_groups: int) -> int:
    """Make the steps from `begin` to `end`; returns the number of groups then."""
    scratch = make_scratch(walk.axis.shape[0], compiled.n_codes)
    keeps_alive = walk.alive.shape[0] > 0
    for step in range(begin, end):
        first, second = walk.first[step], walk.second[step]
        node = first * walk.second_alive.shape[0] + second
        if walk.visited[node] == EXHAUSTED:
            continue
        remaining = walk.remaining[0]
        if walk.visited[node] == VISITED and keeps_alive:
            n_cells = list_cells(walk.alive[node], remaining, remaining, scratch.cells)
        else:
            n_cells = list_cells(
                walk.first_alive[first], walk.second_alive[second], remaining, scratch.cells
            )
        n_cells = drop_small_parts(compiled, walk, scratch, step, n_cells)
        n_parts = number_parts(compiled, walk, scratch, step, n_cells)
        n_members = gather_parts(scratch, n_cells, n_parts, compiled.minimum_size)
        walk.visited[node] = VISITED if n_members > 0 else EXHAUSTED
        if keeps_alive:
            walk.alive[node] = np.uint64(0)
            for cell in scratch.members[:n_members]:
                walk.alive[node, cell >> 6] |= np.uint64(1) << np.uint64(cell & 63)
        start = 0
        for part in range(n_parts if n_members > 0 else 0):
            if scratch.end[part] > start:
                members = scratch.members[start : scratch.end[part]]
                n_groups = release_runs(
                    compiled, walk, members, walk.width[step], n_groups, scratch.histogram
                )
            start = scratch.end[part]
    return n_groups


@kernel
def release_runs(
    compiled: CompiledModel,
    walk: Walk,
    members: NDArray[np.int64],
    width: float,
    n_groups: int,
    histogram: Counts,
) -> int:
    """Release runs of a part that are allowed, each as soon as it is, none wider than `width`."""
    whole = width >= 1
    begins, rows = 0, 0
    for i in range(members.shape[0]):
        cell = members[i]
        rows += compiled.sizes[cell]
        add_cell(compiled, cell, 1, histogram)
        while not whole and walk.axis[cell] - walk.axis[members[begins]] > width:
            rows -= compiled.sizes[members[begins]]
            add_cell(compiled, members[begins], -1, histogram)
            begins += 1
        last = i == members.shape[0] - 1
        # a whole part is one group: it is asked about once all its cells are in
        if rows < compiled.minimum_size or (whole and not last):
            continue
        if compiled.size_only or allowed(compiled, rows, histogram):
            for member in members[begins : i + 1]:
                walk.group_of[member] = n_groups
                walk.remaining[0, member >> 6] &= ~(np.uint64(1) << np.uint64(member & 63))
            n_groups += 1
            histogram[:] = 0
            rows, begins = 0, i + 1
    histogram[:] = 0
    return n_groups
