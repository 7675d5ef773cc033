"""Gradient boosting on histograms: what each tree adds, over the whole domain."""

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from shoal.audit import audit
from shoal.errors import ParameterError, TableError
from tests.audit.people import random_people, roles
from tests.extras import need

pd = need("pandas")


def example():
    case = random_people(2, whole=True)
    return grown(case, 2), case.table, case.schema


def grown(case, seed, sort=HistGradientBoostingClassifier, **more):
    """Weights of rows and a penalty see to it that no two leaves of a tree give one number."""
    given = {"max_iter": 3, "max_depth": 3, "min_samples_leaf": 1, "l2_regularization": 0.1}
    weight = np.random.default_rng(seed).uniform(0.5, 1.5, len(case.table))
    model = sort(**given | more)
    return model.fit(case.table[list("abcd")], case.table["y"], sample_weight=weight)


def steps(model, rows):
    """What the model says after each tree."""
    found = np.column_stack(list(model.staged_decision_function(rows)))
    return np.diff(found, axis=1, prepend=model._baseline_prediction.ravel()[0]).round(9)


@pytest.mark.parametrize("seed", range(30))
def test_classifiers_agree_with_brute_force(seed):
    case = random_people(seed, missing=True)
    case.table = case.table.astype(dict.fromkeys("bd", "category"))
    model = grown(case, seed, categorical_features="from_dtype")
    found = audit(model, case.table, case.schema, k=3)
    case.check(found, lambda rows: steps(model, rows))


@pytest.mark.parametrize("seed", range(10))
def test_regressors_in_a_pipeline_agree_with_brute_force(seed):
    case = random_people(seed, whole=True)
    weight = np.random.default_rng(seed).uniform(0.5, 1.5, len(case.table))
    last = HistGradientBoostingRegressor(max_iter=1, max_depth=3, min_samples_leaf=1)
    model = make_pipeline(StandardScaler(), last)
    model.fit(
        case.table[list("abcd")],
        case.table["y"],
        histgradientboostingregressor__sample_weight=weight,
    )
    case.check(
        audit(model, case.table, case.schema, k=3), lambda rows: model.predict(rows).round(9)
    )


def test_categories_given_by_place_and_no_names():
    case = random_people(5, whole=True)
    rows = case.table[list("abcd")].to_numpy()
    model = HistGradientBoostingClassifier(
        max_iter=2, min_samples_leaf=1, l2_regularization=0.1, categorical_features=[1, 3]
    )
    model.fit(rows, case.table["y"], sample_weight=np.linspace(0.5, 1.5, len(rows)))
    domain = {name: sorted(case.table[name].unique().tolist()) for name in case.domains}
    case.domains = domain
    found = audit(model, case.table, case.schema, k=3, domain=domain)
    case.check(found, lambda asked: steps(model, asked.to_numpy()))


def test_another_table_is_refused():
    case = random_people(2, whole=True)
    model = grown(case, 2)
    with pytest.raises(TableError, match="not the training table"):
        audit(model, case.table.iloc[1:], case.schema)


def test_rows_held_back_are_not_counted():
    case = random_people(2, whole=True)
    model = grown(case, 2, early_stopping=True, validation_fraction=0.2, random_state=0)
    assert any("not checked" in note for note in audit(model, case.table, case.schema).notes)


@pytest.mark.parametrize("spoil", ["layout", "values"])
def test_trees_that_are_not_understood_are_refused(spoil):
    case = random_people(2, whole=True)
    model = grown(case, 2)
    tree = model._predictors[0][0]
    if spoil == "layout":
        names = [n for n in tree.nodes.dtype.names if n != "num_threshold"]
        tree.nodes = tree.nodes[names]
    else:
        tree.nodes = tree.nodes.copy()
        said = model.decision_function
        model.decision_function = lambda rows: said(rows) + np.arange(len(rows))
    with pytest.raises(ParameterError, match="not laid out as expected"):
        audit(model, case.table, case.schema)


def test_large_leaves_are_read_completely_and_safe():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.normal(size=400), "b": rng.choice(list("xyz"), 400)})
    table = table.astype({"b": "category"}).assign(y=rng.integers(0, 2, 400))
    few = {"max_iter": 2, "max_leaf_nodes": 2, "min_samples_leaf": 100}
    alone = HistGradientBoostingClassifier(categorical_features="from_dtype", **few)
    piped = make_pipeline(StandardScaler(), HistGradientBoostingRegressor(**few))
    for model, columns in ((alone, ["a", "b"]), (piped, ["a"])):
        model.fit(table[columns], table["y"])
        kept = table[[*columns, "y"]]
        told = audit(model, kept, roles(**{c: "pn" if c == "a" else "p" for c in columns}, y="sn"))
        assert told.is_safe, told.verdict
