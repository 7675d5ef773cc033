"""A slow, plain Mondrian on cells: sets and recursion instead of arrays and levels."""

import itertools
import math

EPSILON = 1e-12


class Column:
    """One quasi-identifier; a tree is a parent per node, leaves first, the root's parent -1."""

    def __init__(self, n_codes, parent=None, numbers=None, missing=-1, wanted=()):
        self.n_codes, self.parent, self.missing = n_codes, parent, missing
        self.numbers, self.wanted = numbers, set(wanted)

    def path(self, leaf):
        nodes = [leaf]
        while self.parent[nodes[-1]] >= 0:
            nodes.append(self.parent[nodes[-1]])
        return nodes[::-1]

    def node(self, codes):
        paths = [self.path(code) for code in codes]
        depth = max(d for d in range(min(map(len, paths))) if len({p[d] for p in paths}) == 1)
        return paths[0][depth], depth

    def leaves(self, node):
        return [leaf for leaf in range(self.n_codes) if node in self.path(leaf)]

    def loss(self, codes):
        codes = set(codes)
        if len(codes) == 1:
            return 0.0
        if self.missing in codes:
            return 1.0
        n_values = self.n_codes - (self.missing >= 0)
        if self.parent is not None:
            return (
                len([x for x in self.leaves(self.node(codes)[0]) if x != self.missing]) / n_values
            )
        if self.numbers is not None:
            known = [x for x in self.numbers if not math.isnan(x)]
            return (self.numbers[max(codes)] - self.numbers[min(codes)]) / (max(known) - min(known))
        return (max(codes) - min(codes) + 1) / n_values

    def below(self, cells, at):
        """Cells by node below their lowest common one."""
        depth = self.node({key[at] for key, _ in cells})[1]
        inside = {}
        for cell in cells:
            for node in self.path(cell[0][at])[depth + 1 :]:
                inside.setdefault(node, []).append(cell)
        return inside

    def children(self, cells, at):
        """Cells by child of their lowest common node, in node order."""
        top, below = self.node({key[at] for key, _ in cells})[0], self.below(cells, at)
        return [below[node] for node in sorted(below) if self.parent[node] == top]


def rows(cells):
    return sum(sum(classes) for _, classes in cells)


def every_cut(cells, columns, partial, relaxed=False):
    """All ways to cut a region in one step, allowed or not."""
    for at, column in enumerate(columns):
        codes = sorted({key[at] for key, _ in cells})
        if len(codes) < 2:
            continue
        if column.parent is None:
            for cut in codes[:-1]:
                yield [
                    [cell for cell in cells if cell[0][at] <= cut],
                    [cell for cell in cells if cell[0][at] > cut],
                ]
            continue
        yield column.children(cells, at)
        for inside in column.below(cells, at).values() if partial else ():
            yield [inside, [cell for cell in cells if cell not in inside]]


def cut(cells, columns, at, allowed, partial):
    """The cut that Mondrian makes along a column, or None."""
    column = columns[at]
    codes = sorted({key[at] for key, _ in cells})
    if len(codes) < 2:
        return None
    return (by_order if column.parent is None else by_tree)(cells, column, at, allowed, partial)


def by_order(cells, column, at, allowed, partial):
    best, best_rank = None, None
    for code, following in itertools.pairwise(sorted({key[at] for key, _ in cells})):
        low = [cell for cell in cells if cell[0][at] <= code]
        high = [cell for cell in cells if cell[0][at] > code]
        rank = (any(code <= x < following for x in column.wanted), min(rows(low), rows(high)))
        if allowed(low) and allowed(high) and (best is None or rank > best_rank):
            best, best_rank = [high, low], rank
    return best


def by_tree(cells, column, at, allowed, partial):
    children = column.children(cells, at)
    off = [child for child in children if allowed(child)]
    rest = [cell for child in children if not allowed(child) for cell in child]
    if not rest:
        return off
    if not partial:
        return None
    if off and allowed(rest):
        return [*off, rest]
    return deeper(cells, column, at, allowed)


def deeper(cells, column, at, allowed):
    """Open one node after another until the rest may stand; the smallest such rest."""
    top, below = column.node({key[at] for key, _ in cells})[0], column.below(cells, at)
    can_open = {top}
    for node in sorted(below, reverse=True):
        if column.parent[node] in can_open and allowed(below[node]):
            can_open.add(node)
    choices = []
    for node in sorted(can_open - {top}, reverse=True):
        for joins in (True, False):
            last = column.parent[node] if joins else node
            is_leaf = node < column.n_codes
            if is_leaf and not joins:
                continue
            way = above_or_self(column, last)
            off = [
                other for other in can_open - way - {top}
                if column.parent[other] in way and not (joins and other == node)
            ]  # fmt: skip
            outside = [cell for cell in cells if not any(cell in below[x] for x in off)]
            choices.append((rows(outside), off, outside))
    for _, off, rest in sorted(choices, key=lambda choice: choice[0]):
        if off and rest and allowed(rest):
            return [*(below[node] for node in off), rest]
    for node in sorted(below, key=lambda node: (rows(below[node]), node), reverse=True):
        others = [cell for cell in cells if cell not in below[node]]
        if others and allowed(below[node]) and allowed(others):
            return [below[node], others]
    return None


def above_or_self(column, node):
    """A node and all nodes above it."""
    above = {node}
    while column.parent[node] >= 0:
        node = column.parent[node]
        above.add(node)
    return above


def entropy(counts):
    total = sum(counts)
    return -sum(c / total * math.log2(c / total) for c in counts if c)


def gain(cells, parts):
    def classes(part):
        return [sum(column) for column in zip(*(c for _, c in part), strict=True)]

    before = entropy(classes(cells))
    after = sum(rows(part) / rows(cells) * entropy(classes(part)) for part in parts)
    return (before - after) / before if before > 0 else 0.0


def drop(cells, parts, columns, weight):
    def loss(part):
        return sum(
            max(weight[i], 0.01) * column.loss({key[i] for key, _ in part})
            for i, column in enumerate(columns)
        )

    before = loss(cells)
    lost = before - sum(rows(part) / rows(cells) * loss(part) for part in parts)
    return (
        lost / (lost + before * entropy([rows(part) for part in parts])) if lost > EPSILON else 0.0
    )


def partition(cells, columns, allowed, weight, scores, partial=True):
    """Groups of cells; `scores` are the weights of spread, gain, priority and loss."""
    done, todo = [], [cells]
    while todo:
        region = todo.pop()
        best, best_rank = None, (-math.inf, -1.0)
        for at, column in enumerate(columns):
            parts = cut(region, columns, at, allowed, partial)
            if parts is None:
                continue
            eighths = math.floor(8 * column.loss({key[at] for key, _ in region}) + 0.5 + 1e-9)
            score = scores[0] * eighths / 8 + scores[2] * weight[at]
            score += scores[1] * gain(region, parts) if scores[1] else 0
            lost = drop(region, parts, columns, weight)
            rank = score + scores[3] * lost, lost
            ahead = rank[0] - best_rank[0]
            if ahead > EPSILON or (ahead >= -EPSILON and lost > best_rank[1] + EPSILON):
                best, best_rank = parts, rank
        if best is None:
            done.append(region)
        else:
            todo.extend(best)
    return done


# -- twins of the kernels -----------------------------------------------------------------------


def bounds(keys, region):
    """Least and largest code of a region's cells in every column."""
    return (
        [min(column[cell] for cell in region) for column in keys],
        [max(column[cell] for cell in region) for column in keys],
    )


def divided(region, part):
    """The cells of each part, in the order that they have in the region."""
    return [[c for c, p in zip(region, part, strict=True) if p == n] for n in range(max(part) + 1)]


def home(tree, key):
    """Node that a combination of fitted codes falls into; `tree` is a dict of lists."""
    node = 0
    while tree["n_children"][node]:
        first, n = tree["first_child"][node], tree["n_children"][node]
        code, pivot = key[tree["column"][node]], tree["pivot"][node]
        for child in range(first, first + n - 1):
            low, high = tree["low"][child], tree["high"][child]
            if low <= code <= high and not (
                pivot >= 0 and code == low and tuple(key) < tuple(tree["pivots"][pivot])
            ):
                break
        else:
            child = first + n - 1
        node = child
    return node
