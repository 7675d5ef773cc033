"""Bottom-up generalization and top-down specialization on lists of rows, trying everything."""

import math
from collections import Counter


def entropy(labels):
    counts = Counter(labels)
    total = sum(counts.values())
    return -sum(c / total * math.log2(c / total) for c in counts.values())


def anonymity(rows):
    return min(Counter(rows).values())


class Tree:
    """A hierarchy as a mapping of children to parents."""

    def __init__(self, parent):
        self.parent = parent
        self.children = {}
        for child, above in parent.items():
            self.children.setdefault(above, []).append(child)

    def ancestors(self, value):
        found = [value]
        while found[-1] in self.parent:
            found.append(self.parent[found[-1]])
        return found


def valid(trees, cuts):
    """Every (column, node) all of whose children stand in the column's cut."""
    return [
        (column, node)
        for column, tree in enumerate(trees)
        for node, children in tree.children.items()
        if all(child in cuts[column] for child in children)
    ]


def replace(rows, column, children, node):
    return [
        tuple(node if at == column and v in children else v for at, v in enumerate(row))
        for row in rows
    ]


def information(rows, classes, column, children):
    """I(G): class entropy of the joined rows less that of their parts."""
    inside = [(row[column], c) for row, c in zip(rows, classes, strict=True)]
    joined = [c for v, c in inside if v in children]
    if not joined:
        return 0.0
    parts = 0.0
    for child in children:
        own = [c for v, c in inside if v == child]
        if own:
            parts += len(own) / len(joined) * entropy(own)
    return entropy(joined) - parts


def scores(trees, rows, classes, cuts, k):
    """Every valid generalization with (score, information, gain)."""
    now = anonymity(rows)
    found = {}
    for column, node in valid(trees, cuts):
        children = trees[column].children[node]
        after = anonymity(replace(rows, column, children, node))
        gain = min(after, k) - now
        lost = information(rows, classes, column, children)
        found[column, node] = (lost / gain if gain > 0 else math.inf, lost, gain)
    return found
