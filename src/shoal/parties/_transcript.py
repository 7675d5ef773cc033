"""What went over a line: counts always, bytes only when asked for."""

import hashlib
from dataclasses import dataclass, field
from typing import Any

from shoal.parties._wire import Buffer


@dataclass
class Transcript:
    """Messages, bytes and rounds of one end of a channel.

    Attributes
    ----------
    messages_sent, messages_received : int
        Messages in each direction.
    bytes_sent, bytes_received : int
        Bytes in each direction, frame headers included, TLS records not.
    rounds : int
        How often the direction of the conversation changed to sending.
    shape : list of (str, int)
        Direction (``">"`` sent, ``"<"`` received) and size of every message, in order.
    frames : list of (str, bytes) or None
        The messages themselves, when recording was asked for; they are secret.

    Examples
    --------
    >>> from shoal.parties import memory_pair
    >>> here, there = memory_pair()
    >>> here.send("hello")
    >>> here.transcript.messages_sent, here.transcript.rounds
    (1, 1)
    """

    messages_sent: int = 0
    messages_received: int = 0
    bytes_sent: int = 0
    bytes_received: int = 0
    rounds: int = 0
    shape: list[tuple[str, int]] = field(default_factory=list, repr=False)
    frames: list[tuple[str, bytes]] | None = field(default=None, repr=False)
    _sent: Any = field(default_factory=hashlib.sha256, repr=False, compare=False)
    _received: Any = field(default_factory=hashlib.sha256, repr=False, compare=False)

    def sent(self, header: bytes, *body: Buffer) -> None:
        """Note a message that left."""
        if not self.shape or self.shape[-1][0] == "<":
            self.rounds += 1
        self.messages_sent += 1
        self._sent.update(header)
        self.bytes_sent += self._note(">", header, *body)

    def received(self, header: bytes, body: Buffer) -> None:
        """Note a message that arrived."""
        self.messages_received += 1
        self._received.update(header)
        self.bytes_received += self._note("<", header, body)

    def _note(self, direction: str, *parts: Buffer) -> int:
        size = sum(map(len, parts))
        self.shape.append((direction, size))
        if self.frames is not None:
            self.frames.append((direction, b"".join(parts)))
        return size

    def digests(self) -> tuple[bytes, bytes]:
        """Digests of all that was sent and of all that was received so far.

        A header holds the digest of its body, so that headers stand for whole messages.
        """
        return self._sent.digest(), self._received.digest()

    def trace(self) -> str:
        """Hash of the order, direction and size of all messages; holds no content."""
        text = ",".join(f"{direction}{size}" for direction, size in self.shape)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def to_dict(self) -> dict[str, Any]:
        """Return the counts, for reports."""
        return {
            "messages_sent": self.messages_sent,
            "messages_received": self.messages_received,
            "bytes_sent": self.bytes_sent,
            "bytes_received": self.bytes_received,
            "rounds": self.rounds,
        }
