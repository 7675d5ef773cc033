"""ID3 that only makes groups of k rows, in plain Python, with any logarithm."""

import math

import numpy as np

from tests.reference.id3 import score


def grow(codes, target, arities, k, *, max_depth=None, log=math.log):
    """Nested tree, and the smallest margin between the best two allowed scores of any node."""
    margins = [math.inf]

    def allowed(rows, attribute):
        sizes = np.bincount(rows[:, attribute], minlength=arities[attribute])
        sizes = sizes[sizes > 0]
        return len(sizes) > 1 and sizes.min() >= k

    def build(rows, free, depth, parent):
        classes = np.bincount(rows[:, target], minlength=arities[target])
        label = int(classes.argmax()) if len(rows) else parent
        options = [a for a in free if allowed(rows, a)]
        if depth == max_depth or not options or (classes > 0).sum() <= 1:
            return label
        scores = [score(rows, a, target, arities, log) for a in options]
        if len(scores) > 1:
            best, second = sorted(scores)[:2]
            margins.append((second - best) / len(rows))
        chosen = options[int(np.argmin(scores))]
        rest = [a for a in free if a != chosen]
        return chosen, [
            build(rows[rows[:, chosen] == v], rest, depth + 1, label)
            for v in range(arities[chosen])
        ]

    free = [a for a in range(len(arities)) if a != target]
    return build(codes, free, 0, 0), min(margins)
