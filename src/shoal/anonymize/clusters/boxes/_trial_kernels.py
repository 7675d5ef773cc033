"""Open another box: what it would take of each box in its place, and what that costs.

A box takes the cells that lose less in it.  A box that is left too small by that is closed, its
cells going to the cheapest labels that cover them; or filled with what others can spare; or it
gives only what it can spare: whatever loses least.  If the new box is then too small itself, it
takes what cheaper boxes can spare, and whole boxes.  What all this costs is added up before a cell
is moved.
"""

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.anonymize.clusters._walk_kernels import Masks, list_cells
from shoal.anonymize.clusters.boxes._box_kernels import (
    Boxes,
    Places,
    Tally,
    can_spare,
    is_fine,
    list_box,
    move,
    recount,
)
from shoal.typing import Counts, Floats

SLACK = 1e-9  # a gain below is rounding, and could be won again and again
NOTHING, SPARE, ALL, REFILL = 0, 1, 2, 3  # what is taken of a box; the last: it is filled again


@kernel
def cheapest_other(
    places: Places, cover: Masks, found: NDArray[np.int64], cell: int, least: int
) -> int:
    """The cheapest large enough box that covers a cell, but its own; -1 if there is none."""
    own, best = places.group_of[cell], -1
    n = list_cells(cover[cell], cover[cell], cover[cell], found)
    for box in found[:n]:
        if box == own or places.size[box] < least:
            continue
        if best < 0 or places.loss[box] < places.loss[best]:
            best = box
    return best


@kernel
def find_spare(boxes: Boxes, box: int) -> None:
    """Find the rows that a box covers and others can spare, the dearest first."""
    places, around = boxes.places, boxes.around
    least = max(1, boxes.compiled.minimum_size)
    n = list_box(boxes.lookup, boxes.low[box], boxes.high[box], boxes.others)
    room, n_known = around.spare_rows.shape[1], 0
    for cell in boxes.others[:n]:
        lender, loss = places.group_of[cell], places.loss[places.group_of[cell]]
        if lender == box or places.size[lender] <= least:
            continue
        at = 0
        while at < n_known and (
            around.spare_loss[box, at] > loss
            or (around.spare_loss[box, at] == loss and around.lender[box, at] != lender)
        ):
            at += 1
        if at < n_known and around.lender[box, at] == lender:
            rows = around.spare_rows[box, at] + places.sizes[cell]
            around.spare_rows[box, at] = min(rows, places.size[lender] - least)
            continue
        if at == room:
            continue
        n_known = min(n_known + 1, room)
        for later in range(n_known - 1, at, -1):
            around.spare_rows[box, later] = around.spare_rows[box, later - 1]
            around.spare_loss[box, later] = around.spare_loss[box, later - 1]
            around.lender[box, later] = around.lender[box, later - 1]
        around.spare_rows[box, at] = min(places.sizes[cell], places.size[lender] - least)
        around.spare_loss[box, at], around.lender[box, at] = loss, lender
    around.n_spare[box] = n_known


@kernel
def spare_cost(boxes: Boxes, box: int, rows: int) -> float:
    """What it costs to fill a box with so many rows of others; infinite if they are too few."""
    around, cost = boxes.around, 0.0
    if around.n_spare[box] < 0:
        find_spare(boxes, box)
    for i in range(around.n_spare[box]):
        some = min(rows, around.spare_rows[box, i])
        cost += some * (boxes.places.loss[box] - around.spare_loss[box, i])
        rows -= some
        if rows == 0:
            return cost
    return np.inf


@kernel
def least_change(
    group_of: NDArray[np.int64],
    sizes: Counts,
    losses: Floats,
    cells: NDArray[np.int64],
    loss: float,
    least: int,
) -> float:
    """How far a box of some cells could lower the loss at best; infinite if it is too small."""
    change, nearest, taken, total = 0.0, np.inf, 0, 0
    for cell in cells:
        rows, gain = sizes[cell], losses[group_of[cell]] - loss
        total += rows
        if gain > 0:
            change -= rows * gain
            taken += rows
        else:
            nearest = min(nearest, -gain)
    if total < least:
        return np.inf
    return change + (least - taken) * nearest if taken < least else change


@kernel
def count_inside(
    group_of: NDArray[np.int64],
    sizes: Counts,
    other: Floats,
    tally: Tally,
    cells: NDArray[np.int64],
) -> int:
    """Count the rows of cells by the boxes they are in, which are listed; returns how many."""
    n = 0
    for cell in cells:
        box, rows = group_of[cell], sizes[cell]
        if tally.rows[box] == 0:
            tally.boxes[n] = box
            n += 1
        tally.rows[box] += rows
        tally.other[box] += rows * other[cell]
    return n


@kernel
def offer(more: Floats, n: int, box: int, rows: int, cost: float, how: int) -> int:
    """Note what rows of a box would cost that may be wanted; returns how many offers there are."""
    more[n, 0], more[n, 1], more[n, 2], more[n, 3], more[n, 4] = cost / rows, box, rows, cost, how
    return n + 1


@kernel
def plan_box(boxes: Boxes, n: int, loss: float) -> float:
    """How much a box with the listed cells is expected to change the loss; infinite if impossible.

    Writes to `plan` what to take of the boxes that its cells are in.
    """
    places, away = boxes.places, boxes.around.away
    least = max(1, boxes.compiled.minimum_size)
    tally = boxes.tally
    n_touched = count_inside(
        places.group_of, places.sizes, boxes.around.other, tally, boxes.cells[:n]
    )
    change, wanted, n_more = 0.0, least, 0
    more = np.empty((2 * n_touched, 5))  # cost of each row, box, rows, cost of all, what is taken
    for box in tally.boxes[:n_touched]:
        rows, left_for = tally.rows[box], tally.other[box]
        tally.rows[box], tally.other[box] = 0, 0.0
        boxes.plan[box] = NOTHING
        rest, gain = places.size[box] - rows, places.loss[box] - loss
        spare = max(0, min(rows, places.size[box] - least))
        stays = rest == 0 or rest >= least
        closing = 0.0 if stays else away[box] - left_for - rest * places.loss[box]
        if gain <= SLACK:
            if spare > 0:
                n_more = offer(more, n_more, box, spare, -gain * spare, SPARE)
            if rows > spare:
                cost = closing - gain * (rows - spare)
                n_more = offer(more, n_more, box, rows - spare, cost, ALL)
            continue
        saved, how = rows * gain - closing, ALL
        if not stays and rows * gain > max(saved, spare * gain):
            refilled = rows * gain - spare_cost(boxes, box, least - rest)
            if refilled > saved:
                saved, how = refilled, REFILL
        if stays or saved > spare * gain:
            boxes.plan[box] = how
            change -= saved
            wanted -= rows
            continue
        boxes.plan[box] = SPARE
        change -= spare * gain
        wanted -= spare
        if rows > spare:
            n_more = offer(more, n_more, box, rows - spare, spare * gain - saved, how)
    if wanted <= 0:
        return change
    for i in np.argsort(more[:n_more, 0], kind="mergesort"):
        box, rows, how = int(more[i, 1]), int(more[i, 2]), int(more[i, 4])
        if how == SPARE:  # taken when all else is, as far as it is wanted
            rows = min(rows, wanted)
            change += rows * more[i, 0]
        else:
            boxes.plan[box] = how
            change += more[i, 3]
        wanted -= rows
        if wanted <= 0:
            return change
    return np.inf


@kernel
def take_spare(boxes: Boxes, box: int, cells: NDArray[np.int64]) -> bool:
    """Fill a box with cells that others can spare, the dearest first; returns if it is allowed."""
    places, size_only = boxes.places, boxes.compiled.size_only
    least = max(1, boxes.compiled.minimum_size)
    loss = np.empty(cells.shape[0])
    for i in range(cells.shape[0]):
        loss[i] = -places.loss[places.group_of[cells[i]]]
    for i in np.argsort(loss, kind="mergesort"):
        if places.size[box] >= least and (size_only or is_fine(boxes, box)):
            return True
        cell, other = cells[i], places.group_of[cells[i]]
        if other == box or places.size[other] - places.sizes[cell] < least:
            continue
        if not size_only:
            if not can_spare(boxes, cell):
                continue
            recount(boxes, cell, other, box)
        move(places, cell, box)
    return is_fine(boxes, box)


@kernel
def close_box(boxes: Boxes, box: int, new: int) -> bool:
    """Move the cells of a box to where they lose least; returns whether all found a place.

    `new` is a box that is not among those that cover cells yet, -1 for none.
    """
    places, least = boxes.places, max(1, boxes.compiled.minimum_size)
    cell = places.head[box]
    while cell >= 0:
        later = places.after[cell]
        best = cheapest_other(places, boxes.around.cover, boxes.found, cell, least)
        if new >= 0 and (best < 0 or places.loss[new] < places.loss[best]):
            j = 0
            while j < boxes.keys.shape[1] and (
                boxes.low[new, j] <= boxes.keys[cell, j] <= boxes.high[new, j]
            ):
                j += 1
            best = new if j == boxes.keys.shape[1] else best
        if best < 0 or places.log[0] == places.moved.shape[0]:
            return False
        if not boxes.compiled.size_only:
            recount(boxes, cell, box, best)
        move(places, cell, best)
        cell = later
    return True


@kernel
def mend_touched(boxes: Boxes, new: int) -> bool:
    """Fill or close the boxes that the logged moves left too small; returns whether all is fine."""
    places = boxes.places
    boxes.changed[:] = False
    n_small = 0
    for i in range(places.log[0]):
        box = places.origin[i]
        if not boxes.changed[box] and places.size[box] > 0 and not is_fine(boxes, box):
            boxes.small[n_small] = box
            n_small += 1
        boxes.changed[box] = True
    small = boxes.small[:n_small]
    for box in small[np.argsort(-places.loss[small], kind="mergesort")]:  # the dearest first
        if places.size[box] == 0 or is_fine(boxes, box):
            continue
        if boxes.plan[box] == REFILL and 2 * places.log[0] < places.moved.shape[0]:
            n = list_box(boxes.lookup, boxes.low[box], boxes.high[box], boxes.others)
            if take_spare(boxes, box, boxes.others[:n]):
                continue
        if not close_box(boxes, box, new):
            return False
    if not boxes.compiled.size_only:  # a box may not be allowed with the cells that it took
        for i in range(places.log[0]):
            if not is_fine(boxes, places.group_of[places.moved[i]]):
                return False
    return True


@kernel
def open_box(boxes: Boxes, new: int, n: int) -> bool:
    """Fill a box, which has a label and a loss, with the listed cells as planned; if it worked."""
    places, size_only = boxes.places, boxes.compiled.size_only
    least = max(1, boxes.compiled.minimum_size)
    for cell in boxes.cells[:n]:
        box = places.group_of[cell]
        if boxes.plan[box] == NOTHING:
            continue
        if boxes.plan[box] == SPARE and (
            places.size[box] - places.sizes[cell] < least
            or not (size_only or can_spare(boxes, cell))
        ):
            continue
        if not size_only:
            recount(boxes, cell, box, new)
        move(places, cell, new)
    return take_spare(boxes, new, boxes.cells[:n]) and mend_touched(boxes, new)
