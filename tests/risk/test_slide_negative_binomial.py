import math

import numpy as np
import pytest
from scipy.stats import binom, nbinom

from shoal.risk._size_counts import count_sizes
from shoal.risk._slide_negative_binomial import (
    estimate_slide_negative_binomial,
    expected_groups,
)


@pytest.mark.parametrize(
    ("a", "b", "fraction"), [(0.7, 0.4, 0.2), (3.0, 0.6, 0.5), (1.0, 0.1, 0.9)]
)
def test_expected_groups_are_sums_over_all_sizes(a, b, fraction):
    sizes = np.arange(1, 4000)
    chance = nbinom.pmf(sizes - 1, a, b)
    for shown, found in zip((1, 2), expected_groups(a, b, 1.0, fraction), strict=True):
        assert found == pytest.approx(float((chance * binom.pmf(shown, sizes, fraction)).sum()))


@pytest.mark.parametrize("fraction", [0.3, 0.5])
def test_finds_the_uniques_of_a_population_of_its_kind(fraction):
    rng = np.random.default_rng(2)
    sizes = 1 + nbinom.rvs(1.0, 0.35, size=20_000, random_state=rng)
    sample = binom.rvs(sizes, fraction, random_state=rng)
    found = estimate_slide_negative_binomial(count_sizes(sample[sample > 0]), fraction)
    assert found == pytest.approx((sizes == 1).sum(), rel=0.25)


def test_without_pairs_there_is_no_answer():
    assert math.isnan(estimate_slide_negative_binomial(count_sizes([1, 1, 5]), 0.2))
