"""Trees and forests of scikit-learn against the definition, row by row."""

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from shoal.audit import audit
from shoal.errors import SchemaError
from shoal.schema import Schema
from tests.audit.people import random_people, roles
from tests.extras import need

pd = need("pandas")


def example():
    case = random_people(1)
    model = encoded(DecisionTreeClassifier(random_state=0, max_depth=3))
    return model.fit(case.table[list("abcd")], case.table["y"]), case.table, case.schema


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


def test_encoders_that_mix_columns_are_named():
    from sklearn.decomposition import PCA

    table = pd.DataFrame({"a": np.arange(9.0), "b": np.arange(9.0) % 2, "y": [0, 1, 1] * 3})
    model = make_pipeline(PCA(1), DecisionTreeClassifier()).fit(table[["a", "b"]], table["y"])
    with pytest.raises(SchemaError, match="PCA cannot be mapped back"):
        audit(model, table, roles(a="pn", b="pn", y="s"))


@pytest.fixture(scope="module")
def adult_table():
    from shoal.datasets import adult
    from shoal.errors import DataNotFoundError

    try:
        return pd.DataFrame(adult().columns)
    except DataNotFoundError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize(("leaf", "is_safe"), [(1, False), (10, True)])
def test_trees_on_all_of_adult(adult_table, leaf, is_safe):
    """With every attribute public, spans are leaves: safe when each was to have ten rows."""
    from shoal.datasets._adult import adult_schema

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
