"""Slow, obvious twins of the kernels of local recoding."""

import numpy as np


def label_loss_of(codes, coding, is_range):
    """Loss of the label that covers a set of codes of one column."""
    present = sorted({int(code) for code in codes})
    if len(present) == 1:
        return 0.0
    n_values = coding.n_codes - (coding.missing >= 0)
    if coding.missing in present:
        return 1.0
    if is_range:
        if coding.hierarchy is None and coding.kind in ("numeric", "date"):
            numbers = coding.numbers[:n_values]
            return (numbers[present[-1]] - numbers[present[0]]) / (numbers[-1] - numbers[0])
        return (present[-1] - present[0]) / (n_values - 1)
    tree = coding.hierarchy
    paths = [_path(tree, leaf) for leaf in present]
    ancestor = next(node for node in paths[0] if all(node in path for path in paths))
    below = [leaf for leaf in range(tree.n_leaves) if ancestor in _path(tree, leaf)]
    below = [leaf for leaf in below if leaf != coding.missing]
    if coding.missing >= 0 and ancestor == tree.root:
        return 1.0
    return (len(below) - 1) / (n_values - 1)


def _path(tree, leaf):
    path = [leaf]
    while tree.parent[path[-1]] >= 0:
        path.append(int(tree.parent[path[-1]]))
    return path


def group_loss(keys, members, codings, is_range, weights):
    """Loss of one row of a group, summed over columns."""
    return sum(
        weight * label_loss_of(keys[members, column], coding, ranges)
        for column, (coding, ranges, weight) in enumerate(
            zip(codings, is_range, weights, strict=True)
        )
    )


def total_loss(keys, sizes, group_of, codings, is_range, weights):
    """Loss of all rows."""
    total = 0.0
    for group in np.unique(group_of[group_of >= 0]):
        members = np.flatnonzero(group_of == group)
        loss = group_loss(keys, members, codings, is_range, weights)
        total += float(sizes[members].sum()) * loss
    return total


SLACK = 1e-9


class SlowGroups:
    """Groups as lists of cells, the newest first; everything is computed from them again.

    `loss_of(column, low, high)` is what a row loses in a column, `allowed(cells)` whether cells
    may be a group.  Both are taken from outside, so that ties are broken as the kernels do.
    """

    def __init__(self, keys, sizes, group_of, n_groups, loss_of, allowed, minimum_size, n_codes):
        self.keys, self.sizes, self.n_codes = keys, sizes, n_codes
        self.loss_of, self.is_allowed, self.minimum_size = loss_of, allowed, minimum_size
        self.members = [np.flatnonzero(group_of == group).tolist() for group in range(n_groups)]

    @property
    def group_of(self):
        """Group of each cell, -1 without one."""
        group_of = np.full(len(self.keys), -1)
        for group, members in enumerate(self.members):
            group_of[members] = group
        return group_of

    def rows(self, members):
        """Rows of some cells."""
        return sum(int(self.sizes[cell]) for cell in members)

    def label(self, members):
        """Least and largest code in each column."""
        return [(int(codes.min()), int(codes.max())) for codes in self.keys[members].T]

    def loss(self, label):
        """Loss of a row under a label."""
        total = 0.0
        for column, (low, high) in enumerate(label):
            total += self.loss_of(column, low, high)
        return total

    def cost(self, members):
        """Loss of all rows of some cells in one group."""
        return self.rows(members) * self.loss(self.label(members)) if members else 0.0

    def move(self, cell, group):
        """Take a cell out of its group, if any, and put it at the head of another."""
        for members in self.members:
            if cell in members:
                members.remove(cell)
        self.members[group].insert(0, cell)

    def added_loss(self, cell, group):
        """How much the loss of all rows rises when a cell joins a group."""
        members = self.members[group]
        if not members:
            return 0.0
        wider = self.loss(self.label([*members, cell]))
        rise = wider - self.loss(self.label(members))
        return self.rows(members) * rise + int(self.sizes[cell]) * wider

    def index(self):
        """Groups with cells in the order of all codes that they could take at no further loss."""
        labels = {
            g: [self.same_loss(j, *ends) for j, ends in enumerate(self.label(members))]
            for g, members in enumerate(self.members)
            if members
        }
        return sorted(labels.items(), key=lambda entry: entry[1])

    def same_loss(self, column, low, high):
        """The widest run of codes that loses no more, first downwards, then upwards."""
        most = self.loss_of(column, low, high)
        low = min(code for code in range(low + 1) if self.loss_of(column, code, high) <= most)
        upwards = range(high, self.n_codes[column])
        return low, max(code for code in upwards if self.loss_of(column, low, code) <= most)

    def cheapest_group(self, index, cell, own, most, likely=-1):
        """Look at every group, and leave out those whose label in the index costs too much."""
        best = -1
        if likely >= 0 and likely != own and self.members[likely]:
            raised = self.added_loss(cell, likely)
            if raised < most and self.is_allowed([*self.members[likely], cell]):
                best, most = likely, raised
        for group, label in index:
            key = self.keys[cell].tolist()
            wider = [(min(a, x), max(b, x)) for (a, b), x in zip(label, key, strict=True)]
            rise = self.loss(wider) - self.loss(label)
            rows = max(1, self.minimum_size, self.rows(self.members[group]))
            bound = rows * rise + int(self.sizes[cell]) * self.loss(wider)
            if bound >= most + SLACK or group in (own, best) or not self.members[group]:
                continue
            raised = self.added_loss(cell, group)
            if raised < most and self.is_allowed([*self.members[group], cell]):
                best, most = group, raised
        return best, most

    def absorb(self):
        """Cells in no group go where they cost least; returns how many cannot."""
        index, left = self.index(), 0
        for cell in np.flatnonzero(self.group_of < 0).tolist():
            group, _ = self.cheapest_group(index, cell, -1, np.inf)
            if group < 0:
                left += 1
            else:
                self.members[group].insert(0, cell)
        return left

    def move_all(self):
        """Cells move to where they cost least, if their group can spare them."""
        index, moved, likely = self.index(), 0, {}
        for cell in range(len(self.keys)):
            own = int(self.group_of[cell])
            rest = [member for member in self.members[own] if member != cell]
            if rest and not self.is_allowed(rest):
                continue
            saved = self.cost(self.members[own]) - self.cost(rest) - SLACK
            if self.cost(self.members[own]) <= 0 or saved <= 0:
                continue
            group, _ = self.cheapest_group(index, cell, own, saved, likely.get(own, -1))
            if group >= 0:
                likely[own] = group
                self.move(cell, group)
                moved += 1
        return moved

    def dissolve(self):
        """Groups, the dearest per row first, are given up when their cells cost less elsewhere."""
        index, dissolved = self.index(), 0
        losses = [self.loss(self.label(m)) if m else 0.0 for m in self.members]
        for group in sorted(range(len(losses)), key=lambda group: -losses[group]):
            cells = list(self.members[group])
            budget = self.cost(cells) - SLACK
            if not cells or self.cost(cells) <= 0:
                continue
            target = -1
            for number, cell in enumerate(cells):
                target, raised = self.cheapest_group(index, cell, group, budget, target)
                if target < 0:
                    for gone in cells[:number]:
                        self.move(gone, group)
                    break
                budget -= raised
                self.move(cell, target)
            else:
                dissolved += 1
        return dissolved

    def split(self, spare):
        """Groups are split in two, the best way first; new parts go to the groups from `spare`."""
        group = n_split = 0
        while group < spare < len(self.members):
            beyond = self.best_split(group)
            if not beyond:
                group += 1
                continue
            for cell in beyond:
                self.move(cell, spare)
            spare += 1
            n_split += 1
        return n_split

    def best_split(self, group):
        """Cells to take out of a group, of all columns and points; none when nothing is saved."""
        members = self.members[group]
        best, best_cells = SLACK, []
        if self.rows(members) < 2 * self.minimum_size or self.cost(members) <= 0:
            return best_cells
        for column, (low, high) in enumerate(self.label(members)):
            for point in range(low, high):
                saved, beyond = self.split_gain(group, column, point)
                if saved > best:
                    best, best_cells = saved, beyond
        return best_cells

    def split_gain(self, group, column, point):
        """Loss saved by splitting a group after a code of a column, and the cells beyond it."""
        members = self.members[group]
        beyond = [cell for cell in members if self.keys[cell, column] > point]
        within = [cell for cell in members if cell not in beyond]
        saved = self.cost(members)
        if self.loss_of(column, *self.label(members)[column]) == 0:
            return 0.0, beyond
        for part in (within, beyond):
            if not part or not self.is_allowed(part):
                return 0.0, beyond
            for j, (low, high) in enumerate(self.label(part)):
                saved -= self.rows(part) * self.loss_of(j, low, high)
        return saved, beyond

    def cheapest_merge(self, group):
        """The other group with which a group has least loss."""
        rises = {}
        for other, members in enumerate(self.members):
            if other != group and members:
                rises[other] = self.cost(self.members[group] + members) - self.cost(members)
        return min(rises, key=rises.get) if rises else -1

    def repair(self):
        """Join groups that are not allowed with others; returns how many cannot be mended."""
        failing = 0
        for group, members in enumerate(self.members):
            while members and not self.is_allowed(members):
                other = self.cheapest_merge(group)
                if other < 0:
                    failing += 1
                    break
                for cell in list(self.members[other]):
                    self.move(cell, group)
        return failing


def k_member(slow):
    """Grow groups around far-apart seeds; `slow` has no groups, and is asked for losses only."""
    group_of = np.full(len(slow.keys), -1)
    alone = [cell for cell in range(len(slow.keys)) if slow.is_allowed([cell])]
    group_of[alone] = range(len(alone))
    left = [cell for cell in range(len(slow.keys)) if cell not in alone]
    n_groups, seed = len(alone), left[0] if left else -1
    while left and slow.rows(left) >= slow.minimum_size:
        chosen = furthest(slow, left, seed)
        seed, group = left[chosen], []
        while True:
            group.append(left[chosen])
            left[chosen] = left[-1]  # the kernel fills the gap from the end, which decides ties
            left.pop()
            if slow.is_allowed(group) or not left:
                break
            chosen = cheapest(slow, left, group)
        if not slow.is_allowed(group):
            break
        group_of[group] = n_groups
        n_groups += 1
    return group_of


def furthest(slow, left, seed):
    """Index of the first cell that costs most together with the seed."""
    losses = [slow.loss(slow.label([seed, cell])) for cell in left]
    return losses.index(max(losses))


def cheapest(slow, left, group):
    """Index of the first cell that raises the loss of a group least."""
    now = slow.rows(group) * slow.loss(slow.label(group))
    raised = [slow.cost([*group, cell]) - now for cell in left]
    return next((i for i, rise in enumerate(raised) if rise <= 0), raised.index(min(raised)))


def walk(steps, axis, rows_of, allowed, minimum_size, group_of, n_groups):
    """Make every step over all cells that are left; returns the number of groups then.

    `steps` yields the part of each cell, and the width.
    """
    for part_of, width in steps:
        parts = {}
        for cell in np.flatnonzero(group_of < 0).tolist():
            parts.setdefault(part_of[cell], []).append(cell)
        for cells in parts.values():
            if rows_of(cells) >= minimum_size:
                for run in runs(cells, axis, width, allowed):
                    group_of[run] = n_groups
                    n_groups += 1
    return n_groups


def runs(cells, axis, width, allowed):
    """Runs of a part that are allowed: the whole, or as soon as a window on the axis is."""
    if width >= 1:
        return [cells] if allowed(cells) else []
    released, window = [], []
    for cell in cells:
        window.append(cell)
        while axis[cell] - axis[window[0]] > width:
            window.pop(0)
        if allowed(window):
            released.append(window)
            window = []
    return released


def alive(parts, sizes, group_of, least):
    """For each node, the cells in no group in a part with enough rows of such cells."""
    free = np.flatnonzero(group_of < 0).tolist()
    return [
        {cell for cell in free if sum(sizes[c] for c in free if row[c] == row[cell]) >= least}
        for row in parts
    ]


def cells_of(mask):
    """The cells whose bits are set in a row of 64-bit words."""
    return {64 * word + bit for word, bits in enumerate(mask) for bit in range(64)
            if int(bits) >> bit & 1}  # fmt: skip


def mask_of(cells, n_cells):
    """A row of 64-bit words in which the bits of some of the cells are set."""
    words = np.zeros((n_cells + 63) // 64, np.uint64)
    for cell in cells:
        words[cell // 64] |= np.uint64(1 << cell % 64)
    return words


def first_cover(keys, low, high):
    """The first group between whose ends each key lies in every column; -1 without one."""
    return [
        next((g for g in range(len(low)) if ((low[g] <= key) & (key <= high[g])).all()), -1)
        for key in keys
    ]
