from fractions import Fraction
from math import comb

import pytest

from shoal.risk._size_counts import count_sizes
from shoal.risk._zayatz import estimate_zayatz


def slow(sizes, population):
    """Bayes' rule with binomial coefficients, in fractions."""
    n = sum(sizes)

    def shows_one(people):
        if people > population:
            return Fraction(0)
        return Fraction(people * comb(population - people, n - 1), comb(population, n))

    alone = sizes.count(1)
    total = sum(shows_one(size) for size in sizes)
    return alone * (alone * shows_one(1) / total) * Fraction(population, n)


@pytest.mark.parametrize("sizes", [[1, 1, 2, 3], [1] * 5 + [2] * 4 + [9], [1, 8]])
@pytest.mark.parametrize("times", [2, 5, 10])
def test_agrees_with_bayes_rule(sizes, times):
    expected = slow(sizes, times * sum(sizes))
    assert estimate_zayatz(count_sizes(sizes), 1 / times) == pytest.approx(float(expected))
