"""Audits of trees, forests and functions against the definition, row by row."""

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from shoal.audit import audit
from shoal.errors import ParameterError, SchemaError, TableError
from shoal.models import KAnonymousTreeClassifier
from shoal.privacy import EntropyDiversity
from shoal.schema import Schema
from tests.audit.people import random_people, roles
from tests.extras import need

pd = need("pandas")

MORTGAGE = {
    "marital": ["Unmarried", "Married", "Married", "Married", "Unmarried", "Unmarried"],
    "car": ["Yes", "Yes", "No", "No", "Yes", "No"],
    "risk": ["good", "good", "bad", "bad", "bad", "bad"],
}
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


def test_worked_example_1_with_a_shoal_tree():
    table = pd.DataFrame(MORTGAGE)
    schema = roles(marital="p", car="s", risk="s")
    tree = KAnonymousTreeClassifier(schema, privacy=3, min_branch=1)
    tree.fit(table[["marital", "car"]], table["risk"])
    found = audit(tree, table, schema, k=3)
    assert found.is_safe
    assert sorted(found.spans.population.tolist()) == [3, 3]
    assert found.safe_k == 3


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
    hand.classes_ = np.unique(table["risk"])  # the same tests, with the loan risk in the leaves
    found = audit(model, table, schema, k=3)
    assert sorted(found.spans.population.tolist()) == [3, 3, 3, 3]
    assert found.is_safe
    assert found.safe_k == 3
    assert found.exposed == {"risk": 6}  # young men and married women
    assert found.confidence["risk"] == {"Bad": 1.0, "Good": 1.0}


def encoded(tree):
    encode = ColumnTransformer(
        [
            ("number", StandardScaler(), ["a"]),
            ("onehot", OneHotEncoder(), ["b"]),
            ("rank", OrdinalEncoder(), ["d"]),
        ],
        remainder="passthrough",
    )
    return make_pipeline(encode, tree)


@pytest.mark.parametrize("seed", range(200))
def test_trees_agree_with_brute_force(seed):
    case = random_people(seed)
    model = encoded(DecisionTreeClassifier(random_state=seed, max_depth=1 + seed % 5))
    model.fit(case.table[list("abcd")], case.table["y"])
    found = audit(model, case.table, case.schema, k=3)
    case.check(found, lambda rows: model[-1].apply(model[:-1].transform(rows)))


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("sort", [RandomForestClassifier, GradientBoostingClassifier])
def test_forests_agree_with_brute_force(seed, sort):
    case = random_people(seed)
    model = encoded(sort(n_estimators=3, random_state=seed, max_depth=2))
    model.fit(case.table[list("abcd")], case.table["y"])

    def apply(rows):
        return model[-1].apply(model[:-1].transform(rows)).reshape(len(rows), -1)

    case.check(audit(model, case.table, case.schema, k=3), apply)


@pytest.mark.parametrize("seed", range(20))
def test_trees_with_missing_values_agree_with_brute_force(seed):
    case = random_people(seed, missing=True, whole=True)
    model = DecisionTreeClassifier(random_state=seed).fit(case.table[list("abcd")], case.table["y"])
    case.check(audit(model, case.table, case.schema, k=3), model.apply)


@pytest.mark.parametrize("seed", range(20))
def test_functions_agree_with_brute_force(seed):
    case = random_people(seed)

    def predict(rows):
        mixed = [hash((a, c)) % 3 + ord(b) + ord(d) for a, b, c, d in rows.to_numpy().tolist()]
        return np.array(mixed) % 4

    case.domains = {name: sorted(case.table[name].unique().tolist()) for name in case.domains}
    found = audit(predict, case.table, case.schema, k=3, domain=case.domains)
    case.check(found, predict, n_classes=1)  # the class is no part of the output
    assert found.method.startswith("exhaustive")


def test_a_sampled_domain_says_so():
    case = random_people(3)
    found = audit(lambda rows: np.zeros(len(rows)), case.table, case.schema, max_points=5)
    assert found.method.startswith("sampled: 5 combinations")


def test_regression_trees_tell_about_the_target():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": np.arange(40.0), "y": rng.normal(size=40)})
    schema = Schema(
        {
            "a": {"role": "quasi-identifier", "kind": "numeric"},
            "y": {"role": "sensitive", "kind": "numeric", "target": True},
        }
    )
    model = DecisionTreeRegressor(min_samples_leaf=5).fit(table[["a"]], table["y"])
    found = audit(model, table, schema, k=5)
    assert found.is_safe
    assert found.safe_k == model.tree_.n_node_samples[model.tree_.children_left < 0].min()


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


def test_encoders_that_mix_columns_are_named():
    from sklearn.decomposition import PCA

    table = pd.DataFrame({"a": np.arange(9.0), "b": np.arange(9.0) % 2, "y": [0, 1, 1] * 3})
    model = make_pipeline(PCA(1), DecisionTreeClassifier()).fit(table[["a", "b"]], table["y"])
    with pytest.raises(SchemaError, match="PCA cannot be mapped back"):
        audit(model, table, roles(a="pn", b="pn", y="s"))


def test_the_report_has_no_values_of_public_columns_and_is_json():
    import json

    table, model = figure_2()
    found = audit(model, table, roles(marital="p", car="p", risk="s"), k=3)
    assert json.loads(json.dumps(found.to_dict()))["safe_k"] == 1
    assert "Unmarried" not in found.to_text()
    assert "good" not in repr(found)
    assert "largest safe k is 1" in found.to_text()


@pytest.fixture(scope="module")
def adult_table():
    from shoal.datasets import DataNotFoundError, adult

    try:
        return pd.DataFrame(adult().columns)
    except DataNotFoundError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize(("leaf", "is_safe"), [(1, False), (10, True)])
def test_trees_on_all_of_adult(adult_table, leaf, is_safe):
    """With every attribute public, spans are leaves: safe when each was to have ten rows."""
    from shoal.datasets import adult_schema

    names = [name for name in adult_table if name != "income"]
    words = [name for name in names if not pd.api.types.is_numeric_dtype(adult_table[name])]
    encode = ColumnTransformer([("words", OneHotEncoder(), words)], remainder="passthrough")
    tree = DecisionTreeClassifier(min_samples_leaf=leaf, random_state=0)
    model = make_pipeline(encode, tree).fit(adult_table[names], adult_table["income"])
    found = audit(model, adult_table, adult_schema(rest="quasi-identifier"), k=10)
    assert found.n_rows == 30_162
    assert found.is_safe is is_safe
    sizes = tree.tree_.n_node_samples[tree.tree_.children_left < 0]
    assert found.safe_k == sizes.min()
    assert len(found.breaches) == (sizes < 10).sum()
