import numpy as np
import pytest
from scipy.stats import binomtest

from shoal.attacks import AttackResult
from shoal.attacks._attack_result import wilson


@pytest.mark.parametrize(("hits", "trials"), [(0, 10), (3, 10), (10, 10), (40, 1000)])
def test_wilsons_interval_is_scipys(hits, trials):
    expected = binomtest(hits, trials).proportion_ci(method="wilson")
    np.testing.assert_allclose(wilson(hits, trials), (expected.low, expected.high), atol=1e-12)


def test_no_trials_say_nothing():
    assert wilson(0, 0) == (0.0, 1.0)


def test_a_result_prints_its_interval_and_baseline():
    result = AttackResult("guess", "share found", 0.5, 0.4, 0.6, 0.1, 20, {"rows": 3})
    assert str(result) == "guess: share found 0.500 [0.400, 0.600], by guessing 0.100"
    assert result.to_dict()["interval"] == [0.4, 0.6]
