"""Slow, obvious twins of the searches for quasi-identifiers: everything by looking at all pairs."""

from itertools import combinations

import numpy as np


def groups(codes, columns):
    """Rows by their combination of `columns`; `codes` has a column in each row."""
    found = {}
    for row in range(codes.shape[1]):
        found.setdefault(tuple(codes[j, row] for j in columns), []).append(row)
    return list(found.values())


def separated(codes, columns):
    """Number of pairs of rows that differ on `columns`."""
    n = codes.shape[1]
    return sum(
        any(codes[j, a] != codes[j, b] for j in columns) for a, b in combinations(range(n), 2)
    )


def distinct(codes, columns):
    return len(groups(codes, columns))


def unique(codes, columns):
    return sum(len(group) == 1 for group in groups(codes, columns))


def separation_ratio(codes, columns):
    n = codes.shape[1]
    return separated(codes, columns) / (n * (n - 1) / 2)


def distinct_ratio(codes, columns):
    return distinct(codes, columns) / codes.shape[1]


def subsets(n_columns):
    for size in range(n_columns + 1):
        yield from combinations(range(n_columns), size)


def cheapest(codes, costs, beta=1.0):
    """Least cost of a set with a separation ratio of at least `beta`; None when there is none."""
    n = codes.shape[1]
    total = n * (n - 1) // 2
    fitting = [
        sum(costs[j] for j in columns)
        for columns in subsets(len(codes))
        if separated(codes, columns) >= total * beta - 1e-9
    ]
    return min(fitting, default=None)


def minimal_keys(codes, max_size):
    n = codes.shape[1]
    keys = [set(s) for s in subsets(len(codes)) if distinct(codes, s) == n]
    return {
        tuple(sorted(key))
        for key in keys
        if len(key) <= max_size and not any(other < key for other in keys)
    }


def greedy_cover(differs, costs, beta=1.0):
    """Literal greedy on pairs: `differs` says which columns (first axis) separate which pairs."""
    n_columns, n_pairs = differs.shape
    covered = np.zeros(n_pairs, bool)
    chosen = []
    while covered.sum() < beta * n_pairs - 1e-9:
        need = int(np.ceil(beta * n_pairs - 1e-9))
        gains = [int((differs[j] & ~covered).sum()) for j in range(n_columns)]
        useful = [min(gain, need - int(covered.sum())) for gain in gains]
        ranks = [(useful[j] / costs[j], gains[j] / costs[j], -j) for j in range(n_columns)]
        best = max(range(n_columns), key=lambda j: ranks[j])
        if not gains[best]:
            break
        chosen.append(best)
        covered |= differs[best]
    return chosen


def all_pairs(codes):
    """Which columns tell each pair of rows apart."""
    a, b = zip(*combinations(range(codes.shape[1]), 2), strict=True)
    return codes[:, list(a)] != codes[:, list(b)]


def greedy_mask(codes, values, beta, ratio):
    """Literal greedy masking; `ratio` is one of the ratios above."""
    chosen = []
    while True:
        now = ratio(codes, chosen)
        fitting = [
            (ratio(codes, [*chosen, j]) - now, j)
            for j in range(len(codes))
            if j not in chosen and ratio(codes, [*chosen, j]) <= beta + 1e-12
        ]
        if not fitting:
            return chosen
        ranks = {j: (round(gain / values[j], 12), -values[j], j) for gain, j in fitting}
        chosen.append(min(ranks, key=ranks.get))
