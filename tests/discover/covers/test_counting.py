from itertools import combinations

import numpy as np
from hypothesis import given, settings, strategies as st

from shoal.discover.covers._counting import in_small_keys, least_key_cost, most_unique
from tests.discover.tables import code_arrays, coded
from tests.reference import discover as slow


def _keys(codes, max_size=99):
    n = codes.shape[1]
    return [
        s
        for s in slow.subsets(len(codes))
        if len(s) <= max_size and len({tuple(row) for row in codes[list(s)].T}) == n
    ]


@settings(deadline=None, max_examples=60)
@given(codes=code_arrays(), data=st.data())
def test_no_key_costs_less_than_counting_allows(codes, data):
    costs = np.array(
        data.draw(
            st.lists(
                st.sampled_from([1.0, 2.0, 0.3, 5.0]), min_size=len(codes), max_size=len(codes)
            )
        )
    )
    table = coded(codes)
    for weights in (costs, np.ones(len(codes))):
        bound = least_key_cost(table.n_rows, table.n_codes, weights)
        for key in _keys(codes):
            assert weights[list(key)].sum() >= bound - 1e-9


@settings(deadline=None, max_examples=60)
@given(codes=code_arrays(), max_size=st.integers(1, 3))
def test_small_keys_have_only_attributes_that_can_be_in_one(codes, max_size):
    among = in_small_keys(coded(codes), max_size)
    for key in _keys(codes, max_size):
        minimal = all(not set(other) < set(key) for other in _keys(codes, max_size))
        assert not minimal or all(among >> j & 1 for j in key)


@settings(deadline=None, max_examples=60)
@given(codes=code_arrays())
def test_no_set_makes_more_rows_unique_than_the_bound(codes):
    bounds = most_unique(coded(codes), len(codes))
    for size, bound in enumerate(bounds, 1):
        sets = combinations(range(len(codes)), size)
        worst = max(slow.unique(codes, s) for s in sets)
        assert worst <= bound
        if size == 1:
            assert worst == bound


def test_few_values_bound_both():
    codes = np.array([[0, 1] * 8, [0, 0, 1, 1] * 4, [0] * 16])
    table = coded(codes)
    assert least_key_cost(table.n_rows, table.n_codes, np.ones(3)) == np.inf
    assert in_small_keys(table, 3) == 0
    assert most_unique(table, 2) == [0, 2]  # eight rows of a value, two values beside: one alone
