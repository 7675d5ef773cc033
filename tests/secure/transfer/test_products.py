import pickle

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from shoal.errors import ParameterError, ProtocolError
from shoal.parties import run_parties
from shoal.secure._ring import Ring
from shoal.secure.transfer._paillier import PublicKey, SecretKey
from shoal.secure.transfer._products import _slot, ask_by_paillier, serve_by_paillier
from tests.extras import need

# Toy size: these tests check arithmetic, not secrecy.
P, Q = 2**521 - 1, 2**607 - 1
KEY = SecretKey.from_primes(P, Q)

slow = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=12
)


@pytest.mark.parametrize("full_randomness", [False, True])
def test_paillier_adds_and_scales(full_randomness):
    key = SecretKey.from_primes(P, Q, full_randomness=full_randomness)
    public = key.public
    a, b = public.encrypt(20), public.encrypt(-3)
    assert key.decrypt(a) == 20
    assert key.decrypt(b) == public.n - 3
    assert key.decrypt(a * b % public.square) == 17
    assert key.decrypt(public.scale(a, 7)) == 140
    assert key.decrypt(public.combine([a, a], [1, 2])) == 60
    assert key.decrypt(public.pack([a, a, public.encrypt(1)], 10)) == 20 + (20 << 10) + (1 << 20)
    assert public.encrypt(5) != public.encrypt(5)


@given(value=st.integers(0, P * Q - 1))
def test_decryption_is_the_textbook_one(value):
    import math

    c, n, order = KEY.public.encrypt(value), P * Q, math.lcm(P - 1, Q - 1)
    plain = (pow(int(c), order, n * n) - 1) // n * pow(order, -1, n) % n
    assert KEY.decrypt(c) == plain == value


def test_the_default_key_is_one_of_3072_bits():
    key = SecretKey.generate()
    assert key.public.bits == 3072
    assert key.p % 4 == key.q % 4 == 3
    assert key.decrypt(key.public.encrypt(123)) == 123
    assert str(key.p) not in repr(key)
    with pytest.raises(TypeError):
        pickle.dumps(key)


def test_bad_keys_and_ciphertexts_are_refused():
    with pytest.raises(ParameterError, match="2048, 3072, 4096"):
        SecretKey.generate(1024)
    with pytest.raises(ParameterError, match="do not make"):
        SecretKey.from_primes(7, 7)
    for n, base in ((2**100, 3), (int(KEY.public.n), 0), (int(KEY.public.n), P)):
        with pytest.raises(ProtocolError):
            PublicKey.checked(n, base, KEY.public.bits, full_randomness=False)
    for ciphertext in (0, P, int(KEY.public.square)):
        with pytest.raises(ProtocolError, match="out of range"):
            KEY.decrypt(ciphertext)


@slow
@given(modulus=st.sampled_from([2**32, 2**83, 2**61 - 1, 1000]), data=st.data())
def test_inner_products_by_paillier(modulus, data):
    width = data.draw(st.integers(1, 3))
    row = st.lists(st.integers(0, modulus - 1), min_size=width, max_size=width)
    first = data.draw(st.lists(row, min_size=1, max_size=6))
    second = [data.draw(row) for _ in first]
    a, b = run_parties(
        lambda line: serve_by_paillier(line, KEY.public, modulus, first),
        lambda line: ask_by_paillier(line, KEY, modulus, second),
    )
    assert [(x + y) % modulus for x, y in zip(a, b, strict=True)] == [
        sum(p * q for p, q in zip(r, s, strict=True)) % modulus
        for r, s in zip(first, second, strict=True)
    ]


def test_packed_slots_never_overflow():
    for modulus in (2, 1000, 2**83):
        for width in (1, 2, 5):
            most = width * (modulus - 1) * (2 * modulus - 1) + 2 ** (_slot(modulus, width) - 1) - 1
            assert most < 2 ** _slot(modulus, width)


@slow
@given(bits=st.sampled_from([8, 64, 83, 139]), data=st.data())
def test_inner_products_and_products_by_transfer(both, bits, data):
    ring = Ring(bits)
    element = st.integers(0, ring.modulus - 1)
    n = data.draw(st.integers(0, 5))
    x1, x2, y1, y2 = (data.draw(st.lists(element, min_size=n, max_size=n)) for _ in range(4))
    a, b = both(lambda party, x, y: party.products(ring, x, y), (x1, y1), (x2, y2))
    assert [(p + q) % ring.modulus for p, q in zip(a, b, strict=True)] == [
        (p + q) * (r + s) % ring.modulus for p, q, r, s in zip(x1, x2, y1, y2, strict=True)
    ]


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (3, 1000), (0, 5), (2, 0)])
def test_scalar_products_of_binary_vectors(both, rows, columns):
    rng = np.random.default_rng(5)
    u, v = (rng.integers(0, 2, (rows, columns)).astype(bool) for _ in range(2))
    a, b = both(lambda party, bits: party.count_products(bits), (u,), (v,))
    np.testing.assert_array_equal(a + b, (u & v).sum(axis=1))


def test_a_malformed_answer_is_refused():
    with pytest.raises(ProtocolError, match="expected a ciphertext: a whole number in its range"):
        run_parties(
            lambda line: serve_by_paillier(line, KEY.public, 100, [[1]]),
            lambda line: line.send([-5]),
        )


def test_ciphertexts_agree_with_python_paillier():
    """An independent implementation, used here only as an oracle."""
    phe = need("phe")
    public = phe.PaillierPublicKey(P * Q)
    private = phe.PaillierPrivateKey(public, P, Q)
    assert private.raw_decrypt(int(KEY.public.encrypt(424_242))) == 424_242
    assert KEY.decrypt(public.raw_encrypt(98_765)) == 98_765
