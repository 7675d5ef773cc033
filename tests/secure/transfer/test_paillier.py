"""Paillier beside another implementation, which decrypts what ours encrypts and the reverse."""

import secrets

from shoal.secure.transfer._paillier import SecretKey
from tests.extras import need

phe = need("phe")


def test_ciphertexts_are_those_of_another_implementation():
    key = SecretKey.generate(2048)
    theirs = phe.PaillierPublicKey(int(key.public.n))
    private = phe.PaillierPrivateKey(theirs, int(key.p), int(key.q))
    for number in (0, 1, secrets.randbits(2000), int(key.public.n) - 1):
        assert private.raw_decrypt(int(key.public.encrypt(number))) == number
        assert key.decrypt(theirs.raw_encrypt(number)) == number


def test_sums_and_products_of_ciphertexts_are_read_by_another_implementation():
    key = SecretKey.generate(2048)
    theirs = phe.PaillierPublicKey(int(key.public.n))
    private = phe.PaillierPrivateKey(theirs, int(key.p), int(key.q))
    ciphers = [key.public.encrypt(n) for n in (3, 5, 11)]
    assert private.raw_decrypt(int(key.public.combine(ciphers, [7, 2, 1]))) == 3 * 7 + 5 * 2 + 11
