import numpy as np
import pytest

from shoal.anonymize.numbers._mdav_kernels import mdav
from tests.reference import microaggregation as slow


def as_sets(group_of):
    return {frozenset(np.flatnonzero(group_of == group).tolist()) for group in set(group_of)}


@pytest.mark.parametrize("seed", range(8))
def test_rows_are_grouped_as_in_the_paper(seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(int(rng.integers(6, 40)), int(rng.integers(1, 4))))
    k = int(rng.integers(2, 6))
    found = mdav(points, np.ones(len(points), np.int64), k)
    assert as_sets(found) == {frozenset(group) for group in slow.mdav(points.tolist(), k)}


@pytest.mark.parametrize("seed", range(20))
def test_groups_weigh_k_whatever_the_points_weigh(seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(25, 2))
    weights = rng.integers(1, 9, 25)
    found = mdav(points, weights, 6)
    assert np.bincount(found, weights=weights).min() >= 6


def test_points_that_are_too_few_are_one_group():
    assert mdav(np.zeros((3, 1)), np.ones(3, np.int64), 5).tolist() == [0, 0, 0]
