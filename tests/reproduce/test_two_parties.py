import numpy as np

from reproduce._pooled_k2 import pooled_k2
from reproduce.experiments._secure_logarithm import make_rows
from tests.extras import need

need("gmpy2")
need("cryptography")
from reproduce import _two_parties as parties  # noqa: E402


def test_logarithms_of_every_small_count():
    x = np.arange(1, 32)
    found = parties.secure_logarithms(5, 3, x, seed=1)
    assert found.wrong == 0
    assert np.abs(found.values - np.log(x)).max() < 0.0113
    np.testing.assert_allclose(found.values, parties.clear_logarithms(5, 3))


def test_circuits_of_more_bits_are_larger():
    small, large = (parties.circuit_sizes(bits, 3) for bits in (10, 17))
    assert all(a < b for a, b in zip(small, large, strict=True))
    assert large.own_ands < large.ands < large.three_inputs < large.two_inputs


def test_a_network_of_dealt_out_cells_is_the_pooled_one():
    codes = make_rows(400, seed=2)
    found = parties.secure_network(codes, 1, seed=3)
    assert found.parents == pooled_k2(codes, [2] * 6, 1)
    assert any(found.parents)
    assert found.n_logarithms > 0
