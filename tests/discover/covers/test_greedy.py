import math

import numpy as np
from hypothesis import given, settings, strategies as st

from shoal.discover.covers._coverage import AllPairs, DistinctRows, SampledPairs
from shoal.discover.covers._greedy import cover, hold, least_count, within
from tests.discover.tables import code_arrays, coded, distinct_arrays
from tests.reference import discover as slow

weights = st.lists(st.sampled_from([0.5, 1.0, 2.0, 4.0]), min_size=8, max_size=8)
shares = st.sampled_from([0.3, 0.5, 0.8, 0.9, 1.0])


@settings(deadline=None)
@given(codes=distinct_arrays(max_columns=8), costs=weights, beta=shares)
def test_lazy_evaluation_chooses_what_the_plain_greedy_chooses(codes, costs, beta):
    costs = np.array(costs[: len(codes)])
    pairs = slow.all_pairs(codes)
    expected = slow.greedy_cover(pairs, costs, beta)
    assert list(cover(AllPairs.of(coded(codes)), costs, beta).columns) == expected
    assert list(cover(SampledPairs.of(pairs), costs, beta).columns) == expected


@settings(deadline=None)
@given(codes=distinct_arrays(max_columns=8), costs=weights, beta=shares)
def test_greedy_is_within_its_factor_of_the_least_cost(codes, costs, beta):
    costs = np.array(costs[: len(codes)])
    chosen = list(cover(AllPairs.of(coded(codes)), costs, beta).columns)
    n = codes.shape[1]
    pairs = n * (n - 1) / 2
    assert slow.separated(codes, chosen) >= beta * pairs - 1e-9
    least = slow.cheapest(codes, costs, beta)
    assert costs[chosen].sum() <= (1 + math.log(max(beta * pairs, 1))) * least + 1e-9
    assert costs[chosen].sum() <= (1 + 2 * math.log(n)) * least + 1e-9


def test_a_cheap_attribute_that_covers_enough_beats_a_dear_one_that_covers_too_much():
    differs = np.zeros((2, 100), bool)
    differs[0] = True
    differs[1, :10] = True
    assert cover(SampledPairs.of(differs), np.array([10.0, 1.5]), 0.1).columns == (1,)


def test_covering_stops_where_nothing_more_can_be_covered():
    same = coded([[0, 0, 1], [0, 0, 1]])
    assert cover(AllPairs.of(same), np.ones(2)).covered == (2,)


@settings(deadline=None)
@given(codes=code_arrays(max_columns=6), values=weights, beta=shares.filter(lambda b: b < 1))
def test_masking_chooses_what_the_plain_greedy_chooses_and_stays_below(codes, values, beta):
    values = np.array(values[: len(codes)])
    for coverage, ratio in ((AllPairs, slow.separation_ratio), (DistinctRows, slow.distinct_ratio)):
        choice, finished = hold(coverage.of(coded(codes)), values, beta)
        assert finished
        assert list(choice.columns) == slow.greedy_mask(codes, values, beta, ratio)
        if choice.columns:
            assert ratio(codes, choice.columns) <= beta + 1e-12
        left = [j for j in range(len(codes)) if j not in choice.columns]
        assert all(ratio(codes, [*choice.columns, j]) > beta for j in left)


def test_shares_that_a_user_writes_are_met_exactly():
    assert within(8, 10, 0.8)
    assert not within(9, 10, 0.8)
    assert least_count(10, 0.8) == 8
    assert least_count(1000, 0.07) == 70
    assert least_count(10, 1.0) == 10
