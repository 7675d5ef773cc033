import numpy as np
import pytest

from shoal.attacks import inference_attack
from shoal.attacks.rows._inference import _by_luck, released_guesses
from shoal.attacks.rows._match_kernels import Scales, share_right
from shoal.attacks.rows._row_tables import read_row_tables
from shoal.errors import ParameterError
from tests.attacks.rows.people import draw
from tests.attacks.rows.test_linkability import slow_distance


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


@pytest.mark.parametrize(("known", "secret"), [([1], 2), ([1, 3], 2), ([0, 1], 3), ([1], 3)])
def test_ties_count_by_the_share_that_is_right(known, secret):
    tables = read_row_tables(draw(70, 0), draw(30, 1), None, None)
    scales = Scales(np.array(known), tables.scale, tables.covers)
    guesses, truth = released_guesses(tables, secret), tables.people.low[:, secret].copy()
    share, distance, ties = share_right(
        tables.people, tables.released, scales, guesses, truth, 0.05
    )
    for person in range(30):
        every = np.array(
            [sum(slow_distance(tables, person, row, c) for c in known) for row in range(70)]
        )
        near = np.flatnonzero(every <= every.min() + 1e-9)
        right = np.abs(guesses[near] - truth[person]) <= 0.05 * abs(truth[person])
        assert ties[person] == len(near)
        assert distance[person] == pytest.approx(every.min())
        assert share[person] == pytest.approx(right.mean())


def test_luck_is_the_mean_over_all_pairs():
    rng = np.random.default_rng(0)
    guesses, truth = rng.integers(1, 9, 40).astype(float), rng.integers(1, 9, 30).astype(float)
    guesses[:5], truth[:3] = np.nan, np.nan
    pairs = [
        (np.isnan(g) and np.isnan(t)) or abs(g - t) <= 0.2 * abs(t) for t in truth for g in guesses
    ]
    assert _by_luck(guesses, truth, 0.2) == pytest.approx(np.mean(pairs))


def test_who_hides_among_equal_rows_is_guessed_by_their_shares():
    people = {"age": [30] * 8, "ill": ["flu"] * 6 + ["gout"] * 2}
    found = inference_attack(people, people, "ill")
    assert found.risk == pytest.approx(0.75**2 + 0.25**2)
