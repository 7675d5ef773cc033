"""Extension of oblivious transfer: 128 base transfers become millions, by symmetric means only.

After an extension with choices ``c`` the receiver has rows ``t``, the sender rows
``q = t ^ c * s`` with a secret ``s`` [IKNP03]_.  Hashed with a tweak, ``q`` and ``q ^ s`` are two
pads of which the receiver knows exactly one.

.. [IKNP03] Y. Ishai, J. Kilian, K. Nissim, E. Petrank.  Extending oblivious transfers efficiently.
   CRYPTO 2003.  doi:10.1007/978-3-540-45146-4_9
"""

import secrets
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, algorithms, modes
from numpy.typing import NDArray

from shoal.errors import ProtocolError
from shoal.parties._channel import Channel
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
AHEAD = 3
"""Messages that the receiver sends before it wants an answer; more would fill the line."""
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")

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

    def ahead(
        self, parts: Iterable[A], ask: Callable[[A], B], take: Callable[[B], C]
    ) -> Iterator[C]:
        """Ask for a few parts before the first is taken, so that both parties work at once.

        A check has a question of its own, so that with it every part is taken at once.
        """
        asked, lead = deque[B](), 0 if self._check else AHEAD
        for part in parts:
            asked.append(ask(part))
            if len(asked) > lead:
                yield take(asked.popleft())
        while asked:
            yield take(asked.popleft())

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
    data = np.empty((WIDTH, octets + _ROOM), np.uint8)
    for stream, row in zip(streams, data, strict=True):
        stream.update_into(zeros, row.data)
    return np.ascontiguousarray(data[:, :octets])


def _transpose(columns: NDArray[np.uint8]) -> Labels:
    """Turn 128 packed columns into packed rows of 128 bits, by squares of 64 x 64 bits."""
    words = columns.view("<u8").astype(np.uint64, copy=False)  # a word holds 64 rows of a column
    count = words.shape[1]
    rows = np.empty((count, 64, 2), np.uint64)
    for start in range(0, count, _SQUARES):
        part = slice(start, start + _SQUARES)
        square = words[:, part].reshape(2, 64, -1).copy()
        # Halves of a square that lie across its diagonal change places, then halves of those,
        # down to single bits; many squares at a time, as many as the cache holds.
        for step, mask in _STEPS:
            halves = square.reshape(2, 32 // step, 2, step, -1)
            low, high = halves[:, :, 0], halves[:, :, 1]
            swap = ((low >> np.uint64(step)) ^ high) & np.uint64(mask)
            high ^= swap
            low ^= swap << np.uint64(step)
        rows[part] = square.transpose(2, 1, 0)
    return rows.reshape(count * 64, 2)


_SQUARES = 256
_ROOM = 16  # the library wants room for a block more
_STEPS = (
    (32, 0x00000000FFFFFFFF),
    (16, 0x0000FFFF0000FFFF),
    (8, 0x00FF00FF00FF00FF),
    (4, 0x0F0F0F0F0F0F0F0F),
    (2, 0x3333333333333333),
    (1, 0x5555555555555555),
)
