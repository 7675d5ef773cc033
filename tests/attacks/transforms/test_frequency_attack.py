from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from shoal.attacks.transforms._frequency_attack import frequency_attack, guess_aliases
from shoal.errors import ParameterError

TRUTH = {"a_1": "flu", "a_2": "cold", "a_3": "gout"}


def example_frequency():
    published = {"a_1": 50, "a_2": 30, "a_3": 20}
    return (published, {"flu": 5, "gout": 3, "cold": 2}, TRUTH), {"column": "illness"}


@settings(deadline=None)
@given(
    counts=st.lists(st.integers(1, 50), min_size=2, max_size=5),
    shares=st.lists(st.integers(1, 50), min_size=5, max_size=5),
)
def test_the_guess_is_the_most_likely_assignment(counts, shares):
    published = {f"a_{i}": n for i, n in enumerate(counts)}
    public = dict(enumerate(shares[: len(counts)]))
    guess = guess_aliases(published, public)

    def likelihood(assignment):
        return sum(n * np.log(public[c]) for n, c in zip(counts, assignment, strict=True))

    best = max(likelihood(order) for order in permutations(public))
    assert likelihood([guess[alias] for alias in published]) == pytest.approx(best)


def test_distinct_frequencies_give_every_alias_away():
    published = {"a_1": 600, "a_2": 300, "a_3": 100}
    result = frequency_attack(published, {"flu": 0.6, "cold": 0.3, "gout": 0.1}, TRUTH)
    assert (result.risk, result.low, result.high) == (1, 1, 1)
    assert result.baseline == pytest.approx(1 / 3)
    assert result.details["rows"] == 1


def test_equal_frequencies_give_no_more_than_guessing():
    rng = np.random.default_rng(0)
    risks = []
    for _ in range(200):
        order = rng.permutation(8)
        truth = {f"a_{i}": int(c) for i, c in enumerate(order)}
        published = {f"a_{i}": int(n) for i, n in enumerate(rng.poisson(1000, 8))}
        public = dict(enumerate(rng.poisson(1000, 8).tolist()))
        risks.append(frequency_attack(published, public, truth, repeats=1).risk)
    assert np.mean(risks) == pytest.approx(1 / 8, abs=0.05)


def test_wrong_marginals_recover_nothing():
    result = frequency_attack({"a_1": 90, "a_2": 10}, {"flu": 0.1, "cold": 0.9}, TRUTH)
    assert result.risk == 0
    assert result.details["rows"] == 0


def test_counts_are_needed():
    with pytest.raises(ParameterError, match="'sex': frequency analysis needs counts"):
        frequency_attack({}, {"flu": 1}, {}, column="sex")
