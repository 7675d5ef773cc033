import numpy as np
import pytest

from shoal.metrics.kept._propensity import compare_propensity
from shoal.metrics.kept._table_pair import read_pair


def two_draws(seed, shift=0.0):
    rng = np.random.default_rng(seed)
    return [{n: rng.normal(size=400) + shift * d for n in "abc"} for d in (0, 1)]


def test_of_one_binary_column_it_is_known():
    """Released shares p and q of a value: chances are p/(p+q), counted by hand."""
    raw, released = {"t": ["A"] * 3 + ["B"] * 1}, {"t": ["A"] * 1 + ["B"] * 3}
    found = compare_propensity(read_pair(raw, released))
    assert found.pmse == pytest.approx((0.75 - 0.5) ** 2, abs=1e-6)
    assert found.most == 0.25


def test_another_draw_of_people_has_a_ratio_of_two_on_average():
    """N pMSE / (c (1 - c)) is chi-square with as many degrees as features."""
    ratios = [compare_propensity(read_pair(*two_draws(seed))).ratio for seed in range(60)]
    # of 60 chi-squares with three degrees over three the mean has a standard error of 0.105
    assert np.mean(ratios) / 2 == pytest.approx(1, abs=0.32)


def test_what_is_apart_reaches_the_largest_value():
    found = compare_propensity(read_pair(*two_draws(0, shift=50)))
    assert found.pmse == pytest.approx(found.most, abs=1e-3)


def test_weights_of_equal_rows_change_nothing():
    raw, released = two_draws(1, shift=0.3)
    plain = compare_propensity(read_pair(raw, released))
    for table in (raw, released):
        table["w"] = np.full(400, 7.0)
    assert compare_propensity(read_pair(raw, released, weights="w")).pmse == pytest.approx(
        plain.pmse
    )
