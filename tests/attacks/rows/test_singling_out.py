import pytest

from shoal.attacks import singling_out_attack
from shoal.errors import ParameterError
from shoal.schema import Schema
from tests.attacks.rows.people import draw


def example_singling():
    return (draw(80, 0), draw(80, 0)), {"control": draw(80, 1), "n_attacks": 100}


def test_a_table_as_it_is_singles_out_its_own_people_and_few_others():
    people, others = draw(300, 0), draw(300, 1)
    found = singling_out_attack(people, people, control=others, n_attacks=300)
    assert found.risk == 1.0
    assert found.baseline < 0.5
    low, high = found.details["beyond_control_interval"]
    assert 0.9 < low <= found.details["beyond_control"] <= high


def test_rows_that_have_nothing_to_do_with_people_single_out_no_more_than_control_rows():
    found = singling_out_attack(draw(300, 2), draw(300, 0), control=draw(300, 1), n_attacks=500)
    assert found.details["beyond_control_interval"][0] < 0.05
    assert found.details["alone_in_release"] > 100


def test_ranges_and_labels_match_whom_they_stand_for():
    schema = Schema(
        {
            "age": {"role": "quasi-identifier", "kind": "numeric"},
            "town": {"role": "quasi-identifier", "hierarchy": {"tree": {"north": ["A", "B"]}}},
        }
    )
    people = {"age": [31, 34, 62, 65], "town": ["A", "B", "A", "B"]}
    released = {"age": ["[30-39]", "[30-39]", "[60-69]", "[60-69]"], "town": ["north"] * 4}
    found = singling_out_attack(released, people, schema=schema, n_columns=2)
    assert found.risk == 0
    assert found.details["alone_in_release"] == 0
    released["town"][0] = "A"
    assert singling_out_attack(released, people, schema=schema, n_columns=2).risk > 0


def test_more_columns_than_there_are_is_an_error():
    with pytest.raises(ParameterError, match="4 columns in common"):
        singling_out_attack(draw(9, 0), draw(9, 0), n_columns=5)
