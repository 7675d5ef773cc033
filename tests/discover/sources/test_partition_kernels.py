from itertools import pairwise

import numpy as np
from hypothesis import given, settings

from shoal.discover.sources._partition_kernels import count_split, refine
from tests.discover.tables import code_arrays
from tests.reference import discover as slow


def _whole(n):
    return np.arange(n, dtype=np.int32), np.array([0, n], np.int64)


def _scratch(codes):
    return np.zeros(codes.max() + 1, np.int32)


@settings(deadline=None)
@given(codes=code_arrays())
def test_refining_column_by_column_gives_the_groups_of_two_rows_and_more(codes):
    order, start = _whole(codes.shape[1])
    for j, column in enumerate(codes):
        scratch = _scratch(column)
        order, start = refine(column, order, start, scratch)
        assert not scratch.any()
        found = {frozenset(order[a:b]) for a, b in pairwise(start)}
        expected = {frozenset(g) for g in slow.groups(codes, range(j + 1)) if len(g) > 1}
        assert found == expected


@settings(deadline=None)
@given(codes=code_arrays())
def test_counting_a_split_agrees_with_making_it(codes):
    n = codes.shape[1]
    order, start = _whole(n)
    alone = 0
    for j, column in enumerate(codes):
        scratch = _scratch(column)
        together, n_distinct, n_single = count_split(column, order, start, scratch)
        assert not scratch.any()
        chosen = range(j + 1)
        assert together == n * (n - 1) // 2 - slow.separated(codes, chosen)
        assert alone + n_distinct == slow.distinct(codes, chosen)
        assert alone + n_single == slow.unique(codes, chosen)
        order, start = refine(column, order, start, scratch)
        alone = n - len(order)
