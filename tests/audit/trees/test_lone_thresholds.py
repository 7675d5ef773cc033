"""A test half-way between what everybody has and what one person has tells that number."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

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


def incomes(n=600, seed=4):
    draw = np.random.default_rng(seed)
    X = pd.DataFrame({"age": 10 * draw.integers(2, 8, n), "fine": draw.lognormal(10, 0.6, n)})
    X["fine"] = X["fine"].round(2).astype(np.float32).astype(np.float64)
    return X, ((X["fine"] > 22_000) ^ (draw.random(n) < 0.1)).astype(int)


def incomes_told(model, X, y, k=5):
    found = audit(model.fit(X, y), X.assign(ill=y), SCHEMA, k=k)
    return any("'fine'" in why for why in (*found.unread, *found.held)), found.answer


@pytest.mark.parametrize("method", ["hist", "approx"])
def test_xgboost_that_cuts_at_the_number_of_somebody_is_not_called_safe(method):
    xgboost = need("xgboost")
    X, y = incomes()
    model = xgboost.XGBClassifier(n_estimators=3, max_depth=2, tree_method=method).fit(X, y)
    nodes = model.get_booster().trees_to_dataframe()
    cuts = nodes.loc[nodes["Feature"] == "fine", "Split"].to_numpy(np.float32)
    assert np.isin(cuts, X["fine"].to_numpy(np.float32)).all()
    assert incomes_told(model, X, y) == (True, "cannot tell")
    halfway = xgboost.XGBClassifier(n_estimators=3, max_depth=2, tree_method="exact")
    assert incomes_told(halfway, X, y) == (False, "safe")
    assert incomes_told(model, X.round(-4), y) == (False, "safe")  # many people have each number


@pytest.mark.parametrize("max_bins", [3, 5])
def test_boosting_on_histograms_that_cuts_there_is_not_either(max_bins):
    X, y = incomes(601)
    model = HistGradientBoostingClassifier(
        max_iter=2, max_depth=2, max_bins=max_bins, early_stopping=False
    ).fit(X, y)
    assert np.isin(model._bin_mapper.bin_thresholds_[1], X["fine"]).all()
    told, answer = incomes_told(model, X, y)
    assert told
    assert answer != "safe"


@pytest.mark.parametrize("max_depth", [1, 3])
def test_tests_that_a_known_seed_draws_between_the_ends_of_a_column_are_not_called_safe(max_depth):
    X, y = incomes()
    model = ExtraTreesClassifier(
        20, max_depth=max_depth, max_features=None, random_state=0, min_samples_leaf=20
    ).fit(X, y)
    told = incomes_told(model, X, y)
    assert told == (True, "cannot tell")
    assert incomes_told(model, X.round(-4).clip(upper=40_000), y) == (False, "safe")
    roots = [one for one in model.fit(X, y).estimators_ if one.tree_.feature[0] == 1]
    between = pd.DataFrame({"age": X["age"], "fine": np.linspace(0, 1, len(X))})
    ends = []  # whoever knows the seeds solves for the least and the largest number
    for tree in roots:
        mine = ExtraTreeClassifier(**tree.get_params()).fit(
            between.to_numpy(), between["fine"] > 0.5
        )
        if mine.tree_.feature[0] == 1:
            share = mine.tree_.threshold[0]
            ends.append([1 - share, share, tree.tree_.threshold[0]])
    system = np.array(ends)
    solved = np.linalg.lstsq(system[:, :2], system[:, 2], rcond=None)[0]
    assert np.allclose(solved, [X["fine"].min(), X["fine"].max()], rtol=1e-5)
