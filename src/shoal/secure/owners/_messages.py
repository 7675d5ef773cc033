"""What owners and helpers send each other, and what both sides of that line have in common."""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from shoal.errors import ProtocolError
from shoal.parties._channel import Channel
from shoal.parties._expect import Expected, Fields, Octets, Several, Whole
from shoal.parties._wire import encode
from shoal.secure.owners._ledger import Ledger
from shoal.secure.owners._terms import MAX_OWNERS, Terms

DIGEST = 32


class Participant(ABC):
    """An owner or a helper: its terms, who is lost, what was revealed, and what it sent."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.lost: list[str] = []
        self.ledger = Ledger()

    @property
    @abstractmethod
    def _all_lines(self) -> Sequence[Channel]:
        """Lines that this participant has."""

    @property
    def traffic(self) -> dict[str, int]:
        """Messages and bytes of all lines together."""
        counts = [line.transcript.to_dict() for line in self._all_lines]
        return {name: sum(count[name] for count in counts) for name in counts[0]}


def put(line: Channel, message: Any) -> None:
    """Send a message, and a digest of all that was sent: what was changed on its way is found."""
    line.send(message)
    line.send(line.transcript.digests()[0])


def take(line: Channel, expected: Expected) -> Any:
    """Receive what :func:`put` sent."""
    message = line.receive(expected)
    seen = line.transcript.digests()[1]
    if line.receive(Octets("a digest of all messages", DIGEST)) != seen:
        raise ProtocolError("a message was changed on its way.")
    return message


def digest_of(message: Any) -> bytes:
    """Digest of any message."""
    return hashlib.sha256(encode(message)).digest()


def told(expected: Expected) -> Fields:
    """What a helper tells: who is lost, and one thing, or nothing more at all."""
    return Fields(
        "a message of a helper",
        {
            "lost": Whole("who is lost", 1 << MAX_OWNERS),
            "told": Several("what is told", expected, 1, least=0),
        },
    )


RESUMED = Fields(
    "the rounds to go on from",
    {
        "run": Octets("the name of a run", 16),
        "rounds": Several(
            "finished rounds",
            Several("a finished round", Whole("an outcome", 2**31, -(2**31)), 2**16, least=0),
            2**16,
            least=0,
        ),
    },
)
STORED = Fields(
    "an owner's stored rounds",
    {
        "rounds": Whole("the number of stored rounds", 2**20),
        "run": Octets("the name of a run", 16),
    },
)
