"""Extension of oblivious transfer: 128 base transfers become millions, by symmetric means only.

After an extension with choices ``c`` the receiver has rows ``t``, the sender rows
``q = t ^ c * s`` with a secret ``s`` [IKNP03]_.  Hashed with a tweak, ``q`` and ``q ^ s`` are two
pads of which the receiver knows exactly one.

.. [IKNP03] Y. Ishai, J. Kilian, K. Nissim, E. Petrank.  Extending oblivious transfers efficiently.
   CRYPTO 2003.  doi:10.1007/978-3-540-45146-4_9
"""

import secrets

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, algorithms, modes
from numpy.typing import NDArray

from shoal.errors import ProtocolError
from shoal.parties import Channel
from shoal.parties._expect import Array, Fields, Octets
from shoal.secure._hash import Labels
from shoal.secure._ring import Bits, random_words
from shoal.secure.transfer._base_transfer import receive_keys, send_keys
from shoal.secure.transfer._consistency import (
    EXTRA,
    SEED_SIZE,
    combine_choices,
    combine_rows,
    multiply,
    random_factors,
)

WIDTH = 128
_CHUNK = 2**20  # transfers per message: 16 MiB


class ExtensionSender:
    """The side that will offer two messages; it plays the receiver in the base transfers."""

    def __init__(self, channel: Channel, *, check: bool = False) -> None:
        self._channel, self._check = channel, check
        self.offset = random_words(2)
        self._choices = np.unpackbits(self.offset.view(np.uint8), bitorder="little").astype(bool)
        self._streams = [_stream(key) for key in receive_keys(channel, self._choices)]

    def extend(self, count: int) -> Labels:
        """Rows ``q`` for the next `count` transfers.

        Run against :meth:`ExtensionReceiver.extend`.

        Notes
        -----
        **Reveals.**  Nothing to either side.

        **Assumes.**  Semi-honest parties; AES-128 in counter mode as a generator; the label hash.
        With the check the receiver may deviate: it is found out, up to a chance of 2**-64.

        **Costs.**  16 bytes per transfer from the receiver, in messages of at most 16 MiB; with the
        check 192 transfers and one round more.
        """
        if not self._check or not count:
            return self._rows(count)
        rows = self._rows(count + EXTRA)
        seed = secrets.token_bytes(SEED_SIZE)
        self._channel.send(seed)
        element = Array("a combination", np.uint64, (2,))
        theirs, choices = self._channel.receive(
            Fields("combined transfers", {"rows": element, "choices": element})
        )
        mine = combine_rows(rows, random_factors(seed, len(rows)))
        if (mine != theirs ^ multiply(choices, self.offset)).any():
            raise ProtocolError("the other party's transfers contradict each other.")
        return rows[:count]

    def _rows(self, count: int) -> Labels:
        rows = np.empty((count, 2), np.uint64)
        select = -self._choices.astype(np.uint8)[:, None]
        for start in range(0, count, _CHUNK):
            size = min(_CHUNK, count - start)
            columns = _columns(self._streams, _octets(size))
            answer = self._channel.receive(
                Array(f"the columns of {size} transfers", np.uint8, columns.shape)
            )
            columns ^= answer & select
            rows[start : start + size] = _transpose(columns)[:size]
        return rows


class ExtensionReceiver:
    """The side that will choose."""

    def __init__(self, channel: Channel, *, check: bool = False) -> None:
        self._channel, self._check = channel, check
        pairs = send_keys(channel, WIDTH)
        self._zero = [_stream(zero) for zero, _ in pairs]
        self._one = [_stream(one) for _, one in pairs]

    def extend(self, choices: Bits) -> Labels:
        """Rows ``t`` for the next transfers, one per choice."""
        if not self._check or not len(choices):
            return self._rows(choices)
        extra = np.unpackbits(np.frombuffer(secrets.token_bytes(EXTRA // 8), np.uint8)) > 0
        padded = np.concatenate([choices, extra])
        rows = self._rows(padded)
        factors = random_factors(self._channel.receive(Octets("a seed", SEED_SIZE)), len(rows))
        self._channel.send(
            {"rows": combine_rows(rows, factors), "choices": combine_choices(padded, factors)}
        )
        return rows[: len(choices)]

    def _rows(self, choices: Bits) -> Labels:
        rows = np.empty((len(choices), 2), np.uint64)
        for start in range(0, len(choices), _CHUNK):
            part = choices[start : start + _CHUNK]
            octets = _octets(len(part))  # whole words: rows beyond the last choice are dropped
            packed = np.zeros(octets, np.uint8)
            bits = np.packbits(part, bitorder="little")
            packed[: len(bits)] = bits
            columns = _columns(self._zero, octets)
            self._channel.send(columns ^ _columns(self._one, octets) ^ packed)
            rows[start : start + len(part)] = _transpose(columns)[: len(part)]
        return rows


def _octets(count: int) -> int:
    return -(-count // 64) * 8


def _stream(key: bytes) -> CipherContext:
    return Cipher(algorithms.AES(key), modes.CTR(bytes(16))).encryptor()


def _columns(streams: list[CipherContext], octets: int) -> NDArray[np.uint8]:
    """Return the next bits of every column's generator."""
    zeros = bytes(octets)
    data = b"".join(stream.update(zeros) for stream in streams)
    return np.frombuffer(data, np.uint8).reshape(WIDTH, octets).copy()


def _transpose(columns: NDArray[np.uint8]) -> Labels:
    """Turn 128 packed columns into packed rows of 128 bits, by 8 x 8 bit blocks."""
    octets = columns.shape[1]
    # A word holds one 8 x 8 block.  Swapping bits 7, 14 and 28 apart transposes its 2 x 2, 4 x 4
    # and 8 x 8 squares, for all blocks at once; unpacking to single bits would take 8 times the
    # memory.
    blocks = columns.reshape(WIDTH // 8, 8, octets).transpose(2, 0, 1)
    x = np.ascontiguousarray(blocks).view("<u8")[..., 0].astype(np.uint64)  # (octets, 16)
    for shift, mask in (
        (7, 0x00AA00AA00AA00AA),
        (14, 0x0000CCCC0000CCCC),
        (28, 0x00000000F0F0F0F0),
    ):
        swap = (x ^ (x >> np.uint64(shift))) & np.uint64(mask)
        x ^= swap ^ (swap << np.uint64(shift))
    rows = x.astype("<u8").view(np.uint8).reshape(octets, WIDTH // 8, 8).transpose(0, 2, 1)
    return np.ascontiguousarray(rows).reshape(octets * 8, 16).view(np.uint64)
