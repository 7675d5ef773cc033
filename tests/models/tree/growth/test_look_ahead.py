"""Looking ahead chooses among allowed splits, and gains with the next ones what it says it does."""

from itertools import combinations

import numpy as np
import pytest

from shoal.models import KAnonymousTreeClassifier
from tests.reference import splits


def made(seed):
    generator = np.random.default_rng(seed)
    X = generator.integers(0, [6, 2, 3], (60, 3))
    noise = generator.integers(0, 4, 60)
    y = (X[:, 0] + 3 * X[:, 1] * X[:, 2] + noise > 5).astype(int)
    return X, y


def gain(side, y):
    return splits.gain(side, y, np.ones(len(y)), "gain")


def best_next(X, y, k, *, binary):
    """The largest gain of an allowed split: a branch for each value, or two sets with no rare."""
    best = 0.0
    for column in X.T:
        found, sizes = np.unique(column, return_counts=True)
        if not binary:
            if len(found) > 1 and sizes.min() >= k:
                best = max(best, gain(column, y))
            continue
        items = [[value] for value in found[sizes >= k]]
        items += [found[sizes < k]] if (sizes < k).any() else []
        for n in range(1, len(items)):
            for chosen in combinations(items, n):
                inside = np.isin(column, np.concatenate(chosen)).astype(int)
                if k <= inside.sum() <= len(y) - k:
                    best = max(best, gain(inside, y))
    return best


def gain_of_two(tree, X, y, k, *, binary):
    """Gain of a tree's first test and of the best tests after it."""
    top = tree.apply(X)
    for node in np.unique(top).tolist():
        parent = node
        while tree.tree_.nodes.parent[parent] > 0:
            parent = tree.tree_.nodes.parent[parent]
        top[top == node] = parent
    whole = gain(top, y) if len(np.unique(top)) > 1 else 0.0
    for node in np.unique(top):
        inside = top == node
        whole += inside.mean() * best_next(X[inside], y[inside], k, binary=binary)
    return whole


@pytest.mark.parametrize(("way", "k"), [("binary", 14), ("multiway", 6)])
def test_two_steps_gain_no_less_than_the_greedy_first_one(way, k):
    better = 0
    for seed in range(25):
        X, y = made(seed)
        text = X.astype(str).astype(object)
        greedy = KAnonymousTreeClassifier(privacy=k, splits=way).fit(text, y)
        ahead = KAnonymousTreeClassifier(privacy=k, splits=way, look_ahead=True).fit(text, y)
        assert ahead.spans_.largest_k >= k
        one = gain_of_two(greedy, text, y, k, binary=way == "binary")
        two = gain_of_two(ahead, text, y, k, binary=way == "binary")
        assert two >= one - 1e-9
        better += two > one + 1e-9
    assert better > 2


def test_a_split_that_leaves_every_branch_able_to_grow_is_kept():
    generator = np.random.default_rng(0)
    X = generator.random((2_000, 3))
    y = (X[:, 0] > 0.5).astype(int) ^ (generator.random(2_000) < 0.3)
    plain = KAnonymousTreeClassifier(privacy=10, max_depth=2).fit(X, y)
    ahead = KAnonymousTreeClassifier(privacy=10, max_depth=2, look_ahead=True).fit(X, y)
    assert ahead.export_text() == plain.export_text()
