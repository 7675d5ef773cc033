import numpy as np
import pytest

from shoal.anonymize.cuts._cut_kernels import (
    class_summary,
    entropy_of_counts,
    pack_nodes,
    rows_by_node,
    size_summary,
    sum_classes,
    sum_groups,
)
from shoal.anonymize.cuts._packing import make_packing
from tests.reference import cuts as twin

SEEDS = range(10)


@pytest.mark.parametrize("n_nodes", [[5, 3, 4], [2**40, 2**30, 3], [2**62, 2, 2**61, 2]])
def test_cells_have_equal_words_when_their_nodes_are_equal(n_nodes):
    rng = np.random.default_rng(0)
    keys = rng.integers(0, 3, (60, len(n_nodes))).astype(np.int32)
    cut = [rng.integers(0, min(n, 4), 3).astype(np.int32) for n in n_nodes]
    first = 3 * np.arange(len(n_nodes), dtype=np.int64)
    words = pack_nodes(keys, np.concatenate(cut), first, *make_packing(n_nodes))
    nodes = [tuple(int(own[k]) for own, k in zip(cut, key, strict=True)) for key in keys]
    packed = [tuple(column) for column in words.T.tolist()]
    assert len(set(zip(nodes, packed, strict=True))) == len(set(nodes)) == len(set(packed))


def test_a_node_has_the_rows_of_its_leaves():
    start, stop = np.array([0, 1, 2, 0, 0], np.int32), np.array([1, 2, 3, 2, 3], np.int32)
    rows = np.array([4, 0, 7], np.int64)
    expected = [int(rows[a:b].sum()) for a, b in zip(start, stop, strict=True)]
    assert rows_by_node(rows, start, stop).tolist() == expected


@pytest.mark.parametrize("seed", SEEDS)
def test_groups_add_up_their_cells(seed):
    rng = np.random.default_rng(seed)
    group_of = rng.integers(0, 6, 40)
    values = rng.integers(0, 9, 40)
    classes = rng.integers(0, 4, (40, 3))
    of_group = twin.by_group(values.tolist(), group_of.tolist())
    assert sum_groups(values, group_of, 6).tolist() == [sum(of_group.get(g, ())) for g in range(6)]
    group_of[rng.random(40) < 0.2] = -1  # in no group
    table = sum_classes(classes, group_of, 6)
    of_group = twin.by_group(classes, group_of.tolist())
    for group, counts in enumerate(table):
        assert counts.tolist() == np.sum(of_group.get(group, [[0] * 3]), axis=0).tolist()


@pytest.mark.parametrize("seed", SEEDS)
def test_summaries_are_those_of_the_definitions(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 9, 12)
    sizes[0] = 1
    there = [size for size in sizes.tolist() if size]
    smallest, failing, squares = size_summary(sizes, 4)
    assert (smallest, failing) == (min(there), sum(size for size in there if size < 4))
    assert squares == sum(size**2 for size in there)
    table = rng.integers(0, 5, (12, 3))
    bits, errors = class_summary(table)
    assert bits == pytest.approx(sum(twin.bits(row) for row in table.tolist()))
    assert errors == sum(sum(row) - max(row) for row in table.tolist())
    assert entropy_of_counts(table[0]) == pytest.approx(twin.bits(table[0].tolist()))


def test_squares_of_large_groups_do_not_overflow():
    assert size_summary(np.array([2**40], np.int64), 2)[2] == 2.0**80
