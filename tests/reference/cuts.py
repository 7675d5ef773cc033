"""Bottom-up generalization and top-down specialization on lists of rows, trying everything.

Below them the twins of their kernels: groups are tuples of nodes, numbered as they are met.
"""

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
        path = [value]
        while path[-1] in self.parent:
            path.append(self.parent[path[-1]])
        return path


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
        tuple(node if j == column and v in children else v for j, v in enumerate(row))
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
    table = {}
    for column, node in valid(trees, cuts):
        children = trees[column].children[node]
        after = anonymity(replace(rows, column, children, node))
        gain = min(after, k) - now
        lost = information(rows, classes, column, children)
        table[column, node] = (lost / gain if gain > 0 else math.inf, lost, gain)
    return table


# -- twins of the kernels -----------------------------------------------------------------------


def by_group(values, group_of):
    """Values of each group; group -1 is none."""
    members = {}
    for value, group in zip(values, group_of, strict=True):
        if group >= 0:
            members.setdefault(group, []).append(value)
    return members


def bits(counts):
    """Rows times their class entropy."""
    labels = [c for c, count in enumerate(counts) for _ in range(count)]
    return len(labels) * entropy(labels) if labels else 0.0


def joined(groups, column, children, target):
    """Each group after some nodes of a column have become another one."""
    return [
        tuple(target if j == column and node in children else node for j, node in enumerate(group))
        for group in groups
    ]


def join(groups, column, children, target):
    """New number of each group: first those that no node moves into or out of, in order."""
    after = joined(groups, column, children, target)
    touched = [group[column] in children or group[column] == target for group in groups]
    order = [group for group, moves in zip(after, touched, strict=True) if not moves]
    order += [group for group, moves in zip(after, touched, strict=True) if moves]
    number = {group: i for i, group in enumerate(dict.fromkeys(order))}
    return [number[group] for group in after]


def split(leaves, child_of, group_of):
    """New number of each cell's group: first those that are not split, in order, then as met."""
    split_groups = {g for g, leaf in zip(group_of, leaves, strict=True) if child_of[leaf] >= 0}
    kept = sorted(set(group_of) - split_groups - {-1})
    number = {(group, None): i for i, group in enumerate(kept)}
    new = []
    for group, leaf in zip(group_of, leaves, strict=True):
        if group < 0:
            new.append(-1)
            continue
        part = (group, child_of[leaf] if group in split_groups else None)
        new.append(number.setdefault(part, len(number)))
    return new


def best_split(counts, low, high, least):
    """First code right of the split of best information gain, and the gain in bits a row."""
    best, first = -1.0, -1
    for code in range(low + 1, high + 1):
        left, right = counts[low:code], counts[code : high + 1]
        if min(left.sum(), right.sum()) < least or not counts[code - 1].any():
            continue
        parts = bits(left.sum(axis=0)) + bits(right.sum(axis=0))
        gain = (bits(counts[low : high + 1].sum(axis=0)) - parts) / counts[low : high + 1].sum()
        if gain > best + 1e-12:
            best, first = gain, code
    return best, first


def middle_split(rows, low, high, least):
    """First code right of the most even split; -1 when no split leaves enough rows."""
    options = [
        (abs(rows[low:code].sum() - rows[code : high + 1].sum()), code)
        for code in range(low + 1, high + 1)
        if min(rows[low:code].sum(), rows[code : high + 1].sum()) >= least and rows[code - 1]
    ]
    return min(options)[1] if options else -1
