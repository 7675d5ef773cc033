"""Only the best fit to people who count alike is taken for it."""

import numpy as np
import pytest
from sklearn.cross_decomposition import PLSRegression
from sklearn.linear_model import (
    ARDRegression,
    BayesianRidge,
    ElasticNet,
    GammaRegressor,
    HuberRegressor,
    Lars,
    Lasso,
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    Ridge,
    RidgeClassifier,
    RidgeClassifierCV,
    RidgeCV,
    TweedieRegressor,
)

from shoal import Schema
from shoal.audit import audit
from shoal.audit._training_table import read_training_table
from shoal.audit.fits._linear_fit import leverages, read_fit
from tests.extras import need

pd = need("pandas")
N = 300
DRAW = np.random.default_rng(4)
ROWS = pd.DataFrame({"age": DRAW.normal(size=N).round(3), "sex": DRAW.integers(0, 2, N)})
COST = np.round(np.exp(1 + 0.3 * ROWS["age"]) * 100 + DRAW.integers(1, 100, N))
TWO = np.where(ROWS["age"] + DRAW.normal(size=N) > 0, "a", "b")
THREE = np.where(ROWS["sex"] + DRAW.normal(size=N) > 1, "c", TWO)
HEAVY = np.where(np.arange(N) == 7, 1e4, 1.0)
REGRESSIONS = [
    LinearRegression(),
    LinearRegression(fit_intercept=False),
    Ridge(5.0),
    RidgeCV(),
    Lasso(3.0),
    ElasticNet(0.1),
    BayesianRidge(),
    PoissonRegressor(max_iter=1000),
    GammaRegressor(max_iter=1000),
    TweedieRegressor(power=1.5, max_iter=1000),
]
CLASSIFIERS = [
    LogisticRegression(),
    LogisticRegression(C=np.inf),
    LogisticRegression(l1_ratio=0.5, C=0.1, solver="saga"),
    LogisticRegression(class_weight="balanced"),
    RidgeClassifier(),
    RidgeClassifier(class_weight={"a": 2.0, "b": 1.0}),
    RidgeClassifierCV(),
]


def table_of(target):
    kind = "numeric" if target is COST else "categorical"
    roles = {name: {"role": "quasi-identifier", "kind": "numeric"} for name in ROWS}
    roles["y"] = {"role": "sensitive", "kind": kind, "target": True}
    return ROWS.assign(y=target), Schema(roles)


def fit_of(model, target, weights=None):
    named = {} if weights is None else {"sample_weight": weights}
    model.fit(ROWS, target, **named)
    return read_fit(model, ROWS.to_numpy(np.float64), read_training_table(*table_of(target)))


@pytest.mark.parametrize("model", REGRESSIONS, ids=str)
def test_regressions_with_weights_are_not_taken_for_the_best_fit(model):
    assert fit_of(model, COST).is_best
    assert not fit_of(model, COST, HEAVY).is_best


@pytest.mark.parametrize("model", CLASSIFIERS, ids=str)
def test_classifiers_with_weights_are_not_taken_for_the_best_fit(model):
    assert fit_of(model, TWO).is_best
    assert not fit_of(model, TWO, HEAVY).is_best


@pytest.mark.parametrize("model", [LogisticRegression(), RidgeClassifier()], ids=str)
def test_several_classes(model):
    assert fit_of(model, THREE).is_best
    assert not fit_of(model, THREE, HEAVY).is_best


def test_liblinear_holds_the_intercept_back():
    assert fit_of(LogisticRegression(solver="liblinear", tol=1e-6), TWO).is_best


@pytest.mark.parametrize("model", [LogisticRegression(C=0.5, tol=1e-10)], ids=str)
def test_leverage_is_how_much_a_person_moves_what_is_said_about_them(model):
    """A little more of one class at a row, and how far its own probability follows."""
    fit = fit_of(model, TWO)
    told = leverages(fit, ROWS.to_numpy(np.float64))
    both, twice = pd.concat([ROWS, ROWS]), np.repeat(["a", "b"], N)
    for person in np.argsort(told)[-3:]:
        share = np.stack([TWO == "a", TWO == "b"]).astype(float)
        share[:, person] += 1e-3 * np.array([-1.0, 1.0])
        moved = LogisticRegression(C=0.5, tol=1e-12).fit(both, twice, sample_weight=share.ravel())
        before, after = (m.predict_proba(ROWS)[person, 1] for m in (model, moved))
        assert told[person] == pytest.approx((after - before) / 1e-3, rel=0.02)


@pytest.mark.parametrize(
    "model",
    [HuberRegressor(), PLSRegression(1), ARDRegression(), Lars(), LinearRegression(positive=True)],
    ids=lambda one: type(one).__name__,
)
def test_models_whose_best_fit_is_not_known_are_not_safe(model):
    table, schema = table_of(COST)
    model.fit(ROWS, COST)
    for name in ("_x_scores", "_y_scores", "x_scores_", "y_scores_"):
        vars(model).pop(name, None)
    found = audit(model, table, schema, k=10, threshold=300)
    assert any("which few people may decide" in reason for reason in found.unread)


def test_a_column_that_everybody_has_alike_says_nothing_of_weights():
    rows = np.column_stack([ROWS.to_numpy(np.float64), np.ones(N)])
    table = read_training_table(*table_of(TWO))
    assert read_fit(LogisticRegression(C=0.01).fit(rows, TWO), rows, table).is_best
