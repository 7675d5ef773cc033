import numpy as np
import pytest

from shoal.anonymize.cuts._packing import make_packing
from shoal.anonymize.greedy._bottom_up_kernels import (
    CutGroups,
    Join,
    gather_groups,
    join_groups,
    keeps_one_alone,
    nodes_of_smallest,
)
from tests.reference import cuts as twin

SEEDS = range(30)
NODES = [[4, 3, 5], [2**40, 2**30, 5]]  # one word, and two


def case(seed, n_nodes):
    """Distinct groups over a few nodes of each column, and a join of some of them."""
    rng = np.random.default_rng(seed)
    nodes = np.unique(rng.integers(0, [4, 3, 5], (25, 3)), axis=0).astype(np.int32)
    nodes = rng.permutation(nodes)
    packing = make_packing(n_nodes)
    words = np.zeros((int(packing.word.max()) + 1, len(nodes)), np.uint64)
    for column in range(3):
        own = nodes[:, column].astype(np.uint64) * packing.weight[column]
        words[packing.word[column]] += own
    classes = rng.integers(0, 4, (len(nodes), 2))
    classes[:, 0] += 1
    groups = CutGroups(np.ascontiguousarray(nodes.T), words, classes.sum(axis=1), classes)
    column = int(rng.integers(3))
    *children, target = rng.choice([4, 3, 5][column], 3, replace=False).tolist()
    is_joined = np.zeros(5, np.bool_)
    is_joined[children] = True
    word, weight = int(packing.word[column]), packing.weight[column]
    listed = [tuple(group) for group in nodes.tolist()]
    return groups, Join(column, is_joined, target, word, weight), listed, children


@pytest.mark.parametrize("n_nodes", NODES)
@pytest.mark.parametrize("seed", SEEDS)
def test_groups_are_joined_and_numbered_like_their_twins(seed, n_nodes):
    groups, join, listed, children = case(seed, n_nodes)
    new, sizes = join_groups(groups, join)
    expected = twin.join(listed, join.column, children, join.target)
    assert new.tolist() == expected
    of_group = twin.by_group(groups.sizes.tolist(), expected)
    assert sizes.tolist() == [sum(of_group[g]) for g in range(len(of_group))]


@pytest.mark.parametrize("n_nodes", NODES)
@pytest.mark.parametrize("seed", SEEDS)
def test_gathered_groups_are_those_of_the_joined_nodes(seed, n_nodes):
    groups, join, listed, children = case(seed, n_nodes)
    new, sizes = join_groups(groups, join)
    gathered = CutGroups(*gather_groups(groups, join, new, sizes))
    after = twin.joined(listed, join.column, children, join.target)
    assert [tuple(gathered.nodes.T[g].tolist()) for g in new] == after
    packing = make_packing(n_nodes)
    for word in range(len(gathered.words)):
        expected = sum(
            gathered.nodes[column].astype(np.uint64) * packing.weight[column]
            for column in range(3)
            if packing.word[column] == word
        )
        assert gathered.words[word].tolist() == np.asarray(expected).tolist()
    of_group = twin.by_group(groups.classes, new.tolist())
    for group, counts in enumerate(gathered.classes.tolist()):
        assert counts == np.sum(of_group[group], axis=0).tolist()
    assert gathered.sizes.tolist() == gathered.classes.sum(axis=1).tolist()


@pytest.mark.parametrize("n_nodes", NODES)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_smallest_group_is_alone_when_no_other_becomes_the_same(seed, n_nodes):
    groups, join, listed, children = case(seed, n_nodes)
    untouched = ~np.isin(groups.nodes[join.column], [*children, join.target])
    groups = groups._replace(sizes=groups.sizes + 100 * untouched)  # the kernel's condition
    smallest = int(groups.sizes.min())
    after = twin.joined(listed, join.column, children, join.target)
    chosen = np.flatnonzero(groups.sizes == smallest)[:8]  # the kernel looks at eight
    expected = any(after.count(after[group]) == 1 for group in chosen)
    assert keeps_one_alone(groups, smallest, join) == expected
    occurs = nodes_of_smallest(groups.nodes[join.column], groups.sizes, smallest, 5)
    small = [g for g, size in zip(listed, groups.sizes, strict=True) if size == smallest]
    assert set(np.flatnonzero(occurs).tolist()) == {group[join.column] for group in small}
