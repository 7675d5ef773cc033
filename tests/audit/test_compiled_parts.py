"""Which arrays of children are a tree, and which categories of an encoder have a place."""

import copy

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from shoal.audit._compiled_parts import check_children, check_compiled_parts
from shoal.errors import TableError


def test_trees():
    check_children(np.array([-1]), np.array([-1]))
    check_children(np.array([1, -1, 3, -1, -1]), np.array([2, -1, 4, -1, -1]))
    check_children(np.array([4, -1, -1, -1, 1]), np.array([3, -1, -1, -1, 2]))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ([], []),
        ([1, -1], [-1, -1]),
        ([1, -1, -1], [1, -1, -1]),
        ([1, -1, -1], [3, -1, -1]),
        ([0, -1, -1], [1, -1, -1]),
        ([1, 3, -1, 1, -1], [2, 4, -1, 2, -1]),
        ([-1, 2, 1], [-1, 2, 1]),
        ([-1, 3, 4, 1, 2], [-1, 4, 3, 2, 1]),
    ],
)
def test_no_trees(left, right):
    with pytest.raises(TableError):
        check_children(np.array(left, int), np.array(right, int))


def test_a_leaf_has_no_other_number_than_minus_one_for_children():
    """scikit-learn follows -31 out of the tree, and the process crashes."""
    left, right = np.array([1, -1, -31]), np.array([2, -1, -1])
    with pytest.raises(TableError, match="a child is no node"):
        check_children(left, right)
    check_children(np.maximum(left, -1), right)


ROWS = np.array([["a", "x"], ["b", "x"], ["c", "y"], ["c", "y"]], object)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"sparse_output": False},
        {"drop": "first"},
        {"drop": "if_binary"},
        {"min_frequency": 2},
        {"max_categories": 2, "drop": "first"},
        {"handle_unknown": "ignore"},
    ],
    ids=str,
)
def test_categories_have_places(options):
    """What scikit-learn does with other places is written beyond the row."""
    encoder = OneHotEncoder(**options).fit(ROWS)
    check_compiled_parts(encoder)
    damages = [("_n_features_outs", said) for said in ([-1, 2], [3], None, [10**12, 2])]
    if "drop" in options:
        damages += [("_drop_idx_after_grouping", np.array([-9, 0], object))]
    if any(name in options for name in ("min_frequency", "max_categories")):
        mapping = [np.array([0, 10**6, 1]), None]
        damages += [("_default_to_infrequent_mappings", mapping)]
    for name, value in damages:
        broken = copy.deepcopy(encoder)
        setattr(broken, name, value)
        with pytest.raises(TableError, match="no places"):
            check_compiled_parts(make_pipeline(broken, DecisionTreeClassifier()))
