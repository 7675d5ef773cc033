"""Coarse columns: nodes as values, and recodings said of the values behind them."""

import numpy as np
import pytest

from shoal.anonymize._recoding import CutRecoding
from shoal.anonymize.regions._coarse_columns import coarse_column, floors_of, lift
from shoal.schema import Hierarchy
from shoal.schema._coding import Coding


def random_tree(rng, n_leaves=9, *, missing):
    """A tree with branches of different lengths."""
    parents, open_ = {}, [f"v{i}" for i in range(n_leaves)]
    number = 0
    while len(open_) > 1:
        size = int(rng.integers(2, 4))
        first = int(rng.integers(0, len(open_)))
        taken = open_[first : first + size]
        name = "*" if len(taken) == len(open_) else f"n{number}"
        parents |= dict.fromkeys(taken, name)
        open_[first : first + size] = [name]
        number += 1
    if open_[0] != "*":
        parents = {a: "*" if b == open_[0] else b for a, b in parents.items()}
    tree = Hierarchy.from_parents(parents)
    return tree.with_missing() if missing else tree


def coding_of(tree, rng, *, limited):
    ceiling = np.full(tree.n_leaves, tree.root, np.int32)
    if limited:
        for leaf in range(tree.n_leaves):
            if tree.parent[leaf] != tree.root:
                top = leaf
                while tree.parent[top] != tree.root:
                    top = tree.parent[top]
                ceiling[leaf] = top
    texts = tree.labels[: tree.n_leaves]
    return Coding("city", "categorical", texts, np.full(len(texts), np.nan), tree, ceiling)


def ancestors(tree, node):
    found = {node}
    while tree.parent[node] >= 0:
        node = int(tree.parent[node])
        found.add(node)
    return found


@pytest.mark.parametrize("seed", range(30))
def test_floors_are_above_their_values_and_apart(seed):
    rng = np.random.default_rng(seed)
    coding = coding_of(random_tree(rng, missing=seed % 2 == 0), rng, limited=seed % 3 == 0)
    tree = coding.hierarchy
    floors = floors_of(coding)
    assert floors[0].tolist() == list(range(tree.n_leaves))
    assert len(floors) > 1
    for floor, higher in zip(floors, [*floors[1:], floors[-1]], strict=True):
        for leaf in range(tree.n_leaves):
            assert floor[leaf] in ancestors(tree, leaf)
            assert higher[leaf] in ancestors(tree, int(floor[leaf]))
            assert coding.ceiling[leaf] in ancestors(tree, int(floor[leaf]))
        used = set(floor.tolist())
        assert all(ancestors(tree, node) & used == {node} for node in used)


@pytest.mark.parametrize("seed", range(30))
def test_what_is_found_for_nodes_is_said_of_their_values(seed):
    rng = np.random.default_rng(100 + seed)
    coding = coding_of(random_tree(rng, missing=seed % 2 == 0), rng, limited=seed % 3 == 0)
    tree = coding.hierarchy
    for floor in floors_of(coding):
        column = coarse_column(coding, floor)
        small = column.coding.hierarchy
        assert small.n_leaves == column.coding.n_codes == len(set(floor.tolist()))
        for leaf, code in enumerate(column.code_of.tolist()):
            assert column.node_of[code] == floor[leaf]
            for node in ancestors(small, code):
                assert column.node_of[node] in ancestors(tree, int(floor[leaf]))
            assert column.node_of[column.coding.ceiling[code]] == coding.ceiling[leaf]
            assert small.levels[code, 0] == code
            assert small.levels[code, -1] == small.root
            assert set(small.levels[code].tolist()) <= ancestors(small, code)
        assert column.node_of[small.root] == tree.root
        if coding.missing >= 0 and floor[coding.missing] == coding.missing:
            assert column.coding.missing == column.code_of[coding.missing]
        chosen = small.levels[:, small.n_levels // 2]
        hidden = chosen[:1].reshape(1, 1)
        found = lift(CutRecoding((column.coding,), (chosen,), hidden), [coding], [column])
        assert found.node_of[0].tolist() == [
            column.node_of[chosen[code]] for code in column.code_of.tolist()
        ]
        assert found.suppressed.tolist() == [[column.node_of[chosen[0]]]]
