import numpy as np
import pytest

from shoal.metrics.kept._fit import Fit
from shoal.metrics.kept._regression_kept import compare_regressions, interval_overlap
from shoal.metrics.kept._table_pair import read_pair
from tests.metrics.kept.people import random_tables


def overlap(one, two):
    """The shares of two intervals that lie in the other, one point after the other."""
    points = np.linspace(-20, 20, 400_001)
    inside = [(points >= low) & (points <= high) for low, high in (one, two)]
    both = (inside[0] & inside[1]).sum()
    return both / inside[0].sum() / 2 + both / inside[1].sum() / 2


@pytest.mark.parametrize("seed", range(10))
def test_overlap_is_what_lies_in_both_intervals(seed):
    rng = np.random.default_rng(seed)
    beta, errors = rng.normal(size=2), rng.uniform(0.5, 2, 2)
    known = np.ones(1, bool)
    fits = [Fit(beta[i : i + 1], errors[i : i + 1], known) for i in (0, 1)]
    ends = [(b - 1.96 * e, b + 1.96 * e) for b, e in zip(beta, errors, strict=True)]
    expected = overlap(*ends)
    if expected > 0:
        assert interval_overlap(*fits)[0] == pytest.approx(expected, abs=1e-3)
    else:
        assert interval_overlap(*fits)[0] <= 0


@pytest.mark.parametrize("target", ["pay", "ill"])
def test_a_table_published_as_it_is_tells_the_same_story(target):
    raw, _ = random_tables(0, 200)
    found = compare_regressions(read_pair(raw, raw), target)
    assert (found.overlap, found.same_conclusion, found.n_lost) == (1, 1, 0)
    assert found.kind == ("linear" if target == "pay" else "logistic")


def test_a_column_that_is_starred_is_lost():
    raw, _ = random_tables(0, 200)
    found = compare_regressions(read_pair(raw, raw | {"age": ["*"] * 200}), "pay")
    assert found.by_column["age"] == 0
    assert found.n_lost == 1
    assert found.n_coefficients == 4  # age, two of three towns, one of two illnesses
    assert found.by_column["ill"] > 0.5


def test_noise_in_a_cause_moves_its_coefficient_only():
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 3000))
    raw = {"x": x, "z": z, "y": x + z + rng.normal(size=3000)}
    found = compare_regressions(read_pair(raw, raw | {"x": x + rng.normal(size=3000)}), "y")
    assert found.by_column["x"] < 0
    assert found.by_column["z"] > 0.5
    assert found.same_conclusion == 1


def test_without_another_column_there_is_no_regression():
    assert compare_regressions(read_pair({"x": [1, 2]}, {"x": [1, 2]}), "x") is None
