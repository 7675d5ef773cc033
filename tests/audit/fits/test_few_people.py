"""Models whose numbers are those of single people are not called safe, whatever they ask."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.linear_model import (
    BayesianRidge,
    LinearRegression,
    LogisticRegression,
    Perceptron,
    PoissonRegressor,
    QuantileRegressor,
    Ridge,
    RidgeClassifier,
    RidgeClassifierCV,
    SGDClassifier,
)
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeRegressor

from shoal import Schema
from shoal.audit import audit
from shoal.audit.fits._few_people import _leverages
from tests.extras import need

pd = need("pandas")
SCHEMA = Schema(
    {
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "town": {"role": "quasi-identifier"},
        "ill": {"role": "sensitive", "target": True},
    }
)
CLASSIFIERS = [LogisticRegression(C=1e6), RidgeClassifier(), NearestCentroid()]


def people(towns, ill=("HIV", "none"), n=400):
    draw = np.random.default_rng(2)
    return pd.DataFrame(
        {
            "age": draw.uniform(20, 80, n),
            "town": [towns[i % len(towns)] for i in range(n)],
            "ill": draw.choice(ill, n),
        }
    )


def verdict(model, table, columns, schema=SCHEMA):
    return audit(model.fit(table[columns], table["ill"]), table, schema, k=10)


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=lambda one: type(one).__name__)
def test_a_number_for_each_town_is_safe_if_enough_people_live_there(classifier):
    model = make_pipeline(OneHotEncoder(sparse_output=False), classifier)
    many = people([f"t{i}" for i in range(8)])
    assert verdict(model, many, ["town"]).answer == "safe"
    alone = many.assign(town=["t8", *many["town"][1:]])
    found = verdict(model, alone, ["town"])
    assert found.answer == "cannot tell"
    assert "decide what is said about 1 people" in found.unread[-1]


def test_a_model_that_knows_everybody_by_heart_is_not_safe():
    table = people([f"t{i}" for i in range(400)])
    model = make_pipeline(OneHotEncoder(), LogisticRegression(C=1e9)).fit(
        table[["town"]], table["ill"]
    )
    assert (model.predict(table[["town"]]) == table["ill"]).all()
    found = audit(model, table, SCHEMA, k=10)
    assert found.answer == "cannot tell"
    assert "about 400 people" in found.unread[-1]


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=lambda one: type(one).__name__)
def test_a_class_of_few_people_is_not_safe(classifier):
    table = people(["a"])
    table.loc[:2, "ill"] = "rare"
    assert verdict(classifier, table, ["age"]).answer == "cannot tell"
    table.loc[:20, "ill"] = "rare"
    assert verdict(classifier, table, ["age"]).answer == "safe"


def test_a_target_that_everybody_knows_tells_nothing():
    public = Schema({**SCHEMA, "ill": {"role": "insensitive", "target": True}})
    table = people([f"t{i}" for i in range(400)])
    model = make_pipeline(OneHotEncoder(), LogisticRegression())
    assert verdict(model, table, ["town"], public).answer == "safe"


def test_too_many_features_are_not_called_safe(monkeypatch):
    monkeypatch.setattr("shoal.audit.fits._few_people.MOST_CELLS", 300)
    found = verdict(LogisticRegression(), people(["a"]), ["age"])
    assert found.answer == "cannot tell"
    assert "too many to see" in found.unread[-1]


def test_leverage_is_the_weight_of_a_persons_own_target():
    draw = np.random.default_rng(5)
    for _ in range(20):
        matrix = draw.normal(size=(12, 3)) * [1, 1e-6, 1e6]
        matrix[:, 1] = np.round(draw.uniform(size=12))
        target = draw.normal(size=12)
        design = np.column_stack([np.ones(12), matrix])
        for person in range(12):
            moved = target.copy()
            moved[person] += 1.0
            said = [design @ np.linalg.pinv(design) @ t for t in (target, moved)]
            own = said[1][person] - said[0][person]
            assert _leverages(matrix)[person] == pytest.approx(own, abs=1e-7)


COSTS = Schema(
    {
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "sex": {"role": "quasi-identifier", "kind": "numeric"},
        "cost": {"role": "sensitive", "kind": "numeric", "target": True},
    }
)


def costs(n=240):
    draw = np.random.default_rng(0)
    age, sex = draw.uniform(18, 80, n), draw.integers(0, 2, n)
    cost = np.round(age * 100) + draw.integers(0, 3000, n)
    return pd.DataFrame({"age": age, "sex": sex, "cost": cost})


def judged(model, table, weights=None, **options):
    named = {} if weights is None else {"sample_weight": weights}
    model.fit(table[["age", "sex"]], table["cost"], **named)
    return audit(model, table, COSTS, k=10, threshold=5000, **options)


def test_a_model_by_quantiles_tells_whose_cost_is_which():
    """It passes through as many people as it has coefficients, and costs are whole numbers."""
    table = costs()
    model = QuantileRegressor(quantile=0.5, alpha=0).fit(table[["age", "sex"]], table["cost"])
    said = model.predict(table[["age", "sex"]])  # which anybody can with a register
    found = np.flatnonzero(np.abs(said - said.round()) < 1e-6)
    assert len(found) == 3
    assert (said[found].round() == table["cost"].to_numpy()[found]).all()
    verdict = judged(QuantileRegressor(quantile=0.5, alpha=0), table)
    assert verdict.answer == "cannot tell"
    assert any("exactly the target of 3 people" in reason for reason in verdict.unread)


@pytest.mark.parametrize("regression", [LinearRegression(), Ridge()])
def test_least_squares_is_safe_only_where_people_count_alike(regression):
    table = costs()
    assert judged(regression, table).is_safe
    assert judged(make_pipeline(StandardScaler(), regression), table).is_safe
    draw = np.random.default_rng(3)
    for weights in (draw.uniform(0.1, 10, len(table)), np.where(np.arange(len(table)) < 3, 1e9, 1)):
        found = judged(regression, table, weights)
        assert found.answer == "cannot tell"
        assert "do not count alike" in found.unread[-1]
        assert judged(regression, table, weights, check_table=False).unread == found.unread
    assert judged(regression, table, np.ones(len(table))).is_safe


@pytest.mark.parametrize("check", [True, False])
def test_weights_that_are_private_are_seen_where_nothing_else_is(check):
    """Towns of two people: what is left over of one times its weight is that of the other."""
    table = costs()
    roles = {**COSTS, "cost": {"role": "sensitive", "kind": "numeric"}}
    roles["sex"] = {"role": "insensitive", "kind": "numeric", "target": True}
    for weights in (None, table["cost"]):
        for model in (LinearRegression(), PoissonRegressor(tol=1e-8)):
            model.fit(table[["age"]], table["sex"], sample_weight=weights)
            found = audit(model, table, Schema(roles), k=10, threshold=0.5, check_table=check)
            assert found.spans.is_single.all()
            assert found.is_safe == (weights is None)
    unknown = QuantileRegressor().fit(table[["age"]], table["sex"])
    found = audit(unknown, table, Schema(roles), k=10, threshold=0.5)
    assert "weights may be private" in found.unread[0]


@pytest.mark.parametrize("model", [NearestCentroid(), LinearDiscriminantAnalysis()])
def test_means_of_classes_are_those_of_the_table(model):
    """Rows that are given several times count several times, and others are not there at all."""
    table = people(["a"])
    assert verdict(model, table, ["age"]).is_safe
    some = table.iloc[np.random.default_rng(0).integers(0, len(table), len(table))]
    model.fit(some[["age"]], some["ill"])
    found = audit(model, table, SCHEMA, k=10)
    assert "do not count alike" in found.unread[0]


def test_other_regressions_are_safe_that_tell_nobodys_target():
    table = costs()
    assert judged(BayesianRidge(), table).is_safe
    assert judged(make_pipeline(StandardScaler(), PoissonRegressor()), table).is_safe
    exact = table.assign(cost=table["age"] * 100.0 + table["sex"])
    assert judged(LinearRegression(), exact).answer == "cannot tell"  # it tells everybody's
    agreed = table.assign(age=20 + 40 * table["sex"], cost=100.0 * table["sex"])
    assert judged(LinearRegression(), agreed).is_safe  # of groups of more than k: homogeneity


@pytest.mark.parametrize(
    "model", [Perceptron(), SGDClassifier(), LinearSVC()], ids=lambda one: type(one).__name__
)
def test_models_that_few_rows_decide_are_not_safe_by_leverage(model):
    found = verdict(model, people(["a"]), ["age"])
    assert found.answer == "cannot tell"
    assert "which few people may decide" in found.unread[0]
    public = Schema({**SCHEMA, "ill": {"role": "insensitive", "target": True}})
    assert verdict(model, people(["a"]), ["age"], public).is_safe


def who_adds_up(numbers, wanted):
    """The one choice of 36 people whose numbers add up to a sum: halves are added up apart."""

    def sums(some):
        found = np.zeros(1)
        for one in some:
            found = np.concatenate([found, found + one])
        return found

    first, last = sums(numbers[:18]), sums(numbers[18:])
    order = np.argsort(last)
    near = np.searchsorted(last[order], wanted - first).clip(1, len(last) - 1)
    other = np.stack([order[near - 1], order[near]])
    side, one = np.divmod(np.abs(first + last[other] - wanted).argmin(), len(first))
    return np.concatenate(
        [int(one) >> np.arange(18) & 1, int(other[side, one]) >> np.arange(18) & 1]
    )


OWNERS = Schema(
    {
        "car": {"role": "sensitive", "kind": "numeric"},
        "tax": {"role": "quasi-identifier", "kind": "numeric", "target": True},
    }
)


def test_who_is_in_a_leaf_is_not_computed_from_a_mean_of_what_everybody_knows():
    """Taxes are public; the mean of those with a car is the mean of one choice of people."""
    draw = np.random.default_rng(0)
    table = pd.DataFrame(
        {"car": draw.integers(0, 2, 36), "tax": draw.uniform(0, 9000, 36).round(9)}
    )
    model = DecisionTreeRegressor(max_depth=1).fit(table[["car"]], table["tax"])
    mean, rows = model.tree_.value[2, 0, 0], model.tree_.n_node_samples[2]
    solved = who_adds_up(table["tax"].to_numpy(), mean * rows)
    assert solved.tolist() == table["car"].tolist()
    found = audit(model, table, OWNERS, k=10)
    assert found.answer == "cannot tell"
    assert "who adds up to them" in found.unread[0]
    many = pd.DataFrame({"car": np.arange(400) % 2, "tax": draw.integers(0, 90, 400)})
    for sort in (DecisionTreeRegressor(max_depth=1), GradientBoostingRegressor(n_estimators=2)):
        assert audit(sort.fit(many[["car"]], many["tax"]), many, OWNERS, k=10).is_safe
    public = Schema({**OWNERS, "car": {"role": "quasi-identifier", "kind": "numeric"}})
    assert audit(model, table, public, k=10).is_safe


def test_who_is_in_a_cluster_is_not_computed_from_public_coordinates():
    draw = np.random.default_rng(0)
    rich = np.arange(36) % 2
    table = pd.DataFrame({"tax": draw.uniform(0, 1, 36).round(12), "car": 9.0 * rich})
    schema = Schema({**OWNERS, "tax": {"role": "quasi-identifier", "kind": "numeric"}})
    model = KMeans(2, random_state=0, n_init=1).fit(table)
    cluster = int(model.cluster_centers_[:, 1].argmax())
    wanted = model.cluster_centers_[cluster, 0] * 18
    assert who_adds_up(table["tax"].to_numpy(), wanted).tolist() == rich.tolist()
    del model.labels_
    found = audit(model, table, schema, k=10)
    assert found.spans.population.tolist() == [36]
    assert found.answer == "cannot tell"
    assert "who adds up to them" in found.unread[0]
    model.fit(table.round(1))
    del model.labels_
    assert audit(model, table.round(1), schema, k=10).is_safe


def test_classes_are_not_computed_from_coefficients_of_few_people():
    """Which of 36 people are ill is the one combination whose ages add up."""
    draw = np.random.default_rng(0)
    ages, ill = draw.uniform(18, 80, 36), draw.integers(0, 2, 36)
    schema = Schema({**SCHEMA, "age": {"role": "quasi-identifier", "kind": "numeric"}})
    table = pd.DataFrame({"age": ages, "town": ["a"] * 36, "ill": ill})
    model = RidgeClassifier().fit(table[["age"]], table["ill"])
    apart = ages - ages.mean()
    wanted = np.ravel(model.coef_)[0] * (apart @ apart + model.alpha) / 2

    assert who_adds_up(apart, wanted).tolist() == ill.tolist()
    found = audit(model, table, schema, k=8)
    assert any("may be computed" in reason for reason in found.unread)
    whole = table.assign(age=np.round(ages))
    assert audit(RidgeClassifier().fit(whole[["age"]], ill), whole, schema, k=8).is_safe


def test_few_people_decide_between_classes_that_hardly_overlap():
    table = people(["a"])
    table["ill"] = np.where(table["age"] > 50, "HIV", "none")
    found = verdict(LogisticRegression(C=100), table, ["age"])
    assert found.answer == "cannot tell"
    assert "people decide what is said" in found.unread[0]


def test_private_features_that_one_person_has_are_not_safe():
    """What a public target is fitted to by one person tells what that person has."""
    table = people(["a"])
    table["load"] = np.where(np.arange(len(table)) == 7, 53_000.0, 0.0)
    roles = {
        "age": {"role": "insensitive", "kind": "numeric", "target": True},
        "town": {"role": "quasi-identifier"},
        "ill": {"role": "quasi-identifier"},
        "load": {"role": "sensitive", "kind": "numeric"},
    }
    model = LinearRegression().fit(table[["load"]], table["age"])
    found = audit(model, table, Schema(roles), k=10, threshold=50)
    assert found.answer == "cannot tell"
    spread = table.assign(load=np.random.default_rng(1).integers(0, 5, len(table)))
    model.fit(spread[["load"]], spread["age"])
    assert audit(model, spread, Schema(roles), k=10, threshold=50).is_safe


def test_errors_beside_coefficients_count_as_sums_over_everybody():
    """Coefficients leave millions of choices of the ill, and one of them has this error."""
    draw = np.random.default_rng(3)
    table = pd.DataFrame({"age": np.sort(draw.choice(np.arange(18, 80), 34, replace=False))})
    table["ill"] = draw.integers(0, 2, 34)
    schema = Schema({name: SCHEMA[name] for name in ("age", "ill")})
    model = RidgeClassifierCV(alphas=[1.0]).fit(table[["age"]], table["ill"])
    found = audit(model, table, schema, k=5)
    assert found.answer == "cannot tell"
    assert "coefficients and best_score_ as exact" in found.unread[0]
    del model.best_score_
    assert audit(model, table, schema, k=5).is_safe


@pytest.mark.parametrize("by", ["priors", "shrinkage"])
def test_covariances_of_single_classes_are_sums_of_products(by):
    """Of every product of two features: as many equations as there are people."""
    draw, names = np.random.default_rng(6), [f"q{place}" for place in range(24)]
    X = np.stack([draw.permutation(24) < draw.integers(9, 12) for _ in range(260)]).astype(float)
    table = pd.DataFrame(X, columns=names)
    table["ill"] = y = draw.integers(0, 2, 260)
    roles = {name: {"role": "quasi-identifier", "kind": "numeric"} for name in names}
    schema = Schema({**roles, "ill": {"role": "sensitive", "target": True}})
    plain = LinearDiscriminantAnalysis(solver="lsqr").fit(table[names], y)
    assert audit(plain, table, schema, k=5).is_safe
    options = {"priors": [0.9, 0.1]} if by == "priors" else {"shrinkage": "auto"}
    model = LinearDiscriminantAnalysis(solver="lsqr", **options).fit(table[names], y)
    assert audit(model, table, schema, k=5).answer == "cannot tell"
    if by == "priors":
        n, means = np.bincount(y), model.means_
        whole = model.covariance_ + 0.9 * np.outer(means[0], means[0])
        whole += 0.1 * np.outer(means[1], means[1])
        of_ill = (whole - 0.9 * X.T @ X / n[0]) / (0.1 / n[1] - 0.9 / n[0])
        one, other = np.triu_indices(24)
        solved = np.linalg.lstsq(X[:, one].T * X[:, other].T, of_ill[one, other])[0]
        assert (np.round(solved) == y).all()
        assert audit(model.set_params(priors=None), table, schema, k=5).answer == "cannot tell"
