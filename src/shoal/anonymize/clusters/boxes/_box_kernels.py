"""Groups of cells as boxes: sets of cells as bit masks, and moves that can be taken back.

A box is a label: the codes from `low` to `high` in every column.  Which cells lie in it is known
from one bit mask for each code and column, so looking at a box costs little.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.anonymize.clusters._group_loss import GroupColumns, pair_loss
from shoal.anonymize.clusters._walk_kernels import Masks, list_cells
from shoal.privacy.compiled._condition_kernels import CompiledModel, add_cell, allowed
from shoal.typing import Codes, Counts, Flags, Floats


class Places(NamedTuple):
    """Where cells are.  Few arrays, since a call for every cell takes as long as it has arguments.

    Every move is logged, so that all since `log[0]` was 0 can be taken back.
    """

    group_of: NDArray[np.int64]
    member: Masks  # (n_boxes, n_words)
    size: Counts  # rows of each box
    loss: Floats  # of a row
    sizes: Counts  # rows of each cell
    moved: NDArray[np.int64]  # the log: cells, and the boxes they came from
    origin: NDArray[np.int64]
    log: NDArray[np.int64]  # moves logged, and cells looked at since the beginning
    change: Floats  # one number: of the loss of all rows, by the moves logged


class Boxes(NamedTuple):
    """Cells in boxes; a box without cells has size 0 and may be opened."""

    columns: GroupColumns
    compiled: CompiledModel
    keys: Codes  # (n_cells, n_columns)
    below: Masks  # row ``start[j] + code``: cells with a lower code in column j
    start: NDArray[np.int64]  # -1: too many codes for masks, cells are looked at one by one
    ladder_low: NDArray[np.int64]  # ends of a code's label, at each step of its column's ladder
    ladder_high: NDArray[np.int64]
    ladder_start: NDArray[np.int64]  # ``ladder_start[j] + step * n_codes[j] + code``
    n_steps: NDArray[np.int64]
    places: Places
    low: Codes  # (n_boxes, n_columns)
    high: Codes
    histogram: Counts  # (n_boxes, n_codes) of the compiled model
    cells: NDArray[np.int64]  # scratch
    rows: Counts  # scratch, one per box
    touched: Flags  # scratch, one per box


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
def mark_box(boxes: Boxes, low: Codes, high: Codes, mask: Masks) -> int:
    """Mark the cells in a box, and list them in `cells`; returns how many."""
    words = mask[0]
    words[:] = ~np.uint64(0)
    partly = False
    for j in range(low.shape[0]):
        if boxes.start[j] < 0:
            partly = True
            continue
        first = boxes.below[boxes.start[j] + low[j]]
        last = boxes.below[boxes.start[j] + high[j] + 1]
        for word in range(words.shape[0]):
            words[word] &= first[word] ^ last[word]
    rest = boxes.keys.shape[0] & 63
    if rest:  # bits beyond the last cell
        words[-1] &= (np.uint64(1) << np.uint64(rest)) - np.uint64(1)
    n = list_cells(words, words, words, boxes.cells)
    boxes.places.log[1] += n + words.shape[0]
    if not partly:
        return n
    kept = 0
    for cell in boxes.cells[:n]:
        inside = True
        for j in range(low.shape[0]):
            inside = inside and low[j] <= boxes.keys[cell, j] <= high[j]
        if inside:
            boxes.cells[kept] = cell
            kept += 1
        else:
            words[cell >> 6] &= ~(np.uint64(1) << np.uint64(cell & 63))
    return kept


@kernel
def move(places: Places, cell: int, to: int) -> None:
    """Move a cell to another box, and log it."""
    of = places.group_of[cell]
    carry(places, cell, to)
    places.moved[places.log[0]], places.origin[places.log[0]] = cell, of
    places.log[0] += 1
    places.change[0] += places.sizes[cell] * (places.loss[to] - places.loss[of])


@kernel
def carry(places: Places, cell: int, to: int) -> None:
    """Move a cell to another box."""
    of = places.group_of[cell]
    bit = np.uint64(1) << np.uint64(cell & 63)
    places.member[of, cell >> 6] &= ~bit
    places.member[to, cell >> 6] |= bit
    places.size[of] -= places.sizes[cell]
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
def fit_label(boxes: Boxes, box: int) -> None:
    """Give a box the least general label that covers its cells, and reach as far as that does."""
    d = boxes.keys.shape[1]
    low, high = boxes.low[box], boxes.high[box]
    member = boxes.places.member[box]
    n = list_cells(member, member, member, boxes.cells)
    boxes.places.log[1] += n
    low[:], high[:] = boxes.keys[boxes.cells[0]], boxes.keys[boxes.cells[0]]
    for cell in boxes.cells[1:n]:
        for j in range(d):
            low[j], high[j] = min(low[j], boxes.keys[cell, j]), max(high[j], boxes.keys[cell, j])
    boxes.places.loss[box] = 0.0
    for j in range(d):
        loss = pair_loss(boxes.columns, j, low[j], high[j])
        boxes.places.loss[box] += loss
        at = boxes.ladder_start[j] + low[j]
        for _ in range(boxes.n_steps[j]):
            first, last = boxes.ladder_low[at], boxes.ladder_high[at]
            if first <= low[j] and last >= high[j]:
                if pair_loss(boxes.columns, j, first, last) <= loss:  # as good, and covers more
                    low[j], high[j] = first, last
                break
            at += boxes.columns.n_codes[j]


@kernel
def fill_boxes(boxes: Boxes, number: NDArray[np.int64], n_groups: int) -> None:
    """Put each cell into the box of its number, and fit the labels of all boxes."""
    places = boxes.places
    for cell in range(number.shape[0]):
        box = number[cell]
        places.group_of[cell] = box
        places.member[box, cell >> 6] |= np.uint64(1) << np.uint64(cell & 63)
        places.size[box] += places.sizes[cell]
        if not boxes.compiled.size_only:
            add_cell(boxes.compiled, cell, 1, boxes.histogram[box])
    for box in range(n_groups):
        fit_label(boxes, box)
