"""Three answers: what is not read completely is never called safe."""

import json

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cluster import KMeans
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.impute import KNNImputer
from sklearn.linear_model import LassoCV, LogisticRegression, LogisticRegressionCV
from sklearn.model_selection import GridSearchCV, LeaveOneOut, RandomizedSearchCV
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier, RadiusNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.semi_supervised import LabelPropagation
from sklearn.svm import SVC, NuSVC
from sklearn.tree import DecisionTreeClassifier

from shoal import Schema
from shoal.audit import audit
from tests.audit.people import roles
from tests.extras import need

pd = need("pandas")
SCHEMA = roles(age="pn", zip="pn", ill="s")


def people(n=60):
    rng = np.random.default_rng(0)
    age = rng.permutation(np.arange(20.0, 20 + n))
    table = pd.DataFrame({"age": age, "zip": rng.integers(1000, 9999, n).astype(float)})
    return table.assign(ill=rng.choice(["no", "yes"], n))


def answer(model, k=10):
    table = people()
    return audit(model.fit(table[["age", "zip"]], table["ill"]), table, SCHEMA, k=k)


DEEP = DecisionTreeClassifier(random_state=0)
BROAD = DecisionTreeClassifier(min_samples_leaf=12, random_state=0)


@pytest.mark.parametrize(
    "wrap",
    [
        lambda tree: GridSearchCV(tree, {"splitter": ["best"]}, cv=2),
        lambda tree: RandomizedSearchCV(tree, {"splitter": ["best"]}, n_iter=1, cv=2),
        lambda tree: BaggingClassifier(tree, 2, bootstrap=False),
        lambda tree: AdaBoostClassifier(tree, n_estimators=2),
        lambda tree: VotingClassifier([("a", tree), ("b", tree)]),
        lambda tree: VotingClassifier([("a", BaggingClassifier(tree, 2))]),
        lambda tree: OneVsRestClassifier(tree),
        lambda tree: OneVsOneClassifier(tree),
        lambda tree: make_pipeline(StandardScaler(), BaggingClassifier(tree, 2)),
        lambda tree: GridSearchCV(make_pipeline(StandardScaler(), tree), {}, cv=2),
    ],
)
def test_a_tree_is_no_safer_inside_a_wrapper(wrap):
    assert answer(DEEP).answer == "unsafe"
    assert answer(wrap(DEEP)).answer == "unsafe"
    assert answer(BROAD).answer == "safe"


@pytest.mark.parametrize(
    "model",
    [
        KNeighborsClassifier(1),
        RadiusNeighborsClassifier(1e6),
        SVC(),
        SVC(kernel="linear"),
        NuSVC(nu=0.1),
        GaussianProcessClassifier(),
        LabelPropagation(),
        GradientBoostingClassifier(init=KNeighborsClassifier(1), n_estimators=1, max_depth=1),
        VotingClassifier([("tree", BROAD), ("rows", KNeighborsClassifier(1))]),
        StackingClassifier([("rows", KNeighborsClassifier(1))], LogisticRegression()),
        CalibratedClassifierCV(SVC(), cv=2),
        make_pipeline(StandardScaler(), OneVsRestClassifier(KNeighborsClassifier(3))),
        GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1]}, cv=2),
        make_pipeline(KNNImputer(), BROAD),
    ],
)
def test_models_that_keep_rows_are_unsafe_by_that_alone(model):
    found = answer(model, k=1)
    assert found.answer == "unsafe"
    assert found.held


@pytest.mark.parametrize(
    "model",
    [
        GridSearchCV(BROAD, {"splitter": ["best"]}, cv=2),
        StackingClassifier([("tree", BROAD)], LogisticRegression(), cv=2),
        CalibratedClassifierCV(BROAD, cv=2),
        VotingClassifier([("tree", BROAD), ("line", LogisticRegression())]),
        BaggingClassifier(BROAD, 3, max_features=1, random_state=0),
        GradientBoostingClassifier(init=LogisticRegression(), n_estimators=1, max_depth=1),
    ],
)
def test_what_is_not_read_is_never_safe(model):
    found = answer(model, k=2)
    assert found.answer == "cannot tell"
    assert found.unread
    assert not found.is_safe
    assert found.to_dict()["answer"] == "cannot tell"
    assert "Cannot tell" in found.verdict


@pytest.mark.parametrize("kind", [RandomForestClassifier, ExtraTreesClassifier])
def test_ensembles_of_small_trees_are_read_together(kind):
    found = answer(kind(2, max_depth=1, bootstrap=False, random_state=0), k=2)
    assert found.answer in ("safe", "unsafe")
    assert found.method == "exact"


def test_unfitted_parts_hold_nothing():
    model = BaggingClassifier(BROAD, 1, bootstrap=False)
    table = people()
    model.fit(table[["age", "zip"]], table["ill"])
    model.spare = KNeighborsClassifier()
    assert audit(model, table, SCHEMA, k=10).answer == "safe"


def test_functions_are_asked_not_read():
    table = people()
    model = KNeighborsClassifier(1).fit(table[["age", "zip"]], table["ill"])
    assert audit(model.predict, table, SCHEMA).answer == "unsafe"
    assert audit(lambda rows: model.predict(rows), table, SCHEMA).answer != "safe"
    assert audit(lambda rows: np.zeros(len(rows)), table, SCHEMA).answer == "cannot tell"


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize(
    "search", [LassoCV(cv=LeaveOneOut()), LogisticRegressionCV(cv=30)], ids=["errors", "folds"]
)
def test_results_of_parts_of_the_table_are_not_safe(search):
    """Left out alone, a person's error tells their target."""
    draw = np.random.default_rng(0)
    kind = "numeric" if isinstance(search, LassoCV) else "categorical"
    table = pd.DataFrame({"age": draw.normal(size=120).round(1), "y": draw.integers(0, 2, 120)})
    roles = {
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "y": {"role": "sensitive", "kind": kind, "target": True},
    }
    search.fit(table[["age"]], table["y"])
    found = audit(search, table, Schema(roles), k=10, threshold=0.5)
    assert any("keeps results of parts" in reason for reason in found.unread)
    for name in ("mse_path_", "coefs_paths_", "scores_"):
        vars(search).pop(name, None)
    found = audit(search, table, Schema(roles), k=10, threshold=0.5)
    assert not any("keeps results of parts" in reason for reason in found.unread)


def test_what_a_model_was_fitted_to_has_to_be_in_the_schema():
    """With a leaf for everybody it tells what is private, though no column of the table is."""
    table = people()
    tree = DecisionTreeClassifier().fit(table[["age", "zip"]], table["ill"])
    assert (tree.predict(table[["age", "zip"]]) == table["ill"]).all()
    public = Schema({name: SCHEMA[name] for name in ("age", "zip")})
    for model in (tree, LogisticRegression().fit(table[["age", "zip"]], table["ill"])):
        found = audit(model, table[["age", "zip"]], public, k=10)
        assert found.answer == "cannot tell"
        assert "not in the schema" in found.unread[-1]
    clusters = KMeans(3, n_init=1, random_state=0).fit(table[["age", "zip"]])
    assert audit(clusters, table[["age", "zip"]], public, k=10).is_safe


@pytest.mark.parametrize("form", ["model", "booster", "file", "dump"])
def test_boosting_that_was_fitted_to_something_else_is_not_safe(form):
    xgboost, table = need("xgboost"), people()
    model = xgboost.XGBRegressor(n_estimators=1).fit(table[["age", "zip"]], table["ill"] == "yes")
    booster = model.get_booster()
    forms = {
        "model": model,
        "booster": booster,
        "file": json.loads(bytes(booster.save_raw(raw_format="json"))),
        "dump": [json.loads(one) for one in booster.get_dump(dump_format="json", with_stats=True)],
    }
    public = Schema({name: SCHEMA[name] for name in ("age", "zip")})
    found = audit(forms[form], table[["age", "zip"]], public, k=10)
    assert any("not in the schema" in reason for reason in found.unread)


def test_a_model_of_another_column_than_the_target_is_not_safe():
    """It tells everybody's private class, and the schema says that something else was asked."""
    table = people().assign(sex=["f", "m"] * 30)
    columns = {name: SCHEMA[name] for name in ("age", "zip")}
    sex = {"role": "quasi-identifier", "target": True}
    schema = Schema({**columns, "ill": {"role": "sensitive"}, "sex": sex})
    tree = DecisionTreeClassifier().fit(table[["age", "zip"]], table["ill"])
    found = audit(tree, table, schema, k=10)
    assert found.answer == "cannot tell"
    assert "its classes are not those of 'sex'" in found.unread[-1]
    tree.fit(table[["age", "zip"]], table["sex"])
    assert audit(tree, table, schema, k=10).is_safe


@pytest.mark.parametrize("model", [BROAD, LogisticRegression(C=0.01)], ids=["tree", "linear"])
def test_classes_may_be_numbered_as_encoders_do(model):
    table = people(400).assign(zip=1.0)
    numbered = np.searchsorted(["no", "yes"], table["ill"])
    model.fit(table[["age", "zip"]], numbered)
    assert audit(model, table, SCHEMA, k=10).is_safe
    model.fit(table[["age", "zip"]], 1 - numbered)  # the other way round they are other classes
    assert not audit(model, table, SCHEMA, k=10).is_safe


def test_scores_of_columns_tell_what_the_one_person_in_a_town_has():
    """Anybody can compute the score of that town for either class, and only one of them fits."""
    table = people(200).assign(zip=["a"] * 100 + ["b"] * 99 + ["alone"])
    roles = {"age": {"role": "quasi-identifier", "kind": "numeric"}}
    roles |= {"zip": {"role": "quasi-identifier"}, "ill": {"role": "sensitive", "target": True}}
    towns = make_column_transformer(
        (OneHotEncoder(sparse_output=False), ["zip"]), ("passthrough", ["age"])
    )
    model = make_pipeline(towns, SelectKBest(chi2, k=1), BROAD)
    model.fit(table[["age", "zip"]], table["ill"])
    town = (table["zip"] == "alone").to_numpy()[:, None].astype(float)
    others = table["ill"].value_counts().sub(pd.get_dummies(table["ill"]).iloc[-1].astype(int))
    fits = []
    for guess in ("no", "yes"):
        said = np.repeat(["no", "yes"], [others["no"] + (guess == "no"), 0]).tolist()
        said += ["yes"] * int(others["yes"] + (guess == "yes"))
        said.remove(guess)
        fits.append(np.isclose(chi2(np.roll(town, 1), [guess, *said])[0][0], model[1].scores_[1]))
    assert fits == [table["ill"].iloc[-1] == "no", table["ill"].iloc[-1] == "yes"]
    found = audit(model, table, Schema(roles), k=10)
    assert not found.breaches
    assert "scores of single columns" in found.unread[0]
    public = Schema(roles | {"ill": {"role": "insensitive", "target": True}})
    assert audit(model, table, public, k=10).is_safe


@pytest.mark.filterwarnings("ignore")  # newer releases have other names for it
@pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
def test_errors_of_rounds_on_one_person_tell_that_persons_class(library):
    """The first error is the logarithm of the chance that the model gives to the class."""
    boosting = need(library)
    table = people(300)
    table["ill"] = (table["ill"] == "yes").astype(int)
    given = {"n_estimators": 3, "max_depth": 1}
    model = (
        boosting.XGBClassifier(min_child_weight=20, **given)
        if library == "xgboost"
        else boosting.LGBMClassifier(verbose=-1, **given)
    )
    one = table[["age"]][:1], table["ill"][:1]
    model.fit(table[["age"]], table["ill"], eval_set=[one])
    (said,) = next(iter(model.evals_result_.values())).values()
    chance = model.predict_proba(one[0])[0]
    assert int(np.isclose(-np.log(chance), said[-1], rtol=1e-4).argmax()) == table["ill"][0]
    roles = {"age": {"role": "quasi-identifier", "kind": "numeric"}}
    roles |= {"ill": {"role": "sensitive", "target": True}}

    def judged(what):
        return audit(what, table[["age", "ill"]], Schema(roles), k=10)

    assert "scores of rounds" in judged(model).unread[0]
    model = clone(model).fit(table[["age"]], table["ill"])
    assert judged(model).is_safe
    if library == "xgboost":
        booster = model.get_booster()
        booster.set_attr(best_score="0.31")
        assert "best_score" in judged(booster).unread[0]
        assert "best_score" in judged(json.loads(booster.save_raw("json"))).unread[0]
