"""Logarithms of shared counts: every x of 13 bits, random ones of 20, all lengths of the series."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from shoal.errors import ParameterError
from shoal.secure import Settings
from shoal.secure.logarithm._chebyshev import ChebyshevLogarithm
from shoal.secure.logarithm._fast_logarithm import FastLogarithm
from shoal.secure.logarithm._logarithm import TaylorLogarithm, split
from tests.reference import logarithms

# The paper's bounds, which it gives to four digits.
PUBLISHED = {3: 0.0112, 4: 0.0044, 5: 0.0018}
SHOWN = 0.00005


def shared(values, seed=0, wraps=None):
    """Split counts; `wraps` forces that the sum of the shares does or does not wrap."""
    x = np.asarray(values, np.uint32)
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 2**32, x.shape, dtype=np.uint32)
    if wraps is True:
        first = rng.integers(2**31, 2**32, x.shape, dtype=np.uint32)
    elif wraps is False:
        first = (rng.random(x.shape) * (x + 1.0)).astype(np.uint32)
    return first, x - first


def opened(ring, a, b):
    return ring.signed(ring.add(a, b))


def logs(party, logarithm, shares, product=False):
    result = logarithm.shares(party, shares)
    return result, logarithm.x_log_x(party, result) if product else None


@pytest.mark.parametrize("terms", [3, 4, 5])
def test_every_count_of_13_bits(both, terms):
    logarithm, x = TaylorLogarithm(13, terms), np.arange(1, 2**13)
    first, second = shared(x, terms, wraps=None)
    (a, _), (b, _) = both(logs, (logarithm, first), (logarithm, second))
    got = opened(logarithm.ring, a.log, b.log)
    assert got == [logarithm.clear(v) for v in x.tolist()]
    error = np.abs(np.array([v / logarithm.sigma for v in got]) - np.log(x))
    assert error.max() < logarithm.error
    assert error.max() < PUBLISHED[terms] + SHOWN


@pytest.mark.parametrize("wraps", [True, False])
def test_random_counts_of_20_bits_with_shares_that_wrap_and_that_do_not(both, wraps):
    rng = np.random.default_rng(7)
    edges = [
        0,
        1,
        2,
        3,
        2**19,
        2**20 - 1,
        *(2**i for i in range(20)),
        *(2**i - 1 for i in range(21)),
    ]
    x = np.concatenate([edges, rng.integers(1, 2**20, 300)])
    first, second = shared(x, 8, wraps)
    assert ((first.astype(np.int64) + second) >= 2**32)[x > 0].all() == wraps
    for terms in (3, 4, 5):
        logarithm = TaylorLogarithm(20, terms)
        (a, p), (b, q) = both(logs, (logarithm, first, True), (logarithm, second, True))
        got = opened(logarithm.ring, a.log, b.log)
        assert got == [logarithm.clear(v) for v in x.tolist()]
        assert opened(logarithm.ring, a.x, b.x) == x.tolist()
        assert opened(logarithm.ring, a.positive, b.positive) == (x > 0).astype(int).tolist()
        assert opened(logarithm.ring, p, q) == [v * w for v, w in zip(x.tolist(), got, strict=True)]
        error = [
            abs(v / logarithm.sigma - math.log(w))
            for v, w in zip(got, x.tolist(), strict=True)
            if w
        ]
        assert max(error) < PUBLISHED[terms] + SHOWN


@pytest.mark.parametrize("bits", [4, 5, 16, 17, 31])
def test_other_widths(both, bits):
    logarithm = TaylorLogarithm(bits, 3)
    x = [0, 1, 2, 3, 5, 7, 2**bits - 1, 2 ** (bits - 1), 2 ** (bits - 1) - 1]
    first, second = shared(x)
    (a, _), (b, _) = both(logs, (logarithm, first), (logarithm, second))
    assert opened(logarithm.ring, a.log, b.log) == [logarithm.clear(v) for v in x]


@pytest.mark.parametrize(("terms", "bound"), [(3, 0.0006), (4, 0.00008), (5, 0.00002)])
def test_chebyshev_series_are_far_closer_at_the_same_degree(both, terms, bound):
    logarithm = ChebyshevLogarithm(20, terms)
    x = np.concatenate([[0, 1, 2, 3, 2**20 - 1], np.random.default_rng(1).integers(1, 2**20, 200)])
    first, second = shared(x)
    (a, p), (b, q) = both(logs, (logarithm, first, True), (logarithm, second, True))
    got = opened(logarithm.ring, a.log, b.log)
    assert got == [logarithm.clear(v) for v in x.tolist()]
    assert opened(logarithm.ring, p, q) == [v * w for v, w in zip(x.tolist(), got, strict=True)]
    every = np.arange(1, 2**14)
    error = np.abs(
        np.array([logarithm.clear(v) / logarithm.scale for v in every.tolist()]) - np.log(every)
    )
    assert error.max() < logarithm.error
    assert error.max() < bound


def test_paillier_gives_the_same_as_transfers(both):
    logarithm, x = TaylorLogarithm(17, 3), [1, 5, 100, 131071, 0, 65536]
    first, second = shared(x)
    settings = Settings(products="paillier", key_bits=2048)
    (a, p), (b, q) = both(logs, (logarithm, first, True), (logarithm, second, True), settings)
    got = opened(logarithm.ring, a.log, b.log)
    assert got == [logarithm.clear(v) for v in x]
    assert opened(logarithm.ring, p, q) == [v * w for v, w in zip(x, got, strict=True)]


def test_the_fast_logarithm_is_within_its_bound_and_the_published_bound_does_not_hold(both):
    logarithm, x = FastLogarithm(13), np.arange(2**13)
    first, second = shared(x)
    (a, p), (b, q) = both(logs, (logarithm, first, True), (logarithm, second, True))
    got = opened(logarithm.ring, a.log, b.log)
    assert got == [logarithm.clear(v) for v in x.tolist()]
    assert opened(logarithm.ring, p, q) == [v * w for v, w in zip(x.tolist(), got, strict=True)]
    short = np.log2(x[1:]) - np.array(got[1:]) / 16
    assert short.min() >= 0
    assert short.max() * math.log(2) <= logarithm.error
    assert short.max() > 1 / 16


@given(x=st.integers(1, 2**31 - 1))
def test_the_split_is_the_one_with_a_small_remainder(x):
    n, epsilon = logarithms.nearest_power(x)
    assert split(x, 31) == (n, epsilon * 2**31)


@given(x=st.integers(1, 2**17 - 1), terms=st.integers(1, 6))
def test_the_clear_logarithm_is_the_truncated_series(x, terms):
    logarithm = TaylorLogarithm(17, terms)
    assert logarithm.clear(x) / logarithm.sigma == pytest.approx(
        logarithms.taylor(x, terms), abs=1e-9 + 17 / logarithm.sigma
    )
    assert abs(logarithm.clear(x) / logarithm.sigma - math.log(x)) <= logarithm.error


def test_dividing_in_the_ring_as_first_published_is_wrong():
    """Kept: eps**i 2**N is not an integer, so the modular quotient is no quotient at all."""
    bits, terms, prime = 13, 3, 2**89 - 1
    wrong = corrected = 0
    for x in range(1, 2**bits, 7):
        _, epsilon = split(x, bits)
        true = math.log1p(epsilon / 2**bits)
        wrong += abs(logarithms.uncorrected(epsilon, bits, terms, prime) - true) > 0.0113
        n = split(x, bits)[0]
        logarithm = TaylorLogarithm(bits, terms)
        refined = (logarithm.clear(x) - n * logarithm.ln2) / logarithm.sigma
        corrected += abs(refined - true) > 0.0113
    assert corrected == 0
    assert wrong > 0.9 * len(range(1, 2**bits, 7))


def test_results_fit_the_ring():
    for bits in (4, 13, 17, 20, 31):
        for terms in (1, 3, 5, 8):
            for kind in (TaylorLogarithm, ChebyshevLogarithm):
                logarithm = kind(bits, terms)
                largest = 2 * (2**bits - 1) * logarithm.clear(2**bits - 1)
                assert largest < logarithm.ring.modulus // 2
                assert logarithm.ring.bits >= bits * terms + 2 * terms + math.log2(bits) + bits


def test_the_circuit_is_small():
    """The paper needs 1,497 gates for 17 bits; the cost of ours is its AND gates."""
    logarithm = TaylorLogarithm(17, 3)
    assert logarithm.circuit.n_and == 113


def test_shares_of_a_logarithm_are_uniform_whatever_x_is(both):
    """Chi-square on the top byte of the second party's shares, for two very different inputs."""
    logarithm = TaylorLogarithm(8, 2)
    shift = logarithm.ring.bits - 4
    for x in (1, 200):
        first, second = shared(np.full(1600, x), wraps=False)
        (a, _), (b, _) = both(logs, (logarithm, first), (logarithm, second))
        for end in (a, b):
            for shares in (end.log, end.x, end.positive):
                seen = np.bincount(
                    [v >> shift for v in logarithm.ring.integers(shares)], minlength=16
                )
                statistic = ((seen - 100) ** 2 / 100).sum()
                assert statistic < 60, x  # 15 degrees of freedom: a chance of 2e-7


def test_the_chi_square_test_can_fail():
    seen = np.bincount([0] * 1600, minlength=16)
    assert ((seen - 100) ** 2 / 100).sum() > 60


@pytest.mark.parametrize(("bits", "terms"), [(3, 3), (32, 3), (10, 0), (10, 9)])
def test_impossible_parameters_are_refused(bits, terms):
    with pytest.raises(ParameterError):
        TaylorLogarithm(bits, terms)
