import numpy as np
import pytest

from shoal.anonymize.numbers._bunch import sum_of_squares
from shoal.anonymize.numbers._one_column_kernels import group_line
from tests.reference import microaggregation as slow


@pytest.mark.parametrize("seed", range(12))
def test_no_grouping_of_rows_loses_less(seed):
    """All groupings are tried, those that are no runs included."""
    rng = np.random.default_rng(seed)
    values = np.unique(rng.normal(size=int(rng.integers(5, 10))))
    k = int(rng.integers(2, 4))
    ones = np.ones(len(values), np.int64)
    found = group_line(values, ones, k)
    best = slow.least_sum_of_squares([[value] for value in values], k)
    assert sum_of_squares(values[:, None], ones, found) == pytest.approx(best)
    assert np.bincount(found).min() >= k


def runs(values, weights, k):
    """Least sum of squares over all ways to cut a line, by trying each."""
    best = np.inf
    for cuts in range(1 << (len(values) - 1)):
        group_of = np.cumsum([0, *(cuts >> at & 1 for at in range(len(values) - 1))])
        if np.bincount(group_of, weights=weights).min() >= k:
            best = min(best, sum_of_squares(values[:, None], weights, group_of))
    return best


@pytest.mark.parametrize("seed", range(12))
def test_values_that_many_have_stay_together(seed):
    rng = np.random.default_rng(seed)
    values = np.sort(rng.choice(40, 10, replace=False)).astype(float)
    weights = rng.integers(1, 7, 10)
    k = int(rng.integers(2, 9))
    found = group_line(values, weights, k)
    assert sum_of_squares(values[:, None], weights, found) == pytest.approx(
        runs(values, weights, k)
    )
    assert (np.diff(found) >= 0).all()
    assert np.bincount(found, weights=weights).min() >= k


def test_where_values_come_several_times_groups_that_are_no_runs_may_lose_less():
    """What is not promised: no beginning of the line weighs 5, so that all is one group."""
    values = np.array([0.0, 15.0, 22.0, 37.0, 48.0, 56.0])
    weights = np.array([2, 1, 1, 2, 1, 3])
    found = group_line(values, weights, 5)
    assert (found == 0).all()
    apart = np.array([0, 0, 0, 1, 0, 1])
    assert np.bincount(apart, weights=weights).tolist() == [5, 5]
    own, other = (sum_of_squares(values[:, None], weights, one) for one in (found, apart))
    assert other < own / 2
