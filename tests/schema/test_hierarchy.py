import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st

from shoal.errors import HierarchyError
from shoal.schema import Hierarchy
from tests.reference import hierarchies as slow
from tests.schema.strategies import parent_maps


@given(parents=parent_maps())
def test_every_node_covers_the_run_of_its_leaves(parents):
    tree = Hierarchy.from_parents(parents)
    assert tree.labels[tree.root] == "*"
    for node, label in enumerate(tree.labels):
        run = tree.labels[tree.start[node] : tree.stop[node]]
        below = slow.leaves_below(parents, label) or {label}
        assert set(run) == below
        assert len(run) == len(below) == tree.n_leaves_below[node]
        steps = slow.path(parents, label)
        assert tree.depth[node] == len(steps) - 1
        heights = [slow.path(parents, leaf).index(label) for leaf in below]
        assert tree.height[node] == max(heights)
        assert (tree.labels[tree.parent[node]] if node != tree.root else "*") == steps[
            min(1, len(steps) - 1)
        ]
        assert {tree.labels[c] for c in tree.children(node)} == {
            child for child, parent in parents.items() if parent == label
        }


@given(parents=parent_maps())
def test_lowest_common_ancestors_are_those_of_the_paths(parents):
    tree = Hierarchy.from_parents(parents)
    nodes = np.arange(tree.n_nodes)
    found = tree.lowest_common_ancestor(nodes[:, None], nodes[None, :])
    for a in nodes:
        for b in nodes:
            expected = slow.lowest_common_ancestor(parents, tree.labels[a], tree.labels[b])
            assert tree.labels[found[a, b]] == expected


@given(parents=parent_maps())
def test_levels_climb_from_each_leaf_to_the_root_and_nest(parents):
    tree = Hierarchy.from_parents(parents)
    assert (tree.levels[:, 0] == np.arange(tree.n_leaves)).all()
    assert (tree.levels[:, -1] == tree.root).all()
    for leaf, row in enumerate(tree.levels):
        path = slow.path(parents, tree.labels[leaf])
        seen = [tree.labels[node] for node in row]
        assert list(dict.fromkeys(seen)) == path
    for level in range(tree.n_levels - 1):  # one node on a level, one node on the next
        pairs = {(a, b) for a, b in tree.levels[:, level : level + 2].tolist()}
        assert len(pairs) == len({a for a, _ in pairs})


@given(parents=parent_maps())
def test_rows_and_dictionaries_and_pickles_give_the_same_tree(parents):
    tree = Hierarchy.from_parents(parents)
    assert tree.find(tree.labels[0]) == 0
    rows = [[tree.labels[node] for node in row] for row in tree.levels]
    for twin in (
        Hierarchy.from_levels(rows),
        Hierarchy.from_dict(tree.to_dict()),
        pickle.loads(pickle.dumps(tree)),
    ):
        assert twin == tree
        assert hash(twin) == hash(tree)
    assert "_codes" not in pickle.loads(pickle.dumps(tree)).__dict__


@given(parents=parent_maps(), extra=st.integers(1, 3))
def test_further_leaves_hang_under_the_root_and_change_nothing_else(parents, extra):
    tree = Hierarchy.from_parents(parents)
    new = [f"new{i}" for i in range(extra)]
    grown = tree.with_leaves(new)
    assert grown.labels[tree.n_leaves : tree.n_leaves + extra] == tuple(new)
    rows = [[tree.labels[n] for n in row] for row in tree.levels]
    assert [[grown.labels[n] for n in row] for row in grown.levels[: tree.n_leaves]] == rows
    for label in new:
        assert grown.parent[grown.find(label)] == grown.root
    assert grown.levels.shape == (tree.n_leaves + extra, tree.n_levels)


@given(parents=parent_maps())
def test_the_missing_value_is_a_leaf_under_the_root_that_is_no_value(parents):
    tree = Hierarchy.from_parents(parents)
    full = tree.with_missing()
    assert full.missing == tree.n_leaves == full.n_leaves - 1
    assert full.labels[full.missing] is None
    assert full.parent[full.missing] == full.root
    assert full.n_values == tree.n_values == tree.n_leaves
    assert full.n_leaves_below[full.root] == tree.n_leaves_below[tree.root]
    assert (full.lowest_common_ancestor(full.missing, np.arange(tree.n_leaves)) == full.root).all()
    assert full.with_missing() is full
    assert tree.missing == -1


@given(parents=parent_maps(), seed=st.integers(0, 99))
def test_sorting_keeps_the_tree_and_orders_siblings(parents, seed):
    tree = Hierarchy.from_parents(parents)
    keys = np.random.default_rng(seed).permutation(tree.n_leaves).astype(float)
    key = {tree.labels[leaf]: keys[leaf] for leaf in range(tree.n_leaves)}
    twin = tree.sorted_by(keys.tolist())
    assert {twin.labels[n]: twin.labels[twin.parent[n]] for n in range(twin.n_nodes - 1)} == parents
    for node in range(twin.n_leaves, twin.n_nodes):
        least = [
            min(key[leaf] for leaf in twin.labels[twin.start[c] : twin.stop[c]])
            for c in twin.children(node)
        ]
        assert least == sorted(least)


def test_unbalanced_rows_may_repeat_labels():
    tree = Hierarchy.from_levels([("a", "a", "*"), ("b", "B", "*"), ("c", "B", "*")])
    assert tree.labels == ("a", "b", "c", "B", "*")
    assert tree.levels.tolist() == [[0, 0, 4], [1, 3, 4], [2, 3, 4]]


def test_a_group_named_like_a_value_is_told_apart():
    tree = Hierarchy.from_levels([("a", "a", "*"), ("b", "a", "*")])
    assert tree.labels == ("a", "b", "a [level 1]", "*")
    starred = Hierarchy.flat(["*", "x"])
    assert starred.labels == ("*", "x", "* [level 1]")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "'c' is empty. Give one line per value."),
        ([("a",)], "'c' has one level"),
        ([("a", "x"), ("b", "y")], "'c': 2 roots ('x', 'y'). Add a last level with the one label"),
        ([("a", "x", "*"), ("b", "*")], "'c', line 2: 2 levels where line 1 has 3. Repeat a label"),
        (
            [("a", "*"), ("b", "*"), ("a", "*")],
            "'c', line 3: value 'a' was given before",
        ),
        (
            [("a", "x", "*"), ("b", "x", "*"), ("c", "x", "y")],
            "'c': 2 roots",
        ),
        (
            [("a", "x", "p", "*"), ("b", "x", "q", "*")],
            "'c', line 2: 'x' lies under 'q' here and under 'p' on line 1. A value has one parent",
        ),
        (
            [("a", "x", "y", "*"), ("b", "y", "x", "*")],
            "'c', line 2: 'y' lies under 'x' here and under '*' on line 1",
        ),
    ],
)
def test_wrong_rows_name_column_line_and_label(rows, message):
    with pytest.raises(HierarchyError) as caught:
        Hierarchy.from_levels(rows, column="c")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("parents", "message"),
    [
        ({"a": "x", "x": "a"}, "'c': a cycle, no label is without a parent"),
        ({"a": "*", "x": "y", "y": "x"}, "'c': a cycle through 'x'. Remove the link"),
        ({"a": "x", "b": "y"}, "'c': 2 roots ('x', 'y'). Put them under the one label '*'"),
    ],
)
def test_cycles_and_several_roots_are_found(parents, message):
    with pytest.raises(HierarchyError) as caught:
        Hierarchy.from_parents(parents, column="c")
    assert message in str(caught.value)


def test_a_value_that_is_also_a_parent_is_refused():
    with pytest.raises(HierarchyError, match="'x' is both a value and the parent of others"):
        Hierarchy.from_parents({"a": "x", "x": "*"}, leaves=["a", "x"])


def test_nested_mappings():
    tree = Hierarchy.from_tree(
        {"*": {"Midwest": {"Kansas": ["Wichita"], "Nebraska": "Lincoln"}, "Hawaii": None}}
    )
    assert tree.labels[:3] == ("Wichita", "Lincoln", "Hawaii")
    assert tree.labels[tree.root] == "*"
    assert tree.labels[tree.lowest_common_ancestor(0, 1)] == "Midwest"
    with pytest.raises(HierarchyError, match="'Lincoln' appears twice"):
        Hierarchy.from_tree({"A": ["Lincoln"], "B": ["Lincoln"]})
    with pytest.raises(HierarchyError, match="is empty"):
        Hierarchy.from_tree({})


def test_find_and_repr():
    tree = Hierarchy.flat(["a", "b"])
    assert [tree.find(label) for label in ("b", "*", "z")] == [1, 2, -1]
    assert repr(tree) == "Hierarchy(2 leaves, 3 nodes, 2 levels)"
    assert tree != "tree"


def test_a_single_value_that_is_spelt_like_the_root_is_no_root():
    tree = Hierarchy.flat(["*"])
    assert (tree.labels, tree.n_leaves) == (("*", "* [level 1]"), 1)
