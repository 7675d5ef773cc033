from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from shoal.discover.covers._hitting import (
    Budget,
    bits,
    minimal_hitting_sets,
    minimal_only,
    smallest_hitting_set,
)

families = st.lists(st.integers(1, 2**7 - 1), min_size=1, max_size=12)
costs = st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=7, max_size=7)


def _hitting(masks, n=7):
    return [s for s in range(2**n) if all(s & mask for mask in masks)]


@settings(deadline=None)
@given(masks=families, costs=costs)
def test_branch_and_bound_finds_the_least_cost(masks, costs):
    def price(s):
        return sum(costs[j] for j in bits(s))

    found, proved = smallest_hitting_set(minimal_only(masks), costs, Budget(10_000))
    assert proved
    assert all(found & mask for mask in masks)
    assert price(found) == min(map(price, _hitting(masks)))


@settings(deadline=None)
@given(masks=families, max_size=st.integers(1, 7))
def test_every_minimal_hitting_set_is_listed_once(masks, max_size):
    listed = list(minimal_hitting_sets(minimal_only(masks), 2**7 - 1, max_size, Budget(10_000)))
    hitting = _hitting(masks)
    minimal = {s for s in hitting if not any(o != s and o & s == o for o in hitting)}
    assert len(listed) == len(set(listed))
    assert set(listed) == {s for s in minimal if s.bit_count() <= max_size}


def test_a_used_up_budget_is_admitted():
    masks = [sum(1 << j for j in pair) for pair in combinations(range(12), 2)]
    _, proved = smallest_hitting_set(masks, [1.0] * 12, Budget(3))
    assert not proved
    budget = Budget(3)
    list(minimal_hitting_sets(masks, 2**12 - 1, 12, budget))
    assert budget.spent > budget.nodes


def test_only_minimal_sets_are_kept():
    assert minimal_only([0b111, 0b101, 0b10, 0b110]) == [0b10, 0b101]


@pytest.mark.parametrize("n_columns", [12, 63, 64, 65, 300])
def test_many_sets_are_compared_as_few_are(n_columns):
    chance = np.random.default_rng(n_columns)
    masks = [
        sum(1 << int(j) for j in chance.choice(n_columns, chance.integers(1, 7), replace=False))
        for _ in range(400)
    ]
    slow = [mask for mask in set(masks) if not any(o & mask == o for o in masks if o != mask)]
    found = minimal_only(masks)
    assert found == sorted(slow, key=lambda mask: (mask.bit_count(), mask))
    assert minimal_only([*masks, 0]) == [0]
