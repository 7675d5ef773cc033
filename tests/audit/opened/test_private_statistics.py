"""What encoders keep of a private column is not that of a few people."""

import json

import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_selection import VarianceThreshold
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PowerTransformer,
    StandardScaler,
)
from sklearn.tree import DecisionTreeClassifier

from shoal import Schema
from shoal.audit import audit
from tests.extras import need

pd = need("pandas")
N = 200
DRAW = np.random.default_rng(0)
AGE, GROUP = DRAW.integers(20, 80, N), DRAW.choice(["a", "b"], N)


def judged(model, private, role="sensitive"):
    kind = "numeric" if private.dtype.kind == "f" else "categorical"
    table = pd.DataFrame({"age": AGE, "own": private, "group": GROUP})
    roles = {
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "own": {"role": role, "kind": kind},
        "group": {"role": "quasi-identifier", "target": True},
    }
    return audit(model.fit(table[["age", "own"]], table["group"]), table, Schema(roles), k=10)


def with_stump(*steps):
    return make_pipeline(*steps, DecisionTreeClassifier(max_depth=1, min_samples_leaf=20))


@pytest.mark.parametrize("encoder", [OneHotEncoder, OrdinalEncoder])
def test_lists_do_not_name_what_few_people_have(encoder):
    names = np.array([f"illness {i % 12}" for i in range(N)])
    rare = np.where(np.arange(N) == 3, "illness of one", names)
    coded = with_stump(make_column_transformer((encoder(), ["own"]), remainder="passthrough"))
    assert judged(coded, names).is_safe
    found = judged(coded, rare)
    assert found.answer == "cannot tell"
    assert "names 1 values of private column 'own'" in found.unread[0]
    assert "illness of one" not in found.verdict
    assert judged(coded, rare, "quasi-identifier").is_safe
    listed = encoder(categories=[sorted({*rare, "illness of nobody"})])  # no list of what is there
    whole = with_stump(make_column_transformer((listed, ["own"]), remainder="passthrough"))
    assert judged(whole, rare).is_safe


@pytest.mark.parametrize(("bins", "answer"), [(255, "cannot tell"), (8, "safe")])
def test_bins_with_a_person_each_are_seen(bins, answer):
    """Half-way between all neighbours: as good as the list of what everybody earns."""
    model = HistGradientBoostingClassifier(
        max_iter=1, max_leaf_nodes=2, min_samples_leaf=40, max_bins=bins, early_stopping=False
    )
    found = judged(model, DRAW.permutation(np.arange(20_000.0, 20_000 + 37 * N, 37)))
    assert found.answer == answer, found.verdict


@pytest.mark.parametrize("fill", [0.0, np.nan])
def test_means_that_few_people_decide_are_seen(fill):
    """The sum over all others is known, so that a mean of 200 is the number of one."""
    few, many = (np.full(N, fill) for _ in range(2))
    few[:3] = [53_100.0, 61_200.0, 47_800.0]
    many[:50] = DRAW.integers(40_000, 60_000, 50)
    first = SimpleImputer() if np.isnan(fill) else StandardScaler()
    assert judged(with_stump(first), many).is_safe
    found = judged(with_stump(first), few)
    assert any("tells a mean of private column 'own'" in reason for reason in found.unread)


@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
def test_boosting_does_not_name_what_few_people_have(library):
    """XGBoost keeps names as bytes, which are names all the same."""
    few = {"n_estimators": 1, "max_depth": 1}
    if library == "lightgbm":
        model = need(library).LGBMClassifier(verbose=-1, min_child_samples=30, **few)
    else:
        model = need(library).XGBClassifier(enable_categorical=True, **few)
    names = np.array([f"illness {i % 12}" for i in range(N)])
    for rare in (False, True):
        own = pd.Categorical(np.where(rare & (np.arange(N) == 3), "illness of one", names))
        table = pd.DataFrame({"age": AGE, "own": own, "y": (GROUP == "a").astype(int)})
        roles = {
            "age": {"role": "quasi-identifier", "kind": "numeric"},
            "own": {"role": "sensitive"},
            "y": {"role": "quasi-identifier", "kind": "categorical", "target": True},
        }
        model.fit(table[["age", "own"]], table["y"])
        written = model.booster_.dump_model() if library == "lightgbm" else saved(model)
        for form in (model, written):
            found = audit(form, table, Schema(roles), k=10)
            assert any("names 1 values" in reason for reason in found.unread) == rare


def saved(model):
    return json.loads(bytes(model.get_booster().save_raw(raw_format="json")))


ENDS = [
    MaxAbsScaler(),
    MinMaxScaler(),
    PowerTransformer(),
    PowerTransformer(standardize=False),
    VarianceThreshold(),
    KBinsDiscretizer(5, strategy="uniform", encode="ordinal"),
]


@pytest.mark.parametrize("encoder", ENDS, ids=str)
def test_the_one_number_of_a_column_of_zeros_is_not_told(encoder):
    """Two values are no scale that everybody knows, if one of them is somebody's fine."""
    model = with_stump(make_column_transformer((encoder, ["own"]), remainder="passthrough"))
    found = judged(model, np.where(np.arange(N) == 3, 53_211.77, 0.0))
    assert found.answer == "cannot tell"
    assert any("private column 'own'" in reason for reason in found.unread)
    assert "53" not in found.verdict
    assert judged(model, np.arange(N) % 4 / 4).is_safe
    if not isinstance(encoder, VarianceThreshold | PowerTransformer):
        assert judged(model, (np.arange(N) < 3).astype(float)).is_safe


def test_what_is_filled_in_is_no_value_that_few_people_have():
    """The most frequent of many rare texts is the first of them."""
    rare = np.array([f"illness {i:03}" for i in range(N)])
    listed = OrdinalEncoder(categories=[[*map("illness {:03}".format, range(20))]])
    fill = make_pipeline(SimpleImputer(strategy="most_frequent"), listed)
    model = with_stump(make_column_transformer((fill, ["own"]), remainder="passthrough"))
    assert judged(model, np.array([f"illness {i % 12:03}" for i in range(N)])).is_safe
    listed.set_params(categories="auto")
    found = judged(model, rare)
    assert any("statistics_ names 1 values" in reason for reason in found.unread)
