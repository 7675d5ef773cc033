from collections import Counter

import duckdb
import numpy as np
import pytest

from reproduce._classify import (
    Examples,
    bayes_accuracy,
    design_rows,
    raw_examples,
    released_examples,
    tree_error,
)
from shoal.anonymize import Mondrian
from shoal.datasets._dataset import Dataset
from shoal.privacy import KAnonymity
from shoal.schema import Schema


@pytest.fixture(scope="module")
def release():
    people = duckdb.sql("""
        SELECT 20 + i % 9 AS age, ['Ulm', 'Kiel'][1 + i % 2] AS city, i % 9 > 4 AS ill
        FROM range(60) AS t(i)
    """)
    schema = Schema({
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "city": {"role": "quasi-identifier"},
        "ill": {"role": "sensitive", "target": True},
    })  # fmt: skip
    return Mondrian(schema, KAnonymity(8)).fit(people).release_


def test_examples_are_the_rows_of_the_released_table(release):
    rows = released_examples(release.recoded, "ill")
    ours = zip(rows.columns["age"], rows.columns["city"], rows.classes, strict=True)
    table = [tuple(map(str, row)) for row in release.table.fetchall()]
    assert Counter((*row[:2], row[2].lower()) for row in table) == Counter(
        (str(age), str(city), str(ill).lower()) for age, city, ill in ours
    )


def test_design_rows_are_as_many_as_the_rows(release):
    features, classes = design_rows(release.recoded, "ill")
    assert len(features) == len(classes) == 60
    assert np.unique(features, axis=0).shape[0] == release.recoded.groups.n_groups


def test_errors_are_percent_of_the_test_rows():
    train = Examples({"x": np.array(["a", "b"] * 20)}, np.array(["yes", "no"] * 20))
    test = Examples({"x": np.array(["a", "b", "b", "a"])}, np.array(["yes", "no", "no", "no"]))
    assert tree_error(train, train) == 0
    assert tree_error(train, test, "gain") == 25


def test_naive_bayes_is_always_right_when_classes_lie_apart():
    features = np.concatenate([np.linspace(0, 1, 30), np.linspace(9, 10, 30)])[:, None]
    assert bayes_accuracy(features, np.repeat([0, 1], 30), seed=0) == 100
    assert bayes_accuracy(features, np.tile([0, 1], 30), seed=0) < 80


def test_raw_rows_are_texts_by_column():
    data = Dataset("people", {"age": np.array([20, 30]), "ill": ["yes", "no"]})
    rows = raw_examples(data, ["age"], "ill")
    assert rows.columns["age"].tolist() == ["20", "30"]
    assert rows.classes.tolist() == ["yes", "no"]
