"""A hash of 128-bit labels that stays safe when labels differ by one secret offset.

``H(x, i) = P(P(x) ^ i) ^ P(x)`` with ``P`` = AES-128 under a public random key is tweakable
circular correlation robust when AES is an ideal permutation [GKWY20]_.  Half gates and the
extension of oblivious transfer both need exactly this.  The key is drawn anew for every batch, so
that no attack can spread its work over batches, and no tweak is used twice under one key.

.. [GKWY20] C. Guo, J. Katz, X. Wang, Y. Yu.  Efficient and secure multiparty computation from
   fixed-key block ciphers.  IEEE S&P 2020.  doi:10.1109/SP40000.2020.00016
"""

import secrets

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from numpy.typing import NDArray

Labels = NDArray[np.uint64]  # shape (..., 2)

KEY_SIZE = 16


class LabelHash:
    """The hash under one public key; hands out each tweak once."""

    def __init__(self, key: bytes) -> None:
        self.key = key
        self._cipher = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
        self._next = 0

    @classmethod
    def fresh(cls) -> "LabelHash":
        """A hash under a new random key."""
        return cls(secrets.token_bytes(KEY_SIZE))

    def tweaks(self, *shape: int) -> NDArray[np.uint64]:
        """Return an array of unused tweaks of a shape; both parties ask in the same order."""
        count = int(np.prod(shape, dtype=np.int64))
        start, self._next = self._next, self._next + count
        return np.arange(start, start + count, dtype=np.uint64).reshape(shape)

    def __call__(self, labels: Labels, tweaks: NDArray[np.uint64]) -> Labels:
        """Hash each label to one block."""
        inner = self._permute(labels)
        outer = inner.copy()
        outer[..., 0] ^= tweaks
        result = self._permute(outer)
        result ^= inner
        return result

    def words(self, labels: Labels, tweaks: NDArray[np.uint64], count: int) -> NDArray[np.uint64]:
        """Hash each label to `count` 64-bit words; the block number is part of the tweak."""
        inner = self._permute(labels)
        blocks = []
        for block in range(-(-count // 2)):
            outer = inner.copy()
            outer[..., 0] ^= tweaks
            outer[..., 1] ^= np.uint64(block)
            outer = self._permute(outer)
            outer ^= inner
            blocks.append(outer)
        words = blocks[0] if len(blocks) == 1 else np.concatenate(blocks, axis=-1)
        return words[..., :count]

    def _permute(self, blocks: Labels) -> Labels:
        data = np.ascontiguousarray(blocks)
        out = np.empty(data.nbytes + 15, np.uint8)  # the library wants room for one more block
        if data.size:
            self._cipher.update_into(data.reshape(-1).view(np.uint8).data, out.data)
        return out[: data.nbytes].view(np.uint64).reshape(blocks.shape)
