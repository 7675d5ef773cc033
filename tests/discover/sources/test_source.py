import numpy as np
from hypothesis import given, settings

from shoal.discover.sources._source import CodedSource, sample_pairs
from tests.discover.tables import code_arrays, coded


def test_sampled_pairs_have_the_law_of_independent_pairs():
    # one column per row, so that the columns that differ name the pair
    n, k, runs = 6, 4, 6_000
    source = CodedSource(coded(np.eye(n)))
    rng = np.random.default_rng(0)
    single = np.zeros((n, n))
    repeats = 0
    for _ in range(runs):
        differs = sample_pairs(source, k, rng)
        pairs = [tuple(np.flatnonzero(column)) for column in differs.T]
        assert all(len(pair) == 2 for pair in pairs)
        for a, b in pairs:
            single[a, b] += 1
        repeats += len(set(pairs)) < k
    counts = single[np.triu_indices(n, 1)]
    expected = runs * k / 15
    assert ((counts - expected) ** 2 / expected).sum() < 36  # chi-square, 14 df, p = 0.001
    # of four independent pairs out of 15, some two are equal with this probability
    some_equal = 1 - 14 * 13 * 12 / 15**3
    assert abs(repeats / runs - some_equal) < 3.3 * np.sqrt(some_equal * (1 - some_equal) / runs)


@settings(deadline=None)
@given(codes=code_arrays(min_rows=1))
def test_making_rows_distinct_keeps_one_of_each(codes):
    kept = CodedSource(coded(codes)).distinct().table.codes
    assert {tuple(c) for c in kept.T} == {tuple(c) for c in codes.T}
    assert kept.shape[1] == len({tuple(c) for c in codes.T})


def test_a_sample_has_the_size_asked_for_and_no_row_twice():
    source = CodedSource(coded([np.arange(50)]))
    drawn = source.sample(20, np.random.default_rng(0)).codes[0]
    assert len(set(drawn.tolist())) == 20
    assert source.sample(80, np.random.default_rng(0)).n_rows == 50
