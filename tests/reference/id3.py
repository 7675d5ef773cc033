"""Plain ID3 on pooled codes, with any logarithm; and how close its decisions were."""

import math

import numpy as np


def counts_of(column, n):
    return np.bincount(column, minlength=n)


def score(codes, attribute, target, arities, log):
    """Remaining entropy of the class times the number of rows."""
    total = 0
    for value in range(arities[attribute]):
        part = codes[codes[:, attribute] == value, target]
        total += _x_log_x(len(part), log)
        total -= sum(_x_log_x(int(n), log) for n in counts_of(part, arities[target]))
    return total


def _x_log_x(n, log):
    return n * log(n) if n else 0


def id3(codes, target, arities, *, max_depth=None, min_rows=1, log=math.log):
    """Nested tree, and the smallest margin between the best two scores of any node."""
    margins = [math.inf]

    def build(rows, free, depth, parent):
        classes = counts_of(rows[:, target], arities[target])
        label = int(classes.argmax()) if len(rows) else parent
        done = not free or depth == max_depth or len(rows) < min_rows or (classes > 0).sum() <= 1
        if done:
            return label
        scores = [score(rows, a, target, arities, log) for a in free]
        best = int(np.argmin(scores))
        if len(scores) > 1:
            ordered = sorted(scores)
            margins.append((ordered[1] - ordered[0]) / len(rows))
        chosen = free[best]
        rest = [a for a in free if a != chosen]
        return chosen, [
            build(rows[rows[:, chosen] == v], rest, depth + 1, label)
            for v in range(arities[chosen])
        ]

    free = [a for a in range(len(arities)) if a != target]
    return build(codes, free, 0, 0), min(margins)


def nested(tree, node=0):
    """The same shape from a SecureTree."""
    if tree.attribute[node] < 0:
        return tree.label[node]
    return tree.attribute[node], [nested(tree, child) for child in tree.children[node]]
