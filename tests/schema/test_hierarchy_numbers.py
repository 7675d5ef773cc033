import numpy as np
from hypothesis import given, strategies as st

from shoal.schema._hierarchy import numbered
from tests.reference import hierarchies as slow
from tests.schema.strategies import parent_maps


@given(parents=parent_maps(), seed=st.integers(0, 99))
def test_nodes_are_numbered_as_a_walk_meets_them(parents, seed):
    labels = [*parents, "*"]
    rank = dict(zip(labels, np.random.default_rng(seed).permutation(len(labels)), strict=True))
    parent = np.array([*(labels.index(above) for above in parents.values()), -1])
    leaves = np.setdiff1d(np.arange(len(labels)), parent)
    levels = np.column_stack([leaves, parent[leaves]])
    ranks = np.array([rank[label] for label in labels])
    made_labels, made_parent, made_levels = numbered(labels, parent, levels, ranks)
    assert list(made_labels) == slow.numbered(parents, "*", rank)
    above = [None if node < 0 else made_labels[node] for node in made_parent]
    assert above == [parents.get(label) for label in made_labels]
    assert made_levels[:, 0].tolist() == list(range(len(leaves)))
    assert made_levels[:, 1].tolist() == made_parent[: len(leaves)].tolist()
