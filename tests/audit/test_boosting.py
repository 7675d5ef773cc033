"""Boosted models are opened: what they hold beside trees, and nothing that is not there."""

import ctypes

import numpy as np
import pytest

from shoal.audit import audit
from shoal.schema import Schema
from tests.extras import need

pd = need("pandas")

rng = np.random.default_rng(0)
TABLE = pd.DataFrame({"age": rng.integers(20, 80, 400), "visits": rng.integers(0, 5, 400)})
TARGET = rng.integers(0, 2, 400)
QUASI = {"role": "quasi-identifier", "kind": "numeric"}
SCHEMA = Schema({"age": QUASI, "visits": QUASI})


def boosters():
    lightgbm, xgboost = need("lightgbm"), need("xgboost")
    few = {"n_estimators": 1, "verbosity": 0}
    return [
        xgboost.XGBClassifier(max_depth=1, min_child_weight=30, **few),
        lightgbm.LGBMClassifier(num_leaves=2, min_child_samples=100, verbose=-1, n_estimators=1),
    ]


@pytest.fixture(params=[0, 1], ids=["xgboost", "lightgbm"])
def model(request):
    return boosters()[request.param].fit(TABLE, TARGET)


def booster_of(model):
    return model.get_booster() if hasattr(model, "get_booster") else model.booster_


def test_a_model_of_large_leaves_is_read_completely_and_safe(model):
    target = {"role": "insensitive", "target": True}
    whole, schema = TABLE.assign(y=TARGET), Schema({**SCHEMA, "y": target})
    for one in (model, booster_of(model)):
        done = audit(one, whole, schema, k=10)
        assert done.is_safe, done.verdict


@pytest.mark.parametrize("place", ["hung on the model", "hung on its booster", "an option"])
def test_rows_beside_the_trees_are_found(model, place):
    rows = TABLE.to_numpy()[:50]
    if place == "hung on the model":
        model.kept = rows
    elif place == "hung on its booster":
        booster_of(model).kept = rows
    else:
        model.random_state = rows
    done = audit(model, TABLE, SCHEMA, k=10)
    assert not done.is_safe
    assert "rows that fewer than 10 people have" in done.verdict


def test_rows_in_memory_of_c_are_found(model):
    rows = TABLE.to_numpy()[:50].ravel()
    booster_of(model).kept = (ctypes.c_double * len(rows))(*rows)
    assert not audit(model, TABLE, SCHEMA, k=10).is_safe


def test_notes_in_a_file_of_xgboost_are_read():
    xgboost = need("xgboost")
    model = xgboost.XGBClassifier(n_estimators=1, max_depth=1).fit(TABLE, TARGET)
    model.get_booster().set_attr(notes=str(TABLE.to_numpy()[:20].tolist()))
    done = audit(model, TABLE, SCHEMA, k=10)
    assert not done.is_safe
    assert "attributes.notes" in done.verdict


@pytest.mark.parametrize("form", ["model", "dump"])
def test_lightgbm_tells_the_largest_value_of_a_private_column_it_never_splits(form):
    lightgbm = need("lightgbm")
    table = TABLE.assign(income=rng.normal(30_000, 9_000, 400).round(2))
    model = lightgbm.LGBMClassifier(n_estimators=1, num_leaves=2, min_child_samples=150, verbose=-1)
    model.fit(table, (table.age > 50).astype(int))
    roles = {"age": QUASI, "visits": QUASI, "income": {"role": "sensitive", "kind": "numeric"}}
    given = model if form == "model" else model.booster_.dump_model()
    done = audit(given, table, Schema(roles), k=10)
    assert "feature_infos holds a value of private column 'income'" in done.verdict
