"""Encoders and clusterings whose numbers count some people more than others."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.compose import make_column_transformer
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from shoal import Schema
from shoal.audit import audit
from shoal.audit.fits._refitted import finds_again, uneven_encoders
from tests.extras import need

pd = need("pandas")
DRAW = np.random.default_rng(0)
TABLE = pd.DataFrame(
    {
        "age": DRAW.integers(20, 80, 200).astype(float),
        "town": DRAW.choice(["a", "b"], 200),
        "old": np.zeros(200, int),
        "income": DRAW.permutation(200) * 100.0,
    }
)
TABLE["old"] = (TABLE["age"] > 50).astype(int)
TABLE.loc[5, "town"] = "c"
SCHEMA = Schema(
    {
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "town": {"role": "quasi-identifier"},
        "old": {"role": "insensitive", "target": True},
        "income": {"role": "sensitive", "kind": "numeric"},
    }
)
KNOWN = ["age", "town"]


def towns():
    return make_column_transformer(
        (OneHotEncoder(sparse_output=False), ["town"]), ("passthrough", ["age"])
    )


def test_a_mean_with_weights_tells_the_weight_of_the_one_person_in_a_town():
    income = TABLE["income"]
    for weights in (None, np.ones(200), income):
        model = make_pipeline(towns(), StandardScaler(), DecisionTreeClassifier(max_depth=1))
        model.fit(TABLE[KNOWN], TABLE["old"], standardscaler__sample_weight=weights)
        found = audit(model, TABLE, SCHEMA, k=10)
        assert found.spans.is_single.all()
        assert found.is_safe == (weights is not income)
    assert model[1].mean_[2] == pytest.approx(income[5] / income.sum())
    assert "numbers of StandardScaler" in found.unread[0]


@pytest.mark.parametrize(
    "wrap",
    [
        lambda one: one,
        lambda one: make_pipeline("passthrough", one),
        lambda one: FeatureUnion([("a", "passthrough"), ("b", one)]),
        lambda one: make_column_transformer((one, ["age"]), remainder="passthrough"),
        lambda one: make_column_transformer((one, [0])),
    ],
)
@pytest.mark.parametrize("kind", [StandardScaler, lambda: KBinsDiscretizer(4)])
def test_encoders_are_found_at_any_depth(wrap, kind):
    rows, encoder = TABLE[["age"]], kind()
    whole = wrap(encoder).fit(rows)
    assert uneven_encoders(whole, rows) == ()
    part = whole
    for name in ("steps", "transformer_list", "transformers_"):
        parts = [one[1] for one in getattr(part, name, ())]
        part = next((one for one in parts if isinstance(one, type(encoder))), part)
    part.fit(rows, sample_weight=TABLE["income"])
    assert len(uneven_encoders(whole, rows)) == 1
    part.fit(rows[:-3])
    assert len(uneven_encoders(whole, rows)) == 1 or kind is not StandardScaler


def test_scalers_that_saw_rows_in_parts_are_even():
    scaler = StandardScaler()
    for start in range(0, 200, 50):
        scaler.partial_fit(TABLE[["age"]][start : start + 50])
    assert uneven_encoders(scaler, TABLE[["age"]]) == ()
    assert uneven_encoders(None, None) == ()


def test_clusters_are_found_again_with_their_seed():
    points = TABLE[["age", "income"]].to_numpy()
    assert finds_again(KMeans(3, random_state=0).fit(points), points)
    weighted = KMeans(3, random_state=0).fit(points, sample_weight=TABLE["income"])
    assert not finds_again(weighted, points)
    assert not finds_again(KMeans(3).fit(points), points)
    assert not finds_again(KMeans(3, random_state=np.random.RandomState(0)).fit(points), points)
