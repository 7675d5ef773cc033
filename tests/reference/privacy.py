"""Slow, obvious twins of the privacy models.

A group is a list of sensitive values, one per row; `whole` is the list of all rows' values.
"""

from collections import Counter
from fractions import Fraction
from itertools import pairwise
from math import log

import numpy as np
from scipy.optimize import linprog


def k_anonymity(group, whole, k):
    return len(group) >= k


def distinct_diversity(group, whole, l):  # noqa: E741
    return len(set(group)) >= l


def entropy(group):
    shares = [count / len(group) for count in Counter(group).values()]
    return -sum(share * log(share) for share in shares)


def entropy_diversity(group, whole, l):  # noqa: E741
    return entropy(group) >= log(l) - 1e-9


def recursive_diversity(group, whole, c, l):  # noqa: E741
    ranked = sorted(Counter(group).values(), reverse=True)
    return ranked[0] < Fraction(str(c)) * sum(ranked[l - 1 :])


def alpha_k(group, whole, alpha, k, values=None):
    return len(group) >= k and all(
        Fraction(count, len(group)) <= Fraction(str(alpha))
        for value, count in Counter(group).items()
        if values is None or value in values
    )


def p_sensitive(group, whole, p, k):
    return len(group) >= k and len(set(group)) >= p


def proximity(group, whole, e, m):
    def near(x, y):
        return x is y if x is None or y is None else abs(x - y) <= e

    return all(m * sum(near(x, y) for y in group) <= len(group) for x in group)


def beta_likeness(group, whole, beta, enhanced=False):
    for value, count in Counter(group).items():
        before = Counter(whole)[value] / len(whole)
        gain = (count / len(group) - before) / before
        if gain > (min(beta, -log(before)) if enhanced else beta) + 1e-9:
            return False
    return True


def confidence_limit(group, whole, c):
    return max(Counter(group).values()) / len(group) <= c + 1e-9


def earth_mover(left, right, distance):
    """Least work that turns one list of values into another, by linear programming."""
    a, b = Counter(left), Counter(right)
    pairs = [(x, y) for x in a for y in b]
    cost = [distance(x, y) for x, y in pairs]
    leaves = [[float(x == value) for x, _ in pairs] for value in a]
    arrives = [[float(y == value) for _, y in pairs] for value in b]
    amounts = [a[value] / len(left) for value in a] + [b[value] / len(right) for value in b]
    found = linprog(cost, A_eq=np.array(leaves + arrives), b_eq=amounts, method="highs")
    assert found.success
    return found.fun


def equal_distance(x, y):
    return float(x != y)


def ordered_distance(whole):
    values = sorted({v for v in whole if v is not None})
    if None in whole:
        values.append(None)
    place = {value: i for i, value in enumerate(values)}
    return lambda x, y: abs(place[x] - place[y]) / max(1, len(values) - 1)


def tree_distance(rows):
    """Rows of a level table, leaf first; distance is the height of the lowest common ancestor."""
    path = {row[0]: list(dict.fromkeys(row)) for row in rows}
    children = {}
    for row in path.values():
        for child, parent in pairwise(row):
            children.setdefault(parent, set()).add(child)

    def height(node):
        return 1 + max(map(height, children[node])) if node in children else 0

    root = rows[0][-1]

    def distance(x, y):
        ancestors = path[y] if y is not None else [None, root]
        start = path[x] if x is not None else [None, root]
        meet = next(node for node in start if node in ancestors)
        return height(meet) / height(root) if meet is not None else 0.0

    return distance


def t_closeness(group, whole, t, distance):
    return earth_mover(group, whole, distance) <= t + 1e-9


def delta_presence(rows, people, low, high):
    """Of `people` of the population in a group, `rows` are in the table."""
    if people == 0:
        return rows == 0
    return Fraction(str(low)) <= Fraction(rows, people) <= Fraction(str(high))
