"""Rows in the object itself, in any form, against tables and models that hold none."""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression, RidgeClassifierCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    QuantileTransformer,
    StandardScaler,
)
from sklearn.tree import DecisionTreeClassifier

from shoal.audit import audit
from shoal.schema import Schema
from tests.audit.people import numeric, random_people, roles
from tests.extras import need

pd = need("pandas")
SCHEMA = roles(a="pn", b="pn", c="pn", y="s")


def people(seed=0, n=200):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.normal(size=(n, 3)).round(4), columns=list("abc"))
    return table.assign(y=rng.choice(["u", "v"], n))


def fit(table, *steps):
    tree = DecisionTreeClassifier(min_samples_leaf=20, random_state=0)
    model = make_pipeline(*steps, tree) if steps else tree
    return model.fit(table[list("abc")], table["y"])


def tree_of(model):
    return model.steps[-1][1] if hasattr(model, "steps") else model


def standardized(rows):
    return (rows - rows.mean(axis=0)) / rows.std(axis=0)


KEPT = {
    "all rows": lambda t: t[list("abc")].to_numpy(),
    "as a frame": lambda t: t,
    "a few, in single precision": lambda t: t[list("abc")].to_numpy(np.float32)[[3, 9, 27]],
    "one row": lambda t: t[list("abc")].to_numpy()[7],
    "as lists": lambda t: {"deep": [{"inside": t[list("abc")].to_numpy()[:5].tolist()}]},
    "by column": lambda t: t[list("abc")].to_numpy().T[:, :40],
    "standardized": lambda t: standardized(t[list("abc")].to_numpy())[::-1],
    "one column": lambda t: t["b"].to_numpy(),
    "the classes": lambda t: (t["y"] == "u").to_numpy(),
    "the classes as text": lambda t: t["y"].tolist(),
    "in a function": lambda t: lambda rows: rows.equals(t),
}


@pytest.mark.parametrize("how", KEPT)
@pytest.mark.parametrize("steps", [(), (StandardScaler(),)])
def test_rows_are_found_in_whatever_form(how, steps):
    table = people()
    model = fit(table, *steps)
    assert audit(model, table, SCHEMA, k=10).answer == "safe"
    tree_of(model).kept = KEPT[how](table)
    found = audit(model, table, SCHEMA, k=10)
    assert found.answer == "unsafe"
    assert "kept" in found.verdict


def test_rows_as_the_models_own_scaler_makes_them():
    table = people()
    model = fit(table, StandardScaler())
    scaled = model[0].transform(table[list("abc")])
    tree_of(model).kept = scaled[[5, 17]]
    assert audit(model, table, SCHEMA, k=10).answer == "unsafe"


def test_an_array_of_as_many_entries_is_not_called_safe():
    table = people()
    model = fit(table)
    model.kept = np.random.default_rng(1).normal(size=len(table))
    assert audit(model, table, SCHEMA, k=10).answer == "cannot tell"
    model.kept = b"x" * 1000
    assert audit(model, table, SCHEMA, k=10).answer == "cannot tell"


def test_labels_in_the_order_of_the_rows():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": np.repeat([0.0, 9.0], 40), "b": rng.normal(size=80)})
    model = KMeans(2, n_init=1, random_state=0).fit(table)
    assert audit(model, table, numeric(a="quasi-identifier", b="quasi-identifier")).is_safe
    schema = numeric(a="sensitive", b="quasi-identifier")
    assert audit(model, table, schema).held
    del model.labels_
    assert audit(model, table, schema).is_safe


def test_identifiers_and_quantiles():
    table = people().assign(name=[f"person {i}" for i in range(200)])
    roles = {c: {"role": "quasi-identifier", "kind": "numeric"} for c in "ab"}
    roles |= {"c": {"role": "sensitive", "kind": "numeric"}, "name": {"role": "identifier"}}
    schema = Schema(roles | {"y": {"role": "sensitive", "target": True}})
    model = fit(table)
    assert not audit(model, table, schema, k=2).held
    model.note = "trained with the help of"
    model.thanks = ["person 12"]
    assert audit(model, table, schema, k=2).held
    assert audit(fit(table, QuantileTransformer(n_quantiles=200)), table, schema, k=2).held


@pytest.mark.parametrize("seed", range(40))
def test_honest_models_hold_nothing(seed):
    case = random_people(seed)
    columns = list("abcd")
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    model = make_pipeline(OneHotEncoder(handle_unknown="ignore"), tree)
    model.fit(case.table[columns], case.table["y"])
    found = audit(model, case.table, case.schema, k=3)
    assert not found.held
    # tests that tell who is at a node, of which groups are too small as well
    assert not found.unread or (found.breaches and "below private ones" in found.unread[0])


def test_rows_in_mappings_and_long_texts_are_not_passed_over():
    table, schema = _unique_people()
    model = DecisionTreeClassifier(max_depth=1, min_samples_leaf=15).fit(
        table[["age", "zip"]], table["ill"]
    )
    assert audit(model, table, schema, k=10).answer == "safe"
    model.class_weight = dict(zip(table["age"].tolist(), table["zip"].tolist(), strict=True))
    assert audit(model, table, schema, k=10).answer == "unsafe"
    model.class_weight = None
    vars(model)["remark"] = str(table.to_numpy().tolist())
    assert audit(model, table, schema, k=10).answer == "cannot tell"


def test_isotonic_curves_and_steps_that_do_nothing_are_read():
    table, schema = _unique_people()
    columns = table[["age", "zip"]]
    curve = CalibratedClassifierCV(LogisticRegression(), method="isotonic", cv=2)
    assert audit(curve.fit(columns, table["ill"]), table, schema, k=10).answer != "safe"
    stump = DecisionTreeClassifier(max_depth=1, min_samples_leaf=15)
    steps = Pipeline([("nothing", "passthrough"), ("tree", stump)]).fit(columns, table["ill"])
    assert audit(steps, table, schema, k=10).answer == "safe"


def _unique_people():
    draw = np.random.default_rng(0)
    table = pd.DataFrame({"age": draw.permutation(np.arange(20.0, 80.0))})
    table["zip"] = draw.integers(1000, 9999, 60).astype(float)
    table["ill"] = draw.choice(["none", "HIV"], 60)
    numeric = {"role": "quasi-identifier", "kind": "numeric"}
    target = {"role": "sensitive", "target": True}
    return table, Schema({"age": numeric, "zip": numeric, "ill": target})


SHAPES = {
    "behind names": lambda t: {f"p{i}": row for i, row in enumerate(t.tolist())},
    "one by one": lambda t: list(t[:9]),
    "row after row": np.ravel,
    "column after column": lambda t: t.T.ravel(),
    "in a short text": lambda t: f"seen: {t[:3].tolist()}",
    "printed": lambda t: repr(t[:3]),
}


@pytest.mark.parametrize("how", SHAPES)
def test_rows_are_found_in_whatever_shape(how):
    table, schema = _unique_people()
    model = DecisionTreeClassifier(max_depth=1, min_samples_leaf=15).fit(
        table[["age", "zip"]], table["ill"]
    )
    model.__doc__ = "Trained in 2024 with version 1.4.2 on 2 columns."
    assert audit(model, table, schema, k=10).answer == "safe"
    vars(model)["remark"] = SHAPES[how](table[["age", "zip"]].to_numpy())
    assert audit(model, table, schema, k=10).answer == "unsafe"


def test_errors_of_single_rows_are_told_even_of_models_that_tell_nothing_private():
    table, schema = _unique_people()
    kept = RidgeClassifierCV(store_cv_results=True).fit(table[["age", "zip"]], table["ill"])
    assert audit(kept, table, schema, k=2).answer == "unsafe"
    model = LogisticRegression().fit(table[["age", "zip"]], table["ill"])
    assert audit(model, table, schema, k=2).answer == "safe"
    share = model.predict_proba(table[["age", "zip"]])[:, 0]
    vars(model)["residuals_"] = (table["ill"] == "HIV").to_numpy() - share
    assert audit(model, table, schema, k=2).answer == "cannot tell"


@pytest.mark.parametrize("scaler", [MinMaxScaler(), MaxAbsScaler(), KBinsDiscretizer(3)])
def test_an_encoder_tells_the_largest_private_number(scaler):
    draw = np.random.default_rng(0)
    table = pd.DataFrame({"age": draw.integers(20, 80, 300), "pay": draw.integers(10, 40, 300)})
    table = table.assign(ill=draw.choice(["none", "flu"], 300)).astype({"age": float, "pay": float})
    columns = dict(numeric(age="quasi-identifier", pay="sensitive"))
    schema = Schema(columns | {"ill": {"role": "insensitive", "target": True}})
    rich = table.assign(pay=[9999.0, *table["pay"][1:]])
    for people, said in ((table, "safe"), (rich, "unsafe")):
        tree = DecisionTreeClassifier(max_depth=1, min_samples_leaf=50, random_state=0)
        model = make_pipeline(scaler, tree).fit(people[["age", "pay"]], people["ill"])
        assert audit(model, people, schema, k=2).answer == said


def test_small_places_are_nobodys_row_and_whole_numbers_of_somebody_are():
    rng = np.random.default_rng(1)
    numbers = rng.integers([18, 900, 1], [90, 9000, 400], (200, 3))
    numbers[0] = numbers.min(axis=0) - 1  # scaled from least to largest, a row of zeros
    table = pd.DataFrame(numbers, columns=list("abc")).assign(y=rng.choice(["u", "v"], 200))
    model = fit(table)
    for places in ([0, 0, 0], [0, 2, 0, 0, 0, 0], [0, 1, 0]):
        model.kept = np.array(places)
        assert audit(model, table, SCHEMA, k=10).answer == "safe", places
    numbers[9] = 120, 121, 120  # near each other, and no places
    table[list("abc")] = numbers
    model = fit(table)
    for own in (numbers[0], numbers[[5, 7]].ravel(), numbers[9]):
        model.kept = own
        assert audit(model, table, SCHEMA, k=10).answer == "unsafe"
