"""Text, DOT, JSON, PMML and drawings say the same as the tree."""

import json
import pickle
import shutil
from itertools import combinations
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest

from shoal.errors import SchemaError, TableError
from shoal.models import KAnonymousTreeClassifier
from shoal.privacy import EntropyDiversity, KAnonymity
from shoal.schema import Schema
from tests.extras import need
from tests.models.tables import SCHEMA, people


@pytest.fixture(scope="module")
def table():
    X, y = people(600)
    frame = pd.DataFrame({name: X[name] for name in ("age", "job", "size", "debt")})
    frame.loc[::9, "age"] = np.nan
    frame.loc[::7, "job"] = None
    return frame, y


def schema():
    names = ("age", "job", "size", "debt", "class")
    return Schema({name: SCHEMA[name] for name in names})


@pytest.fixture(
    scope="module", params=["node-multiway", "majority-multiway", "node-binary", "majority-binary"]
)
def tree(request, table):
    unseen, splits = request.param.split("-")
    made = KAnonymousTreeClassifier(schema(), 6, unseen=unseen, splits=splits, max_depth=5)
    return made.fit(*table)


def test_text_has_a_line_per_branch_and_the_counts_of_bins(tree):
    lines = tree.export_text().splitlines()
    assert len(lines) == tree.tree_.n_nodes - 1
    assert sum(":" in line for line in lines) == tree.get_n_leaves()
    assert any("is missing" in line for line in lines)


def test_dot_has_every_node_and_branch(tree):
    dot = tree.export_dot()
    assert dot.startswith("digraph tree {")
    assert dot.count(" -> ") == tree.tree_.n_nodes - 1
    assert dot.count("[label=") == 2 * tree.tree_.n_nodes - 1


def test_json_gives_back_an_equal_tree(tree, table, tmp_path):
    frame, y = table
    tree.to_json(tmp_path / "tree.json")
    loaded = KAnonymousTreeClassifier.from_json(tmp_path / "tree.json")
    assert loaded.to_dict() == tree.to_dict()
    assert KAnonymousTreeClassifier.from_json(tree.to_json()).to_dict() == tree.to_dict()
    assert (loaded.predict_proba(frame) == tree.predict_proba(frame)).all()
    assert (loaded.predict(frame) == tree.predict(frame)).all()
    assert loaded.find_spans(frame, y)[0].to_dict() == tree.find_spans(frame, y)[0].to_dict()
    assert pickle.loads(pickle.dumps(loaded)).to_dict() == tree.to_dict()
    assert loaded.guarantee() == tree.guarantee()


def test_json_keeps_classes_of_any_type_and_joined_models():
    X = np.arange(40.0)[:, None]
    model = KAnonymity(3) & EntropyDiversity(1.1)
    for classes in (["no", "yes"], [0, 1], [1.0, 2.0], [False, True]):
        y = np.array(classes)[(np.arange(40) % 4 == 0).astype(int)]
        tree = KAnonymousTreeClassifier(privacy=model).fit(X, y)
        loaded = KAnonymousTreeClassifier.from_dict(json.loads(tree.to_json()))
        assert loaded.predict(X).tolist() == tree.predict(X).tolist()
        assert loaded.privacy_ == tree.privacy_


def test_what_is_not_a_tree_is_refused(tmp_path):
    (tmp_path / "a.json").write_text("{}")
    with pytest.raises(TableError, match="not a tree written by Shoal"):
        KAnonymousTreeClassifier.from_json(tmp_path / "a.json")
    (tmp_path / "b.json").write_text("{")
    with pytest.raises(TableError, match=r"b\.json is not JSON"):
        KAnonymousTreeClassifier.from_json(tmp_path / "b.json")
    (tmp_path / "c.json").write_text('{"format": "shoal-tree", "version": 99}')
    with pytest.raises(TableError, match="reads version 2"):
        KAnonymousTreeClassifier.from_json(tmp_path / "c.json")
    with pytest.raises(TableError, match="cannot read"):
        KAnonymousTreeClassifier.from_json(tmp_path / "none.json")
    with pytest.raises(TableError, match="the text is not JSON"):
        KAnonymousTreeClassifier.from_json('{"format":')


@pytest.mark.skipif(shutil.which("java") is None, reason="the PMML consumer needs Java")
def test_an_independent_consumer_of_pmml_predicts_the_same(tree, table, tmp_path):
    pypmml = need("pypmml")
    frame, _ = table
    tree.export_pmml(tmp_path / "tree.pmml")
    model = pypmml.Model.load(str(tmp_path / "tree.pmml"))
    rows = frame.head(150).copy()
    rows.loc[rows.index[::11], "job"] = "unheard of"
    rows["size"] = rows["size"].astype(object)
    expected = tree.predict(rows)
    shares = tree.predict_proba(rows)
    for place, row in enumerate(rows.to_dict("records")):
        given = {name: value for name, value in row.items() if value is not None and value == value}
        found = model.predict(given)
        assert found["predicted_class"] == expected[place]
        for label, share in zip(tree.classes_, shares[place], strict=True):
            assert found[f"probability_{label}"] == pytest.approx(share)


def test_pmml_lists_the_values_of_generalized_branches():
    X = np.array([["smith"]] * 6 + [["baker"]] * 6 + [["clerk"]] * 20 + [["judge"]] * 2, object)
    y = np.array([0] * 12 + [1] * 22)
    tree = KAnonymousTreeClassifier(Schema({"x0": SCHEMA["job"]}), 6, splits="multiway")
    tree.fit(X, y)
    arrays = [e.text for e in ET.fromstring(tree.export_pmml()).iter() if e.tag.endswith("Array")]
    assert sorted(arrays) == ['"clerk" "judge"', '"smith" "baker"']


@pytest.mark.parametrize("unseen", ["node", "majority"])
def test_a_branch_that_names_no_value_takes_what_no_branch_names(unseen, tmp_path):
    letters = np.repeat(np.array(list("abcdef"), object), [12, 12, 12, 12, 12, 4])
    X, y = pd.DataFrame({"x": letters}), np.isin(letters, ["a", "c"]).astype(int)
    tree = KAnonymousTreeClassifier(privacy=10, splits="binary", unseen=unseen).fit(X, y)
    assert tree.export_text().count("x is anything else") == 1
    assert tree.export_dot().count("anything else") == 1
    again = KAnonymousTreeClassifier.from_json(tree.to_json())
    assert again.export_text() == tree.export_text()
    assert (again.predict_proba(X) == tree.predict_proba(X)).all()
    assert again.find_spans(X, y)[0].to_dict() == tree.find_spans(X, y)[0].to_dict()
    nodes = list(ET.fromstring(tree.export_pmml()).iter("{http://www.dmg.org/PMML-4_4}Node"))
    assert [node[0].tag.rpartition("}")[2] for node in nodes[1:]] == ["SimpleSetPredicate", "True"]
    assert (nodes[1].get("score"), nodes[2].get("score")) == ("1", "0")


def test_pmml_says_what_it_cannot_write():
    X, y = people()
    tree = KAnonymousTreeClassifier(privacy=5).fit(pd.DataFrame({"born": X["born"]}), y)
    with pytest.raises(SchemaError, match="'born' is a date"):
        tree.export_pmml()
    zips = np.array([["111"], ["112"], ["121"], ["122"]] * 3, object)
    schema = Schema({"x0": {"role": "quasi-identifier", "hierarchy": {"prefix": [2]}}})
    tree = KAnonymousTreeClassifier(schema, 4).fit(zips, [0, 0, 1, 1] * 3)
    assert "x0 is 11*" in tree.export_text()
    assert tree.predict([["119"]]).tolist() == [0]  # read off the value, seen or not
    with pytest.raises(SchemaError, match="not listed anywhere"):
        tree.export_pmml()


def test_thresholds_are_shown_as_people_write_them():
    """Half-way between 76.7 and 76.9 a double is 76.80000000000001."""
    weights = [76.7] * 9 + [76.9] * 9 + [20260101123456.0] * 9 + [20260101123457.0] * 9
    frame = {"weight": weights, "ill": ["no"] * 9 + ["yes"] * 9 + ["no"] * 9 + ["yes"] * 9}
    schema = Schema(
        {
            "weight": {"role": "quasi-identifier", "kind": "numeric"},
            "ill": {"role": "insensitive", "target": True},
        }
    )
    shown = KAnonymousTreeClassifier(schema, 5).fit(frame, frame["ill"]).export_text()
    assert "weight <= 76.8: no" in shown
    assert "weight <= 20260101123456.5: no" in shown


def test_drawing(tree):
    plt = need("matplotlib.pyplot")
    plt.switch_backend("agg")
    axes = tree.plot(max_depth=2)
    assert len(axes.texts) > 3
    plt.close(axes.figure)


def test_a_large_tree_is_drawn_as_far_as_it_can_be_read():
    plt = need("matplotlib.pyplot")
    plt.switch_backend("agg")
    draw = np.random.default_rng(3)
    table = pd.DataFrame({name: draw.integers(0, 90, 600) for name in "abcd"})
    classes = [f"class {number}" for number in draw.integers(0, 5, 600)]
    tree = KAnonymousTreeClassifier(privacy=5, prune=False).fit(table, classes)
    assert len(tree.leaves()) > 12
    axes = tree.plot()
    axes.figure.canvas.draw()
    boxes = [text for text in axes.texts if text.get_fontsize() == 7]
    extents = [text.get_bbox_patch().get_window_extent() for text in boxes]
    apart = [not one.overlaps(two) for one, two in combinations(extents, 2)]
    assert len(extents) > 3
    assert all(apart)
    assert "max_depth=" in axes.get_title(loc="left")
    assert "class" not in axes.texts[0].get_text()
    assert " of 600" in axes.texts[0].get_text()
    plt.close(axes.figure)


def test_boxes_of_long_names_stand_apart_and_hold_no_formula():
    plt = need("matplotlib.pyplot")
    plt.switch_backend("agg")
    long = "main finding at admission to hospital by chapter and group"
    numbers = np.arange(400)
    table = pd.DataFrame({long: numbers % 100, "$x_1$": numbers // 4})
    is_one = (table[long] < 50) ^ (table["$x_1$"] < 40)
    classes = np.where(is_one, "a positive outcome after a very long treatment", "$none$")
    axes = KAnonymousTreeClassifier(privacy=10).fit(table, classes).plot()
    axes.figure.canvas.draw()
    boxes = [text for text in axes.texts if text.get_fontsize() == 7]
    extents = [text.get_bbox_patch().get_window_extent() for text in boxes]
    assert len(extents) > 4
    assert not any(one.overlaps(two) for one, two in combinations(extents, 2))
    said = " ".join(text.get_text() for text in boxes)
    assert r"\$x_1\$" in said
    assert r"\$none\$" in said
    plt.close(axes.figure)


def test_the_guarantee_is_a_sentence_with_numbers(tree):
    assert "every group has at least 6 rows" in tree.guarantee()
    assert f"{tree.spans_.n_spans} groups" in tree.guarantee()
