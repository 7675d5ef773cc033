import numpy as np

from shoal.secure.transfer import _bits
from shoal.secure.transfer._bits import multiply_bits


def test_products_of_shared_bits_are_those_in_the_clear(both, monkeypatch):
    monkeypatch.setattr(_bits, "_TRANSFERS", 50)  # several messages
    rng = np.random.default_rng(4)
    left, right = (
        rng.integers(0, 2, (3, 40)).astype(bool),
        rng.integers(0, 2, (70, 40)).astype(bool),
    )
    shares = [rng.integers(0, 2, side.shape).astype(bool) for side in (left, right)]
    rest = [side ^ share for side, share in zip((left, right), shares, strict=True)]
    pairs = [(0, 0), (1, 0), (2, 5), *((1, j) for j in range(70)), (0, 0)]

    def multiply(party, one, two):
        return multiply_bits(party, one, two, pairs)

    a, b = both(multiply, shares, rest)
    expected = np.array([left[i] & right[j] for i, j in pairs])
    np.testing.assert_array_equal(a ^ b, expected)
    assert 0.3 < a.mean() < 0.7  # a share alone is noise


def test_nothing_to_multiply_is_nothing_said(both):
    empty = np.zeros((0, 5), bool)
    one, _ = both(lambda party: multiply_bits(party, empty, empty, []), (), ())
    assert one.shape == (0, 5)
