import numpy as np
import pytest

from shoal.frames._frame import Frame
from shoal.metrics.kept._shares import MOST_VALUES, pair_categories, pair_numbers
from shoal.schema import Schema
from tests.metrics.kept.people import distribution, random_tables


def frame(**columns):
    return Frame.from_columns(columns)


@pytest.mark.parametrize("seed", range(20))
def test_labels_are_spread_over_what_they_stand_for(seed):
    raw, released = random_tables(seed)
    ages = sorted(set(raw["age"]))
    pair = pair_numbers("age", frame(age=raw["age"]), frame(age=released["age"]))
    told = distribution(released["age"], ages)
    # parts are runs of ages: the share of a part is that of its ages
    part_of = {a: int(pair.raw[raw["age"].index(a)].argmax()) for a in ages}
    expected = np.zeros(pair.raw.shape[1])
    for age, share in told.items():
        expected[part_of[age]] += share
    np.testing.assert_allclose(pair.released.mean(axis=0), expected)
    np.testing.assert_allclose(pair.raw.sum(axis=1), 1)
    np.testing.assert_allclose(pair.released.sum(axis=1), 1)


@pytest.mark.parametrize("seed", range(20))
def test_sets_and_stars_of_categories_are_spread_too(seed):
    raw, released = random_tables(seed)
    pair = pair_categories("town", frame(town=raw["town"]), frame(town=released["town"]), None)
    told = distribution(released["town"], sorted(set(raw["town"])))
    for value, share in told.items():
        column = int(pair.raw[raw["town"].index(value)].argmax())
        assert pair.released[:, column].mean() == pytest.approx(share)


def test_the_middle_of_a_range_stands_for_it():
    raw = frame(age=[20, 30, 40, 90])
    labels = ["[20-30]", ">=40", "<40", "*", "37", "no label"]
    pair = pair_numbers("age", raw, frame(age=labels))
    assert pair.released_numbers.tolist() == [25, 65, 30, 55, 37, 55]


def test_dates_are_read():
    days = np.array(["2020-01-01", "2020-01-03", "2020-03-01"], "datetime64[us]")
    pair = pair_numbers("day", frame(day=days), frame(day=["[2020-01-01 to 2020-01-03]", "*"]))
    assert pair.released[0].tolist() == [0.5, 0.5, 0]
    assert pair.released_numbers[0] == pair.raw_numbers[:2].mean()


def test_what_is_missing_is_a_part_of_its_own():
    pair = pair_numbers("age", frame(age=[20.0, np.nan]), frame(age=[np.nan, 20.0]))
    assert pair.raw.tolist() == [[1, 0], [0, 1]]
    assert pair.released.tolist() == [[0, 1], [1, 0]]
    pair = pair_categories("town", frame(town=["A", None]), frame(town=["B", "A"]), None)
    assert pair.raw.tolist() == [[1, 0, 0], [0, 0, 1]]
    assert pair.released.tolist() == [[0, 1, 0], [1, 0, 0]]  # B is none of the raw values


def test_rare_values_are_taken_together():
    raw = frame(code=[f"v{i}" for i in range(30)] + ["v0"])
    pair = pair_categories("code", raw, raw, None)
    assert pair.raw.shape[1] == MOST_VALUES
    assert pair.raw.sum(axis=0)[-1] == 30 - MOST_VALUES + 1


def test_nodes_of_a_hierarchy_are_read():
    schema = Schema(
        {
            "town": {
                "role": "quasi-identifier",
                "hierarchy": {"tree": {"South": ["A", "B"], "C": []}},
            }
        }
    )
    pair = pair_categories("town", frame(town=["A", "B", "C"]), frame(town=["South"]), schema)
    assert pair.released.tolist() == [[0.5, 0.5, 0]]
