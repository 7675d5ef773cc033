"""The field of 2**128 elements by a slow twin and known answers; who cheats is found out."""

import secrets

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from shoal.errors import ProtocolError
from shoal.parties import run_parties
from shoal.secure import FirstParty, SecondParty, Settings
from shoal.secure._ring import Ring
from shoal.secure.transfer import _extension, _products, _scalar
from shoal.secure.transfer._consistency import combine_choices, combine_rows, multiply
from shoal.secure.transfer._extension import ExtensionReceiver, ExtensionSender

POLYNOMIAL = 1 << 128 | 0b10000111


def slow_product(a, b):
    """Shift and add, on Python's integers."""
    total = 0
    for i in range(128):
        if b >> i & 1:
            total ^= a << i
    for i in range(254, 127, -1):
        if total >> i & 1:
            total ^= POLYNOMIAL << (i - 128)
    return total


def element(value):
    return np.frombuffer(value.to_bytes(16, "little"), np.uint64)


def number(element):
    return int.from_bytes(element.tobytes(), "little")


def test_products_are_those_of_the_slow_twin():
    for a, b in [(0, 5), (1, 2**127), (2**128 - 1,) * 2, (2**127, 2), *_pairs(20)]:
        assert number(multiply(element(a), element(b))) == slow_product(a, b)


def _pairs(count):
    return [(secrets.randbits(128), secrets.randbits(128)) for _ in range(count)]


def reflected(block):
    """GCM counts the bits of its elements from the other end."""
    return int(f"{int.from_bytes(block, 'big'):0128b}"[::-1], 2)


def test_the_field_is_that_of_galois_counter_mode():
    """One block of authenticated data: OpenSSL's tag is (A H + L) H + E(J0)."""
    key, nonce, data = bytes(range(16)), bytes(12), bytes(range(50, 66))
    tag = AESGCM(key).encrypt(nonce, b"", data)
    encrypt = Cipher(algorithms.AES(key), modes.ECB()).encryptor().update
    h, length = reflected(encrypt(bytes(16))), reflected((128).to_bytes(8, "big") + bytes(8))
    inner = number(multiply(element(reflected(data)), element(h))) ^ length
    hashed = number(multiply(element(inner), element(h)))
    mask = reflected(encrypt(nonce + b"\0\0\0\1"))
    assert hashed ^ mask == reflected(tag)


def test_combinations_are_sums_of_products():
    rng = np.random.default_rng(3)
    rows, factors = rng.integers(0, 2**63, (2, 70_000, 2)).astype(np.uint64)
    few = slice(0, 40)
    expected = 0
    for a, b in zip(rows[few], factors[few], strict=True):
        expected ^= slow_product(number(a), number(b))
    assert number(combine_rows(rows[few], factors[few])) == expected
    both = combine_rows(rows[:65_600], factors[:65_600]) ^ combine_rows(
        rows[65_600:], factors[65_600:]
    )
    np.testing.assert_array_equal(combine_rows(rows, factors), both)
    choices = rng.integers(0, 2, 40).astype(bool)
    chosen = np.bitwise_xor.reduce(factors[few][choices], axis=0)
    np.testing.assert_array_equal(combine_choices(choices, factors[few]), chosen)


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("transfers", [2**17, 80, 1])
def test_checked_sessions_compute_the_same(monkeypatch, check, transfers):
    monkeypatch.setattr(_products, "_TRANSFERS", transfers)  # one message, or one per two or each
    monkeypatch.setattr(_scalar, "_TRANSFERS", transfers)
    settings = Settings(check_transfers=check)
    first, second = list(range(11)), list(range(50, 61))

    def half(kind, numbers):
        def run(line):
            party = kind(line, settings)
            bits = np.array(numbers)[None] % 3 > 0
            products = party.inner_products(Ring(40), [[n] for n in numbers])
            return products, party.count_products(bits)

        return run

    (one, ones), (two, twos) = run_parties(half(FirstParty, first), half(SecondParty, second))
    products = [(a + b) % 2**40 for a, b in zip(one, two, strict=True)]
    assert products == [a * b for a, b in zip(first, second, strict=True)]
    together = sum(a % 3 > 0 and b % 3 > 0 for a, b in zip(first, second, strict=True))
    assert (ones + twos).tolist() == [together]


def test_a_receiver_with_other_choices_in_some_columns_is_found_out(monkeypatch):
    """Half of the columns flipped for one transfer would tell half of the sender's offset."""
    columns = _extension._columns
    calls = []

    def cheating(streams, octets):
        made = columns(streams, octets)
        calls.append(made)
        if len(calls) == 2:  # the receiver's second half, which carries the choices
            made[:64, 0] ^= 1
        return made

    def receive(line):
        receiver = ExtensionReceiver(line, check=True)
        monkeypatch.setattr(_extension, "_columns", cheating)
        receiver.extend(np.zeros(10, bool))

    with pytest.raises(ProtocolError, match="contradict"):
        run_parties(lambda line: ExtensionSender(line, check=True).extend(10), receive)
