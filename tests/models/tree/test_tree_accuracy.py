"""What the promise costs: trees of two sets beside scikit-learn's with the same smallest leaf."""

import numpy as np
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from benchmarks.bench_tree_accuracy import nursery_like
from shoal.models import KAnonymousTreeClassifier


def test_two_sets_stay_within_two_points_of_a_tree_without_a_promise():
    X, y = nursery_like()
    assert (len(X), len(set(y))) == (12_960, 4)
    held_out = np.random.default_rng(0).random(len(y)) < 0.3
    one_hot = OneHotEncoder().fit(X)
    for k in (2, 10, 50, 200, 1_000):
        peer = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=k, random_state=0)
        peer.fit(one_hot.transform(X[~held_out]), y[~held_out])
        theirs = peer.score(one_hot.transform(X[held_out]), y[held_out])
        for look_ahead in (False, True):
            tree = KAnonymousTreeClassifier(privacy=k, look_ahead=look_ahead)
            tree.fit(X[~held_out], y[~held_out])
            assert tree.spans_.largest_k >= k
            assert tree.score(X[held_out], y[held_out]) >= theirs - 0.02
