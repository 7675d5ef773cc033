"""Groups of cells as boxes: which cells lie in a box, and moves that can be taken back.

A box is a label: the codes from `low` to `high` in every column.  Cells are sorted by two leading
columns; in those columns the cells of a box are found by where they begin, in the others by one bit
mask for each code, so looking at a box costs little.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.anonymize.clusters._group_loss import GroupColumns, pair_loss
from shoal.anonymize.clusters._walk_kernels import NUMBER_OF_BIT, SPREAD, Masks
from shoal.privacy.compiled._condition_kernels import CompiledModel, add_cell, allowed
from shoal.typing import Codes, Counts, Flags, Floats

_MANY_CODES = 64  # looked up one by one, wherever cells are few


class Places(NamedTuple):
    """Where cells are.

    Every move is logged, so that all since `log[0]` was 0 can be taken back.
    """

    group_of: NDArray[np.int64]
    head: NDArray[np.int64]  # of each box, its first cell; -1 without one
    after: NDArray[np.int64]  # the next cell of the same box, -1 after the last
    before: NDArray[np.int64]
    size: Counts  # rows of each box
    loss: Floats  # of a row
    sizes: Counts  # rows of each cell
    moved: NDArray[np.int64]  # the log: cells, and the boxes they came from
    origin: NDArray[np.int64]
    log: NDArray[np.int64]  # moves logged, cells looked at since the beginning, cells marked
    change: Floats  # one number: of the loss of all rows, by the moves logged


class Lookup(NamedTuple):
    """Where the cells of a box are found."""

    keys: Codes  # (n_cells, n_columns)
    n_codes: NDArray[np.int64]
    lead: NDArray[np.int64]  # two columns that cells are sorted by, the second -1 for none
    first: NDArray[np.int64]  # at ``code * width + second``: the first cell with these or later
    width: int
    below: Masks  # row ``start[j] + code``: cells with a lower code in column j
    start: NDArray[np.int64]  # -1: too many codes for masks, cells are looked at one by one
    rows: NDArray[np.int64]  # scratch: the masks that make up a box
    log: NDArray[np.int64]  # that of the places


class Ladders(NamedTuple):
    """The labels above every code."""

    low: NDArray[np.int64]  # ends of a code's label, at each step of its column's ladder
    high: NDArray[np.int64]
    start: NDArray[np.int64]  # ``start[j] + step * n_codes[j] + code``
    n_steps: NDArray[np.int64]
    n_codes: NDArray[np.int64]


class Around(NamedTuple):
    """What lies around cells and boxes, known between two changes."""

    cover: Masks  # (n_cells, n_box_words): the boxes whose labels cover a cell
    other: Floats  # what a row of a cell loses in the cheapest of them but its own
    away: Floats  # what all rows of a box would lose there
    spare_rows: Counts  # (n_boxes, n): rows of others that a box covers and they can spare
    spare_loss: Floats  # what they lose where they are, the dearest first
    lender: NDArray[np.int64]  # and where that is
    n_spare: NDArray[np.int64]  # how many of these are known; -1: not looked at


class Tally(NamedTuple):
    """The cells of a box on trial, counted by the boxes they are in; scratch, zero in between."""

    boxes: NDArray[np.int64]
    rows: Counts
    other: Floats  # what these rows would lose in the cheapest other boxes


class Boxes(NamedTuple):
    """Cells in boxes; a box without cells has size 0 and may be opened.

    What is done for each cell or for each box on trial gets only the parts of it that it needs: a
    call takes as long as it has arrays among its arguments.
    """

    columns: GroupColumns
    compiled: CompiledModel
    keys: Codes  # (n_cells, n_columns)
    lookup: Lookup
    ladders: Ladders
    places: Places
    around: Around
    low: Codes  # (n_boxes, n_columns)
    high: Codes
    histogram: Counts  # (n_boxes, n_codes) of the compiled model
    plan: NDArray[np.int64]  # of each box, what a box on trial takes of it
    cells: NDArray[np.int64]  # scratch: the cells of a box on trial
    others: NDArray[np.int64]  # scratch: the cells of another box
    found: NDArray[np.int64]  # scratch, one per box
    small: NDArray[np.int64]  # the same
    tally: Tally
    changed: Flags  # scratch, one per box
    stale: Flags  # boxes whose sums are not those of their cells
    marked: Flags  # scratch, one per cell, false between changes
    listed: NDArray[np.int64]  # scratch: the marked cells, as many as the log says


@kernel
def mark_below(keys: Codes, start: NDArray[np.int64], n_codes: NDArray[np.int64]) -> Masks:
    """The masks of cells below each code, of the columns that have a start."""
    n, d = keys.shape
    n_rows = 0
    for j in range(d):
        if start[j] >= 0:
            n_rows += n_codes[j] + 1
    below = np.zeros((n_rows, (n + 63) // 64), np.uint64)
    for j in range(d):
        if start[j] < 0:
            continue
        for cell in range(n):
            below[start[j] + keys[cell, j] + 1, cell >> 6] |= np.uint64(1) << np.uint64(cell & 63)
        for code in range(n_codes[j]):
            below[start[j] + code + 1] |= below[start[j] + code]
    return below


@kernel
def list_box(lookup: Lookup, low: Codes, high: Codes, cells: NDArray[np.int64]) -> int:
    """Write the cells in a box into `cells`; returns how many."""
    one, two, width = lookup.lead[0], lookup.lead[1], lookup.width
    below, rows = lookup.below, lookup.rows
    # cells with these codes in the first leading column stand together
    least, largest = low[one], high[one]
    stretch = lookup.first[(largest + 1) * width] - lookup.first[least * width]
    if two >= 0 and largest - least > _MANY_CODES + (stretch >> 4):  # hardly a cell for each code
        two = -1
    begin, end = (low[two], high[two] + 1) if two >= 0 else (0, width * (largest - least + 1))
    if two < 0:
        largest = least
    n_rows, partly = 0, False
    for j in range(low.shape[0]):
        if j in (one, two) or (low[j] == 0 and high[j] == lookup.n_codes[j] - 1):
            continue
        if lookup.start[j] < 0:
            partly = True
            continue
        rows[n_rows, 0] = lookup.start[j] + low[j]
        rows[n_rows, 1] = lookup.start[j] + high[j] + 1
        n_rows += 1
    n, n_words = 0, 0
    for code in range(least, largest + 1):
        first = lookup.first[code * width + begin]
        last = lookup.first[code * width + end] - 1
        if last < first:
            continue
        n_words += (last >> 6) - (first >> 6) + 1
        for word in range(first >> 6, (last >> 6) + 1):
            bits = ~np.uint64(0)
            if word == first >> 6:
                bits <<= np.uint64(first & 63)
            if word == last >> 6:
                bits &= ~np.uint64(0) >> np.uint64(63 - (last & 63))
            for i in range(n_rows):
                bits &= below[rows[i, 0], word] ^ below[rows[i, 1], word]
                if bits == np.uint64(0):
                    break
            while bits != np.uint64(0):
                lowest = bits & (~bits + np.uint64(1))
                bit = NUMBER_OF_BIT[(lowest * np.uint64(SPREAD)) >> np.uint64(58)]
                cells[n] = (word << 6) + bit
                n += 1
                bits ^= lowest
    lookup.log[1] += n + n_words
    if not partly:
        return n
    kept = 0
    for cell in cells[:n]:
        inside = True
        for j in range(low.shape[0]):
            inside = inside and low[j] <= lookup.keys[cell, j] <= high[j]
        if inside:
            cells[kept] = cell
            kept += 1
    return kept


@kernel
def move(places: Places, cell: int, to: int) -> None:
    """Move a cell to another box, and log it."""
    of, earlier, later = places.group_of[cell], places.before[cell], places.after[cell]
    if earlier >= 0:  # as in `carry`: calling it would take as long again
        places.after[earlier] = later
    else:
        places.head[of] = later
    if later >= 0:
        places.before[later] = earlier
    link(places, cell, to)
    places.size[of] -= places.sizes[cell]
    places.moved[places.log[0]], places.origin[places.log[0]] = cell, of
    places.log[0] += 1
    places.log[1] += 4
    places.change[0] += places.sizes[cell] * (places.loss[to] - places.loss[of])


@kernel
def carry(places: Places, cell: int, to: int) -> None:
    """Move a cell to another box."""
    of, earlier, later = places.group_of[cell], places.before[cell], places.after[cell]
    if earlier >= 0:
        places.after[earlier] = later
    else:
        places.head[of] = later
    if later >= 0:
        places.before[later] = earlier
    link(places, cell, to)
    places.size[of] -= places.sizes[cell]


@kernel
def link(places: Places, cell: int, to: int) -> None:
    """Put a cell that is in no box into one."""
    later = places.head[to]
    places.after[cell], places.before[cell], places.head[to] = later, -1, cell
    if later >= 0:
        places.before[later] = cell
    places.size[to] += places.sizes[cell]
    places.group_of[cell] = to


@kernel
def recount(boxes: Boxes, cell: int, of: int, to: int) -> None:
    """Count the values of a cell in another box, where the privacy model looks at values."""
    add_cell(boxes.compiled, cell, -1, boxes.histogram[of])
    add_cell(boxes.compiled, cell, 1, boxes.histogram[to])


@kernel
def take_back(boxes: Boxes) -> None:
    """Take all moves of the log back."""
    places = boxes.places
    for i in range(places.log[0] - 1, -1, -1):
        cell = places.moved[i]
        if not boxes.compiled.size_only:
            recount(boxes, cell, places.group_of[cell], places.origin[i])
        carry(places, cell, places.origin[i])
    places.log[0] = 0


@kernel
def is_fine(boxes: Boxes, box: int) -> bool:
    """Whether a box is allowed as a group."""
    compiled, rows = boxes.compiled, boxes.places.size[box]
    if rows < max(1, compiled.minimum_size):
        return False
    return compiled.size_only or allowed(compiled, rows, boxes.histogram[box])


@kernel
def can_spare(boxes: Boxes, cell: int) -> bool:
    """Whether a cell's box is allowed without it."""
    compiled, box = boxes.compiled, boxes.places.group_of[cell]
    rest = boxes.places.size[box] - compiled.sizes[cell]
    if rest < max(1, compiled.minimum_size):
        return False
    if compiled.size_only:
        return True
    add_cell(compiled, cell, -1, boxes.histogram[box])
    answer = allowed(compiled, rest, boxes.histogram[box])
    add_cell(compiled, cell, 1, boxes.histogram[box])
    return answer


@kernel
def label_loss(columns: GroupColumns, low: Codes, high: Codes) -> float:
    """What a row loses under a label."""
    loss = 0.0
    for j in range(low.shape[0]):
        loss += pair_loss(columns, j, low[j], high[j])
    return loss


@kernel
def fit_label(boxes: Boxes, box: int) -> None:
    """Give a box the least general label that covers its cells, and reach as far as that does."""
    d, places = boxes.keys.shape[1], boxes.places
    low, high = boxes.low[box], boxes.high[box]
    cell = places.head[box]
    low[:], high[:] = boxes.keys[cell], boxes.keys[cell]
    while cell >= 0:
        for j in range(d):
            low[j], high[j] = min(low[j], boxes.keys[cell, j]), max(high[j], boxes.keys[cell, j])
        cell = places.after[cell]
        places.log[1] += 1
    places.loss[box] = label_loss(boxes.columns, low, high)
    for j in range(d):
        loss = pair_loss(boxes.columns, j, low[j], high[j])
        at = boxes.ladders.start[j] + low[j]
        for _ in range(boxes.ladders.n_steps[j]):
            first, last = boxes.ladders.low[at], boxes.ladders.high[at]
            if first <= low[j] and last >= high[j]:
                if pair_loss(boxes.columns, j, first, last) <= loss:  # as good, and covers more
                    low[j], high[j] = first, last
                break
            at += boxes.columns.n_codes[j]


@kernel
def fill_boxes(boxes: Boxes, number: NDArray[np.int64], n_groups: int) -> None:
    """Put each cell into the box of its number, and fit the labels of all boxes."""
    for cell in range(number.shape[0] - 1, -1, -1):
        link(boxes.places, cell, number[cell])
        if not boxes.compiled.size_only:
            add_cell(boxes.compiled, cell, 1, boxes.histogram[number[cell]])
    for box in range(n_groups):
        fit_label(boxes, box)
