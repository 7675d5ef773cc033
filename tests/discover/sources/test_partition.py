import numpy as np
from hypothesis import given, settings

from shoal.discover.sources._partition import Partition
from tests.discover.tables import code_arrays, coded
from tests.reference import discover as slow


@settings(deadline=None)
@given(codes=code_arrays(min_rows=1))
def test_a_partition_counts_groups_uniques_and_pairs(codes):
    n = codes.shape[1]
    partition = Partition.whole(coded(codes)).by(range(len(codes)))
    everything = range(len(codes))
    assert partition.distinct == slow.distinct(codes, everything)
    assert partition.unique == slow.unique(codes, everything)
    assert partition.together == n * (n - 1) // 2 - slow.separated(codes, everything)


def test_single_and_absent_rows_need_no_telling_apart():
    for n in (0, 1):
        partition = Partition.whole(coded(np.zeros((2, n))))
        assert (partition.distinct, partition.together) == (n, 0)
        assert partition.by([0, 1]).distinct == n


def test_a_repr_shows_counts_and_names_only():
    assert repr(coded([[7, 8, 7]])) == "CodeTable(3 rows, ['c0'])"
