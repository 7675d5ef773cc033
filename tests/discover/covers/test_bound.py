import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from shoal.discover.covers._bound import cheapest_cover
from shoal.discover.covers._coverage import AllPairs, SampledPairs
from shoal.discover.covers._hitting import Budget
from tests.discover.tables import coded, distinct_arrays, random_table
from tests.reference import discover as slow

costs = st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=8, max_size=8)


@settings(deadline=None, max_examples=50)
@given(
    codes=distinct_arrays(max_columns=8),
    costs=costs,
    beta=st.sampled_from([0.2, 0.5, 0.75, 0.9, 1.0]),
)
def test_branch_and_bound_finds_the_least_cost(codes, costs, beta):
    costs = np.array(costs[: len(codes)])
    best = slow.cheapest(codes, costs, beta)
    for coverage in (AllPairs.of(coded(codes)), SampledPairs.of(slow.all_pairs(codes))):
        choice, proved, bound = cheapest_cover(coverage, costs, beta, Budget(10_000))
        assert proved
        assert costs[list(choice.columns)].sum() == pytest.approx(best)
        assert bound == pytest.approx(best)
        assert slow.separated(codes, choice.columns) >= beta * coverage.total - 1e-9


def test_giving_up_leaves_a_cover_and_a_lower_bound():
    codes = random_table(3, 12, 60, 3)
    costs = np.ones(12)
    choice, proved, bound = cheapest_cover(AllPairs.of(coded(codes)), costs, 0.97, Budget(1))
    assert not proved
    assert slow.separation_ratio(codes, choice.columns) >= 0.97
    full, proved, least = cheapest_cover(AllPairs.of(coded(codes)), costs, 0.97, Budget(100_000))
    assert proved
    assert bound <= least == len(full.columns) <= len(choice.columns)
