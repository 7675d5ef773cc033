import random

import pytest

from shoal.errors import ParameterError
from shoal.schema import Hierarchy
from shoal.studio.screens._tree_edits import groups, leaves, move, rename, tree_of_values

VALUES = [f"v{n}" for n in range(12)]


def test_values_are_never_lost_whatever_is_done():
    draw = random.Random(1)
    tree = tree_of_values(VALUES)
    for _ in range(200):
        names = [group["name"] for group in groups(tree)]
        if draw.random() < 0.6 or not names:
            chosen = draw.sample(VALUES, draw.randint(1, 5))
            tree = move(tree, chosen, draw.choice(["", "a", "b", "c"]))
        elif draw.random() < 0.5:
            tree = rename(tree, draw.choice(names), f"g{draw.randint(0, 99999)}")
        else:
            tree = rename(tree, draw.choice(names), "")
        assert sorted(leaves(tree)) == sorted(VALUES)
        built = Hierarchy.from_tree(tree)
        assert sorted(built.labels[: built.n_leaves]) == sorted(VALUES)


def test_names_that_are_taken_are_refused():
    tree = {"North": ["Kiel"], "Ulm": []}
    for group in ("Ulm", "Kiel", "*"):
        with pytest.raises(ParameterError):
            move(tree, ["Kiel"], group)
    for name in ("Ulm", "*"):
        with pytest.raises(ParameterError):
            rename(tree, "North", name)


def test_nested_groups_stay_as_they_are():
    tree = {"Land": {"North": ["Kiel"], "South": ["Ulm", "Passau"]}, "Bonn": []}
    moved = move(tree, ["Bonn", "Ulm"], "North")
    assert moved == {"Land": {"North": ["Kiel", "Bonn", "Ulm"], "South": ["Passau"]}}
    assert rename(tree, "South", "") == {
        "Land": {"North": ["Kiel"], "Ulm": [], "Passau": []}, "Bonn": [],
    }  # fmt: skip
