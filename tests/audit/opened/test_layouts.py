"""Files of libraries as they write them, and with something more."""

import copy
import json

import numpy as np
import pytest

from shoal.audit.opened._layouts import unknown_entries
from tests.extras import need

pd = need("pandas")
rng = np.random.default_rng(0)
MANY = np.sin(np.arange(60.0)).tolist()
TABLE = pd.DataFrame({"a": rng.normal(size=300), "b": pd.Categorical(rng.choice(list("xyz"), 300))})
TABLE.loc[:9, "a"] = np.nan
TARGET = rng.integers(0, 3, 300)
TREE = ("learner", "gradient_booster", "model", "trees", 0)


def of_xgboost(**more):
    model = need("xgboost").XGBClassifier(
        n_estimators=2, max_depth=2, enable_categorical=True, **more
    )
    model.fit(TABLE, TARGET)
    return json.loads(bytes(model.get_booster().save_raw(raw_format="json")))


def of_lightgbm():
    model = need("lightgbm").LGBMClassifier(n_estimators=2, num_leaves=4, verbose=-1)
    return model.fit(TABLE, TARGET).booster_.dump_model()


def changed(data, where, name, value):
    data = copy.deepcopy(data)
    place = data
    for step in where:
        place = place[step]
    place[name] = value
    return unknown_entries(data)


def test_what_libraries_write_is_known():
    assert unknown_entries(of_xgboost()) == ()
    assert unknown_entries(of_lightgbm()) == ()
    booster = need("xgboost").XGBRegressor(n_estimators=2, max_depth=2)
    booster.fit(TABLE[["a"]], TARGET)
    assert unknown_entries(json.loads(bytes(booster.get_booster().save_raw("json")))) == ()
    dump = booster.get_booster().get_dump(dump_format="json", with_stats=True)
    assert unknown_entries([json.loads(tree) for tree in dump]) == ()


@pytest.mark.parametrize(
    ("where", "name", "value"),
    [
        ((), "rows", MANY),
        (("learner",), "rows", 1),
        (("learner", "attributes"), "note", "QUJD" * 30),
        (("learner", "objective"), "note", MANY),
        (("learner",), "feature_types", [str(one) for one in MANY] * 3),
        (TREE, "rows", MANY),
        (TREE, "loss_changes", MANY),
        (TREE, "base_weights", ["31, 2.5"] * 3),
    ],
)
def test_entries_that_xgboost_does_not_write(where, name, value):
    assert changed(of_xgboost(), where, name, value)


@pytest.mark.parametrize(
    ("where", "name", "value"),
    [
        ((), "rows", MANY),
        ((), "monotone_constraints", MANY),
        (("feature_infos",), "a person", {"min_value": 1, "max_value": 2}),
        (("tree_info", 0), "rows", MANY),
        (("tree_info", 0, "tree_structure"), "rows", 1),
    ],
)
def test_entries_that_lightgbm_does_not_write(where, name, value):
    assert changed(of_lightgbm(), where, name, value)


def test_rules_have_numbers_beside_their_items():
    rule = {"antecedents": ["bread"], "consequents": ["milk"], "support": 0.5}
    assert unknown_entries([rule]) == ()
    assert unknown_entries([rule | {"note": "31, 2.5"}])


def test_arrays_of_a_tree_that_are_none_are_told():
    tree = {"left_children": [-1], "base_weights": 31, "parents": [0, 1]}
    for broken in (tree, tree | {"left_children": 2.5}):
        model = {"learner": {"gradient_booster": {"model": {"trees": [broken]}}}}
        assert "base_weights" in unknown_entries(model)[0]
