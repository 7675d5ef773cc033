"""Open another box and close those that it empties, wherever that lowers the loss.

A new box takes the cells that lose less in it.  If these are too few, it takes what other boxes can
spare, or closes some of them.  A box that was left too small is filled with what others can spare,
or closed, and its cells go where they lose least.  All of it is taken back unless the loss of all
rows falls, or rises by little while it is early.
"""

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.anonymize.clusters._group_loss import pair_loss
from shoal.anonymize.clusters._walk_kernels import Masks, list_cells
from shoal.anonymize.clusters.boxes._box_kernels import (
    Boxes,
    can_spare,
    fit_label,
    is_fine,
    mark_box,
    move,
    recount,
    take_back,
)
from shoal.typing import Codes

_SLACK = 1e-9  # a gain below is rounding, and could be won again and again
CLOSE, WHOLE, REFILL = 1, 2, 4  # ways to make room for a box


@kernel
def next_number(state: int) -> int:
    """The next of a sequence of pseudo-random numbers; only its high bits are random."""
    return (state * 1103515245 + 12345) & 0x7FFFFFFF


@kernel
def vary_label(boxes: Boxes, cell: int, low: Codes, high: Codes, state: int) -> int:
    """Change the label of a cell's box in one to three columns, each by one step of its ladder.

    `low` and `high` get the new one, which covers the cell; returns the state of the sequence.
    """
    box, d = boxes.places.group_of[cell], low.shape[0]
    low[:], high[:] = boxes.low[box], boxes.high[box]
    state = next_number(state)
    for _ in range(1 + (state >> 16) % 3):
        state = next_number(state)
        j = (state >> 16) % d
        first = boxes.ladder_start[j] + boxes.keys[cell, j]
        n_codes = boxes.columns.n_codes[j]
        step = 0
        while step < boxes.n_steps[j] - 1 and not (
            boxes.ladder_low[first + step * n_codes] <= low[j]
            and boxes.ladder_high[first + step * n_codes] >= high[j]
        ):
            step += 1
        state = next_number(state)
        step += 1 if (state >> 30) % 2 else -1
        if 0 <= step < boxes.n_steps[j]:
            low[j] = boxes.ladder_low[first + step * n_codes]
            high[j] = boxes.ladder_high[first + step * n_codes]
    return state


@kernel
def is_open(boxes: Boxes, low: Codes, high: Codes, loss: float) -> bool:
    """Whether there is a box with this label already."""
    for box in range(boxes.places.size.shape[0]):
        if boxes.places.size[box] == 0 or abs(boxes.places.loss[box] - loss) > _SLACK:
            continue
        if (boxes.low[box] == low).all() and (boxes.high[box] == high).all():
            return True
    return False


@kernel
def first_empty(boxes: Boxes) -> int:
    """A box without cells, -1 when there is none."""
    for box in range(boxes.places.size.shape[0]):
        if boxes.places.size[box] == 0:
            return box
    return -1


@kernel
def least_change(boxes: Boxes, n: int, loss: float, order: NDArray[np.int64]) -> float:
    """How far a box with the listed cells could lower the loss at best; infinite if too small."""
    rows, least = boxes.rows, max(1, boxes.compiled.minimum_size)
    group_of, sizes = boxes.places.group_of, boxes.places.sizes
    rows[:] = 0
    total = 0
    for cell in boxes.cells[:n]:
        rows[group_of[cell]] += sizes[cell]
        total += sizes[cell]
    if total < least:
        return np.inf
    change, taken = 0.0, 0
    for box in order:  # the dearest first
        if rows[box] == 0:
            continue
        if boxes.places.loss[box] > loss:
            change -= rows[box] * (boxes.places.loss[box] - loss)
            taken += rows[box]
        elif taken < least:
            some = min(rows[box], least - taken)
            change += some * (loss - boxes.places.loss[box])
            taken += some
        else:
            break
    return change


@kernel
def take_gainers(boxes: Boxes, box: int, n: int, close: bool) -> None:
    """Move the listed cells that lose less in a box, all or those that can be spared."""
    places, size_only = boxes.places, boxes.compiled.size_only
    least = max(1, boxes.compiled.minimum_size)
    for cell in boxes.cells[:n]:
        other = places.group_of[cell]
        if places.loss[other] <= places.loss[box]:
            continue
        spare = close or places.size[other] - places.sizes[cell] >= least
        if spare and (close or size_only or can_spare(boxes, cell)):
            if not size_only:
                recount(boxes, cell, other, box)
            move(places, cell, box)


@kernel
def take_spare(boxes: Boxes, box: int, mask: Masks, order: NDArray[np.int64]) -> bool:
    """Fill a box with marked cells that others can spare; returns whether it is allowed then."""
    places, size_only = boxes.places, boxes.compiled.size_only
    least = max(1, boxes.compiled.minimum_size)
    for other in order:
        if places.size[box] >= least and (size_only or is_fine(boxes, box)):
            return True
        if other == box or places.size[other] <= least or places.loss[other] > places.loss[box]:
            continue
        n = list_cells(mask[0], places.member[other], mask[0], boxes.cells)
        places.log[1] += n + mask.shape[1]
        for cell in boxes.cells[:n]:
            if places.size[box] >= least and (size_only or is_fine(boxes, box)):
                return True
            if places.size[other] - places.sizes[cell] < least:
                continue
            if not size_only:
                if not can_spare(boxes, cell):
                    continue
                recount(boxes, cell, other, box)
            move(places, cell, box)
    return is_fine(boxes, box)


@kernel
def lies_in(cells: Masks, others: Masks) -> bool:
    """Whether all cells of one mask are in the other."""
    word = 0
    while word < cells.shape[0] and cells[word] & ~others[word] == np.uint64(0):
        word += 1
    return word == cells.shape[0]


@kernel
def take_by_force(
    boxes: Boxes, box: int, mask: Masks, order: NDArray[np.int64], whole: bool
) -> bool:
    """Fill a box with marked cells of any others; returns whether it is allowed then.

    With `whole`, only of those that lie in it altogether, and all of their cells.
    """
    places, size_only = boxes.places, boxes.compiled.size_only
    least = max(1, boxes.compiled.minimum_size)
    for other in order:
        if places.size[box] >= least and (size_only or is_fine(boxes, box)):
            return True
        if other == box or places.size[other] == 0 or places.loss[other] > places.loss[box]:
            continue
        if whole and not lies_in(places.member[other], mask[0]):
            continue
        n = list_cells(mask[0], places.member[other], mask[0], boxes.cells)
        places.log[1] += n + mask.shape[1]
        for cell in boxes.cells[:n]:
            if not whole and places.size[box] >= least and (size_only or is_fine(boxes, box)):
                return True
            if not size_only:
                recount(boxes, cell, other, box)
            move(places, cell, box)
    return is_fine(boxes, box)


@kernel
def close_box(boxes: Boxes, box: int) -> bool:
    """Move the cells of a box to where they lose least; returns whether all found a place."""
    places, size_only = boxes.places, boxes.compiled.size_only
    least = max(1, boxes.compiled.minimum_size)
    member = places.member[box]
    n = list_cells(member, member, member, boxes.cells)
    places.log[1] += 8 * n
    for cell in boxes.cells[:n]:
        best = -1
        for other in range(places.size.shape[0]):
            if other == box or places.size[other] < least:
                continue
            if best >= 0 and places.loss[other] >= places.loss[best]:
                continue
            j = 0
            while j < boxes.keys.shape[1] and (
                boxes.low[other, j] <= boxes.keys[cell, j] <= boxes.high[other, j]
            ):
                j += 1
            if j == boxes.keys.shape[1] and (size_only or is_fine(boxes, other)):
                best = other
        if best < 0 or places.log[0] == places.moved.shape[0]:
            return False
        if not size_only:
            recount(boxes, cell, box, best)
        move(places, cell, best)
    return True


@kernel
def mend_touched(boxes: Boxes, mask: Masks, order: NDArray[np.int64], ways: int) -> bool:
    """Fill or close the boxes that the logged moves left too small; returns whether all is fine."""
    boxes.touched[:] = False
    for i in range(boxes.places.log[0]):
        boxes.touched[boxes.places.origin[i]] = True
    for box in order:
        if not boxes.touched[box] or boxes.places.size[box] == 0 or is_fine(boxes, box):
            continue
        if ways & REFILL and 2 * boxes.places.log[0] < boxes.places.moved.shape[0]:
            mark_box(boxes, boxes.low[box], boxes.high[box], mask)
            if take_spare(boxes, box, mask, order):
                continue
        if not close_box(boxes, box):
            return False
    if not boxes.compiled.size_only:  # a box may not be allowed with the cells that it took
        for i in range(boxes.places.log[0]):
            box = boxes.places.group_of[boxes.places.moved[i]]
            if not is_fine(boxes, box):
                return False
    return True


@kernel
def open_box(
    boxes: Boxes, box: int, n: int, mask: Masks, order: NDArray[np.int64], ways: int
) -> bool:
    """Make room for a box, which has a label and loss, of the listed cells; whether it worked."""
    close = ways & CLOSE > 0
    take_gainers(boxes, box, n, close)
    fine = take_spare(boxes, box, mask, order)
    if not fine and close:
        fine = take_by_force(boxes, box, mask, order, ways & WHOLE > 0)
    return fine and mend_touched(boxes, mask, order, ways)


@kernel
def fit_touched(boxes: Boxes, box: int) -> float:
    """Fit the labels of the boxes that the logged moves changed; returns what that saves."""
    boxes.touched[:] = False
    boxes.touched[box] = True
    for i in range(boxes.places.log[0]):
        boxes.touched[boxes.places.origin[i]] = True
    saved = 0.0
    for other in range(boxes.places.size.shape[0]):
        if boxes.touched[other] and boxes.places.size[other] > 0:
            before = boxes.places.loss[other]
            fit_label(boxes, other)
            saved += boxes.places.size[other] * (before - boxes.places.loss[other])
    boxes.places.log[0] = 0
    return saved


@kernel
def exchange_boxes(
    boxes: Boxes, loss: float, budget: int, heat: float, cooler: float, state: int
) -> tuple[float, int, NDArray[np.int64]]:
    """Try boxes until `budget` cells were looked at; the least loss, the state, the best groups.

    `heat` is by how much loss may rise, on average, and falls to `cooler` in the end.
    """
    d = boxes.keys.shape[1]
    mask = np.zeros((1, boxes.places.member.shape[1]), np.uint64)
    low, high = np.empty(d, np.int32), np.empty(d, np.int32)
    order = np.argsort(-boxes.places.loss, kind="mergesort")
    best, best_groups = loss, boxes.places.group_of.copy()
    boxes.places.log[:] = 0
    while boxes.places.log[1] < budget:
        warm = heat + (cooler - heat) * boxes.places.log[1] / budget
        state = next_number(state)
        state = vary_label(boxes, (state >> 10) % boxes.keys.shape[0], low, high, state)
        boxes.places.log[1] += 64
        new = 0.0
        for j in range(d):
            new += pair_loss(boxes.columns, j, low[j], high[j])
        state = next_number(state)
        most = -warm * np.log(((state >> 8) + 1) / 8388609) - _SLACK
        state = next_number(state)
        box = first_empty(boxes)
        if box < 0:
            break
        if is_open(boxes, low, high, new):
            continue
        n = mark_box(boxes, low, high, mask)
        if least_change(boxes, n, new, order) >= most:
            continue
        boxes.low[box], boxes.high[box], boxes.places.loss[box] = low, high, new
        boxes.places.change[0] = 0.0
        ways = (state >> 20) & (WHOLE | REFILL) | (CLOSE if (state >> 27) % 4 else 0)
        if not open_box(boxes, box, n, mask, order, ways) or boxes.places.change[0] >= most:
            take_back(boxes)
            continue
        loss += boxes.places.change[0] - fit_touched(boxes, box)
        order = np.argsort(-boxes.places.loss, kind="mergesort")
        if loss < best - _SLACK:
            best = loss
            best_groups[:] = boxes.places.group_of
    return best, state, best_groups
