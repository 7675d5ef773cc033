"""Which split comes next, and how many leaves there are."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from shoal.models import KAnonymousTreeClassifier


@pytest.mark.parametrize("seed", range(5))
def test_a_limit_of_leaves_leaves_what_scikit_learn_leaves(seed):
    generator = np.random.default_rng(seed)
    X = generator.random((400, 4))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + generator.normal(0, 0.2, 400) > 0.8).astype(int)
    for n_leaves in (1, 2, 5, 9):
        ours = KAnonymousTreeClassifier(privacy=15, max_leaves=n_leaves).fit(X, y)
        assert ours.get_n_leaves() == n_leaves
        if n_leaves == 1:
            continue
        peer = DecisionTreeClassifier(
            criterion="entropy", min_samples_leaf=15, max_leaf_nodes=n_leaves
        ).fit(X, y)
        assert np.allclose(ours.predict_proba(X), peer.predict_proba(X))


def test_a_split_with_too_many_branches_is_passed_over():
    letters = np.repeat(np.array(list("abcdef"), object), 10)
    other = np.tile(np.array(["u", "v"], object), 30)
    y = np.isin(letters, ["a", "b", "c"]).astype(int) ^ (np.arange(60) % 11 == 0)
    X = np.column_stack([letters, other])
    whole = KAnonymousTreeClassifier(privacy=5, splits="multiway", max_depth=1).fit(X, y)
    assert whole.get_n_leaves() == 6
    limited = KAnonymousTreeClassifier(privacy=5, splits="multiway", max_leaves=5).fit(X, y)
    assert limited.get_n_leaves() == 1  # the best split of the root has six branches
    two = KAnonymousTreeClassifier(privacy=5, max_leaves=5).fit(X, y)
    assert 2 <= two.get_n_leaves() <= 5
