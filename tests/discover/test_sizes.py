import math

import pytest

from shoal.discover import _sizes
from shoal.errors import ParameterError


@pytest.mark.parametrize(("m", "eps", "delta"), [(3, 0.1, 0.01), (14, 0.001, 0.01), (54, 0.5, 0.9)])
def test_sizes_are_those_of_the_theorems(m, eps, delta):
    sets = math.log(2**m / delta)
    k = _sizes.pairs_for_key(m, eps, delta)
    # least k with 2^m (1 - eps)^k <= delta
    assert 2**m * (1 - eps) ** k <= delta * (1 + 1e-9)
    assert 2**m * (1 - eps) ** (k - 1) > delta
    n = 10**6
    k = _sizes.rows_for_key(n, m, eps, delta)
    # least k that makes lemma 2.3 give delta / 2^m
    assert eps / (1 - eps) * k * (k - 1) / (2 * n) >= sets - 1e-9
    assert eps / (1 - eps) * (k - 1) * (k - 2) / (2 * n) < sets
    assert k == pytest.approx(math.sqrt(2 * (1 - eps) / eps * n * sets), abs=2)
    k = _sizes.pairs_for_quasi_identifier(m, 0.9, eps, delta)
    assert k == math.ceil(16 / (0.9 * eps**2) * sets)


def test_a_thousand_attributes_do_not_overflow():
    assert _sizes.pairs_for_key(5_000, 0.01, 0.01) < 10**6
    assert _sizes.rows_for_key(10**9, 5_000, 0.01, 0.01) < 10**9


def test_the_limit_on_a_sample_nears_beta_as_the_sample_grows():
    limits = [_sizes.sampled_beta(0.5, k, 10, 0.01) for k in (10**3, 10**4, 10**6)]
    assert limits == sorted(limits)
    assert limits[-1] == pytest.approx(0.5, abs=0.005)
    k = 10**4
    alpha = limits[1] / 0.5
    assert 2**10 * math.exp(-((1 - alpha) ** 2) * 0.5 * k / 2) == pytest.approx(0.01)


def test_a_sample_that_proves_nothing_is_refused():
    with pytest.raises(ParameterError, match=r"a sample of 10 says nothing .* at least 48"):
        _sizes.sampled_beta(0.5, 10, 10, 0.01)
