"""Audits: worked examples of the paper, what is refused, and the report."""

import pickle

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from shoal.audit import audit
from shoal.audit._load import load_model
from shoal.errors import ParameterError, SchemaError, TableError
from shoal.models import KAnonymousClustering, KAnonymousNaiveBayes, KAnonymousTreeClassifier
from shoal.privacy import EntropyDiversity
from shoal.schema import Schema
from tests.audit.people import MORTGAGE, roles
from tests.extras import need

pd = need("pandas")

TABLE_1 = {
    "gender": ["Male"] * 6 + ["Female"] * 6,
    "married": ["Yes"] * 5 + ["No"] * 4 + ["Yes"] * 3,
    "age": ["Young"] * 3 + ["Old"] * 3 + ["Young", "Old"] + ["Young"] * 4,
    "car": ["Yes", "No", "Yes", "Yes", "Yes", "Yes", "No", "Yes", "No", "No", "Yes", "Yes"],
    "risk": ["Good"] * 4 + ["Bad"] * 2 + ["Good"] * 2 + ["Bad"] * 4,
}


def figure_2():
    table = pd.DataFrame(MORTGAGE)
    encode = OrdinalEncoder(categories=[["Married", "Unmarried"], ["No", "Yes"]])
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    model = make_pipeline(encode, tree).fit(table[["marital", "car"]], table["risk"])
    assert tree.tree_.feature[0] == 1
    return table, model


def test_worked_example_1_private_car_is_3_anonymous():
    table, model = figure_2()
    found = audit(model, table, roles(marital="p", car="s", risk="s"), k=3)
    assert sorted(found.spans.population.tolist()) == [3, 3]
    assert found.spans.n_bins.tolist() == [4, 4]
    assert found.safe_k == 3
    assert found.is_safe
    assert not audit(model, table, roles(marital="p", car="s", risk="s"), k=4).is_safe


def test_worked_example_1_public_car_is_1_anonymous():
    table, model = figure_2()
    found = audit(model, table, roles(marital="p", car="p", risk="s"), k=3)
    assert sorted(found.spans.population.tolist()) == [1, 2, 3]
    assert found.safe_k == 1
    assert [breach.rows for breach in found.breaches] == [1, 2]
    assert "car" in " ".join(found.breaches[0].causes)
    assert "Do not publish" in found.verdict


def put_shares(model, rows, target):
    """The same tests, with the shares of another target in the nodes."""
    model.classes_ = np.unique(target)
    paths = model.decision_path(rows).toarray().astype(bool)
    shares = np.array([[(target[at] == c).mean() for c in model.classes_] for at in paths.T])
    state = model.tree_.__getstate__()
    nodes = state["nodes"].copy()
    nodes["impurity"] = 1 - (shares**2).sum(axis=1)
    tree = type(model.tree_)(model.n_features_in_, np.array([len(model.classes_)], np.intp), 1)
    tree.__setstate__({**state, "nodes": nodes, "values": shares[:, None, :].copy()})
    model.tree_ = tree


def test_worked_example_2():
    """Figure 1: four leaves of three people; married women are exposed."""
    table = pd.DataFrame(TABLE_1)
    schema = roles(gender="p", married="p", age="p", car="p", risk="s")

    def predict(rows):
        parts = zip(rows["gender"], rows["married"], rows["age"], strict=True)
        return [age if gender == "Male" else married for gender, married, age in parts]

    said = audit(predict, table, schema, k=3)
    assert sorted(said.spans.population.tolist()) == [3, 3, 3, 3]
    hand = DecisionTreeClassifier(max_depth=2, random_state=0)
    encode = OrdinalEncoder()
    # the class by which scikit-learn finds the tree of the figure
    wanted = [{"Young": 0, "Old": 1, "Yes": 2, "No": 3}[p] for p in predict(table)]
    model = make_pipeline(encode, hand).fit(table[list(TABLE_1)[:4]], wanted)
    assert hand.get_n_leaves() == 4
    put_shares(hand, encode.transform(table[list(TABLE_1)[:4]]), table["risk"])
    found = audit(model, table, schema, k=3)
    assert sorted(found.spans.population.tolist()) == [3, 3, 3, 3]
    assert found.is_safe
    assert found.safe_k == 3
    assert found.exposed == {"risk": 6}  # young men and married women
    assert found.confidence["risk"] == {"Bad": 1.0, "Good": 1.0}
    assert found.to_dict()["confidence"] == {"risk": 1.0}  # no values in what is written


def test_majority_tells_less_than_counts_and_diversity_can_be_demanded():
    table, model = figure_2()
    schema = roles(marital="p", car="p", risk="s")
    counts = audit(model, table, schema, k=1)
    labels = audit(model, table, schema, k=1, release="majority")
    assert counts.exposed["risk"] == 4
    assert labels.exposed["risk"] == 1  # John, who is alone
    assert labels.confidence["risk"]["bad"] <= counts.confidence["risk"]["bad"]
    diverse = audit(model, table, schema, k=1, privacy=EntropyDiversity(1.5))
    assert not diverse.is_safe


def test_what_is_refused():
    table, model = figure_2()
    schema = roles(marital="p", car="p", risk="s")
    with pytest.raises(TableError, match="not the training table"):
        audit(model, table.iloc[:5], schema)
    assert audit(model, table.iloc[:5], schema, check_table=False).n_rows == 5
    with pytest.raises(SchemaError, match="no attributes in the schema: 'marital'"):
        audit(model, table.drop(columns="marital"), roles(car="p", risk="s"))
    with pytest.raises(ParameterError, match="k must be"):
        audit(model, table, schema, k=0)
    with pytest.raises(ParameterError, match="release must be"):
        audit(model, table, schema, release="everything")
    with pytest.raises(ParameterError, match="no adapter reads"):
        audit(object(), table, schema)
    with pytest.raises(SchemaError, match="outside the declared domain"):
        audit(model, table, roles(marital="s", car="p", risk="s"), domain={"marital": ["Married"]})


def test_the_report_has_no_values_of_public_columns_and_is_json():
    import json

    table, model = figure_2()
    found = audit(model, table, roles(marital="p", car="p", risk="s"), k=3)
    assert json.loads(json.dumps(found.to_dict()))["safe_k"] == 1
    assert "Unmarried" not in found.to_text()
    assert "good" not in repr(found)
    assert "largest safe k is 1" in found.to_text()


def own_models():
    generator = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "age": generator.integers(18, 80, 200).astype(float),
            "pay": np.round(generator.normal(3000, 300, 200), 2),
        }
    )
    ill = generator.choice(["flu", "gout", "cold"], 200)
    known = Schema(
        {
            "age": {"role": "quasi-identifier", "kind": "numeric"},
            "pay": {"role": "sensitive", "kind": "numeric"},
        }
    )
    schema = known.replace(ill={"role": "sensitive", "target": True})
    labelled = table.assign(ill=ill)
    return {
        "clustering": (KAnonymousClustering(known, 10, min_rows=10).fit(table), table, known),
        "tree": (KAnonymousTreeClassifier(schema, 10).fit(table, ill), labelled, schema),
        "bayes": (KAnonymousNaiveBayes(schema, 10).fit(table, ill), labelled, schema),
    }


@pytest.mark.parametrize("kind", ["clustering", "tree", "bayes"])
def test_rows_that_hang_on_a_model_of_shoal_are_found(kind, tmp_path):
    model, table, schema = own_models()[kind]
    assert audit(model, table, schema, k=10).answer == "safe"
    assert audit(type(model).from_dict(model.to_dict()), table, schema, k=10).answer == "safe"
    path = tmp_path / "model.pkl"
    path.write_bytes(pickle.dumps(model))
    assert audit(load_model(path, trust=True), table, schema, k=10).answer == "safe"
    vars(model)["rows_"] = table.to_numpy(object)
    assert audit(model, table, schema, k=10).answer == "unsafe"
    path.write_bytes(pickle.dumps(model))
    assert audit(load_model(path, trust=True), table, schema, k=10).answer == "unsafe"


@pytest.mark.parametrize("kind", ["clustering", "tree", "bayes"])
def test_attributes_and_classes_that_shoal_does_not_know_are_not_called_safe(kind):
    model, table, schema = own_models()[kind]
    vars(model)["note_"] = "nothing"
    found = audit(model, table, schema, k=10)
    assert (found.answer, found.unread) == (
        "cannot tell",
        ("note_ is no attribute that Shoal sets",),
    )
    del vars(model)["note_"]
    model.__class__ = type("Special", (type(model),), {})
    found = audit(model, table, schema, k=10)
    assert found.answer != "safe"
    assert found.unread == ("Special is a class of its own, which may add anything to a model",)


def test_a_file_of_a_clustering_holds_no_labels_of_rows_or_is_unsafe(tmp_path):
    model, table, schema = own_models()["clustering"]
    labels = model.labels_
    again = pickle.loads(pickle.dumps(model))
    assert not hasattr(again, "labels_")
    assert (again.predict(table) == labels).all()
    object.__setattr__(again, "labels_", labels)
    path = tmp_path / "old.pkl"
    state = vars(again).copy()
    path.write_bytes(pickle.dumps(Unpickled(state)))
    found = audit(load_model(path, trust=True), table, schema, k=10)
    assert found.answer == "unsafe"
    assert any("labels_ has an entry for each training row" in said for said in found.held)


class Unpickled:
    """Pickles as a clustering with all of a state, as releases did that kept labels."""

    def __init__(self, state):
        self.state = state

    def __reduce__(self):
        return object.__new__, (KAnonymousClustering,), self.state


def test_models_whose_parts_do_not_fit_are_refused_in_words():
    """A file may be damaged so that its library still loads it."""
    table = pd.DataFrame({"a": np.arange(40.0), "y": np.arange(40) % 2})
    schema = Schema(
        {
            "a": {"role": "quasi-identifier", "kind": "numeric"},
            "y": {"role": "sensitive", "target": True},
        }
    )
    model = LogisticRegression().fit(table[["a"]], table["y"])
    for coefficients in (np.zeros((1, 0)), np.zeros((1, 3)), "none"):
        model.coef_ = coefficients
        with pytest.raises(TableError, match="damaged or was changed"):
            audit(model, table, schema, k=5)


def test_a_model_that_is_not_fitted_is_called_so():
    """It was called damaged, with the advice to write it again."""
    table = {"age": [30, 40, 70, 80, 90], "car": ["yes", "no", "yes", "no", "no"]}
    schema = Schema(
        {
            "age": {"role": "quasi-identifier", "kind": "numeric"},
            "car": {"role": "sensitive", "target": True},
        }
    )
    forest = RandomForestClassifier()
    for model in (forest, DecisionTreeClassifier(), make_pipeline(StandardScaler(), forest)):
        with pytest.raises(TableError, match=r"(Classifier|model) is not fitted yet"):
            audit(model, table, schema, k=3)
