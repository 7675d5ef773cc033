import numpy as np
import pytest

from shoal.errors import ParameterError
from shoal.federated.kernels._dose import eqd2


def test_two_gray_fractions_within_four_weeks_are_their_own_equivalent():
    assert eqd2(66, 2, 28) == 66


def test_larger_fractions_count_more_and_longer_treatments_less():
    assert eqd2(60, 3, 20) == pytest.approx(60 * 13 / 12)
    assert eqd2(60, 2, 38) == pytest.approx(60 - 6.6)
    np.testing.assert_allclose(eqd2([60, 60], [2, 3], [20, 38]), [60, 65 - 6.6])


def test_negative_input_is_an_error():
    with pytest.raises(ParameterError, match="must not be negative"):
        eqd2(60, -2, 20)
