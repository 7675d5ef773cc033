"""A public test half-way between two people of a node tells what was asked above of them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.multiclass import OneVsOneClassifier
from sklearn.tree import DecisionTreeClassifier

from shoal.audit import audit
from shoal.schema import Schema
from tests.extras import need

DRAW = np.random.default_rng(1)
N = 300
PEOPLE = pd.DataFrame(
    {
        "income": DRAW.lognormal(10, 0.6, N).astype(np.float32).astype(np.float64),
        "ill": DRAW.integers(0, 2, N),
    }
)
ROUND = PEOPLE.assign(income=PEOPLE["income"].round(-3).clip(8_000, 45_000))
KNOWN = {"income": {"role": "quasi-identifier", "kind": "numeric"}}
ILL = {"ill": {"role": "sensitive"}}
SCHEMA = Schema({**KNOWN, **ILL, "y": {"role": "quasi-identifier", "target": True}})


def offers(people):
    """What everybody knows of people: the ill get another offer from another income on."""
    poor = np.where(people["ill"] == 1, people["income"] <= 32_400, people["income"] <= 18_000)
    return (2 * people["ill"] + ~poor).astype(int)


def judged(model, people, y=None, schema=SCHEMA, k=5):
    y = offers(people) if y is None else y
    columns = list(people)
    return audit(model.fit(people[columns], y), people[columns].assign(y=y), schema, k=k)


def is_told(found):
    return any("'income' below" in why for why in found.unread)


TREE = DecisionTreeClassifier(max_leaf_nodes=4, min_samples_leaf=20, random_state=0)


def test_a_tree_that_cuts_between_two_people_is_not_called_safe():
    found = judged(TREE, PEOPLE)
    assert is_told(found)
    assert found.answer == "cannot tell"
    assert judged(TREE, ROUND).is_safe
    tree, told = TREE.fit(PEOPLE, offers(PEOPLE)).tree_, {}
    income = PEOPLE["income"].to_numpy()
    assert tree.feature[0] == 1
    for ill, child in enumerate((tree.children_left[0], tree.children_right[0])):
        middle = (income[:, None] + income) / 2  # whoever knows all incomes tries all pairs
        pairs = np.argwhere(np.triu(np.abs(middle - tree.threshold[child]) < 1e-9, 1))
        assert len(pairs) == 1
        told |= dict.fromkeys(pairs[0].tolist(), ill)
    assert all(PEOPLE["ill"][person] == ill for person, ill in told.items())


def test_neither_are_boosting_and_trees_that_draw_between_the_ends():
    boosting = GradientBoostingClassifier(n_estimators=1, max_leaf_nodes=4, min_samples_leaf=20)
    assert is_told(judged(boosting, PEOPLE))
    drawn = ExtraTreesClassifier(3, max_depth=3, max_features=None, min_samples_leaf=20)
    assert is_told(judged(drawn.set_params(random_state=3), PEOPLE))


def test_xgboost_is_not_where_it_cuts_between_people_of_a_node():
    xgboost = need("xgboost")
    exact = xgboost.XGBClassifier(n_estimators=1, max_depth=2, tree_method="exact")
    assert is_told(judged(exact, PEOPLE))
    assert not is_told(judged(exact, ROUND))


def boosters():
    xgboost, lightgbm = need("xgboost"), need("lightgbm")
    return [
        HistGradientBoostingRegressor(max_iter=1, max_leaf_nodes=4, early_stopping=False),
        xgboost.XGBRegressor(n_estimators=1, max_depth=2),
        lightgbm.LGBMRegressor(n_estimators=1, max_depth=2, min_data_in_bin=1, verbose=-1),
    ]


def cuts_of(model):
    """Cuts of income below the test of illness, by illness."""
    if hasattr(model, "booster_"):
        top = model.booster_.dump_model()["tree_info"][0]["tree_structure"]
        return top["left_child"]["threshold"], top["right_child"]["threshold"]
    if hasattr(model, "get_booster"):
        table = model.get_booster().trees_to_dataframe()
        first = table["Split"].where(table["Feature"] == "income")[1:3]  # leaves have none
        return tuple(np.nextafter(first.to_numpy(np.float32), np.float32(0)))
    nodes = model._predictors[0][0].nodes
    return tuple(nodes[nodes[0][side]]["num_threshold"] for side in ("left", "right"))


@pytest.mark.parametrize("place", [0, 1, 2])
def test_of_cuts_of_the_whole_table_libraries_take_the_one_beside_somebody_of_the_node(place):
    """So whoever has the next income below (or above) is there, for certain."""
    model, few = boosters()[place], PEOPLE[:220]  # no more than there are bins
    income, y = few["income"], 50.0 * few["ill"] + 10.0 * offers(few)
    model.fit(few, y)
    for ill, cut in enumerate(cuts_of(model)):
        if np.isnan(cut):
            continue
        below, above = income[income <= cut].idxmax(), income[income > cut].idxmin()
        assert few["ill"][above if place == 2 else below] == ill
    columns = {**SCHEMA, "y": {"role": "quasi-identifier", "kind": "numeric", "target": True}}
    assert is_told(judged(model, few, y, Schema(columns)))
    again = 50.0 * ROUND["ill"] + 10.0 * offers(ROUND)
    assert not is_told(judged(model, ROUND, again, Schema(columns)))


def test_trees_of_two_private_classes_each_cut_between_people_who_have_them():
    model = OneVsOneClassifier(DecisionTreeClassifier(max_depth=1, min_samples_leaf=20))
    draw = np.random.default_rng(3)
    y = np.array(["flu", "gout", "HIV"])[draw.integers(0, 3, N)]
    private = Schema({**KNOWN, "y": {"role": "sensitive", "target": True}})
    assert is_told(judged(model, PEOPLE[["income"]], y, private))
    assert not is_told(judged(model, ROUND[["income"]], y, private))
    public = Schema({**KNOWN, "y": {"role": "quasi-identifier", "target": True}})
    assert not is_told(judged(model, PEOPLE[["income"]], y, public))


@pytest.mark.parametrize("k", [2, 5])
def test_above_private_tests_everybody_knows_who_is_there(k):
    schema = Schema({**KNOWN, **ILL, "y": {"role": "quasi-identifier", "target": True}})
    y = np.where(PEOPLE["income"] <= 20_000, 0, 1 + PEOPLE["ill"])
    model = DecisionTreeClassifier(max_leaf_nodes=3)
    assert judged(model, PEOPLE, y, schema, k).is_safe
    assert model.tree_.feature[0] == 0
