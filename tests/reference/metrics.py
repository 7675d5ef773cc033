"""Slow, obvious twins of the metrics and the risks, over lists of rows.

A released row is a pair (raw values, labels); a label is the set of raw values it may stand for,
None among them when it may stand for a missing one; labels are None when the row is suppressed.
Columns are described by their distinct values: ("tree", level rows), ("numeric", values) or
("set", values).
"""

from collections import Counter, defaultdict
from math import log2


def groups_of(rows, extra=None):
    """Rows (or what `extra` says of them) of each released combination of labels."""
    found = defaultdict(list)
    for i, (_, labels) in enumerate(rows):
        if labels is not None:
            found[tuple(map(frozenset, labels))].append(i if extra is None else extra[i])
    return list(found.values())


def discernibility(rows):
    hidden = sum(labels is None for _, labels in rows)
    return sum(len(group) ** 2 for group in groups_of(rows)) + hidden * len(rows)


def average_group_size(rows):
    sizes = [len(group) for group in groups_of(rows)]
    return sum(sizes) / len(sizes) if sizes else 0.0


def classification_metric(rows, classes):
    right = sum(max(Counter(group).values()) for group in groups_of(rows, classes))
    return (len(rows) - right) / len(rows)


def values_of(column):
    kind, given = column
    return [row[0] for row in given] if kind == "tree" else list(given)


def _mean(rows, columns, cost):
    """Mean over rows of each column's cost; suppressed rows cost 1."""
    per_column = []
    for j, column in enumerate(columns):
        total = 0.0
        for raw, labels in rows:
            if labels is None:
                total += 1
            elif len(labels[j]) == 1:
                total += 0
            elif None in labels[j]:
                total += 1
            else:
                total += cost(column, raw[j], labels[j])
        per_column.append(total / len(rows))
    return per_column


def _range_share(values, label):
    return (max(label) - min(label)) / (max(values) - min(values))


def ncp(rows, columns):
    def cost(column, raw, label):
        if column[0] == "numeric":
            return _range_share(column[1], label)
        return len(label) / len(values_of(column))

    return _mean(rows, columns, cost)


def loss(rows, columns):
    def cost(column, raw, label):
        if column[0] == "numeric":
            return _range_share(column[1], label)
        return (len(label) - 1) / (len(values_of(column)) - 1)

    costs = _mean(rows, columns, cost)
    return sum(costs) / len(costs)


def _below(level_rows, node):
    return {row[0] for row in level_rows if node in row}


def _height(level_rows, node):
    """Longest way down: distinct labels before the node, in the rows that have it."""
    return max(len(set(row[: row.index(node)])) for row in level_rows if node in row)


def _covering(level_rows, label):
    """Smallest subtree that covers a set of leaves; the lowest node of those that cover alike."""
    nodes = [node for row in level_rows for node in row if label <= _below(level_rows, node)]
    return min(nodes, key=lambda node: (len(_below(level_rows, node)), _height(level_rows, node)))


def information_loss(rows, columns):
    def cost(column, raw, label):
        kind, given = column
        if kind == "tree":
            return _height(given, _covering(given, label)) / _height(given, given[0][-1])
        return _range_share(given, label) if kind == "numeric" else 1.0

    return sum(_mean(rows, columns, cost)) * len(rows)


def precision(rows, columns):
    def cost(column, raw, label):
        kind, given = column
        if kind != "tree":
            return 1.0
        path = next(row for row in given if row[0] == raw)
        return path.index(_covering(given, label)) / (len(path) - 1)

    costs = _mean(rows, columns, cost)
    return 1 - sum(costs) / len(costs)


def non_uniform_entropy(rows, columns):
    lost = most = 0.0
    for j in range(len(columns)):
        counts = Counter(raw[j] for raw, _ in rows)
        for raw, labels in rows:
            every = len(rows)
            inside = every if labels is None else sum(counts[v] for v in labels[j])
            lost += log2(inside / counts[raw[j]])
            most += log2(every / counts[raw[j]])
    return lost / most if most else 0.0


def reidentification(groups, candidates, threshold):
    """Highest, average and share above a threshold of 1 / candidates over rows."""
    chances = [1 / n for rows, n in zip(groups, candidates, strict=True) for _ in rows]
    n = len(chances)
    return max(chances), sum(chances) / n, sum(c > threshold for c in chances) / n


def inference(groups):
    """Certain rows, highest and average confidence; a group is a list of sensitive values."""
    tops = [(max(Counter(values).values()), len(values)) for values in groups]
    n = sum(size for _, size in tops)
    return (
        sum(size for top, size in tops if top == size),
        max(top / size for top, size in tops),
        sum(top for top, _ in tops) / n,
    )
