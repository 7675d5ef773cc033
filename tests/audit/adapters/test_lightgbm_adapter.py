"""LightGBM: its own leaves over the whole domain, and its dumps without the package."""

import json

import numpy as np
import pytest

from shoal.audit import audit, load_model
from shoal.audit.adapters._lightgbm_adapter import LightGBMAdapter
from shoal.errors import ParameterError, SchemaError, TableError
from tests.audit.people import random_people, roles
from tests.extras import need

pd = need("pandas")


def leaf(place, count):
    return {"leaf_index": place, "leaf_value": place / 7, "leaf_count": count}


def dump(missing="None", **more):
    """x <= 0 ? (c one of red, blue ? leaf 0 : leaf 1) : leaf 2."""
    inner = {
        "split_index": 1,
        "split_feature": 1,
        "threshold": "0||2",
        "decision_type": "==",
        "default_left": True,
        "missing_type": "NaN",
        "internal_count": 4,
        "left_child": leaf(0, 2),
        "right_child": leaf(1, 2),
    }
    root = {
        "split_index": 0,
        "split_feature": 0,
        "threshold": 0.0,
        "decision_type": "<=",
        "default_left": False,
        "missing_type": missing,
        "internal_count": 6,
        "left_child": inner,
        "right_child": leaf(2, 2),
    }
    return {
        "tree_info": [{"tree_structure": root | more}],
        "feature_names": ["the_x", "c"],
        "max_feature_idx": 1,
        "feature_infos": {},
        "objective": "binary sigmoid:1",
        "num_class": 1,
        "pandas_categorical": [["red", "green", "blue"]],
    }


TABLE = {
    "the x": [0.0, -1.0, -2.0, -3.0, 2.0, 3.0],
    "c": ["red", "blue", "green", "green", "red", "red"],
    "y": ["no", "yes", "no", "yes", "no", "yes"],
}
SCHEMA = roles(**{"the x": "pn", "c": "p", "y": "s"})


def example():
    return dump(), pd.DataFrame(TABLE), SCHEMA


def test_a_dump_is_read_without_the_package():
    found = audit(dump(), pd.DataFrame(TABLE), SCHEMA, k=3)
    groups = [np.flatnonzero(found.span_of_row == s).tolist() for s in range(3)]
    assert sorted(groups) == [[0, 1], [2, 3], [4, 5]]
    causes = " | ".join(cause for breach in found.breaches for cause in breach.causes)
    assert "leaf 0: the x <= 0 and c in categories 0, 2" in causes
    hidden = audit(dump(), pd.DataFrame(TABLE), roles(**{"the x": "pn", "c": "s", "y": "s"}), k=3)
    assert sorted(hidden.spans.population.tolist()) == [2, 4]


@pytest.mark.parametrize(("missing", "rows"), [("None", 3), ("NaN", 2), ("Zero", 1)])
def test_where_missing_values_and_zeros_go(missing, rows):
    """Of a missing value, a zero and less than that, so many go left."""
    table = pd.DataFrame({"the x": [None, 0.0, -1.0], "c": ["red"] * 3, "y": [0, 1, 1]})
    found = audit(dump(missing), table, SCHEMA, k=1, check_table=False)
    assert (found.span_of_row == found.span_of_row[2]).sum() == rows


def test_a_private_zero_that_counts_as_missing():
    """At most 0 everything goes left, but 0 itself does not."""
    table = pd.DataFrame({"the x": [-1.0, -2.0], "c": ["red"] * 2, "y": [0, 1]})
    schema = roles(**{"the x": "sn", "c": "p", "y": "p"})
    for high, both in ((0.0, True), (-0.5, False)):
        found = audit(
            dump("Zero"), table, schema, k=1, check_table=False, domain={"the x": (-2.0, high)}
        )
        assert (found.spans.n_bins == (2 if both else 1)).all()


def test_files(tmp_path):
    (tmp_path / "dump.json").write_text(json.dumps(dump()))
    assert LightGBMAdapter().recognizes(load_model(tmp_path / "dump.json"))


def test_what_is_refused():
    table = pd.DataFrame(TABLE)
    with pytest.raises(TableError, match="trained on 6 rows and the table has 5"):
        audit(dump(), table.iloc[1:], SCHEMA)
    with pytest.raises(SchemaError, match="categories for 1 columns, and 0 columns"):
        audit(dump(), table.assign(c=1), roles(**{"the x": "pn", "c": "pn", "y": "s"}))
    with pytest.raises(SchemaError, match="no attributes in the schema: 'c'"):
        audit(dump(), table.drop(columns="c"), roles(**{"the x": "pn", "y": "s"}))
    with pytest.raises(ParameterError, match="unknown kind"):
        audit(dump(decision_type="~"), table, SCHEMA)
    linear = leaf(2, 2) | {"leaf_features": [0]}
    with pytest.raises(ParameterError, match="linear_tree"):
        audit(dump(right_child=linear), table, SCHEMA)


@pytest.mark.parametrize("end", [[], {}, [[1]], "wide"], ids=str)
def test_ends_of_columns_that_are_no_numbers_are_damage(end):
    model = dump() | {"feature_infos": {"the_x": {"min_value": end, "max_value": 3, "values": []}}}
    with pytest.raises(TableError, match="damaged or was changed"):
        audit(model, pd.DataFrame(TABLE), SCHEMA, k=2)


def fit(case, seed, **more):
    lightgbm = need("lightgbm")
    given = {
        "n_estimators": 3,
        "num_leaves": 5,
        "min_child_samples": 1,
        "min_child_weight": 0,
        "min_data_per_group": 1,
        "cat_smooth": 0,
        "max_cat_to_onehot": 1 + seed % 4,
        "min_data_in_bin": 1,
        "verbose": -1,
        "n_jobs": 1,
    }
    model = lightgbm.LGBMClassifier(**given | more)
    return model.fit(case.table[list("abcd")], case.table["y"])


@pytest.mark.parametrize("seed", range(30))
def test_boosters_agree_with_brute_force(seed):
    """Gaps, categories and numbers; the estimator, its booster and its dump say the same."""
    case = random_people(seed, missing=True)
    case.table = case.table.astype(dict.fromkeys("bd", "category"))
    model = fit(case, seed, zero_as_missing=seed % 3 == 0)
    found = audit(model, case.table, case.schema, k=3)
    case.check(found, lambda rows: model.predict(rows, pred_leaf=True))
    plain = case.table.astype(dict.fromkeys("bd", object))
    data = json.loads(json.dumps(model.booster_.dump_model()))
    for other in (model.booster_, data):
        again = audit(other, plain, case.schema, k=3)
        assert again.span_of_row.tolist() == found.span_of_row.tolist()
        assert again.spans.n_bins.tolist() == found.spans.n_bins.tolist()


@pytest.mark.parametrize("seed", range(10))
def test_categories_that_are_numbers_agree_with_brute_force(seed):
    case = random_people(seed, whole=True)
    lightgbm = need("lightgbm")
    data = lightgbm.Dataset(
        case.table[list("abcd")].to_numpy(), case.table["y"], categorical_feature=[1, 3]
    )
    given = {
        "num_leaves": 5,
        "min_data_in_leaf": 1,
        "min_sum_hessian_in_leaf": 0,
        "min_data_per_group": 1,
        "cat_smooth": 0,
        "min_data_in_bin": 1,
        "objective": "binary",
        "num_threads": 1,
        "verbose": -1,
    }
    model = lightgbm.train(given, data, 2)
    found = audit(model, case.table, case.schema, k=3)
    case.check(found, lambda rows: model.predict(rows.to_numpy(), pred_leaf=True))


def test_rows_that_were_drawn_are_not_counted():
    case = random_people(1, whole=True)
    model = fit(case, 1, subsample=0.5, subsample_freq=1)
    assert any("not checked" in note for note in audit(model, case.table, case.schema).notes)
