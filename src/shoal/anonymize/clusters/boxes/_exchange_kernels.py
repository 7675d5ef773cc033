"""Open boxes and close those that they empty, wherever that lowers the loss.

What opening a box costs is known well before anything is moved, so that most are given up at once.
The others are opened, and all is taken back unless the loss of all rows falls, or rises by little
while it is early.
"""

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.anonymize.clusters._walk_kernels import list_cells
from shoal.anonymize.clusters.boxes._box_kernels import (
    Boxes,
    Ladders,
    fit_label,
    label_loss,
    list_box,
    move,
    take_back,
)
from shoal.anonymize.clusters.boxes._trial_kernels import (
    SLACK,
    cheapest_other,
    close_box,
    least_change,
    mend_touched,
    open_box,
    plan_box,
)
from shoal.typing import Codes

_PASSES = 3  # of cells that go where they lose less
_CLOSE_ONE_OF = 16  # trials: in the others a box is opened


@kernel
def next_number(state: int) -> int:
    """The next of a sequence of pseudo-random numbers; only its high bits are random."""
    return (state * 1103515245 + 12345) & 0x7FFFFFFF


@kernel
def vary_label(ladders: Ladders, key: Codes, low: Codes, high: Codes, state: int) -> int:
    """Change a label in one to three columns, each by one step of its ladder.

    `low` and `high` have it and get the new one, which covers the cell with this key; returns the
    state of the sequence.
    """
    state = next_number(state)
    for _ in range(1 + (state >> 16) % 3):
        state = next_number(state)
        j = (state >> 16) % low.shape[0]
        first = ladders.start[j] + key[j]
        n_codes = ladders.n_codes[j]
        step = 0
        while step < ladders.n_steps[j] - 1 and not (
            ladders.low[first + step * n_codes] <= low[j]
            and ladders.high[first + step * n_codes] >= high[j]
        ):
            step += 1
        state = next_number(state)
        step += 1 if (state >> 30) % 2 else -1
        if 0 <= step < ladders.n_steps[j]:
            low[j] = ladders.low[first + step * n_codes]
            high[j] = ladders.high[first + step * n_codes]
    return state


@kernel
def has_label(lows: Codes, highs: Codes, boxes: NDArray[np.int64], low: Codes, high: Codes) -> bool:
    """Whether one of some boxes has this label."""
    for box in boxes:
        j = 0
        while j < low.shape[0] and lows[box, j] == low[j] and highs[box, j] == high[j]:
            j += 1
        if j == low.shape[0]:
            return True
    return False


@kernel
def mark(boxes: Boxes, cells: NDArray[np.int64]) -> None:
    """Mark cells around which something changed."""
    log = boxes.places.log
    for cell in cells:
        if not boxes.marked[cell]:
            boxes.marked[cell] = True
            boxes.listed[log[2]] = cell
            log[2] += 1


@kernel
def cover_cells(boxes: Boxes, box: int, low: Codes, high: Codes, covers: bool) -> None:
    """Note for all cells in a label that a box covers them, or that it does no longer."""
    word, bit = box >> 6, np.uint64(1) << np.uint64(box & 63)
    n = list_box(boxes.lookup, low, high, boxes.others)
    mark(boxes, boxes.others[:n])
    for cell in boxes.others[:n]:
        if covers:
            boxes.around.cover[cell, word] |= bit
        else:
            boxes.around.cover[cell, word] &= ~bit


@kernel
def cover_all(boxes: Boxes, n_boxes: int) -> None:
    """Note for all cells which of the first boxes cover them, and what lies around."""
    for box in range(n_boxes):
        cover_cells(boxes, box, boxes.low[box], boxes.high[box], True)
    find_others(boxes)
    look_around(boxes)


@kernel
def settle_boxes(boxes: Boxes, new: int) -> float:
    """Fit the labels of the boxes that the logged moves changed; returns what that saves.

    `new` is the box that was opened, -1 for none.
    """
    places, saved = boxes.places, 0.0
    boxes.changed[:] = False
    for i in range(places.log[0]):
        boxes.changed[places.origin[i]] = True
        boxes.changed[places.group_of[places.moved[i]]] = True
    mark(boxes, places.moved[: places.log[0]])
    places.log[0] = 0
    for box in range(places.size.shape[0]):
        if not boxes.changed[box]:
            continue
        boxes.stale[box] = True
        low, high = boxes.low[box].copy(), boxes.high[box].copy()
        if places.size[box] > 0:
            before = places.loss[box]
            fit_label(boxes, box)
            saved += places.size[box] * (before - places.loss[box])
            if box != new and (boxes.low[box] == low).all() and (boxes.high[box] == high).all():
                continue
        if box != new:
            cover_cells(boxes, box, low, high, False)
        if places.size[box] > 0:
            cover_cells(boxes, box, boxes.low[box], boxes.high[box], True)
    find_others(boxes)
    return saved


@kernel
def find_others(boxes: Boxes) -> None:
    """Find what marked cells lose in the cheapest other box; the most possible without one."""
    places, around = boxes.places, boxes.around
    group_of, size, loss, cover = places.group_of, places.size, places.loss, around.cover
    least, most = max(1, boxes.compiled.minimum_size), boxes.columns.weight.sum()
    for cell in boxes.listed[: places.log[2]]:
        other = cheapest_other(group_of, size, loss, cover, cell, least)
        around.other[cell] = loss[other] if other >= 0 else most


@kernel
def relax_cells(boxes: Boxes) -> float:
    """Move cells that their boxes can spare to where they lose less; returns what labels save.

    Cells around which something changed are looked at.
    """
    places, cover, saved = boxes.places, boxes.around.cover, 0.0
    least = max(1, boxes.compiled.minimum_size)
    for _ in range(_PASSES):
        for cell in boxes.listed[: places.log[2]]:
            own = places.group_of[cell]
            if boxes.around.other[cell] >= places.loss[own] - SLACK:
                continue
            if places.size[own] - places.sizes[cell] < least:
                continue
            to = cheapest_other(places.group_of, places.size, places.loss, cover, cell, least)
            if to >= 0 and places.loss[to] < places.loss[own] - SLACK:
                move(places, cell, to)
        if places.log[0] == 0:
            break
        saved += settle_boxes(boxes, -1)
    return saved


@kernel
def look_around(boxes: Boxes) -> None:
    """Sum up what rows lose in other boxes, where something changed; nothing is marked then."""
    places, around = boxes.places, boxes.around
    for cell in boxes.listed[: places.log[2]]:
        boxes.stale[places.group_of[cell]] = True
        boxes.marked[cell] = False
    places.log[1] += 2 * places.log[2]
    places.log[2] = 0
    for box in range(places.size.shape[0]):
        if not boxes.stale[box]:
            continue
        boxes.stale[box] = False
        around.away[box] = 0.0
        cell = places.head[box]
        while cell >= 0:
            around.away[box] += places.sizes[cell] * around.other[cell]
            cell = places.after[cell]
    around.n_spare[:] = -1


@kernel
def exchange_boxes(
    boxes: Boxes, loss: float, budget: int, heat: float, cooler: float, dear: float, state: int
) -> tuple[float, int, NDArray[np.int64]]:
    """Try boxes until `budget` cells were looked at; the least loss, the state, the best groups.

    `heat` is by how much loss may rise, on average, and falls to `cooler` in the end.  Of labels
    under which a row loses more than `dear`, few are tried: they cover most cells, so that looking
    takes longest, and gain least for it.
    """
    d, places, least = boxes.keys.shape[1], boxes.places, max(1, boxes.compiled.minimum_size)
    low, high = np.empty(d, np.int32), np.empty(d, np.int32)
    best, best_groups = loss, places.group_of.copy()
    places.log[1] = 0
    while places.log[1] < budget:
        warm = heat * (cooler / heat) ** (places.log[1] / budget)
        places.log[1] += 32
        state = next_number(state)
        most = -warm * np.log(((state >> 8) + 1) / 8388609) - SLACK
        state = next_number(state)
        places.change[0] = 0.0
        new = -1
        if (state >> 16) % _CLOSE_ONE_OF == 0:
            state = next_number(state)
            box = (state >> 8) % places.size.shape[0]
            costs = boxes.around.away[box] - places.size[box] * places.loss[box]
            if places.size[box] == 0 or costs >= most:
                continue
            worked = close_box(boxes, box, -1) and mend_touched(boxes, -1)
        else:
            state = next_number(state)
            cell = (state >> 10) % places.sizes.shape[0]
            box, cover = places.group_of[cell], boxes.around.cover[cell]
            low[:], high[:] = boxes.low[box], boxes.high[box]
            state = vary_label(boxes.ladders, boxes.keys[cell], low, high, state)
            own = label_loss(boxes.columns, low, high)
            if own > dear:
                state = next_number(state)
                if (state >> 8) / 8388608 >= (dear / own) ** 2:
                    continue
            n = list_cells(cover, cover, cover, boxes.found)
            if has_label(boxes.low, boxes.high, boxes.found[:n], low, high):
                continue
            n = list_box(boxes.lookup, low, high, boxes.cells)
            bound = least_change(
                places.group_of, places.sizes, places.loss, boxes.cells[:n], own, least
            )
            if bound >= most or plan_box(boxes, n, own) >= most:
                continue
            new = 0
            while places.size[new] > 0:  # there is room for one more than can be large enough
                new += 1
            boxes.low[new], boxes.high[new], places.loss[new] = low, high, own
            worked = open_box(boxes, new, n)
        if not worked or places.change[0] >= most:
            take_back(boxes)
            continue
        saved = settle_boxes(boxes, new)
        if boxes.compiled.size_only:
            saved += relax_cells(boxes)
        loss += places.change[0] - saved
        look_around(boxes)
        if loss < best - SLACK:
            best = loss
            best_groups[:] = places.group_of
    return best, state, best_groups
