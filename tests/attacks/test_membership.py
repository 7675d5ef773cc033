import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from shoal.attacks._membership import distance_to_published, membership_attack
from shoal.errors import ParameterError


def example_membership():
    rng = np.random.default_rng(0)
    return (rng.integers(0, 6, 50), rng.integers(2, 9, 40)), {}


def test_the_chance_is_the_area_under_the_curve():
    rng = np.random.default_rng(0)
    members, outsiders = rng.integers(0, 6, 50), rng.integers(2, 9, 40)
    result = membership_attack(members, outsiders)
    labels = np.r_[np.ones(50), np.zeros(40)]
    assert result.risk == pytest.approx(roc_auc_score(labels, -np.r_[members, outsiders]))
    assert result.low <= result.risk <= result.high


def test_a_distance_that_says_nothing_is_guessing():
    rng = np.random.default_rng(1)
    result = membership_attack(rng.random(500), rng.random(500))
    assert result.low < result.baseline == 0.5 < result.high


def test_distances_are_to_the_nearest_row():
    assert distance_to_published([[0, 0], [3, 4]], [[0, 0], [9, 9]]).tolist() == [0, 5]


def test_both_sides_are_needed():
    with pytest.raises(ParameterError, match="both sides"):
        membership_attack([], [1])
