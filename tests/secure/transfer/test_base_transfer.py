"""Base transfers: P-256 by published vectors, and both sides by a slow twin."""

import hashlib

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from shoal.errors import ProtocolError
from shoal.secure.transfer._base_transfer import _add, _key, _load

P = 2**256 - 2**224 + 2**192 + 2**96 - 1
# Multiples of the base point, from the list of test vectors of NIST's point multiplication.
G = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)
TWO_G = (
    0x7CF27B188D034F7E8A52380304B51AC3C08969E277F21B35A60B48FC47669978,
    0x07775510DB8ED040293D9AC69F7430DBBA7DADE63CE982299E04B79D227873D1,
)
THREE_G = (
    0x5ECBE4D1A6330A44C8F7EF951D4BF165E6C6B721EFADA985FB41661BC6E7FD6C,
    0x8734640C4998FF7E374B06CE1A64A2ECD82AB036384FB83D9A79B127A27D5032,
)


def test_points_are_added_as_published():
    assert _add(G, TWO_G) == THREE_G
    minus_g = (G[0], P - G[1])
    assert _add(THREE_G, minus_g) == TWO_G
    assert _add(TWO_G, minus_g) == G
    with pytest.raises(ProtocolError, match="degenerate"):
        _add(G, minus_g)


def test_the_exchange_is_that_of_the_validation_program():
    """NIST CAVS, ECC CDH primitive, P-256, count 0."""
    point = bytes.fromhex(
        "04700c48f77f56584c5cc632ca65640db91b6bacce3a4df6b42ce7cc838833d287"
        "db71e509e3fd9b060ddb20ba5c51dcc5948d46fbf640dfe0441782cab85fa4ac"
    )
    secret = 0x7D7DC5F71EB29DDAF80D6214632EEAE03D9058AF1FB6D22ED80BADB62BC1A534
    shared = ec.derive_private_key(secret, ec.SECP256R1()).exchange(ec.ECDH(), _load(point))
    assert shared.hex() == "46fc62106420ff012e54a434fbdd2d25ccc5852060561e68040dd7778997bd7b"


def test_keys_are_digests_of_all_that_was_said():
    text = b"shoal base transfer" + b"\3\0\0\0" + b"open" + b"answer" + b"shared"
    assert _key(3, b"open", b"answer", b"shared") == hashlib.sha256(text).digest()[:16]
