"""Leaves in which people do not count alike tell of single people, however many are there."""

import contextlib

import numpy as np
import pytest
from sklearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from shoal import Schema
from shoal.audit import audit
from shoal.audit.trees._leaf_values import DRAWN, MEDIANS, UNSEEN, WEIGHTED
from shoal.audit.trees._tree_model import OTHERS
from shoal.errors import TableError
from tests.extras import need

pd = need("pandas")
N = 120
DRAW = np.random.default_rng(0)
TABLE = pd.DataFrame(
    {
        "sex": DRAW.integers(0, 2, N),
        "ill": DRAW.integers(0, 2, N),
        "cost": DRAW.permutation(np.arange(1000, 1000 + 7 * N, 7)),
    }
)
WEIGHTS = 2.0 ** DRAW.uniform(0, 3, N)
STUMP = {"max_depth": 1, "random_state": 0}
LOW = {"max_iter": 1, "max_depth": 1, "early_stopping": False}


def schema(target):
    kind = "categorical" if target == "ill" else "numeric"
    return Schema(
        {
            "sex": {"role": "quasi-identifier", "kind": "numeric"},
            target: {"role": "sensitive", "kind": kind, "target": True},
        }
    )


def judged(model, target="ill", weights=None, **options):
    model.fit(
        TABLE[["sex"]], TABLE[target], **({} if weights is None else {"sample_weight": weights})
    )
    return audit(model, TABLE[["sex", target]], schema(target), k=10, **options)


def test_small_trees_on_drawn_rows_tell_what_everybody_has():
    """Each leaf is an equation in what people have, and the seed tells how often each counts."""
    model = RandomForestClassifier(n_estimators=300, **STUMP)
    found = judged(model)
    sex, equations, sums = TABLE[["sex"]].to_numpy(), [], []
    for tree, drawn in zip(model.estimators_, model.estimators_samples_, strict=True):
        often, leaves = np.bincount(drawn, minlength=N), tree.apply(sex)
        for leaf in np.unique(leaves):
            equations.append(np.where(leaves == leaf, often, 0))
            sums.append(tree.tree_.value[leaf, 0, 1] * equations[-1].sum())
    solved = np.linalg.lstsq(np.array(equations, float), np.array(sums), rcond=None)[0]
    assert (np.round(solved) == TABLE["ill"]).all()
    assert found.spans.population.min() >= 10
    assert found.unread == (DRAWN,)


@pytest.mark.parametrize(
    "model",
    [
        GradientBoostingClassifier(subsample=0.5, n_estimators=5, **STUMP),
        BaggingClassifier(DecisionTreeClassifier(max_depth=1), 5, random_state=0),
        BaggingClassifier(DecisionTreeClassifier(), 5, bootstrap=False, max_samples=0.5),
        OneVsRestClassifier(RandomForestClassifier(2, **STUMP)),
        VotingClassifier([("forest", RandomForestClassifier(2, **STUMP))]),
        HistGradientBoostingClassifier(**{**LOW, "early_stopping": True}, random_state=0),
    ],
    ids=lambda one: type(one).__name__,
)
def test_models_that_draw_rows_are_not_safe(model):
    assert DRAWN in judged(model).unread


EVEN = [
    DecisionTreeClassifier(**STUMP),
    ExtraTreesClassifier(3, **STUMP),
    GradientBoostingClassifier(n_estimators=3, **STUMP),
    AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=2),
    VotingClassifier([("tree", DecisionTreeClassifier(**STUMP))]),
    HistGradientBoostingClassifier(**LOW),
]


@pytest.mark.parametrize("model", EVEN, ids=lambda one: type(one).__name__)
def test_weights_are_seen(model):
    assert judged(model).is_safe
    assert judged(model, weights=np.ones(N)).is_safe
    assert WEIGHTED in judged(model, weights=WEIGHTS).unread


def test_weights_are_seen_of_another_table_too():
    tree = DecisionTreeClassifier(**STUMP)
    assert judged(tree, weights=WEIGHTS, check_table=False).unread == (WEIGHTED,)
    assert judged(tree, check_table=False).is_safe


def test_sums_of_weights_tell_of_the_few_in_a_leaf():
    """Weights that anybody knows tell who is in a leaf of private values, whatever it says."""
    cars = TABLE.assign(car=(np.arange(N) < 30).astype(int), ill=(np.arange(N) == 7).astype(int))
    cars.loc[:29, "sex"] = (np.arange(30) == 7).astype(int)
    roles = {
        "sex": {"role": "quasi-identifier", "kind": "numeric"},
        "car": {"role": "sensitive", "kind": "numeric"},
        "ill": {"role": "insensitive", "target": True},
    }
    table, tree = cars[[*roles]], DecisionTreeClassifier(random_state=0)
    for weights in (None, np.ones(N), WEIGHTS):
        tree.fit(table[["sex", "car"]], table["ill"], sample_weight=weights)
        found = audit(tree, table, Schema(roles), k=10)
        assert (WEIGHTED in found.unread) == (weights is WEIGHTS)
    alone = table[(table["sex"] == 1) & (table["car"] == 1)].index
    assert len(alone) == 1
    at = tree.apply(table[["sex", "car"]])[alone[0]]
    assert tree.tree_.weighted_n_node_samples[at] == pytest.approx(WEIGHTS[alone[0]])


PUBLIC = Schema(
    {
        "sex": {"role": "quasi-identifier", "kind": "numeric"},
        "ill": {"role": "insensitive", "target": True},
        "cost": {"role": "sensitive", "kind": "numeric"},
    }
)


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("model", EVEN, ids=lambda one: type(one).__name__)
def test_weights_that_are_private_are_seen_where_nothing_else_is(model, check):
    """Costs were the weights: each leaf adds those of its people up, of one person alone."""
    for weights in (None, TABLE["cost"]):
        model.fit(TABLE[["sex"]], TABLE["ill"], sample_weight=weights)
        found = audit(model, TABLE, PUBLIC, k=10, check_table=check)
        assert found.spans.is_single.all()
        if weights is None:
            assert found.is_safe
        else:
            assert WEIGHTED in found.unread
    if isinstance(model, ExtraTreesClassifier):
        return  # keeps weights of all rows, which are a finding of their own
    without = Schema({name: PUBLIC[name] for name in ("sex", "ill")})
    assert audit(model, TABLE[["sex", "ill"]], without, k=10).is_safe


def test_weights_that_leave_the_start_as_it_is_are_seen():
    """Of each class alike, so that shares of all rows say nothing of them."""
    even = WEIGHTS.copy()
    for value in (0, 1):
        even[TABLE["ill"] == value] /= even[TABLE["ill"] == value].mean()
    found = judged(HistGradientBoostingClassifier(**LOW), weights=even)
    assert found.unread == (WEIGHTED,)


@pytest.mark.parametrize("target", ["ill", "cost"])
def test_mild_weights_are_seen_in_boosting_of_other_libraries(target):
    lightgbm, xgboost = need("lightgbm"), need("xgboost")
    few, mild = {"n_estimators": 3, "max_depth": 1}, 1 + (WEIGHTS - WEIGHTS.mean()) / 1000
    alone = {"verbose": -1, "min_child_samples": 30, **few}
    kinds = (
        (xgboost.XGBClassifier(**few), lightgbm.LGBMClassifier(**alone))
        if target == "ill"
        else (xgboost.XGBRegressor(**few), lightgbm.LGBMRegressor(**alone))
    )
    for model in kinds:
        assert judged(model, target).is_safe
        assert judged(model, target, check_table=False).is_safe
        assert not judged(model, target, mild, check_table=False).is_safe
        with (
            pytest.raises(TableError, match="drawn or weighted")
            if "XGB" in repr(model)
            else (contextlib.nullcontext())
        ):
            assert judged(model, target, mild).unread == (WEIGHTED,)


def test_rows_that_were_drawn_may_hide_weights():
    for model in (
        HistGradientBoostingClassifier(**{**LOW, "early_stopping": True}, random_state=0),
        GradientBoostingClassifier(subsample=0.5, n_estimators=3, **STUMP),
        RandomForestClassifier(3, **STUMP),
    ):
        is_plain = not isinstance(model, HistGradientBoostingClassifier)
        model.fit(TABLE[["sex"]], TABLE["ill"])
        assert audit(model, TABLE, PUBLIC, k=10).is_safe == is_plain
        model.fit(TABLE[["sex"]], TABLE["ill"], sample_weight=TABLE["cost"] / 1000)
        found = audit(model, TABLE, PUBLIC, k=10, check_table=False)
        assert UNSEEN in found.unread or found.held  # forests keep weights of all rows


@pytest.mark.parametrize("left", [None, "nothing"])
@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(5, random_state=0),
        ExtraTreesClassifier(5, bootstrap=True, random_state=0),
        BaggingClassifier(DecisionTreeClassifier(), n_estimators=5, random_state=0),
        AdaBoostRegressor(n_estimators=5, random_state=0),
    ],
    ids=lambda one: type(one).__name__,
)
def test_weights_that_decide_who_is_drawn_are_seen(model, left):
    """Rows are counted then, not weighed, and the weights may have been deleted."""
    drawn = not isinstance(model, AdaBoostRegressor)
    assert audit(model.fit(TABLE[["sex"]], TABLE["ill"]), TABLE, PUBLIC, k=10).is_safe == drawn
    model.fit(TABLE[["sex"]], TABLE["ill"], sample_weight=TABLE["cost"])
    if left is None:
        vars(model)["_sample_weight"] = None
    else:
        vars(model).pop("_sample_weight", None)
    found = audit(model, TABLE, PUBLIC, k=10)
    assert UNSEEN in found.unread
    assert not found.held


@pytest.mark.parametrize("weight", ["balanced", {0: 1.0, 1: 3.0}], ids=str)
def test_weights_of_classes_tell_nothing(weight):
    assert judged(DecisionTreeClassifier(class_weight=weight, **STUMP)).is_safe
    assert judged(HistGradientBoostingClassifier(class_weight=weight, **LOW)).is_safe
    other = DecisionTreeClassifier(class_weight=weight, **STUMP)
    assert WEIGHTED in judged(other, weights=WEIGHTS).unread


@pytest.mark.parametrize(
    ("model", "loss"),
    [
        (DecisionTreeRegressor(**STUMP), {"criterion": "absolute_error"}),
        (GradientBoostingRegressor(n_estimators=1, **STUMP), {"loss": "quantile"}),
        (HistGradientBoostingRegressor(**LOW), {"loss": "absolute_error"}),
    ],
    ids=lambda one: type(one).__name__,
)
def test_a_median_is_somebodys_number(model, loss):
    assert judged(model, "cost").is_safe
    assert judged(model.set_params(**loss), "cost").unread == (MEDIANS,)


def test_boosting_of_other_libraries_that_draws_or_has_medians_is_not_safe():
    lightgbm, xgboost = need("lightgbm"), need("xgboost")
    few = {"n_estimators": 1, "max_depth": 1}
    alone = {"verbose": -1, "min_child_samples": 30, **few}
    assert judged(xgboost.XGBRegressor(**few), "cost").is_safe
    assert judged(lightgbm.LGBMRegressor(**alone), "cost").is_safe
    bent = xgboost.XGBRegressor(objective="reg:absoluteerror", **few)
    assert judged(bent, "cost").unread == (MEDIANS,)
    assert judged(lightgbm.LGBMRegressor(objective="l1", **alone), "cost").unread == (MEDIANS,)
    assert DRAWN in judged(xgboost.XGBRegressor(subsample=0.5, **few), "cost").unread
    drawn = {"subsample": 0.5, "subsample_freq": 1}
    assert DRAWN in judged(lightgbm.LGBMRegressor(**drawn, **alone), "cost").unread


def test_a_model_that_tells_nothing_private_may_draw_rows():
    public = Schema({**schema("ill"), "ill": {"role": "insensitive", "target": True}})
    model = RandomForestClassifier(3, **STUMP).fit(TABLE[["sex"]], TABLE["ill"])
    assert audit(model, TABLE[["sex", "ill"]], public, k=10).is_safe


def test_leaves_that_count_others_are_not_safe():
    """What was trained with weights is refused, and to accept its counts does not make it safe."""
    lightgbm, xgboost = need("lightgbm"), need("xgboost")
    few = {"n_estimators": 1, "max_depth": 1}
    with pytest.raises(TableError, match="drawn or weighted"):
        judged(xgboost.XGBRegressor(**few), "cost", WEIGHTS)
    found = judged(xgboost.XGBRegressor(**few), "cost", WEIGHTS, check_table=False)
    assert found.unread == (OTHERS,)
    assert judged(xgboost.XGBRegressor(**few), "cost", check_table=False).is_safe
    model = lightgbm.LGBMClassifier(verbose=-1, min_child_samples=30, **few)
    assert judged(model).is_safe
    assert judged(model, weights=WEIGHTS).unread == (WEIGHTED,)


@pytest.mark.parametrize("model", EVEN[:3], ids=lambda one: type(one).__name__)
def test_trees_of_other_people_are_not_safe(model):
    model.fit(TABLE[["sex"]], TABLE["ill"])
    some = TABLE[["sex", "ill"]].iloc[20:]
    assert OTHERS in audit(model, some, schema("ill"), k=10, check_table=False).unread
