import numpy as np
import pytest

from shoal.errors import ParameterError
from shoal.privacy import BetaLikeness, TCloseness
from tests.reference import privacy as twin
from tests.reference.rows import table

CASES = [
    (BetaLikeness(0.5), lambda g, w: twin.beta_likeness(g, w, 0.5)),
    (BetaLikeness(1.2, enhanced=True), lambda g, w: twin.beta_likeness(g, w, 1.2, True)),
]


def test_rare_values_are_protected_where_closeness_is_blind():
    common = [{"s": "a"}] * 99
    groups = table([[*common, {"s": "rare"}], [{"s": "a"}] * 100, *[[{"s": "a"}] * 100] * 8])
    assert TCloseness(0.02).holds(groups).all()
    np.testing.assert_array_equal(BetaLikeness(5).holds(groups), [False, *[True] * 9])


def test_the_enhanced_bound_limits_frequent_values():
    groups = table([[{"s": "a"}] * 9 + [{"s": "b"}], [{"s": "a"}] * 5 + [{"s": "b"}] * 5])
    assert BetaLikeness(1).holds(groups).all()  # 0.9 <= 2 * 0.7; 0.5 <= 2 * 0.3
    assert BetaLikeness(1, enhanced=True).holds(groups).all()  # 0.9 <= 0.7 (1 - ln 0.7) = 0.95
    sharper = table([[{"s": "a"}] * 10, [{"s": "a"}] * 4 + [{"s": "b"}] * 6])
    np.testing.assert_array_equal(BetaLikeness(1).holds(sharper), [True, True])
    np.testing.assert_array_equal(BetaLikeness(1, enhanced=True).holds(sharper), [False, True])


@pytest.mark.parametrize("beta", [0, -1, None])
def test_beta_is_positive(beta):
    with pytest.raises(ParameterError, match="beta must be above 0"):
        BetaLikeness(beta)
