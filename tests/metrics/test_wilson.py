import numpy as np
import pytest
from scipy.stats import binomtest

from shoal.metrics._wilson import wilson


@pytest.mark.parametrize(("hits", "trials"), [(0, 10), (3, 10), (10, 10), (40, 1000)])
def test_wilsons_interval_is_scipys(hits, trials):
    expected = binomtest(hits, trials).proportion_ci(method="wilson")
    np.testing.assert_allclose(wilson(hits, trials), (expected.low, expected.high), atol=1e-12)


def test_no_trials_say_nothing():
    assert wilson(0, 0) == (0.0, 1.0)
