import math

import pytest
from scipy.stats import binom

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


@pytest.mark.parametrize("beta", [0.05, 0.5, 0.8, 0.99])
@pytest.mark.parametrize("k", [2_000, 30_000])
def test_the_limit_is_safe_and_no_stricter_than_the_papers(beta, k):
    m, delta = 14, 0.01
    limit = _sizes.sampled_beta(beta, k, m, delta)
    published = beta * (1 - math.sqrt(2 * math.log(2**m / delta) / (beta * k)))
    assert published <= limit < beta
    # the exact chance that a set at beta looks as if it kept the limit, for all sets together
    assert 2**m * binom.cdf(math.floor(limit * k), k, beta) <= delta
    # and the bound is not idle: a limit halfway to beta would break it for some beta
    assert 2**m * binom.cdf(math.floor((limit + 3 * beta) / 4 * k), k, beta) > delta


def test_a_sample_that_proves_nothing_is_refused():
    with pytest.raises(ParameterError, match=r"a sample of 10 says nothing .* at least 18"):
        _sizes.sampled_beta(0.5, 10, 10, 0.01)
