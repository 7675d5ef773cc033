import secrets
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from shoal.errors import ParameterError
from shoal.secure.logarithm._scaling import (
    EXACT_ERROR,
    _rounded,
    bit_numbers,
    excessive_mask,
    number_bits,
    scale_autonomously,
    scale_exactly,
)

slow = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=8
)
moduli = st.sampled_from([1009, 2**20, 2**61 - 1, 2**80 + 13])


@slow
@given(modulus=moduli, data=st.data())
def test_exact_scaling_is_within_its_bound_for_all_shares(both, modulus, data):
    factor = data.draw(st.fractions(0, 1) | st.just(Fraction(0)) | st.just(Fraction(1)))
    # Products must stay in the ring; the interesting values are at its ends.
    values = data.draw(st.lists(st.integers(0, modulus - 1), min_size=1, max_size=6))
    values += [0, 1, modulus - 1]
    first = [data.draw(st.integers(0, modulus - 1)) for _ in values]
    second = [(v - s) % modulus for v, s in zip(values, first, strict=True)]
    a, b = both(scale_exactly, (modulus, factor, first), (modulus, factor, second))
    for x, p, q in zip(values, a, b, strict=True):
        off = ((p + q) % modulus - factor * x) % modulus
        assert min(off, modulus - off) < EXACT_ERROR


@slow
@given(modulus=st.sampled_from([2**61 - 1, 2**80]), data=st.data())
def test_factors_above_one(both, modulus, data):
    factor = data.draw(st.fractions(1, 1000))
    values = data.draw(st.lists(st.integers(0, 10**6), min_size=1, max_size=4))
    first = [secrets.randbelow(modulus) for _ in values]
    second = [(v - s) % modulus for v, s in zip(values, first, strict=True)]
    a, b = both(scale_exactly, (modulus, factor, first), (modulus, factor, second))
    for x, p, q in zip(values, a, b, strict=True):
        off = ((p + q) % modulus - factor * x) % modulus
        assert min(off, modulus - off) < EXACT_ERROR


@slow
@given(factor=st.fractions(0, 1000), values=st.lists(st.integers(0, 31), min_size=1, max_size=9))
def test_autonomous_scaling_on_excessive_shares(both, factor, values):
    modulus = 2**61 - 1
    masks = [excessive_mask(modulus, 31) for _ in values]
    first = [-z % modulus for z in masks]
    second = [(v + z) % modulus for v, z in zip(values, masks, strict=True)]
    assert all(p + q >= modulus for p, q in zip(first, second, strict=True))
    a, b = both(scale_autonomously, (modulus, factor, first), (modulus, factor, second))
    for x, p, q in zip(values, a, b, strict=True):
        off = ((p + q) % modulus - factor * x) % modulus
        assert min(off, modulus - off) < EXACT_ERROR


def test_autonomous_scaling_is_wrong_for_shares_that_do_not_wrap(both):
    modulus, factor = 2**61 - 1, Fraction(1, 3)
    a, b = both(scale_autonomously, (modulus, factor, [5]), (modulus, factor, [6]))
    off = ((a[0] + b[0]) % modulus - 4) % modulus
    assert min(off, modulus - off) > 1000


def test_excessive_masks_need_room():
    with pytest.raises(ParameterError, match="Use exact scaling"):
        excessive_mask(2**40, 31)


@given(n=st.integers(0, 10**9), d=st.integers(1, 10**6))
def test_rounding(n, d):
    assert abs(Fraction(n, d) - _rounded(n, d)) <= Fraction(1, 2)


@given(values=st.lists(st.integers(0, 2**70 - 1), min_size=1, max_size=5))
def test_numbers_survive_as_bits(values):
    assert bit_numbers(number_bits([values], 70)) == values
    assert number_bits([values, values], 70).shape == (len(values), 140)
    assert number_bits([values], 70).dtype == np.bool_
