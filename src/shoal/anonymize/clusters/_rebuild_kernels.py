"""Take neighbouring groups apart and build them anew, wherever that lowers the loss.

Moves of single cells end where every one of them costs something.  Here a few groups that are near
to one another give up all their cells at once; groups are grown from seeds among these, the rest is
placed where it costs least, and the result is kept only when it loses less than before.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.anonymize.clusters._group_kernels import Groups, join
from shoal.anonymize.clusters._group_loss import GroupColumns, pair_loss
from shoal.privacy.compiled._condition_kernels import CompiledModel, add_cell, allowed
from shoal.typing import Codes, Counts, Floats

_SLACK = 1e-9  # a gain below is rounding, and could be won again and again
_POLISHES = 3
_NO_CODE = np.iinfo(np.int32).max  # larger than any


class Pool(NamedTuple):
    """Cells of the groups that are taken apart, and the groups that are made of them."""

    cell: NDArray[np.int64]
    keys: Codes  # (n_cells, n_columns), copied: they are read many times
    rows: Counts
    place: NDArray[np.int64]  # number of each cell's new group; -1 for none yet
    low: Codes  # of the new groups, as are the next
    high: Codes
    next_low: Codes  # least and largest code without the cell that has `low` or `high`
    next_high: Codes
    lost: Floats  # (n_groups, n_columns): what a row loses in each column
    size: Counts
    n_cells: Counts
    loss: Floats
    histogram: Counts
    best: NDArray[np.int64]  # the best places so far
    bound: Floats  # of each cell, the least that a row of the group that grows would lose with it


@kernel
def make_pool(groups: Groups, n_cells: int, n_groups: int) -> Pool:
    """Room for `n_cells` cells and `n_groups` groups."""
    d = groups.keys.shape[1]
    return Pool(
        np.empty(n_cells, np.int64),
        np.empty((n_cells, d), np.int32),
        np.empty(n_cells, np.int64),
        np.empty(n_cells, np.int64),
        np.empty((n_groups, d), np.int32),
        np.empty((n_groups, d), np.int32),
        np.empty((n_groups, d), np.int32),
        np.empty((n_groups, d), np.int32),
        np.zeros((n_groups, d)),
        np.zeros(n_groups, np.int64),
        np.zeros(n_groups, np.int64),
        np.zeros(n_groups),
        np.zeros((n_groups, groups.compiled.n_codes), np.int64),
        np.empty(n_cells, np.int64),
        np.zeros(n_cells),
    )


@kernel
def near_groups(groups: Groups, group: int, near: NDArray[np.int64], rise: Floats) -> int:
    """Write a group and those into `near` that it could share a label with at least cost.

    Cost is that of the group and of as many rows of the other as a group needs.  Returns how many.
    """
    columns, d = groups.columns, groups.keys.shape[1]
    wanted = near.shape[0]
    near[0], n_near = group, 1
    size, least = groups.size[group], max(1, groups.compiled.minimum_size)
    for other in range(groups.size.shape[0]):
        if other == group or groups.size[other] == 0:
            continue
        # a new group needs no more of its rows: counted whole, a large neighbour would look far
        # away for its size alone
        lent = min(groups.size[other], least)
        most = np.inf if n_near < wanted else rise[wanted - 1]
        # what the two lose together, less what the other loses now
        cost = -lent * groups.loss[other]
        j = 0
        while j < d and cost < most:
            low = min(groups.low[group, j], groups.low[other, j])
            high = max(groups.high[group, j], groups.high[other, j])
            cost += (size + lent) * pair_loss(columns, j, low, high)
            j += 1
        if cost >= most:
            continue
        slot = min(n_near, wanted - 1)
        while slot > 1 and rise[slot - 1] > cost:
            near[slot], rise[slot] = near[slot - 1], rise[slot - 1]
            slot -= 1
        near[slot], rise[slot] = other, cost
        n_near = min(n_near + 1, wanted)
    return n_near


@kernel
def fill_pool(groups: Groups, near: NDArray[np.int64], pool: Pool) -> int:
    """List the cells of the groups; returns how many, or -1 when there is no room."""
    n = 0
    for group in near:
        cell = groups.head[group]
        while cell >= 0:
            if n == pool.cell.shape[0]:
                return -1
            pool.cell[n] = cell
            pool.keys[n] = groups.keys[cell]
            pool.rows[n] = groups.compiled.sizes[cell]
            n += 1
            cell = groups.after[cell]
    return n


@kernel
def put(columns: GroupColumns, pool: Pool, i: int, place: int) -> None:
    """Put a cell of the pool into a new group; its values are counted elsewhere."""
    is_empty = pool.n_cells[place] == 0
    pool.place[i] = place
    pool.size[place] += pool.rows[i]
    pool.n_cells[place] += 1
    widen(columns, pool, i, place, is_empty)


@kernel
def widen(columns: GroupColumns, pool: Pool, i: int, place: int, is_empty: bool) -> None:
    """Make a new group's label cover a cell, too."""
    loss = 0.0
    for j in range(pool.keys.shape[1]):
        code = pool.keys[i, j]
        low, high = pool.low[place, j], pool.high[place, j]
        if is_empty:
            pool.low[place, j] = code
            pool.high[place, j] = code
            pool.next_low[place, j] = _NO_CODE
            pool.next_high[place, j] = -1
            pool.lost[place, j] = pair_loss(columns, j, code, code)
        else:
            # the larger of the two is not the least any more and may be the next; an equal is both
            pool.next_low[place, j] = min(max(low, code), pool.next_low[place, j])
            pool.next_high[place, j] = max(min(high, code), pool.next_high[place, j])
            if code < low or code > high:
                pool.low[place, j] = min(low, code)
                pool.high[place, j] = max(high, code)
                pool.lost[place, j] = pair_loss(columns, j, min(low, code), max(high, code))
        loss += pool.lost[place, j]
    pool.loss[place] = loss


@kernel
def take_out(columns: GroupColumns, pool: Pool, n: int, i: int) -> None:
    """Take a cell of the pool out of its new group; its values are counted elsewhere."""
    place = pool.place[i]
    pool.place[i] = -1
    pool.size[place] -= pool.rows[i]
    pool.n_cells[place] -= 1
    # `low` and `next_low` do not tell what follows them: the label is made anew from what stays
    is_empty = True
    for other in range(n):
        if pool.place[other] == place:
            widen(columns, pool, other, place, is_empty)
            is_empty = False


@kernel
def loss_with(columns: GroupColumns, pool: Pool, i: int, place: int, most: float) -> float:
    """Loss of a row of a new group with one more cell; stops early once it reaches `most`."""
    loss = 0.0
    for j in range(pool.keys.shape[1]):
        code = pool.keys[i, j]
        low, high = pool.low[place, j], pool.high[place, j]
        if code < low or code > high:
            loss += pair_loss(columns, j, min(low, code), max(high, code))
        else:
            loss += pool.lost[place, j]
        if loss >= most:
            return loss
    return loss


@kernel
def grow_from_seeds(
    columns: GroupColumns, compiled: CompiledModel, pool: Pool, n: int, seed: int
) -> int:
    """Grow groups, each from the cell farthest from the last seed; returns how many are allowed.

    A group takes the cell that costs least for each of its rows until it is allowed.
    """
    least, size_only = compiled.minimum_size, compiled.size_only
    left = 0
    for i in range(n):
        pool.place[i] = -1
        left += pool.rows[i]
    n_made = 0
    while n_made < pool.size.shape[0] and left >= least and seed >= 0:
        place = n_made
        pool.size[place], pool.n_cells[place] = 0, 0
        pool.histogram[place] = 0
        for i in range(n):
            # what was learned with the last group's label holds for that label alone
            pool.bound[i] = 0.0
        i, is_fine = seed, False
        while i >= 0 and not is_fine:
            put(columns, pool, i, place)
            left -= pool.rows[i]
            is_fine = pool.size[place] >= least
            if not size_only:
                add_cell(compiled, pool.cell[i], 1, pool.histogram[place])
                is_fine = is_fine and allowed(compiled, pool.size[place], pool.histogram[place])
            if not is_fine:
                i = cheapest_cell(columns, pool, n, place)
        # the cells ran out before the group was allowed: they are placed one by one afterwards
        if not is_fine:
            for i in range(n):
                if pool.place[i] == place:
                    pool.place[i] = -1
            break
        n_made += 1
        seed = farthest_cell(columns, pool, n, seed)
    return n_made


@kernel
def cheapest_cell(columns: GroupColumns, pool: Pool, n: int, place: int) -> int:
    """The cell in no group whose rows a new group takes at least cost for each."""
    size, loss = pool.size[place], pool.loss[place]
    best, least, most, rows = -1, np.inf, np.inf, -1
    ratio = 0.0
    for i in range(n):
        if pool.place[i] >= 0 or pool.rows[i] == 0:  # further rows of people add nobody
            continue
        if pool.rows[i] != rows:
            rows = pool.rows[i]
            # solve for `wider`, so that cells with as many rows share the bound:
            # loss_with + size / rows * (loss_with - loss) < least
            ratio = size / rows
            most = (least + ratio * loss) / (1 + ratio)
        # labels only get wider: with them a cell costs no less than when it was looked at last
        if pool.bound[i] >= most:
            continue
        wider = loss_with(columns, pool, i, place, most)
        pool.bound[i] = wider
        if wider < most:
            best, least = i, wider + ratio * (wider - loss)
            most = (least + ratio * loss) / (1 + ratio)
    return best


@kernel
def farthest_cell(columns: GroupColumns, pool: Pool, n: int, seed: int) -> int:
    """The cell in no group that differs most from another; -1 when all are in groups."""
    best, most = -1, -1.0
    for i in range(n):
        if pool.place[i] >= 0:
            continue
        loss = 0.0
        for j in range(pool.keys.shape[1]):
            one, other = pool.keys[i, j], pool.keys[seed, j]
            loss += pair_loss(columns, j, min(one, other), max(one, other))
        if loss > most:
            best, most = i, loss
    return best


@kernel
def place_rest(
    columns: GroupColumns, compiled: CompiledModel, pool: Pool, n: int, n_made: int
) -> bool:
    """Put the cells in no group where they cost least; returns whether all are allowed."""
    size_only = compiled.size_only
    for i in range(n):
        if pool.place[i] >= 0:
            continue
        if size_only:
            best = cheapest_place(columns, pool, i, n_made, -1, np.inf)
        else:
            best = cheapest_allowed_place(columns, compiled, pool, i, n_made, -1, np.inf)
        if best < 0:
            return False
        put(columns, pool, i, best)
        if not size_only:
            add_cell(compiled, pool.cell[i], 1, pool.histogram[best])
    return True


@kernel
def cheapest_place(
    columns: GroupColumns, pool: Pool, i: int, n_made: int, own: int, least: float
) -> int:
    """The new group, other than `own`, that a cell costs least and below `least`; -1 for none."""
    best = -1
    for place in range(n_made):
        if place == own or pool.n_cells[place] == 0:
            continue
        size = max(1, pool.size[place] + pool.rows[i])  # cells may have no rows that count
        # what a row may lose at most in this group if the cell is to cost it less than `least`
        most = (least + pool.size[place] * pool.loss[place]) / size
        wider = loss_with(columns, pool, i, place, most)
        if wider < most:
            best, least = place, size * wider - pool.size[place] * pool.loss[place]
    return best


@kernel
def cheapest_allowed_place(
    columns: GroupColumns,
    compiled: CompiledModel,
    pool: Pool,
    i: int,
    n_made: int,
    own: int,
    least: float,
) -> int:
    """The same among groups that may take the cell."""
    best = -1
    for place in range(n_made):
        if place == own or pool.n_cells[place] == 0:
            continue
        size = max(1, pool.size[place] + pool.rows[i])
        most = (least + pool.size[place] * pool.loss[place]) / size
        wider = loss_with(columns, pool, i, place, most)
        if wider < most and may_take(compiled, pool, i, place):
            best, least = place, size * wider - pool.size[place] * pool.loss[place]
    return best


@kernel
def may_take(compiled: CompiledModel, pool: Pool, i: int, place: int) -> bool:
    """Whether a new group is allowed with one more cell."""
    add_cell(compiled, pool.cell[i], 1, pool.histogram[place])
    answer = allowed(compiled, pool.size[place] + pool.rows[i], pool.histogram[place])
    add_cell(compiled, pool.cell[i], -1, pool.histogram[place])
    return answer


@kernel
def may_leave(compiled: CompiledModel, pool: Pool, i: int) -> bool:
    """Whether a cell's new group, which is large enough then, is allowed without it."""
    place = pool.place[i]
    add_cell(compiled, pool.cell[i], -1, pool.histogram[place])
    answer = allowed(compiled, pool.size[place] - pool.rows[i], pool.histogram[place])
    add_cell(compiled, pool.cell[i], 1, pool.histogram[place])
    return answer


@kernel
def loss_without(columns: GroupColumns, pool: Pool, i: int) -> float:
    """Loss of a row of a cell's new group without the cell."""
    place = pool.place[i]
    if pool.n_cells[place] == 1:
        return pool.loss[place]
    loss = 0.0
    for j in range(pool.keys.shape[1]):
        code, low, high = pool.keys[i, j], pool.low[place, j], pool.high[place, j]
        # inside the range, or equal to all others in it: the label stays
        if low < code < high or low == high:
            loss += pool.lost[place, j]
            continue
        low = pool.next_low[place, j] if code == low else low
        high = pool.next_high[place, j] if code == high else high
        loss += pair_loss(columns, j, low, high)
    return loss


@kernel
def polish(columns: GroupColumns, compiled: CompiledModel, pool: Pool, n: int, n_made: int) -> int:
    """Move each cell of the pool to the new group where it costs least; returns moves."""
    least_rows, size_only = compiled.minimum_size, compiled.size_only
    moved = 0
    for i in range(n):
        own = pool.place[i]
        rest = pool.size[own] - pool.rows[i]
        # a group may be emptied, but none may be left too small
        if pool.loss[own] <= 0 or 0 < rest < least_rows:
            continue
        least = pool.size[own] * pool.loss[own] - rest * loss_without(columns, pool, i) - _SLACK
        if least <= 0:
            continue
        if size_only:
            best = cheapest_place(columns, pool, i, n_made, own, least)
        elif rest == 0 or may_leave(compiled, pool, i):
            best = cheapest_allowed_place(columns, compiled, pool, i, n_made, own, least)
        else:
            continue
        if best < 0:
            continue
        take_out(columns, pool, n, i)
        put(columns, pool, i, best)
        if not size_only:
            add_cell(compiled, pool.cell[i], -1, pool.histogram[own])
            add_cell(compiled, pool.cell[i], 1, pool.histogram[best])
        moved += 1
    return moved


@kernel
def pool_loss(pool: Pool, n_made: int) -> float:
    """Loss of all rows of the new groups."""
    total = 0.0
    for place in range(n_made):
        total += pool.size[place] * pool.loss[place]
    return total


@kernel
def replace_groups(groups: Groups, pool: Pool, n: int, near: NDArray[np.int64]) -> bool:
    """Make the best places of a pool the groups; False without room, and nothing is changed."""
    n_made = 0
    for i in range(n):
        n_made = max(n_made, pool.best[i] + 1)
    slots = np.empty(max(n_made, near.shape[0]), np.int64)
    # the old numbers first; only what goes beyond them takes free ones, from the far end
    slots[: near.shape[0]] = near
    n_slots, free = near.shape[0], groups.size.shape[0] - 1
    while n_slots < n_made:
        while free >= 0 and groups.size[free] > 0:
            free -= 1
        if free < 0:
            return False
        slots[n_slots] = free
        n_slots += 1
        free -= 1
    for group in near:
        groups.head[group], groups.size[group], groups.loss[group] = -1, 0, 0.0
        groups.histogram[group] = 0
    # a cell joins at the head, so going backwards leaves every list in rising order
    for i in range(n - 1, -1, -1):
        join(groups, pool.cell[i], slots[pool.best[i]])
    return True


@kernel
def rebuild_groups(groups: Groups, n_near: int, n_tries: int, budget: int, state: int) -> int:
    """Take groups apart with their neighbours, those that lose most first; returns how often kept.

    `budget` is the number of cells, times groups, that may be looked at; `state` above 0 begins the
    sequence of pseudo-random seeds.
    """
    capacity = 4096  # cells; where there are more, fewer neighbours are taken apart
    columns, compiled = groups.columns, groups.compiled
    pool = make_pool(groups, capacity, 64)
    near, rise = np.empty(n_near, np.int64), np.empty(n_near)
    kept, spent = 0, 0
    order = np.argsort(-groups.loss * groups.size, kind="mergesort")
    for group in order:
        if spent > budget:
            break
        if groups.size[group] == 0 or groups.loss[group] <= 0:
            continue
        wanted = near_groups(groups, group, near, rise)
        spent += groups.size.shape[0]
        n = fill_pool(groups, near[:wanted], pool)
        while n < 0 and wanted > 2:
            wanted -= 1
            n = fill_pool(groups, near[:wanted], pool)
        if n < 0 or wanted < 2:
            continue
        before = 0.0
        for other in near[:wanted]:
            before += groups.size[other] * groups.loss[other]
        least, is_better = before - _SLACK, False
        own = 0
        # its own cells are listed first; the first seed is one of them, since they lose most
        while own < n and groups.group_of[pool.cell[own]] == group:
            own += 1
        for turn in range(n_tries):
            # a linear congruential generator, whose lowest bits repeat soon: they are shifted out
            state = (state * 1103515245 + 12345) & 0x7FFFFFFF
            seed = (state >> 8) % (own if turn == 0 else n)
            n_made = grow_from_seeds(columns, compiled, pool, n, seed)
            spent += n * n
            if n_made == 0 or not place_rest(columns, compiled, pool, n, n_made):
                continue
            for _ in range(_POLISHES):
                spent += n * wanted
                if polish(columns, compiled, pool, n, n_made) == 0:
                    break
            total = pool_loss(pool, n_made)
            if total < least:
                least, is_better = total, True
                pool.best[:n] = pool.place[:n]
        if is_better and replace_groups(groups, pool, n, near[:wanted]):
            kept += 1
    return kept
