"""The classifier: what it takes, what it refuses, what it says."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from shoal.errors import HierarchyError, InfeasibleError, ParameterError, SchemaError, TableError
from shoal.models import KAnonymousTreeClassifier
from shoal.privacy import (
    ConfidenceLimit,
    DeltaPresence,
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    RecursiveDiversity,
    TCloseness,
)
from shoal.schema import Schema
from tests.models.tables import SCHEMA, as_array, people


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_of_any_library_make_the_same_tree(make):
    X, y = people()
    frame = make(X)
    tree = KAnonymousTreeClassifier(SCHEMA, 8, criterion="gain_ratio").fit(frame, y)
    assert tree.spans_.largest_k >= 8
    assert tree.score(frame, y) > 0.8
    expected = KAnonymousTreeClassifier(SCHEMA, 8, criterion="gain_ratio").fit(pd.DataFrame(X), y)
    assert tree.export_text() == expected.export_text()
    assert (tree.apply(frame) == expected.apply(pd.DataFrame(X))).all()


def test_what_was_given_is_not_changed():
    X, y = people()
    frame = pd.DataFrame(X)
    before = frame.copy(deep=True)
    KAnonymousTreeClassifier(SCHEMA).fit(frame, y).predict(frame)
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize(
    "model",
    [
        DistinctDiversity(2),
        EntropyDiversity(1.3),
        RecursiveDiversity(3.0, 2),
        ConfidenceLimit(0.9),
        TCloseness(0.4),
        KAnonymity(20) & EntropyDiversity(1.2),
    ],
    ids=lambda model: type(model).__name__,
)
def test_every_privacy_model_holds_for_every_span(model):
    X, y = people()
    columns = {name: X[name] for name in ("age", "job", "size", "debt")}
    schema = Schema({name: SCHEMA[name] for name in (*columns, "class")}).replace(
        debt={"role": "quasi-identifier", "kind": "numeric"}
    )
    frame = pd.DataFrame(columns)
    tree = KAnonymousTreeClassifier(schema, model).fit(frame, y)
    assert tree.get_n_leaves() > 1
    spans, _ = tree.find_spans(frame, y)
    assert model.bind(["class"]).holds(spans.groups).all()
    free = KAnonymousTreeClassifier(schema, 1).fit(frame, y)
    broken = free.find_spans(frame, y)[0]
    assert not model.bind(["class"]).holds(broken.groups).all()  # so the model had work to do


def test_diversity_of_a_private_column_counts_its_own_values():
    X, y = people()
    frame = pd.DataFrame({"age": X["age"], "job": X["job"]})
    schema = Schema(
        {
            "age": {"role": "quasi-identifier", "kind": "numeric"},
            "job": {"role": "sensitive"},
            "class": {"role": "sensitive", "target": True},
        }
    )
    model = DistinctDiversity(4, column="job")
    tree = KAnonymousTreeClassifier(schema, model).fit(frame, y)
    spans, span_of_row = tree.find_spans(frame, y)
    assert tree.get_n_leaves() > 2
    for span in range(spans.n_spans):
        assert len(set(X["job"][span_of_row == span])) == 4


def test_confidence_is_never_above_its_limit():
    X, y = people()
    frame = pd.DataFrame({"age": X["age"], "job": X["job"]})
    tree = KAnonymousTreeClassifier(privacy=ConfidenceLimit(0.9)).fit(frame, y)
    assert tree.exposure_.confidence <= 0.9
    assert tree.exposure_.exposed == 0


def test_a_public_class_hides_nothing_when_no_column_is_private():
    X, y = people()
    schema = Schema(
        {
            "age": {"role": "quasi-identifier", "kind": "numeric"},
            "class": {"role": "quasi-identifier", "target": True},
        }
    )
    frame = pd.DataFrame({"age": X["age"]})
    tree = KAnonymousTreeClassifier(schema, 50).fit(frame, y)
    free = KAnonymousTreeClassifier(privacy=1).fit(frame, y)
    assert tree.export_text() == free.export_text()
    assert tree.exposure_ is None
    assert tree.spans_.is_single.all()


def test_missing_values_get_a_branch_and_a_span_of_their_own():
    rng = np.random.default_rng(1)
    job = np.array(["a", "b", None], object)[rng.integers(0, 3, 300)]
    y = np.array([{"a": 0, "b": 1, None: 2}[value] for value in job])
    tree = KAnonymousTreeClassifier(privacy=20).fit(job[:, None], y)
    assert "x0 is missing: 2" in tree.export_text()
    assert tree.score(job[:, None], y) == 1
    ages = np.where(rng.random(300) < 0.2, np.nan, rng.integers(0, 2, 300))
    tree = KAnonymousTreeClassifier(privacy=20).fit(ages[:, None], np.nan_to_num(ages, nan=2))
    assert tree.spans_.n_spans == 3
    few = ages.copy()
    few[np.flatnonzero(np.isnan(few))[5:]] = 0
    labels = (few == 1).astype(int)
    assert KAnonymousTreeClassifier(privacy=20).fit(few[:, None], labels).get_n_leaves() == 1
    assert KAnonymousTreeClassifier(privacy=5).fit(few[:, None], labels).get_n_leaves() == 3


def test_unseen_values_stop_follow_or_raise():
    X = np.array([["a"], ["b"], ["b"], ["c"]] * 10, object)
    y = np.array([0, 1, 1, 1] * 10)
    new = np.array([["z"]], object)
    node = KAnonymousTreeClassifier(privacy=5).fit(X, y)
    assert node.apply(new).tolist() == [0]
    assert node.predict_proba(new).tolist() == [[0.25, 0.75]]
    branch = KAnonymousTreeClassifier(privacy=5, unseen="majority").fit(X, y)
    assert branch.apply(new) == branch.apply([["b"]])
    strict = KAnonymousTreeClassifier(privacy=5, unseen="error").fit(X, y)
    with pytest.raises(TableError, match="1 rows have a value that no branch"):
        strict.predict(new)
    node.set_params(unseen="majority")  # what was published stays
    assert node.apply(new).tolist() == [0]


def test_generalization_on_refusal():
    X = np.array([["smith"]] * 6 + [["baker"]] * 6 + [["clerk"]] * 20 + [["judge"]] * 2, object)
    y = np.array([0] * 12 + [1] * 22)
    schema = Schema({"x0": SCHEMA["job"]})
    tree = KAnonymousTreeClassifier(schema, 6, splits="multiway").fit(X, y)
    assert tree.export_text() == "x0 is desk: 1 (0 0, 22 1)\nx0 is hands: 0 (12 0, 0 1)"
    tree = KAnonymousTreeClassifier(schema, 2, splits="multiway").fit(X, y)
    assert tree.get_n_leaves() == 4
    tree = KAnonymousTreeClassifier(schema, 13, splits="multiway").fit(X, y)
    assert tree.get_n_leaves() == 1


def test_two_sets_of_labels_where_values_are_rare():
    X = np.array([["smith"]] * 6 + [["baker"]] * 6 + [["clerk"]] * 8 + [["judge"]] * 5, object)
    y = np.array([0] * 12 + [1] * 13)
    tree = KAnonymousTreeClassifier(Schema({"x0": SCHEMA["job"]}), 9).fit(X, y)
    assert tree.export_text() == "x0 is desk: 1 (0 0, 13 1)\nx0 is hands: 0 (12 0, 0 1)"


def test_cuts_keep_the_guarantee_and_lie_between_values():
    X = np.arange(40.0)[:, None]
    y = (X[:, 0] > 3).astype(int)
    tree = KAnonymousTreeClassifier(privacy=10).fit(X, y)
    assert tree.export_text().splitlines()[0].startswith("x0 <= 9.5:")
    assert KAnonymousTreeClassifier(privacy=1).fit(X, y).export_text().startswith("x0 <= 3.5")


def test_weights_count_in_gains_and_shares_but_not_as_people():
    X = np.array([[0.0], [0.0], [1.0], [1.0]] * 5)
    y = np.array([0, 1, 1, 1] * 5)
    weights = np.where(y == 0, 9.0, 1.0)
    tree = KAnonymousTreeClassifier(privacy=10).fit(X, y, sample_weight=weights)
    assert tree.predict_proba([[0.0]]).tolist() == [[0.9, 0.1]]
    assert tree.bins_.population.tolist() == [5, 5, 0, 10]
    with pytest.raises(InfeasibleError):
        KAnonymousTreeClassifier(privacy=30).fit(X, y, sample_weight=100 * weights)


def weighted_tree(k):
    generator = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "age": generator.integers(18, 80, 120).astype(float),
            "pay": np.round(generator.normal(3000, 300, 120), 2),
        }
    )
    ill = generator.choice(["flu", "gout"], 120)
    weights = np.round(generator.uniform(100, 9000, 120), 3)
    schema = Schema(
        {
            "age": {"role": "quasi-identifier", "kind": "numeric"},
            "pay": {"role": "sensitive", "kind": "numeric"},
            "ill": {"role": "sensitive", "target": True},
        }
    )
    tree = KAnonymousTreeClassifier(schema, k).fit(table, ill, sample_weight=weights)
    return tree, table, ill, weights, schema


def test_no_file_of_a_tree_holds_a_weight_or_a_sum_of_weights():
    tree, table, ill, weights, _ = weighted_tree(10)
    nodes = tree.tree_.nodes
    stops = tree.apply(table)
    rows = nodes.counts.sum(axis=1)
    assert rows.min() == 1
    assert not any(f"{weight}" in tree.to_json() + tree.export_pmml() for weight in weights)
    assert np.array_equal(nodes.counts[rows == 1], nodes.mass[rows == 1])
    hundredths = 100 * nodes.mass[rows >= 10] / rows[rows >= 10, None]
    assert np.allclose(hundredths, np.rint(hundredths))
    winners = {
        stop: max(tree.classes_, key=lambda c: weights[(stops == stop) & (ill == c)].sum())
        for stop in set(stops.tolist())
    }
    assert tree.predict(table).tolist() == [winners[stop] for stop in stops.tolist()]
    again = KAnonymousTreeClassifier.from_json(tree.to_json())
    assert np.array_equal(again.predict_proba(table), tree.predict_proba(table))


def test_max_depth_and_min_gain():
    X, y = people()
    frame = pd.DataFrame({"age": X["age"], "job": X["job"]})
    assert KAnonymousTreeClassifier(max_depth=1).fit(frame, y).get_depth() == 1
    assert KAnonymousTreeClassifier(max_depth=0).fit(frame, y).get_n_leaves() == 1
    assert KAnonymousTreeClassifier(min_gain=1.0).fit(frame, y).get_n_leaves() == 1


def test_constant_columns_make_a_root():
    tree = KAnonymousTreeClassifier(privacy=2).fit(np.ones((6, 2)), [0, 0, 0, 0, 1, 1])
    assert tree.get_n_leaves() == 1
    assert tree.predict([[5.0, 1.0]]).tolist() == [0]
    assert tree.export_text() == "0 (4 0, 2 1)"


def test_one_class_is_an_error():
    with pytest.raises(TableError, match="the class has one value"):
        KAnonymousTreeClassifier().fit(np.ones((20, 1)), np.zeros(20))


def test_too_few_rows_are_an_error():
    with pytest.raises(InfeasibleError, match="every group has at least 10 rows") as caught:
        KAnonymousTreeClassifier(privacy=10).fit(np.arange(6)[:, None], [0, 1] * 3)
    assert caught.value.achieved == 6


def test_a_schema_with_other_columns_is_an_error():
    X, y = people()
    with pytest.raises(SchemaError, match="columns of the schema that the table lacks: 'job'"):
        KAnonymousTreeClassifier(SCHEMA).fit(pd.DataFrame(X).drop(columns="job"), y)
    with pytest.raises(SchemaError, match="columns without a role: 'more'"):
        KAnonymousTreeClassifier(SCHEMA).fit(pd.DataFrame(X).assign(more=1), y)


def test_identifiers_are_never_used():
    X, y = people()
    schema = SCHEMA.replace(age={"role": "identifier"}, born={"role": "identifier"})
    tree = KAnonymousTreeClassifier(schema).fit(pd.DataFrame(X), y)
    assert "age" not in tree.to_json()[tree.to_json().index('"tree"') :]


def test_values_outside_a_hierarchy():
    schema = Schema({"x0": {"role": "quasi-identifier", "hierarchy": {"tree": {"g": ["a", "b"]}}}})
    X, y = np.array([["a"], ["b"], ["z"]] * 10, object), [0, 1, 1] * 10
    with pytest.raises(HierarchyError, match="lacks 1 of the values: 'z'"):
        KAnonymousTreeClassifier(schema).fit(X, y)
    hidden = schema.replace(x0={"role": "sensitive", "hierarchy": {"tree": {"g": ["a", "b"]}}})
    with pytest.raises(HierarchyError) as caught:
        KAnonymousTreeClassifier(hidden).fit(X, y)
    assert "'z'" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("privacy", "ten"),
        ("privacy", 0),
        ("privacy", DeltaPresence(0.0, 0.5)),
        ("criterion", "luck"),
        ("splits", "three"),
        ("unseen", "guess"),
        ("prune", 3),
        ("confidence_factor", 0.0),
        ("max_depth", -1),
        ("min_branch", 0),
        ("min_gain", -0.1),
    ],
)
def test_parameters_are_checked(name, value):
    X, y = people()
    said = {0: "k must", DeltaPresence(0.0, 0.5): "DeltaPresence"}.get(value, name)
    with pytest.raises(ParameterError, match=said if name == "privacy" else name):
        KAnonymousTreeClassifier(**{name: value}).fit(pd.DataFrame(X), y)


def test_ordinal_text_needs_an_order():
    X, y = people()
    schema = Schema({"size": {"role": "quasi-identifier", "kind": "ordinal"}})
    with pytest.raises(SchemaError, match="Give its values in `order`"):
        KAnonymousTreeClassifier(schema).fit(pd.DataFrame({"size": X["size"]}), y)


def test_a_failed_fit_leaves_nothing_behind():
    tree = KAnonymousTreeClassifier(privacy=30)
    with pytest.raises(InfeasibleError):
        tree.fit(np.arange(6)[:, None], [0, 1] * 3)
    assert not hasattr(tree, "tree_")


def test_no_training_value_is_in_the_model():
    """Canaries: values that one person has must not be found in any form of the model."""
    rng = np.random.default_rng(3)
    n = 300
    salary = rng.normal(1000, 50, n)
    salary[7] = 987654.25
    town = rng.choice(["north", "south"], n).astype(object)
    town[7] = "canary-town"
    illness = rng.choice(["cold", "flu"], n).astype(object)
    illness[7] = "canary-illness"
    zips = np.array([f"{z:05d}" for z in rng.integers(10000, 10400, n)], object)
    zips[7] = "10777"
    y = (salary > 1000).astype(int)
    schema = Schema(
        {
            "x0": {"role": "quasi-identifier", "kind": "numeric"},
            "x1": {"role": "quasi-identifier"},
            "x2": {"role": "quasi-identifier", "hierarchy": {"prefix": [1, 2, 3]}},
            "class": {"role": "sensitive", "target": True},
        }
    )
    X = as_array([list(row) for row in zip(salary, town, zips, strict=True)])
    tree = KAnonymousTreeClassifier(schema, 5).fit(X, y)
    stored = pickle.dumps(tree) + tree.to_json().encode() + tree.export_pmml().encode()
    for canary in (b"canary", b"10777", b"987654", np.float64(987654.25).tobytes()):
        assert canary not in stored
    for value in salary:
        assert np.float64(value).tobytes() not in stored

    # a private column's values are in no count that the model keeps
    schema = Schema({"x0": {"role": "quasi-identifier"}, "x1": {"role": "sensitive"}})
    X = as_array([list(row) for row in zip(town, illness, strict=True)])
    tree = KAnonymousTreeClassifier(schema, 5, max_depth=0).fit(X, y)
    assert b"canary" not in pickle.dumps(tree)
    assert "canary" not in repr(tree) + repr(tree.spans_) + tree.guarantee()


def test_two_sets_leave_groups_where_a_branch_each_would_not():
    letters = np.repeat(np.array(list("abcdef"), object), [12, 12, 12, 12, 12, 4])
    y = np.isin(letters, ["a", "c", "e"]).astype(int)
    X = pd.DataFrame({"x": letters})
    each = KAnonymousTreeClassifier(privacy=10, splits="multiway").fit(X, y)
    two = KAnonymousTreeClassifier(privacy=10, splits="binary").fit(X, y)
    assert each.tree_.n_nodes == 1  # a branch of four rows is too small
    assert two.score(X, y) == 1.0
    assert two.spans_.largest_k == 28
    # no test names a value that four people have; unknown values go where it went
    text = two.export_text()
    assert text.splitlines()[0].startswith("x is a or c or e:")
    assert text.splitlines()[1].startswith("x is anything else:")
    assert two.predict(pd.DataFrame({"x": np.array(["f", "z"], object)})).tolist() == [0, 0]
    assert '"f"' not in two.to_json()


def test_values_that_nobody_had_stop_where_every_value_is_named():
    letters = np.repeat(np.array(list("abcdef"), object), 12)
    y = np.isin(letters, ["a", "c", "e"]).astype(int)
    tree = KAnonymousTreeClassifier(privacy=10, splits="binary").fit(letters[:, None], y)
    assert "x0 is b or d or f" in tree.export_text()
    assert tree.apply(np.array([["z"]], object)).tolist() == [0]


def test_the_target_of_the_schema_is_not_learned_from():
    """Whoever hands over the whole table means its other columns."""
    frame = {"age": [20, 30, 40, 50] * 10, "ill": ["no", "no", "yes", "no"] * 10}
    schema = Schema(
        {
            "age": {"role": "quasi-identifier", "kind": "numeric"},
            "ill": {"role": "insensitive", "target": True},
        }
    )
    whole = KAnonymousTreeClassifier(schema, 5).fit(frame, frame["ill"])
    own = KAnonymousTreeClassifier(schema, 5).fit({"age": frame["age"]}, frame["ill"])
    assert whole.export_text() == own.export_text()
    assert "ill" not in whole.export_text()
    assert whole.predict(frame).tolist() == own.predict({"age": frame["age"]}).tolist()
