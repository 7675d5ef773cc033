import numpy as np
from hypothesis import given, settings, strategies as st

from shoal.discover.covers import _coverage
from shoal.discover.covers._coverage import AllPairs, DistinctRows, SampledPairs
from tests.discover.tables import code_arrays, coded, random_table
from tests.reference import discover as slow


@settings(deadline=None)
@given(codes=code_arrays(), data=st.data())
def test_every_coverage_counts_what_the_chosen_attributes_cover(codes, data):
    chosen = data.draw(st.lists(st.integers(0, len(codes) - 1), unique=True))
    pairs, rows = AllPairs.of(coded(codes)), DistinctRows.of(coded(codes))
    sampled = SampledPairs.of(slow.all_pairs(codes))
    for j in chosen:
        pairs, rows, sampled = pairs.add(j), rows.add(j), sampled.add(j)
    everyone = range(len(codes))
    assert pairs.covered == sampled.covered == slow.separated(codes, chosen)
    assert rows.covered == slow.distinct(codes, chosen)
    expected = [slow.separated(codes, [*chosen, j]) for j in everyone]
    assert pairs.after(everyone) == sampled.after(everyone) == expected
    assert rows.after(everyone) == [slow.distinct(codes, [*chosen, j]) for j in everyone]


def test_threads_change_nothing(monkeypatch):
    table = coded(random_table(0, 6, 500, 9))
    alone = AllPairs.of(table).after(range(6))
    monkeypatch.setattr(_coverage, "_WORTH_THREADS", 10)
    assert AllPairs.of(table).after(range(6)) == alone
    assert np.all(np.diff(alone) != 0)
