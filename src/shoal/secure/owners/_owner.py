"""An owner: it answers two helpers with shares of its counts, and hears what the run opens."""

import hashlib
import secrets
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import OwnerLostError, ParameterError, ProtocolError
from shoal.parties._channel import Channel
from shoal.parties._expect import Expected, Fields, Octets, Several, Whole
from shoal.parties._wire import encode
from shoal.secure._ring import random_words
from shoal.secure.owners._ledger import EVERYBODY, Ledger
from shoal.secure.owners._terms import MAX_OWNERS, Terms

DIGEST = 32
MOST_OUTCOMES = 2**18


class Owner:
    """A site that stays home: it shows its counts to nobody and learns the model.

    Parameters
    ----------
    first, second : Channel
        Lines to the two helpers.
    terms : Terms
        What all agreed on.

    Attributes
    ----------
    lost : list of str
        Owners without whom the run went on.
    ledger : Ledger
        What was revealed to whom.

    Notes
    -----
    **Reveals.**  To each helper: uniform random numbers, one per count, and nothing else.  To
    everybody: what the miner opens.  Nobody learns how many rows this owner has.

    **Assumes.**  The two helpers do not put their shares together, and follow the protocol.  An
    owner stops answering when they tell it different things.

    **Costs.**  4 bytes per count to each helper; no cryptography besides the line's.

    Examples
    --------
    >>> from shoal.secure import SecureID3, TablePart, run_owners
    >>> values = [["calm", "storm"], ["no", "yes"]]
    >>> part = TablePart(["wind", "play"], values, np.eye(2, dtype=int))
    >>> terms = Terms(["north", "south"], most_rows=4)
    >>> learnt = run_owners(terms, SecureID3("play"), {"north": part, "south": part})
    >>> learnt["north"].tree_ == learnt["first helper"].tree_
    True
    """

    def __init__(self, first: Channel, second: Channel, terms: Terms) -> None:
        self.lines, self.terms = (first, second), terms
        self.lost: list[str] = []
        self.ledger = Ledger()
        for line in self.lines:  # helpers wait for each other and for slow owners in between
            line.timeout = max(line.timeout, 3 * terms.answer_seconds)
        self.agree(terms.to_dict(), "terms")

    @property
    def traffic(self) -> dict[str, int]:
        """Messages and bytes of both lines together."""
        counts = [line.transcript.to_dict() for line in self.lines]
        return {name: sum(count[name] for count in counts) for name in counts[0]}

    def agree(self, mine: dict[str, Any], what: str) -> None:
        """Check that both helpers have the same public parameters; else all stop."""
        digest = digest_of(mine)
        self._send(digest)
        if self._same(Octets(f"a digest of the {what}", DIGEST)) != digest:
            raise ProtocolError(f"the helpers have other {what}. Use the same everywhere.")

    def confirm(self) -> None:
        """Helpers compare among themselves what they computed; an owner compares what they say."""

    def resume(self, rounds: list[list[int]], run: bytes) -> tuple[list[list[int]], bytes]:
        """Tell which rounds are stored here, and hear from which all go on."""
        self._send({"rounds": len(rounds), "run": run})
        name, told = self._same(RESUMED)
        told = [list(outcome) for outcome in told]
        common = min(len(told), len(rounds))
        if told and (run != name or told[:common] != rounds[:common]):
            raise ProtocolError(
                "the helpers resume from another run. Remove the state files everywhere."
            )
        return told, name

    def answer(self, counts: NDArray[np.uint32]) -> None:
        """Send each helper a share of every count."""
        share = random_words(-(-counts.size // 2)).view(np.uint32)[: counts.size]
        rest = counts.ravel() - share
        for line, part in zip(self.lines, (share, rest), strict=True):
            _put(line, part)
        self.ledger.note("each helper", "uniform shares of this owner's counts", counts.size)

    def answer_bits(self, bits: NDArray[np.bool_]) -> None:
        """Send each helper a share of every bit; exclusive or of the two gives the bit."""
        packed = np.packbits(bits)
        share = np.frombuffer(secrets.token_bytes(packed.size), np.uint8)
        for line, part in zip(self.lines, (share, packed ^ share), strict=True):
            _put(line, part)
        self.ledger.note("each helper", "uniform shares of this owner's cells", bits.size)

    def hear(self, count: int, low: int, high: int, what: str) -> list[int]:
        """Outcomes that the helpers opened, the same from both."""
        if count > MOST_OUTCOMES:
            raise ParameterError(f"a step has {count} outcomes, over the limit of {MOST_OUTCOMES}.")
        outcome = self._same(Several("outcomes", Whole("an outcome", high, low), count))
        self.ledger.note(EVERYBODY, what, count)
        return list(outcome)

    def tell(self, number: int) -> None:
        """Tell both helpers something public."""
        self._send(number)

    def _send(self, message: Any) -> None:
        for line in self.lines:
            _put(line, message)

    def _same(self, expected: Expected) -> Any:
        """Receive from both helpers; what differs is not answered, and nothing said is the end."""
        message = Fields(
            "a message of a helper",
            {
                "lost": Whole("who is lost", 1 << MAX_OWNERS),
                "told": Several("what is told", expected, 1, least=0),
            },
        )
        one, two = (line.receive(message) for line in self.lines)
        if digest_of(one) != digest_of(two):
            raise ProtocolError("the helpers tell different things. Nothing more is answered.")
        lost, told = one
        self.lost = [name for i, name in enumerate(self.terms.owners) if lost >> i & 1]
        if not told:
            raise OwnerLostError(self.lost, self.terms.loss)
        return told[0]


def _put(line: Channel, message: Any) -> None:
    """Send a message, and a digest of all that was sent: what was changed on its way is found."""
    line.send(message)
    line.send(line.transcript.digests()[0])


def digest_of(message: Any) -> bytes:
    """Digest of any message."""
    return hashlib.sha256(encode(message)).digest()


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
