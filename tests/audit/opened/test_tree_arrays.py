"""Places in compiled trees that no test uses hold nothing."""

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from shoal.audit.opened._tree_arrays import CLOSED, inside_of_predictor, inside_of_tree

rng = np.random.default_rng(0)
ROWS = rng.normal(size=(200, 3))
ROWS[:9, 0] = np.nan
CLASSES = rng.integers(0, 3, 200)
TREES = [
    DecisionTreeClassifier(max_depth=4),
    DecisionTreeClassifier(max_depth=4, criterion="entropy", class_weight="balanced"),
    DecisionTreeClassifier(max_depth=1, criterion="log_loss"),
    DecisionTreeRegressor(max_depth=4),
]


def closed(found):
    return [name for name, one in found if one is CLOSED]


@pytest.mark.parametrize("tree", TREES)
def test_honest_trees_have_nothing_closed(tree):
    assert not closed(inside_of_tree(tree.fit(ROWS, CLASSES).tree_))


def changed(field, where, value):
    tree = DecisionTreeClassifier(max_depth=3).fit(ROWS, CLASSES).tree_
    state = tree.__getstate__()
    nodes = state["nodes"]
    chosen = nodes["left_child"] < 0 if where == "leaves" else nodes["left_child"] >= 0
    nodes[field][chosen] = value
    tree.__setstate__(state)
    return closed(inside_of_tree(tree))


def test_leaves_with_tests_and_impurities_of_no_classes_are_told():
    assert changed("threshold", "leaves", 31.5) == ["tests of leaves"]
    assert changed("feature", "leaves", 1) == ["tests of leaves"]
    assert changed("impurity", "tests", 0.125) == ["impurity"]


def test_nodes_that_nothing_leads_to_are_told():
    tree = DecisionTreeClassifier(max_depth=3).fit(ROWS, CLASSES).tree_
    state = tree.__getstate__()
    last = int(np.flatnonzero(state["nodes"]["left_child"] >= 0)[-1])
    for name, value in (("left_child", -1), ("right_child", -1), ("feature", -2)):
        state["nodes"][name][last] = value
    state["nodes"]["threshold"][last] = -2
    tree.__setstate__(state)
    assert closed(inside_of_tree(tree)) == ["nodes that no test leads to"]


def test_leaves_of_boosting_on_histograms():
    model = HistGradientBoostingClassifier(max_iter=1, min_samples_leaf=20).fit(ROWS, CLASSES)
    predictor = model._predictors[0][0]
    assert not closed(inside_of_predictor(predictor))
    predictor.nodes["num_threshold"][predictor.nodes["is_leaf"] == 1] = 31.5
    assert closed(inside_of_predictor(predictor)) == ["tests of leaves"]
