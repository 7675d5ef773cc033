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

    def children(self, cells, at):
        """Cells by child of their lowest common node, in node order."""
        depth = self.node({key[at] for key, _ in cells})[1]
        found = {}
        for cell in cells:
            found.setdefault(self.path(cell[0][at])[depth + 1], []).append(cell)
        return [found[node] for node in sorted(found)]


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
        children = column.children(cells, at)
        yield children
        for size in range(2, len(children)) if partial else ():
            for rest in itertools.combinations(range(len(children)), size):
                off = [child for i, child in enumerate(children) if i not in rest]
                yield [*off, [cell for i in rest for cell in children[i]]]


def cut(cells, columns, at, allowed, partial):
    """The cut that Mondrian makes along a column, or None."""
    column = columns[at]
    codes = sorted({key[at] for key, _ in cells})
    if len(codes) < 2:
        return None
    return (by_order if column.parent is None else by_tree)(cells, column, at, allowed, partial)


def by_order(cells, column, at, allowed, partial):
    best, best_rank = None, None
    for code in sorted({key[at] for key, _ in cells})[:-1]:
        low = [cell for cell in cells if cell[0][at] <= code]
        high = [cell for cell in cells if cell[0][at] > code]
        rank = (code in column.wanted, min(rows(low), rows(high)))
        if allowed(low) and allowed(high) and (best is None or rank > best_rank):
            best, best_rank = [high, low], rank
    return best


def by_tree(cells, column, at, allowed, partial):
    children = sorted(column.children(cells, at), key=rows)
    off = [child for child in children if allowed(child)]
    rest = [cell for child in children if not allowed(child) for cell in child]
    if not rest:
        return off
    if not partial:
        return None
    while off and not allowed(rest):
        rest = rest + off.pop(0)
    if off:
        return [*off, rest]
    for child in reversed(children):
        others = [cell for other in children if other is not child for cell in other]
        if allowed(child) and allowed(others):
            return [child, others]
    return None


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
        best, best_score = None, -math.inf
        for at, column in enumerate(columns):
            parts = cut(region, columns, at, allowed, partial)
            if parts is None:
                continue
            score = scores[0] * column.loss({key[at] for key, _ in region})
            score += scores[2] * weight[at]
            score += scores[1] * gain(region, parts) if scores[1] else 0
            score += scores[3] * drop(region, parts, columns, weight) if scores[3] else 0
            if score > best_score + EPSILON:
                best, best_score = parts, score
        if best is None:
            done.append(region)
        else:
            todo.extend(best)
    return done
