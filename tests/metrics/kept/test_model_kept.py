import numpy as np
import pytest

from shoal.metrics.kept._model_kept import compare_models
from shoal.metrics.kept._table_pair import read_pair


def people(n=400, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return {"x": x, "town": rng.choice(["A", "B"], n), "y": np.where(x > 0.5, "yes", "no")}


def test_a_release_without_the_cause_is_as_good_as_the_majority():
    raw = people()
    kept = compare_models(read_pair(raw, raw), "y", random_state=1)
    lost = compare_models(read_pair(raw, raw | {"x": ["*"] * 400}), "y", random_state=1)
    assert kept.raw > 0.95
    assert kept.released > 0.95
    assert lost.majority == pytest.approx(0.69, abs=0.1)
    assert lost.released <= lost.majority + 0.02


def test_of_numbers_above_the_median_is_predicted():
    raw = people()
    found = compare_models(read_pair(raw, raw), "x", random_state=1)
    assert found.majority == pytest.approx(0.5, abs=0.1)
    assert found.released > found.majority


def test_the_same_seed_gives_the_same_forest():
    raw = people()
    assert compare_models(read_pair(raw, raw), "y") == compare_models(read_pair(raw, raw), "y")


def test_without_classes_there_is_no_model():
    raw = {"x": [1, 2, 3, 4, 5], "y": ["no"] * 5}
    assert compare_models(read_pair(raw, raw), "y") is None


def test_rows_of_others_tell_what_was_learned_by_heart():
    """A release of noise: whoever is tested on its own rows believes in it."""
    rng = np.random.default_rng(0)
    raw = {"x": rng.normal(size=400), "y": rng.choice(["yes", "no"], 400)}
    others = {"x": rng.normal(size=400), "y": rng.choice(["yes", "no"], 400)}
    own = compare_models(read_pair(raw, raw), "y")
    held = compare_models(read_pair(raw, raw, test=others), "y")
    assert (own.is_held_out, held.is_held_out, held.n_test) == (False, True, 400)
    assert own.released > 0.7
    assert 0.4 < held.released < 0.6
    numbers = compare_models(read_pair(people(), people(), test=people(seed=1)), "x")
    assert numbers.released > numbers.majority
