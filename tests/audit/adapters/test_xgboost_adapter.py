"""XGBoost: its own leaves over the whole domain, and its files without the package."""

import json

import numpy as np
import pytest

from shoal.audit import audit, load_model
from shoal.audit.adapters._xgboost_adapter import XGBoostAdapter, below
from shoal.errors import ParameterError, SchemaError, TableError
from tests.audit.people import random_people, roles
from tests.extras import need

pd = need("pandas")

# x < 2 ? (c in {1} or missing ? leaf 4 : leaf 3) : leaf 2; six rows of which two go each way
SAVED = {
    "learner": {
        "feature_names": ["x", "c"],
        "gradient_booster": {
            "name": "gbtree",
            "model": {
                "trees": [
                    {
                        "left_children": [1, 3, -1, -1, -1],
                        "right_children": [2, 4, -1, -1, -1],
                        "split_indices": [0, 1, 0, 0, 0],
                        "split_conditions": [2.0, 0.0, 0.1, 0.2, 0.3],
                        "default_left": [True, False, False, False, False],
                        "split_type": [0, 1, 0, 0, 0],
                        "categories": [1],
                        "categories_nodes": [1],
                        "categories_segments": [0],
                        "categories_sizes": [1],
                        "sum_hessian": [1.5, 1.0, 0.5, 0.5, 0.5],
                    }
                ],
                "cats": {
                    "enc": [
                        {"offsets": [], "values": []},
                        {"offsets": [0, 3, 7], "values": [*b"reddark"]},
                    ]
                },
            },
        },
        "learner_model_param": {"num_feature": "2", "num_class": "0"},
        "objective": {"name": "binary:logistic"},
    }
}
TABLE = {
    "x": [0.0, 1.0, 1.5, None, 2.0, 3.0],
    "c": ["red", "dark", "red", "dark", "red", "red"],
    "y": ["no", "yes", "no", "yes", "no", "yes"],
}


def nested():
    """The same tree as `dump_model` writes it: "yes" is where a category is of the set."""
    inner = {"nodeid": 1, "split": "c", "split_condition": [1], "yes": 4, "no": 3, "missing": 4}
    inner["children"] = [{"nodeid": 3, "leaf": 0.2}, {"nodeid": 4, "leaf": 0.3}]
    root = {"nodeid": 0, "split": "x", "split_condition": 2, "yes": 1, "no": 2, "missing": 1}
    root["children"] = [inner, {"nodeid": 2, "leaf": 0.1}]
    return [root]


def example():
    return SAVED, pd.DataFrame(TABLE), roles(x="pn", c="s", y="s")


def test_a_saved_model_is_read_without_the_package():
    found = audit(SAVED, pd.DataFrame(TABLE), roles(x="pn", c="p", y="s"), k=3)
    groups = [np.flatnonzero(found.span_of_row == s).tolist() for s in range(3)]
    assert sorted(groups) == [[0, 2], [1, 3], [4, 5]]
    assert not found.is_safe
    causes = " | ".join(cause for breach in found.breaches for cause in breach.causes)
    assert "leaf 2: x >= 2" in causes
    assert "leaf 4: x < 2 and c in categories 1" in causes
    hidden = audit(SAVED, pd.DataFrame(TABLE), roles(x="pn", c="s", y="s"), k=3)
    assert sorted(hidden.spans.population.tolist()) == [2, 4]


def test_a_dump_is_the_same_tree():
    table = pd.DataFrame(TABLE).assign(c=[0, 1, 0, 1, 0, 0])
    found = audit(nested(), table, roles(x="pn", c="sn", y="s"), k=3)
    assert sorted(found.spans.population.tolist()) == [2, 4]
    assert any("not checked" in note for note in found.notes)
    texts = [json.dumps(tree) for tree in nested()]  # as `get_dump` gives them
    assert audit(texts, table, roles(x="pn", c="pn", y="s"), k=3).spans.n_spans == 3


def test_thresholds_are_compared_in_single_precision():
    """0.1 in double precision is less than in single: it is not less than the threshold."""
    tree = {"nodeid": 0, "split": "x", "split_condition": 0.1, "yes": 1, "no": 2, "missing": 1}
    tree["children"] = [{"nodeid": 1, "leaf": 0.0}, {"nodeid": 2, "leaf": 1.0}]
    table = pd.DataFrame({"x": [0.1, 0.0999, 0.1], "y": [0, 1, 1]})
    found = audit([tree], table, roles(x="pn", y="p"), k=1)
    assert found.spans.population.tolist() != [3]
    assert found.span_of_row[0] != found.span_of_row[1]
    assert np.float32(below(0.1)) < np.float32(0.1)
    assert np.nextafter(np.float32(below(0.1)), np.float32(1)) == np.float32(0.1)
    # a private value of 0.1 at most can reach both leaves, since it is rounded up
    hidden = audit([tree], table, roles(x="sn", y="p"), k=1, domain={"x": (0.0999, 0.1)})
    assert (hidden.spans.n_bins == 2).all()


def test_files(tmp_path):
    for name, data in (("saved.json", SAVED), ("dump.json", nested())):
        (tmp_path / name).write_text(json.dumps(data))
        assert XGBoostAdapter().recognizes(load_model(tmp_path / name))


def test_what_is_refused():
    schema = roles(x="pn", c="p", y="s")
    with pytest.raises(TableError, match="3 leaves have other counts in the model"):
        audit(SAVED, pd.DataFrame(TABLE).iloc[1:], schema)
    assert audit(SAVED, pd.DataFrame(TABLE).iloc[1:], schema, check_table=False).n_rows == 5
    with pytest.raises(SchemaError, match="1 of its values are no categories"):
        audit(SAVED, pd.DataFrame(TABLE).replace("dark", "blue"), schema)
    with pytest.raises(SchemaError, match="no attributes in the schema: 'c'"):
        audit(SAVED, pd.DataFrame(TABLE).drop(columns="c"), roles(x="pn", y="s"))
    linear = {"learner": {"gradient_booster": {"name": "gblinear", "model": {"weights": []}}}}
    with pytest.raises(ParameterError, match="has no trees"):
        audit(linear, pd.DataFrame(TABLE), schema)


def categories(table):
    return table.astype(dict.fromkeys("bd", "category"))


def test_nodes_that_share_their_children_are_no_tree(tmp_path):
    """Sixty such nodes have 2**60 paths: who follows them is never done."""
    said = json.loads(json.dumps(SAVED))
    tree = said["learner"]["gradient_booster"]["model"]["trees"][0]
    below_it = [*range(1, 60), -1]
    tree |= {name: [0.5] * 60 for name in ("split_conditions", "sum_hessian")}
    tree |= {name: [0] * 60 for name in ("split_indices", "default_left", "split_type")}
    tree |= {"left_children": below_it, "right_children": below_it, "categories_nodes": []}
    (tmp_path / "model.json").write_text(json.dumps(said), encoding="utf-8")
    model = load_model(tmp_path / "model.json")
    with pytest.raises(TableError, match="damaged or was changed"):
        audit(model, pd.DataFrame(TABLE), roles(x="pn", c="pc", y="sc"), k=2)


@pytest.mark.parametrize("seed", range(30))
def test_boosters_agree_with_brute_force(seed, tmp_path):
    """Gaps, categories and numbers; the estimator, its booster and its files say the same."""
    xgboost = need("xgboost")
    case = random_people(seed, missing=True)
    case.table = categories(case.table)
    model = xgboost.XGBClassifier(
        n_estimators=3,
        max_depth=3,
        min_child_weight=0,
        enable_categorical=True,
        max_cat_to_onehot=1 + seed % 4,
        n_jobs=1,
    )
    model.fit(case.table[list("abcd")], case.table["y"])
    found = audit(model, case.table, case.schema, k=3)
    case.check(found, model.apply)
    model.save_model(tmp_path / "model.json")
    plain = case.table.astype(dict.fromkeys("bd", object))
    for other in (model.get_booster(), load_model(tmp_path / "model.json")):
        again = audit(other, plain, case.schema, k=3)
        assert again.span_of_row.tolist() == found.span_of_row.tolist()
        assert again.spans.n_bins.tolist() == found.spans.n_bins.tolist()


@pytest.mark.parametrize("seed", range(10))
def test_dumps_of_numbers_agree_with_brute_force(seed):
    xgboost = need("xgboost")
    case = random_people(seed, missing=True, whole=True)
    model = xgboost.XGBRegressor(n_estimators=2, max_depth=3, min_child_weight=0, n_jobs=1)
    model.fit(case.table[list("abcd")], case.table["y"])
    dump = model.get_booster().get_dump(dump_format="json", with_stats=True)
    case.check(audit(dump, case.table, case.schema, k=3), model.apply)
    bare = xgboost.XGBRegressor(n_estimators=2, max_depth=3, min_child_weight=0, n_jobs=1)
    bare.fit(case.table[list("abcd")].to_numpy(), case.table["y"])
    unnamed = bare.get_booster().get_dump(dump_format="json")
    case.check(
        audit(unnamed, case.table, case.schema, k=3), lambda rows: bare.apply(rows.to_numpy())
    )


@pytest.mark.parametrize("seed", range(5))
def test_a_number_that_stands_for_missing_values(seed):
    xgboost = need("xgboost")
    case = random_people(seed, whole=True)
    model = xgboost.XGBClassifier(
        n_estimators=2, max_depth=3, min_child_weight=0, missing=0.0, n_jobs=1
    )
    model.fit(case.table[list("abcd")], case.table["y"])
    case.check(audit(model, case.table, case.schema, k=3), model.apply)


def test_rows_that_were_drawn_are_not_counted():
    xgboost = need("xgboost")
    case = random_people(1, whole=True)
    model = xgboost.XGBClassifier(n_estimators=2, subsample=0.5, n_jobs=1, random_state=0)
    model.fit(case.table[list("abcd")], case.table["y"])
    assert any("not checked" in note for note in audit(model, case.table, case.schema).notes)
