import numpy as np
import pytest

from shoal.anonymize.grouping._candidates import (
    bundle_rare,
    hierarchy_of,
    merge_alike,
    merge_smallest,
    nested,
)


@pytest.mark.parametrize("seed", range(20))
def test_levels_of_every_way_nest_and_get_coarser(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 40))
    counts = rng.integers(1, 200, n)
    profiles = rng.dirichlet(np.ones(5), n)
    for levels in (bundle_rare(counts, 5), merge_smallest(counts), merge_alike(profiles)):
        assert nested(levels)
        sizes = [len(set(groups)) for groups in levels]
        assert sizes == sorted(set(sizes), reverse=True)
        assert all(1 < size < n for size in sizes)
        tree = hierarchy_of([f"v{i}" for i in range(n)], levels, counts, 5)
        assert tree.n_values == n


def test_values_of_like_company_come_together():
    profiles = np.array([[1, 0], [0.98, 0.02], [0, 1], [0.03, 0.97]])
    (level,) = merge_alike(profiles)
    assert level[0] == level[1] != level[2] == level[3]


def test_labels_name_no_value_that_fewer_than_k_people_have():
    counts = np.array([50, 40, 2, 1, 1, 1])
    values = ["Kiel", "Ulm", "Rare1", "Rare2", "Rare3", "Rare4"]
    for levels in (bundle_rare(counts, 5), merge_smallest(counts)):
        tree = hierarchy_of(values, levels, counts, 5)
        inner = " ".join(str(label) for label in tree.labels[tree.n_leaves :])
        assert "Rare" not in inner


def test_the_smallest_are_joined_first():
    counts = np.array([100, 90, 1, 2, 50, 60])
    first = merge_smallest(counts)[0]
    assert first[2] == first[3]
    assert first[0] != first[1]
