from hypothesis import given, settings, strategies as st

from shoal.discover.covers._differences import all_minimal_keys, masks_of, smallest_key
from shoal.discover.covers._hitting import Budget, bits
from tests.discover.tables import coded, distinct_arrays
from tests.reference import discover as slow

costs = st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=8, max_size=8)


@settings(deadline=None)
@given(codes=distinct_arrays(max_columns=8, max_code=2), costs=costs)
def test_the_smallest_key_is_the_one_that_trying_all_subsets_finds(codes, costs):
    costs = costs[: len(codes)]
    key, proved, bound = smallest_key(coded(codes), costs, Budget(10_000))
    assert proved
    assert slow.distinct(codes, list(bits(key))) == codes.shape[1]
    assert bound == sum(costs[j] for j in bits(key)) == slow.cheapest(codes, costs)


@settings(deadline=None)
@given(codes=distinct_arrays(max_columns=7, max_code=2), max_size=st.integers(1, 7))
def test_all_minimal_keys_are_those_that_trying_all_subsets_finds(codes, max_size):
    keys, complete = all_minimal_keys(coded(codes), max_size, Budget(100_000))
    assert complete
    assert {tuple(bits(key)) for key in keys} == slow.minimal_keys(codes, max_size)


@given(codes=distinct_arrays())
def test_difference_sets_are_the_columns_on_which_pairs_differ(codes):
    pairs = slow.all_pairs(codes)
    expected = {sum(1 << j for j in range(len(codes)) if column[j]) for column in pairs.T}
    minimal = {m for m in expected if not any(o != m and o & m == o for o in expected)}
    assert set(masks_of(pairs)) == minimal


def test_more_attributes_than_a_machine_word_has_bits():
    codes = [[int(j == row) for row in range(71)] for j in range(70)]
    key, proved, _ = smallest_key(coded(codes), [1.0] * 70, Budget(10_000))
    assert proved
    assert key.bit_count() == 70
