import numpy as np
from hypothesis import given, strategies as st

from shoal.schema._tree_arrays import cut_off, numbered
from tests.reference import hierarchies as slow
from tests.schema.strategies import parent_maps


@given(parents=parent_maps(), seed=st.integers(0, 99))
def test_nodes_are_numbered_as_a_walk_meets_them(parents, seed):
    labels = [*parents, "*"]
    rank = dict(zip(labels, np.random.default_rng(seed).permutation(len(labels)), strict=True))
    parent = np.array([*(labels.index(above) for above in parents.values()), -1])
    leaves = np.setdiff1d(np.arange(len(labels)), parent)
    levels = np.column_stack([leaves, parent[leaves]])
    made = numbered(labels, parent, levels, np.array([rank[label] for label in labels]))
    assert list(made.labels) == slow.numbered(parents, "*", rank)
    above = [None if node < 0 else made.labels[node] for node in made.parent]
    assert above == [parents.get(label) for label in made.labels]
    assert made.levels[:, 0].tolist() == list(range(len(leaves)))
    assert made.levels[:, 1].tolist() == made.parent[: len(leaves)].tolist()


@given(above=st.lists(st.integers(0, 12), min_size=1, max_size=12))
def test_nodes_that_do_not_lead_to_the_root_are_found(above):
    root = len(above)
    parent = np.array([*(min(node, root) for node in above), -1])
    for node, lost in enumerate(cut_off(parent, root)[:root]):
        steps = [node]
        while steps[-1] != root and len(steps) <= root:
            steps.append(int(parent[steps[-1]]))
        assert lost == (steps[-1] != root)
