import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import shoal
from shoal.anonymize import LabelFeatures
from shoal.errors import ParameterError, TableError
from shoal.schema import Schema
from shoal.schema._builders import Tree
from tests.extras import need

SCHEMA = Schema(
    {
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "town": {
            "role": "quasi-identifier",
            "hierarchy": Tree({"North": ["Kiel", "Bremen"], "South": ["Ulm"]}),
        },
        "zip": {"role": "quasi-identifier"},
        "rich": {"role": "sensitive", "target": True},
    }
)


def test_labels_share_among_the_values_that_they_cover():
    features = LabelFeatures(SCHEMA).fit(
        {"age": ["[20-29]", "<18", None], "town": ["North", "*", "Ulm"], "zip": ["10***", "2", "*"]}
    )
    assert list(features.get_feature_names_out()) == [
        "age_low", "age_high", "town=Kiel", "town=Bremen", "town=Ulm", "zip=10***", "zip=2",
    ]  # fmt: skip
    rows = features.transform(
        {"age": ["25", ">=65", "*"], "town": ["North", "Bremen", "*"], "zip": ["10115", "2", "?"]}
    )
    third = 1 / 3
    assert np.allclose(rows, [
        [25, 25, 0.5, 0.5, 0, 1, 0],
        [65, 65, 0, 1, 0, 0, 1],
        [18, 29, third, third, third, 0, 0],
    ])  # fmt: skip


def test_a_model_of_a_release_predicts_people():
    need("pandas")  # makes a table of columns
    rng = np.random.default_rng(0)
    age = rng.integers(20, 80, 400)
    table = {"age": age.tolist(), "town": ["Ulm"] * 400, "zip": ["1"] * 400}
    rich = (age > 50).tolist()
    release = shoal.release({**table, "rich": rich}, SCHEMA, k=5, method="mondrian")
    model = make_pipeline(LabelFeatures(SCHEMA, ["age", "town"]), LogisticRegression(max_iter=2000))
    model.fit(release.table, release.table["rich"])
    assert np.mean(model.predict(table) == rich) > 0.9


def test_columns_must_be_there():
    with pytest.raises(TableError, match="no column"):
        LabelFeatures(SCHEMA).fit({"other": [1]})
    features = LabelFeatures(SCHEMA).fit({"age": [1, 2]})
    with pytest.raises(TableError, match="'age'"):
        features.transform({"town": ["Ulm"]})


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_features_are_a_table_where_a_pipeline_asks_for_one(library):
    frames = need(library)
    rows = frames.DataFrame({"age": ["[30-34]", "35", "*"], "sex": ["f", "m", "f"]})
    schema = Schema(
        {
            "age": {"role": "quasi-identifier", "kind": "numeric"},
            "sex": {"role": "quasi-identifier"},
        }
    )
    plain = LabelFeatures(schema).fit_transform(rows)
    assert isinstance(plain, np.ndarray)
    asked = clone(make_pipeline(LabelFeatures(schema)).set_output(transform=library))
    with config_context(transform_output=library):
        everywhere = LabelFeatures(schema).fit_transform(rows)
    for made in (asked.fit_transform(rows), everywhere):
        assert isinstance(made, frames.DataFrame)
        assert list(made.columns) == ["age_low", "age_high", "sex=f", "sex=m"]
        assert made.to_numpy().tolist() == plain.tolist()
    with pytest.raises(ParameterError):
        LabelFeatures(schema).set_output(transform="excel")


def test_features_keep_the_index_of_their_rows():
    pandas = need("pandas")
    rows = pandas.DataFrame({"age": ["[30-34]", "35"]}, index=[7, 9])
    features = LabelFeatures(Schema({"age": {"role": "quasi-identifier", "kind": "numeric"}}))
    made = features.set_output(transform="pandas").fit_transform(rows)
    assert made.index.tolist() == [7, 9]
