"""A test half-way between what everybody has and what one person has tells that number."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from shoal.audit import audit
from shoal.schema import Schema
from tests.extras import need

SCHEMA = Schema(
    {
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "fine": {"role": "sensitive", "kind": "numeric"},
        "ill": {"role": "sensitive", "target": True},
    }
)


def table(fines):
    age = np.random.default_rng(0).integers(20, 60, len(fines))
    ill = np.where(fines > 0, "yes", np.where(age > 40, "no", "maybe"))
    return pd.DataFrame({"age": age, "fine": fines}), ill


def lone(fine):
    fines = np.zeros(60)
    fines[7] = fine
    return fines


def verdict(model, fines):
    X, y = table(fines)
    return audit(model.fit(X, y), X.assign(ill=y), SCHEMA, k=10)


@pytest.mark.parametrize("fine", [12_345.67, 81, 10_000, 0.0123])
def test_a_tree_that_tells_the_number_of_one_person_is_not_called_safe(fine):
    found = verdict(DecisionTreeClassifier(max_leaf_nodes=3), lone(fine))
    assert found.answer == "cannot tell"
    assert any("'fine'" in why for why in found.unread)
    assert str(fine) not in str(found.unread)


@pytest.mark.parametrize("usual", [250, 250.5])
def test_it_is_not_either_where_others_have_one_of_a_few_numbers(usual):
    fines = np.where(np.arange(60) % 2 == 0, 0.0, usual)
    X, _ = table(fines)
    y = np.where(fines > 0, "yes", "no")
    for fine, tells in ((usual, False), (12_345.67, True)):
        y[7], X.loc[7, "fine"] = ("no" if tells else "yes"), fine
        found = audit(DecisionTreeClassifier().fit(X, y), X.assign(ill=y), SCHEMA, k=10)
        assert any("'fine'" in why for why in found.unread) == tells


def test_a_forest_and_boosting_are_not_either():
    forest = RandomForestClassifier(3, bootstrap=False, max_features=None, max_leaf_nodes=3)
    boosting = HistGradientBoostingClassifier(max_iter=2, max_leaf_nodes=3, min_samples_leaf=1)
    for model in (forest, boosting):
        found = verdict(model, lone(12_345.67))
        assert any("'fine'" in why for why in found.unread)


def test_neither_are_trees_of_other_libraries():
    xgboost = need("xgboost")
    X, y = table(lone(12_345.67))
    model = xgboost.XGBClassifier(
        n_estimators=2, max_leaves=3, grow_policy="lossguide", min_child_weight=0
    ).fit(X, np.unique(y, return_inverse=True)[1])
    assert "fine" in model.get_booster().trees_to_dataframe()["Feature"].tolist()
    classes = np.unique(y, return_inverse=True)[1]
    found = audit(model, X.assign(ill=classes), SCHEMA, k=10)
    assert any("'fine'" in why for why in found.unread)


def test_a_test_for_more_than_none_tells_no_number():
    lightgbm = need("lightgbm")
    X, y = table(lone(12_345.67))
    classes = np.unique(y, return_inverse=True)[1]
    model = lightgbm.LGBMClassifier(n_estimators=1, num_leaves=3, min_child_samples=1, verbose=-1)
    found = audit(model.fit(X, classes), X.assign(ill=classes), SCHEMA, k=10)
    cuts = model.booster_.trees_to_dataframe().query("split_feature == 'fine'")["threshold"]
    assert any("'fine'" in why for why in found.unread) == bool((cuts > 1e-30).any())


def test_ordinary_trees_are_safe():
    tree = DecisionTreeClassifier(max_leaf_nodes=3)
    assert verdict(tree, lone(1)).is_safe  # yes and no
    assert verdict(tree, np.where(np.arange(60) % 5 == 0, 12_345.67, 0.0)).is_safe
    visits = np.where(np.arange(60) % 20 == 3, 20, np.arange(60) % 4 * 7)  # whole numbers in a row
    X, _ = table(visits)
    y = np.where(visits > 20.5, "yes", "no")
    found = audit(DecisionTreeClassifier().fit(X, y), X.assign(ill=y), SCHEMA, k=10)
    assert not any("'fine'" in why for why in found.unread)
    many = np.random.default_rng(2).normal(50_000, 9_000, 60).round(2) - 50_000
    assert not any("'fine'" in why for why in verdict(tree, many).unread)
