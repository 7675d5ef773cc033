"""Base oblivious transfer on the curve P-256.

The sender publishes ``A = aG``; for each choice the receiver answers ``B = bG`` or ``B = A + bG``;
the sender's two keys are hashes of ``aB`` and ``a(B - A)``, and the receiver knows the one that is
a hash of ``bA`` [CO15]_.  `cryptography` makes the scalars and computes every product with a
secret scalar, and refuses points that are not on the curve; only the addition of two points, which
it does not offer, is written here.

.. [CO15] T. Chou, C. Orlandi.  The simplest protocol for oblivious transfer.  LATINCRYPT 2015.
   doi:10.1007/978-3-319-22174-8_3
"""

import hashlib

import gmpy2
import numpy as np
from cryptography.hazmat.primitives.asymmetric import ec

from shoal.errors import ProtocolError
from shoal.parties._channel import Channel
from shoal.parties._expect import Octets
from shoal.secure._ring import Bits

_CURVE = ec.SECP256R1()
_PRIME = gmpy2.mpz(2**256 - 2**224 + 2**192 + 2**96 - 1)
_SIZE = 65  # an uncompressed point

Point = tuple[int, int]


def send_keys(channel: Channel, count: int) -> list[tuple[bytes, bytes]]:
    """Learn two random 16-byte keys per transfer.

    Run against :func:`receive_keys`.

    Notes
    -----
    **Reveals.**  Nothing about the receiver's choices; the other key of each pair stays unknown to
    the receiver.

    **Assumes.**  Semi-honest parties; computational Diffie-Hellman on P-256; SHA-256 as a random
    oracle.

    **Costs.**  One point out, `count` points back; three products per transfer in all.
    """
    secret = ec.generate_private_key(_CURVE)
    own = _coordinates(secret.public_key())
    opening = _encode(own)
    channel.send(opening)
    answers = channel.receive(Octets(f"{count} points for the base transfer", count * _SIZE))
    keys = []
    minus_own = (own[0], int(_PRIME) - own[1])
    for index in range(count):
        answer = answers[index * _SIZE : (index + 1) * _SIZE]
        point = _load(answer)
        other = _point(_add(_coordinates(point), minus_own))
        zero, one = (secret.exchange(ec.ECDH(), p) for p in (point, other))
        keys.append((_key(index, opening, answer, zero), _key(index, opening, answer, one)))
    return keys


def receive_keys(channel: Channel, choices: Bits) -> list[bytes]:
    """Learn one key of each pair, as chosen; the sender does not learn which."""
    opening = channel.receive(Octets("one point for the base transfer", _SIZE))
    sender = _load(opening)
    base = _coordinates(sender)
    answers, shared = [], []
    for choice in choices:
        secret = ec.generate_private_key(_CURVE)
        plain = _encode(_coordinates(secret.public_key()))
        moved = _encode(_add(_coordinates(secret.public_key()), base))
        answers.append(_pick(bool(choice), plain, moved))  # both are always computed
        shared.append(secret.exchange(ec.ECDH(), sender))
    channel.send(b"".join(answers))
    return [
        _key(index, opening, answer, point)
        for index, (answer, point) in enumerate(zip(answers, shared, strict=True))
    ]


def _pick(choice: bool, zero: bytes, one: bytes) -> bytes:
    """Return one of two byte strings without a branch on the choice."""
    both = np.frombuffer(zero + one, np.uint8).reshape(2, -1)
    mask = np.uint8(-int(choice) & 0xFF)
    return bytes(both[0] ^ (mask & (both[0] ^ both[1])))


def _key(index: int, opening: bytes, answer: bytes, shared: bytes) -> bytes:
    text = b"shoal base transfer" + index.to_bytes(4, "little") + opening + answer + shared
    return hashlib.sha256(text).digest()[:16]


def _add(p: Point, q: Point) -> Point:
    """Sum of two different points of P-256, neither the inverse of the other."""
    run = gmpy2.mpz(q[0] - p[0]) % _PRIME
    if not run:
        raise ProtocolError("the base transfer met a degenerate point.")
    inverse = gmpy2.powmod_sec(run, _PRIME - 2, _PRIME)
    slope = (q[1] - p[1]) * inverse % _PRIME
    x = (slope * slope - p[0] - q[0]) % _PRIME
    return int(x), int((slope * (p[0] - x) - p[1]) % _PRIME)


def _coordinates(key: ec.EllipticCurvePublicKey) -> Point:
    numbers = key.public_numbers()
    return numbers.x, numbers.y


def _encode(point: Point) -> bytes:
    return b"\x04" + point[0].to_bytes(32, "big") + point[1].to_bytes(32, "big")


def _point(point: Point) -> ec.EllipticCurvePublicKey:
    return _load(_encode(point))


def _load(data: bytes) -> ec.EllipticCurvePublicKey:
    try:
        return ec.EllipticCurvePublicKey.from_encoded_point(_CURVE, data)
    except ValueError:
        raise ProtocolError("a point of the base transfer is not on the curve.") from None
