import numpy as np
import pytest

from shoal.errors import ParameterError
from shoal.risk import estimate_uniques
from shoal.risk._uniques import decide

SIZES = [1] * 40 + [2] * 15 + [3] * 6 + [7] * 4


def test_the_decision_rule():
    every = {"pitman": 5.0, "zayatz": 4.0, "slide-negative-binomial": 3.0}
    assert decide(every, 0.1) == "pitman"
    assert decide(every | {"pitman": None}, 0.1) == "zayatz"
    assert decide(every, 0.11) == "slide-negative-binomial"
    assert decide(every | {"slide-negative-binomial": 4.5}, 0.11) == "zayatz"
    assert decide(every | {"slide-negative-binomial": None}, 0.5) == "zayatz"


def test_a_sample_that_is_the_population_is_counted():
    found = estimate_uniques(SIZES, 1)
    assert found.uniques == 40
    assert found.share == 40 / found.n_rows


def test_nobody_is_alone_where_nobody_is_alone_in_the_sample():
    assert estimate_uniques([2, 4, 4], 0.05).uniques == 0


def test_intervals_follow_the_seed_and_hold_the_estimate():
    found = estimate_uniques(SIZES, 0.1, bootstrap=60, random_state=3)
    again = estimate_uniques(SIZES, 0.1, bootstrap=60, random_state=3)
    assert (found.low, found.high) == (again.low, again.high)
    assert found.low < found.share < found.high
    assert (estimate_uniques(SIZES, 0.1).low, estimate_uniques(SIZES, 0.1).high) == (None, None)


def test_an_estimator_without_an_answer_says_so():
    found = estimate_uniques([1, 1, 1, 1], 0.05)
    assert found.used == "zayatz"
    assert found.estimates["pitman"] is None
    with pytest.raises(ParameterError, match="pitman finds no answer"):
        estimate_uniques([1, 1, 1, 1], 0.05, method="pitman")


@pytest.mark.parametrize("fraction", [0, 1.5, -0.1])
def test_fractions_are_shares(fraction):
    with pytest.raises(ParameterError, match="fraction"):
        estimate_uniques(SIZES, fraction)


def test_sizes_are_numbers_of_rows():
    with pytest.raises(ParameterError, match="whole numbers"):
        estimate_uniques([1.5, 2.0], 0.1)
    with pytest.raises(ParameterError, match="no group with rows"):
        estimate_uniques(np.zeros(3, int), 0.1)
