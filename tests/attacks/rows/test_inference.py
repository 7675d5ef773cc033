import numpy as np
import pytest

from shoal.attacks import inference_attack
from shoal.errors import ParameterError
from tests.attacks.rows.people import draw


def example_inference():
    return (draw(80, 0), draw(80, 0), "ill"), {"control": draw(80, 1)}


def test_a_copy_gives_away_its_people_and_only_what_is_general_of_others():
    people = draw(300, 0)
    found = inference_attack(people, people, "ill", control=draw(300, 1))
    assert found.risk == 1.0
    assert 0.5 < found.baseline < 0.95  # pay and illness go together in everybody
    assert found.details["beyond_control"] == 1.0
    assert found.details["by_luck"] < found.baseline


def test_numbers_are_right_within_the_tolerance_and_ranges_by_their_middle():
    people = {"age": [20, 40], "pay": [100.0, 200.0]}
    released = {"age": [20, 40], "pay": ["[90-118]", "[150-200]"]}
    assert inference_attack(released, people, "pay").risk == 0.5
    assert inference_attack(released, people, "pay", tolerance=0.2).risk == 1.0


def test_a_label_of_several_values_and_a_star_are_no_guess():
    people = {"age": [20, 40], "ill": ["flu", None]}
    assert inference_attack({"age": [20, 40], "ill": ["*", "*"]}, people, "ill").risk == 0
    assert inference_attack(people, people, "ill").risk == 1  # missing is told, too
    coarse = {"age": ["[10-30]", "[31-50]"], "ill": ["flu", None]}
    assert inference_attack(coarse, people, "ill").risk == 1


def test_the_secret_is_not_known():
    with pytest.raises(ParameterError, match="not the secret"):
        inference_attack(draw(9, 0), draw(9, 0), "ill", ["ill"])


def test_texts_as_good_as_names_are_compared_one_by_one(monkeypatch):
    monkeypatch.setattr("shoal.attacks.rows._row_tables.MOST_PAIRS", 4)
    people = {"name": list("abcdef"), "pay": np.arange(6.0)}
    assert inference_attack(people, people, "pay", ["name"], tolerance=0).risk == 1
