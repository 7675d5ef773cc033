import math

import numpy as np
import pytest

from shoal.risk._pitman import _cost, estimate_pitman
from shoal.risk._size_counts import count_sizes

SIZES = [1] * 40 + [2] * 15 + [3] * 6 + [7] * 4


def slow(theta, alpha, sizes):
    """The likelihood as the product that it is."""
    n, u = sum(sizes), len(sizes)
    total = sum(math.log(theta + i * alpha) for i in range(1, u))
    total -= sum(math.log(theta + i) for i in range(1, n))
    return total + sum(math.log(j - alpha) for size in sizes for j in range(1, size))


@pytest.mark.parametrize(("theta", "alpha"), [(0.5, 0.3), (20.0, 0.7), (300.0, 0.05)])
def test_the_likelihood_is_the_product(theta, alpha):
    point = np.array([math.log(theta), math.log(alpha / (1 - alpha))])
    cost, slope = _cost(point, count_sizes(SIZES))
    assert -cost == pytest.approx(slow(theta, alpha, SIZES))
    step = 1e-6
    for axis in range(2):
        moved = point.copy()
        moved[axis] += step
        near = (_cost(moved, count_sizes(SIZES))[0] - cost) / step
        assert slope[axis] == pytest.approx(near, rel=1e-3, abs=1e-3)


def test_no_parameters_nearby_are_more_likely():
    """People are drawn from the model itself, and the truth of the population is found again."""
    rng = np.random.default_rng(5)
    theta, alpha, rows, sizes = 50.0, 0.5, [], []
    for n in range(8_000):  # Pitman's restaurant: a new group, or that of somebody, less alpha
        draw = rng.random() * (theta + n)
        other = rows[int(draw)] if draw < n else -1
        if other >= 0 and rng.random() * sizes[other] < sizes[other] - alpha:
            rows.append(other)
            sizes[other] += 1
        else:
            rows.append(len(sizes))
            sizes.append(1)
    sample = np.bincount(rng.choice(rows, 800, replace=False))
    found = estimate_pitman(count_sizes(sample), 0.1)
    assert found == pytest.approx(sizes.count(1), rel=0.2)


def test_a_sample_in_which_everybody_is_alone_has_no_likeliest_model():
    assert math.isnan(estimate_pitman(count_sizes([1, 1, 1]), 0.1))
