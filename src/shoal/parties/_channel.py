"""The line between two parties: framed, versioned, length-limited, with a limit on every wait."""

import hashlib
import struct
import time
from abc import ABC, abstractmethod
from typing import Any, Self

from shoal.errors import ParameterError, ProtocolError
from shoal.parties._expect import ANYTHING, Expected
from shoal.parties._transcript import Transcript
from shoal.parties._wire import Buffer, Message, Reader, encoded

MAGIC = b"SHOL"
VERSION = 2
"""Version of the frames; both ends must speak the same."""
DEFAULT_TIMEOUT = 60.0
"""Longest wait for a message, in seconds."""
MOST_SECONDS = 10**7
"""Longest time limit, in seconds: some months."""
DEFAULT_LIMIT = 256 * 2**20
"""Largest message, in bytes."""

_HEADER = struct.Struct("<4sHQQ16s")  # magic, version, sequence number, length, digest
HEADER_SIZE = _HEADER.size


class Channel(ABC):
    """One end of a line to another party.

    Parameters
    ----------
    timeout : float, default=60
        Longest wait, in seconds, for a whole message to go out, or to come in and be read.
    limit : int, default=256 MiB
        Largest message, in bytes, that this end accepts or sends.
    record : bool, default=False
        Keep the bytes of every message in the transcript.  For tests: they are secret.

    Notes
    -----
    A frame is a header (magic, version, sequence number, length, digest of the body) and a body in
    the closed format of :mod:`shoal.parties`; nothing is ever unpickled.  The digest finds
    accidents and in-memory tampering; secrecy and authenticity against outsiders come from TLS.

    Both ends may send at the same time: what comes while an end sends is kept for later, up to 64
    MiB.  Protocols in which an end could send more than that unasked take turns.

    Examples
    --------
    Code is written for a channel and never asks what it runs on.

    >>> from shoal.parties import run_parties
    >>> def ask(line: Channel) -> int:
    ...     line.send([1, 2, 3])
    ...     return line.receive()
    >>> run_parties(ask, lambda line: line.send(sum(line.receive())))
    (6, None)
    """

    def __init__(
        self, *, timeout: float = DEFAULT_TIMEOUT, limit: int = DEFAULT_LIMIT, record: bool = False
    ) -> None:
        self.timeout, self.limit = checked_timeout(timeout), limit
        self.transcript = Transcript(frames=[] if record else None)
        self._next_sent = 0
        self._next_received = 0

    def send(self, message: Message) -> None:
        """Send one message; returns when the line has taken it."""
        body = encoded(message)
        size = sum(map(len, body))
        if size > self.limit:
            raise ProtocolError(
                f"a message of {size} bytes is over the limit of {self.limit}. "
                "Raise the limit at both ends."
            )
        header = _HEADER.pack(MAGIC, VERSION, self._next_sent, size, _digest(*body))
        self._next_sent += 1
        self._write(header, *body)
        self.transcript.sent(header, *body)

    def receive(self, expected: Expected = ANYTHING) -> Any:
        """Wait for one message and read it, both within the time limit.

        Shoal's protocols say what they expect, and anything else is a :class:`ProtocolError`
        before it becomes an object.
        """
        deadline = time.monotonic() + self.timeout
        most = self.limit if expected.most is None else min(self.limit, expected.most)
        header, body = self._read_frame(most, deadline)
        self.transcript.received(header, body)
        reader = Reader(memoryview(body), deadline)
        message = expected.read(reader)
        reader.finish()
        return message

    @abstractmethod
    def close(self) -> None:
        """Hang up; the other end gets an error from its next wait."""

    @abstractmethod
    def _write(self, *parts: Buffer) -> None:
        """Put a frame on the line; its parts follow one another."""

    @abstractmethod
    def _read_frame(self, most: int, deadline: float) -> tuple[bytes, Buffer]:
        """Take a frame off the line, checked by :meth:`_check_header` and :meth:`_check_body`."""

    def _check_header(self, header: bytes, most: int) -> int:
        """Length of the body that follows, or an error that says what is wrong."""
        magic, version, sequence, length, _ = _HEADER.unpack(header)
        if magic != MAGIC:
            raise ProtocolError("the other end does not speak this protocol.")
        if version != VERSION:
            raise ProtocolError(
                f"the other end speaks version {version}, this one {VERSION}. "
                "Install the same release at both ends."
            )
        if sequence != self._next_received:
            raise ProtocolError(f"message {self._next_received} expected, {sequence} received.")
        if length > most:
            raise ProtocolError(f"the other end announces {length} bytes, the limit is {most}.")
        self._next_received += 1
        return int(length)

    def _check_body(self, header: bytes, body: Buffer) -> None:
        if _digest(body) != _HEADER.unpack(header)[4]:
            raise ProtocolError("a message was damaged on its way.")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def checked_timeout(seconds: float) -> float:
    """A time limit that the system can wait for; else an error."""
    if not 0 < seconds <= MOST_SECONDS:
        raise ParameterError(f"a time limit is above 0 and up to {MOST_SECONDS} s, got {seconds}.")
    return float(seconds)


def _digest(*body: Buffer) -> bytes:
    digest = hashlib.sha256()  # processors compute it at gigabytes per second
    for part in body:
        digest.update(part)
    return digest.digest()[:16]
