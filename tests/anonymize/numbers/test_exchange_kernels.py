import numpy as np
import pytest

from shoal.anonymize.numbers._bunch import sum_of_squares
from shoal.anonymize.numbers._bunches_kernels import make_bunches
from shoal.anonymize.numbers._exchange_kernels import sweep


def all_near(n_groups):
    return np.tile(np.arange(n_groups), (n_groups, 1))


@pytest.mark.parametrize("seed", range(10))
def test_a_round_saves_what_it_says_and_keeps_groups_heavy(seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(60, 3))
    weights = rng.integers(1, 4, 60)
    k = 5
    group_of = (np.cumsum(weights) - 1) // 10
    group_of = np.unique(group_of, return_inverse=True)[1]
    heavy = np.bincount(group_of, weights=weights) >= k
    group_of = np.where(heavy[group_of], group_of, 0)
    group_of = np.unique(group_of, return_inverse=True)[1]
    before = sum_of_squares(points, weights, group_of)
    bunches = make_bunches(points, weights, group_of, int(weights.sum()) // k + 1)
    saved = sweep(bunches, all_near(int(group_of.max()) + 1), k)
    used = np.unique(bunches.group_of, return_inverse=True)[1]
    after = sum_of_squares(points, weights, used)
    assert saved > 0
    assert before - after == pytest.approx(saved)
    assert np.bincount(used, weights=weights).min() >= k
    recounted = np.bincount(bunches.group_of, weights=weights, minlength=len(bunches.weight))
    assert recounted.tolist() == bunches.weight.tolist()


def test_a_group_that_can_be_cut_is_cut():
    points = np.array([[0.0], [0.1], [9.0], [9.1]])
    ones = np.ones(4, np.int64)
    bunches = make_bunches(points, ones, np.zeros(4, np.int64), 3)
    sweep(bunches, np.zeros((1, 1), np.int64), 2)
    assert bunches.group_of[0] == bunches.group_of[1] != bunches.group_of[2]
