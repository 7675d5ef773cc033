"""What went over a line: counts always, bytes only when asked for."""

import hashlib
from dataclasses import dataclass, field
from typing import Any


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

    def sent(self, frame: bytes) -> None:
        """Note a message that left."""
        if not self.shape or self.shape[-1][0] == "<":
            self.rounds += 1
        self.messages_sent += 1
        self.bytes_sent += len(frame)
        self._note(">", frame)

    def received(self, frame: bytes) -> None:
        """Note a message that arrived."""
        self.messages_received += 1
        self.bytes_received += len(frame)
        self._note("<", frame)

    def _note(self, direction: str, frame: bytes) -> None:
        self.shape.append((direction, len(frame)))
        if self.frames is not None:
            self.frames.append((direction, frame))

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
