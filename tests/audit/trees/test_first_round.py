"""Boosting and forests that were fitted to another column than the target are not called safe."""

import json

import numpy as np
import pytest
from sklearn.ensemble import (
    AdaBoostRegressor,
    BaggingRegressor,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from shoal.audit import audit
from shoal.audit.trees._first_round import FirstTree, _fits
from shoal.audit.trees._leaf_values import UNSEEN
from tests.audit.people import roles
from tests.extras import need

pd = need("pandas")
NAMES = ["number", "age"]
COSTS = {**dict.fromkeys(NAMES, "pn"), "income": "sn", "score": "pn"}
BOOSTERS = [("xgboost", "XGB"), ("lightgbm", "LGBM")]


def people(n=240):
    """Everybody's number, a private income, and a score that everybody knows."""
    draw = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "number": np.arange(n, dtype=float),
            "age": draw.integers(18, 90, n).astype(float),
            "income": draw.gamma(2, 20_000, n).round(2),
            "score": draw.normal(size=n).round(3),
        }
    )


def classes(n_classes=2):
    """The same with a class that everybody knows, and a private one of the same names."""
    table = people()
    draw = np.random.default_rng(1)
    ill, sort = (draw.integers(0, n_classes, len(table)) for _ in range(2))
    return table[NAMES].assign(ill=ill, sort=sort)


def booster(package, kind, n_rounds=8, **options):
    kind = getattr(need(package), kind)
    small = {"verbose": -1, "min_child_samples": 1} if package == "lightgbm" else {}
    return kind(n_estimators=n_rounds, **small, **options)


REGRESSIONS = [
    GradientBoostingRegressor(n_estimators=8),
    GradientBoostingRegressor(n_estimators=8, init="zero"),
    GradientBoostingRegressor(n_estimators=8, loss="absolute_error"),
    GradientBoostingRegressor(n_estimators=8, loss="quantile", init="zero"),
    RandomForestRegressor(8, random_state=0),
    ExtraTreesRegressor(8, random_state=0),
    RandomForestRegressor(8, random_state=0, min_samples_leaf=20, max_samples=0.7),
    BaggingRegressor(n_estimators=8, random_state=0, max_samples=0.5),
    DecisionTreeRegressor(criterion="absolute_error"),
    HistGradientBoostingRegressor(min_samples_leaf=1, max_iter=8),
]


@pytest.mark.parametrize("model", REGRESSIONS, ids=str)
def test_regressions_of_another_column_are_not_safe(model):
    """A score is public and so is nothing to tell; what leaves hold is everybody's income."""
    table = people()
    schema = roles(**COSTS)
    assert audit(model.fit(table[NAMES], table["score"]), table, schema, k=5).is_safe
    assert not audit(model.fit(table[NAMES], table["income"]), table, schema, k=5).is_safe


@pytest.mark.parametrize(("package", "kind"), BOOSTERS)
def test_boosting_of_another_column_or_from_a_private_start_is_not_safe(package, kind):
    """Leaves of one person told the income to the last digit, of a model safe for any k."""
    table, schema = people(), roles(**COSTS)
    model = booster(package, f"{kind}Regressor")
    assert audit(model.fit(table[NAMES], table["score"]), table, schema, k=5).is_safe
    model.fit(table[NAMES], table["income"])
    found = audit(model, table, schema, k=5)
    assert found.answer == "cannot tell"
    assert "fitted to another column" in found.unread[0]
    start = {"xgboost": "base_margin", "lightgbm": "init_score"}[package]
    model.fit(table[NAMES], table["score"], **{start: table["income"]})
    assert audit(model, table, schema, k=5).answer == "cannot tell"


@pytest.mark.parametrize(("package", "kind"), BOOSTERS)
@pytest.mark.parametrize("objective", ["count:poisson", "poisson", "fair"])
def test_other_objectives_add_up_too(package, kind, objective):
    if (package == "xgboost") != (":" in objective):
        return
    table, schema = people(), roles(**COSTS)
    table["score"] = np.random.default_rng(2).integers(1, 9, len(table))
    model = booster(package, f"{kind}Regressor", objective=objective)
    known = objective.endswith("poisson")
    assert audit(model.fit(table[NAMES], table["score"]), table, schema, k=5).is_safe == known
    model.fit(table[NAMES], table["income"] / 1000)
    assert not audit(model, table, schema, k=5).is_safe


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "make",
    [
        lambda: GradientBoostingClassifier(n_estimators=8),
        lambda: RandomForestClassifier(8, random_state=0),
        lambda: OneVsRestClassifier(DecisionTreeClassifier()),
        lambda: booster("xgboost", "XGBClassifier"),
        lambda: booster("lightgbm", "LGBMClassifier"),
    ],
    ids=["boosting", "forest", "one versus rest", "XGBoost", "LightGBM"],
)
def test_classifiers_of_another_column_are_not_safe(make, n_classes):
    table = classes(n_classes)
    schema = roles(**dict.fromkeys(NAMES, "pn"), ill="s", sort="p")
    model = make()
    assert audit(model.fit(table[NAMES], table["sort"]), table, schema, k=5).is_safe
    assert not audit(model.fit(table[NAMES], table["ill"]), table, schema, k=5).is_safe


def test_an_exponential_loss_adds_up_too():
    table = classes()
    schema = roles(**dict.fromkeys(NAMES, "pn"), ill="s", sort="p")
    model = GradientBoostingClassifier(n_estimators=8, loss="exponential")
    assert audit(model.fit(table[NAMES], table["sort"]), table, schema, k=5).is_safe
    assert not audit(model.fit(table[NAMES], table["ill"]), table, schema, k=5).is_safe


@pytest.mark.parametrize("column", ["score", "income"])
def test_files_of_boosting_are_held_against_the_target(column, tmp_path):
    table, schema = people(), roles(**COSTS)
    model = booster("xgboost", "XGBRegressor").fit(table[NAMES], table[column])
    model.save_model(tmp_path / "model.json")
    whole = json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))
    dump = model.get_booster().get_dump(dump_format="json", with_stats=True)
    trees = booster("lightgbm", "LGBMRegressor").fit(table[NAMES], table[column])
    for file in (whole, [json.loads(one) for one in dump], trees.booster_.dump_model()):
        found = audit(file, table, schema, k=5)
        assert found.is_safe == (column == "score" and not found.held)


@pytest.mark.parametrize(
    "model",
    [
        GradientBoostingRegressor(n_estimators=8, subsample=0.5),
        AdaBoostRegressor(n_estimators=8),
        HistGradientBoostingRegressor(min_samples_leaf=1, max_iter=8, loss="absolute_error"),
    ],
    ids=str,
)
def test_leaves_that_cannot_be_computed_again_have_to_leave_k_people_together(model):
    table, schema = people(), roles(**COSTS)
    assert not audit(model.fit(table[NAMES], table["score"]), table, schema, k=5).is_safe
    for name in NAMES:
        table[name] = table[name] // 60
    found = audit(model.fit(table[NAMES], table["score"]), table, schema, k=5)
    may_hide_weights = isinstance(model, AdaBoostRegressor)  # which decide who is drawn
    assert found.unread == ((UNSEEN,) if may_hide_weights else ())


def test_stumps_that_could_be_anybodys_have_to_have_k_people_each():
    """Two leaves add up whatever they were fitted to."""
    table = people()
    table["half"] = table["number"] // 120
    schema = roles(half="pn", income="sn", score="pn")
    model = booster("xgboost", "XGBRegressor", 1, max_depth=1)
    rows = table[["half", "income", "score"]]

    def of_file(column):
        model.fit(rows[["half"]], rows[column])
        whole = json.loads(bytes(model.get_booster().save_raw("json")))
        return audit(whole, rows, schema, k=5).is_safe

    assert of_file("score")
    rows = rows.assign(half=(np.arange(len(rows)) < 3).astype(float))
    assert not of_file("score")
    assert audit(model.fit(rows[["half"]], rows["score"]), rows, schema, k=5).is_safe
    assert not audit(model.fit(rows[["half"]], rows["income"]), rows, schema, k=5).is_safe


@pytest.mark.parametrize("seed", range(20))
def test_leaves_add_up_as_newton_steps_do(seed):
    """The slow twin: each leaf by its own rows."""
    draw = np.random.default_rng(seed)
    ends = np.concatenate([np.arange(12), draw.integers(0, 12, 60)])
    wanted, other = draw.normal(9, 3, (2, len(ends)))
    weight, ridge, start = draw.uniform(0.2, 3), draw.uniform(0, 3), draw.normal()
    steps, bends = [], []
    for leaf in range(12):
        own = [one for one, end in zip(wanted, ends, strict=True) if end == leaf]
        bends.append(weight * len(own))
        steps.append(0.3 * sum(one - 4 for one in own) / (bends[-1] + ridge))
    tree = FirstTree(ends, np.array(steps), np.array(bends))
    assert _fits(tree, wanted[:, None]) is True
    assert _fits(tree, other[:, None]) is False
    told = FirstTree(ends, np.array(steps) + start, np.array(bends), has_start=True)
    assert _fits(told, wanted[:, None]) is True
    assert _fits(told, other[:, None]) is False
    few = FirstTree(ends % 2, np.array(steps[:2]), np.array(bends[:2]))
    assert _fits(few, wanted[:, None]) is None
