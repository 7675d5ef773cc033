import numpy as np
import pytest

from shoal.errors import ParameterError, TableError
from shoal.metrics.kept import _table_pair
from shoal.metrics.kept._table_pair import read_pair
from shoal.schema import Schema


def test_intervals_are_the_column_they_were_made_of():
    pair = read_pair({"age": [20, 30]}, {"age_low": [20, 30], "age_high": [30, 30]})
    assert sorted(pair.column("age").released.tolist()) == [[0, 1], [0.5, 0.5]]


def test_identifiers_of_a_schema_are_left_out():
    schema = Schema({"name": {"role": "identifier"}, "age": {"role": "insensitive"}})
    people = {"name": ["x", "y"], "age": [20, 30]}
    assert [column.name for column in read_pair(people, people, schema).columns] == ["age"]


def test_weights_count_the_same_in_both_tables():
    people = {"age": [20, 30], "w": [1, 3]}
    pair = read_pair(people, {"age": [20, 30], "w": [100, 300]}, weights="w")
    assert sorted(pair.raw_weights) == sorted(pair.released_weights) == [0.5, 1.5]
    assert [column.name for column in pair.columns] == ["age"]


@pytest.mark.parametrize(
    ("release", "weights", "says"),
    [
        ({"pay": [1]}, None, "no column in common"),
        ({"age": []}, None, "0 rows"),
        ({"age": [20]}, "w", "column of numbers in both"),
        ({"age": [20], "w": [-1]}, "w", "at least 0"),
    ],
)
def test_what_cannot_be_compared_is_said(release, weights, says):
    with pytest.raises((ParameterError, TableError), match=says):
        read_pair({"age": [20, 30], "w": [1, 1]}, release, weights=weights)


def test_a_sensitive_number_need_not_be_called_one():
    schema = Schema({"pay": {"role": "sensitive"}, "stage": {"role": "sensitive"}})
    people = {"pay": list(range(100)), "stage": [1, 2] * 50}
    pair = read_pair(people, people, schema)
    assert [column.is_number for column in pair.columns] == [True, False]


def test_of_many_rows_some_are_drawn(monkeypatch):
    monkeypatch.setattr(_table_pair, "MOST_ROWS", 50)
    pair = read_pair({"age": np.arange(200)}, {"age": np.arange(100)})
    assert (len(pair.raw_weights), pair.n_raw, pair.n_released) == (50, 200, 100)


def test_rows_to_test_on_have_the_columns():
    with pytest.raises(TableError, match="no column 'age'"):
        read_pair({"age": [20, 30]}, {"age": [20, 30]}, test={"pay": [1]})
