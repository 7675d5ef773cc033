from statistics import NormalDist

import numpy as np
import pytest
from scipy.stats import beta

from shoal.models import KAnonymousTreeClassifier
from shoal.models.tree.growth._prune import added_errors

Z = NormalDist().inv_cdf(0.75)


@pytest.mark.parametrize(("n", "share"), [(6, 0.206), (9, 0.143), (1, 0.750)])
def test_the_book_s_leaves_without_errors(n, share):
    """Quinlan 1993, section 4.2: U25%(0, 6) = 0.206, U25%(0, 9) = 0.143, U25%(0, 1) = 0.750."""
    assert added_errors(n, 0, 0.25, Z) / n == pytest.approx(share, abs=5e-4)


def test_a_leaf_with_one_error():
    """The book gives U25%(1, 16) = 0.157, exact; the normal approximation is close to it."""
    found = (1 + added_errors(16, 1, 0.25, Z)) / 16
    assert found == pytest.approx(beta.ppf(0.75, 2, 15), abs=0.02)


def test_more_confidence_adds_fewer_errors():
    added = [added_errors(50, 5, c, NormalDist().inv_cdf(1 - c)) for c in (0.05, 0.25, 0.5)]
    assert added == sorted(added, reverse=True)
    assert added_errors(0, 0, 0.25, Z) == 0
    assert added_errors(3, 3, 0.25, Z) == 0


def test_pruning_only_joins_spans():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 8, (400, 5)).astype(float)
    y = ((X[:, 0] > 3) ^ (rng.random(400) < 0.2)).astype(int)
    full = KAnonymousTreeClassifier(privacy=7, criterion="gain_ratio", prune=False).fit(X, y)
    small = KAnonymousTreeClassifier(privacy=7, criterion="gain_ratio").fit(X, y)
    assert 1 < small.get_n_leaves() < full.get_n_leaves()
    leaf_of = dict(zip(full.apply(X).tolist(), small.apply(X).tolist(), strict=True))
    assert [leaf_of[leaf] for leaf in full.apply(X).tolist()] == small.apply(X).tolist()
    assert small.spans_.largest_k >= full.spans_.largest_k >= 7
