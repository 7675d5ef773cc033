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
from shoal.anonymize.clusters._walk_kernels import NUMBER_OF_BIT, SPREAD, Masks
from shoal.anonymize.clusters.boxes._box_kernels import (
    Boxes,
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
    group_of: NDArray[np.int64], size: Counts, loss: Floats, cover: Masks, cell: int, least: int
) -> int:
    """The cheapest large enough box that covers a cell, but its own; -1 if there is none."""
    own, best, cost = group_of[cell], -1, np.inf
    for word in range(cover.shape[1]):
        bits = cover[cell, word]
        while bits != np.uint64(0):
            lowest = bits & (~bits + np.uint64(1))
            bits ^= lowest
            number = NUMBER_OF_BIT[(lowest * np.uint64(SPREAD)) >> np.uint64(58)]
            box = (word << 6) + number
            if loss[box] < cost and box != own and size[box] >= least:
                best, cost = box, loss[box]
    return best


@kernel
def find_spare(boxes: Boxes, box: int) -> None:
    """Find the rows that a box covers and others can spare, the dearest first."""
    places, around = boxes.places, boxes.around
    n = list_box(boxes.lookup, boxes.low[box], boxes.high[box], boxes.others)
    around.n_spare[box] = list_spare(
        places.group_of,
        places.size,
        places.loss,
        places.sizes,
        boxes.others[:n],
        box,
        max(1, boxes.compiled.minimum_size),
        around.spare_rows[box],
        around.spare_loss[box],
        around.lender[box],
    )


@kernel
def list_spare(
    group_of: NDArray[np.int64],
    size: Counts,
    losses: Floats,
    sizes: Counts,
    cells: NDArray[np.int64],
    box: int,
    least: int,
    spare_rows: Counts,
    spare_loss: Floats,
    lenders: NDArray[np.int64],
) -> int:
    """List what boxes other than `box` can spare of some cells, as far as there is room for it."""
    room, n_known = spare_rows.shape[0], 0
    for cell in cells:
        lender = group_of[cell]
        loss = losses[lender]
        if lender == box or size[lender] <= least:
            continue
        at = 0
        while at < n_known and (
            spare_loss[at] > loss or (spare_loss[at] == loss and lenders[at] != lender)
        ):
            at += 1
        if at < n_known and lenders[at] == lender:
            spare_rows[at] = min(spare_rows[at] + sizes[cell], size[lender] - least)
            continue
        if at == room:
            continue
        n_known = min(n_known + 1, room)
        for later in range(n_known - 1, at, -1):
            spare_rows[later] = spare_rows[later - 1]
            spare_loss[later] = spare_loss[later - 1]
            lenders[later] = lenders[later - 1]
        spare_rows[at] = min(sizes[cell], size[lender] - least)
        spare_loss[at], lenders[at] = loss, lender
    return n_known


@kernel
def spare_cost(spare_rows: Counts, spare_loss: Floats, loss: float, rows: int) -> float:
    """What it costs to fill a box with so many rows of others; infinite if they are too few.

    The rows that others can spare lose `spare_loss`, and would lose `loss`.
    """
    cost = 0.0
    for i in range(spare_rows.shape[0]):
        some = min(rows, spare_rows[i])
        cost += some * (loss - spare_loss[i])
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
    places, around, tally = boxes.places, boxes.around, boxes.tally
    least = max(1, boxes.compiled.minimum_size)
    n_touched = count_inside(places.group_of, places.sizes, around.other, tally, boxes.cells[:n])
    change, wanted, n_more = 0.0, least, 0
    more = np.empty((2 * n_touched, 5))  # cost of each row, box, rows, cost of all, what is taken
    for box in tally.boxes[:n_touched]:
        rows, left_for = tally.rows[box], tally.other[box]
        tally.rows[box], tally.other[box] = 0, 0.0
        boxes.plan[box] = NOTHING
        rest, gain = places.size[box] - rows, places.loss[box] - loss
        spare = max(0, min(rows, places.size[box] - least))
        stays = rest == 0 or rest >= least
        closing = 0.0 if stays else around.away[box] - left_for - rest * places.loss[box]
        if gain <= SLACK:
            if spare > 0:
                n_more = offer(more, n_more, box, spare, -gain * spare, SPARE)
            if rows > spare:
                cost = closing - gain * (rows - spare)
                n_more = offer(more, n_more, box, rows - spare, cost, ALL)
            continue
        saved, how = rows * gain - closing, ALL
        if not stays and rows * gain > max(saved, spare * gain):
            if around.n_spare[box] < 0:
                find_spare(boxes, box)
            n_spare = around.n_spare[box]
            refilled = rows * gain - spare_cost(
                around.spare_rows[box, :n_spare],
                around.spare_loss[box, :n_spare],
                places.loss[box],
                least - rest,
            )
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
    if places.size[box] >= least and (size_only or is_fine(boxes, box)):
        return True
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
    places, cover, least = boxes.places, boxes.around.cover, max(1, boxes.compiled.minimum_size)
    cell = places.head[box]
    while cell >= 0:
        later = places.after[cell]
        best = cheapest_other(places.group_of, places.size, places.loss, cover, cell, least)
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
