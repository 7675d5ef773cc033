"""The label hash: AES by its standard's vectors, and the construction by a slow twin."""

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from shoal.secure._hash import LabelHash


def blocks(text):
    return np.frombuffer(bytes.fromhex(text), np.uint64).reshape(-1, 2)


def test_the_permutation_is_aes_128():
    """FIPS 197, appendix C.1; SP 800-38A, section F.1.1, all four blocks."""
    hashed = LabelHash(bytes(range(16)))
    plain = blocks("00112233445566778899aabbccddeeff")
    assert hashed._permute(plain).tobytes().hex() == "69c4e0d86a7b0430d8cdb78070b4c55a"
    hashed = LabelHash(bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c"))
    plain = blocks(
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
        "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
    )
    assert hashed._permute(plain).tobytes().hex() == (
        "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf"
        "43b1cd7f598ece23881b00e3ed0306887b0c785e27e8ad3f8223207104725dd4"
    )


def slow(key, label, tweak, block):
    """P(P(x) ^ i) ^ P(x), one block at a time, on Python's integers."""
    encrypt = Cipher(algorithms.AES(key), modes.ECB()).encryptor().update
    inner = int.from_bytes(encrypt(label), "little")
    outer = encrypt((inner ^ tweak ^ block << 64).to_bytes(16, "little"))
    return (int.from_bytes(outer, "little") ^ inner).to_bytes(16, "little")


def test_the_hash_is_that_of_the_paper():
    labels = np.random.default_rng(1).integers(0, 2**63, (5, 2)).astype(np.uint64)
    hashed = LabelHash(b"k" * 16)
    hashed.tweaks(7)
    tweaks = hashed.tweaks(5)
    assert tweaks.tolist() == [7, 8, 9, 10, 11]
    for label, tweak, one, words in zip(
        labels,
        tweaks.tolist(),
        hashed(labels, tweaks),
        hashed.words(labels, tweaks, 3),
        strict=True,
    ):
        first = slow(b"k" * 16, label.tobytes(), tweak, 0)
        assert one.tobytes() == first
        assert words.tobytes() == (first + slow(b"k" * 16, label.tobytes(), tweak, 1))[:24]
