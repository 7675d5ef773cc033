"""Plain K2 on pooled codes, with exact factorials or with any logarithm through Stirling."""

import math
from itertools import product

import numpy as np


def log_factorial(n):
    return math.lgamma(n + 1)


def stirling(log, scale):
    """Twice ln n! times the scale, as integers, the way the protocol adds it up."""
    two_pi = round(math.log(2 * math.pi) * scale)

    def twice(n):
        return 2 * n * log(n) + log(n) - 2 * n * round(scale) + two_pi if n else 0

    return twice


def score(codes, arities, child, parents, factorial):
    total, r = 0.0, arities[child]
    for values in product(*(range(arities[p]) for p in parents)):
        rows = np.ones(len(codes), bool)
        for p, v in zip(parents, values, strict=True):
            rows &= codes[:, p] == v
        counts = np.bincount(codes[rows, child], minlength=r)
        total += factorial(r - 1) - factorial(int(counts.sum()) + r - 1)
        total += sum(factorial(int(n)) for n in counts)
    return total


def k2(codes, arities, order, max_parents, factorial=log_factorial):
    """Parents of every column, and the smallest margin of any decision."""
    parents, margin = [[] for _ in arities], math.inf
    for at, child in enumerate(order):
        best = score(codes, arities, child, parents[child], factorial)
        while len(parents[child]) < max_parents:
            options = [c for c in order[:at] if c not in parents[child]]
            if not options:
                break
            scores = [
                score(codes, arities, child, [*parents[child], c], factorial) for c in options
            ]
            ordered = sorted([best, *scores])
            margin = min(margin, ordered[-1] - ordered[-2])
            pick = int(np.argmax(scores))
            if scores[pick] <= best:
                break
            parents[child].append(options[pick])
            best = scores[pick]
    return parents, margin


# The ASIA network of Lauritzen and Spiegelhalter, 1988 (doi:10.1111/j.2517-6161.1988.tb01721.x):
# column: (parents, probability of 1 for each combination of parents).
ASIA = {
    "asia": ((), [0.01]),
    "smoke": ((), [0.5]),
    "tub": (("asia",), [0.01, 0.05]),
    "lung": (("smoke",), [0.01, 0.1]),
    "bronc": (("smoke",), [0.3, 0.6]),
    "either": (("tub", "lung"), [0.0, 1.0, 1.0, 1.0]),
    "xray": (("either",), [0.05, 0.98]),
    "dysp": (("bronc", "either"), [0.1, 0.7, 0.8, 0.9]),
}


def sample_asia(rows, seed):
    rng, columns = np.random.default_rng(seed), {}
    for name, (parents, table) in ASIA.items():
        index = np.zeros(rows, int)
        for parent in parents:
            index = 2 * index + columns[parent]
        columns[name] = (rng.random(rows) < np.array(table)[index]).astype(int)
    return np.stack([columns[name] for name in ASIA], axis=1).astype(np.int32)
