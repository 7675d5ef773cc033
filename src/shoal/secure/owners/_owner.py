"""An owner: it answers two helpers with shares of its counts, and hears what the run opens."""

import secrets
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import OwnerLostError, ParameterError, ProtocolError
from shoal.parties._channel import Channel
from shoal.parties._expect import Expected, Octets, Several, Whole
from shoal.secure._ring import random_words
from shoal.secure.owners._ledger import EVERYBODY
from shoal.secure.owners._messages import DIGEST, RESUMED, Participant, digest_of, put, told
from shoal.secure.owners._terms import Terms

MOST_OUTCOMES = 2**18
PACE = 0.125
"""Seconds in which an answer is counted; one that takes longer takes 2, 4, 8 ... times as long."""


class Owner(Participant):
    """A site that shows its counts to nobody and learns the model.

    Parameters
    ----------
    first, second : Channel
        Lines to the two helpers.
    terms : Terms
        What all agreed on.
    pace : float, default=0.125
        Answers leave this many seconds after an outcome was heard, or twice as many, or four times,
        and so on: the time that counting takes grows with the rows.  0 answers at once.

    Attributes
    ----------
    lost : list of str
        Owners without whom the run went on.
    ledger : Ledger
        What was revealed to whom.

    Notes
    -----
    **Reveals.**  To each helper: uniform random numbers, one per count, and nothing else.  To
    everybody: what the miner opens.  Nobody learns how many rows this owner has; from when an
    answer leaves, only whether counting took more than `pace`, twice as much, four times.

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

    def __init__(
        self, first: Channel, second: Channel, terms: Terms, *, pace: float = PACE
    ) -> None:
        super().__init__(terms)
        self.lines, self._pace, self._heard = (first, second), pace, time.monotonic()
        for line in self.lines:  # helpers wait for each other and for slow owners in between
            line.timeout = max(line.timeout, 3 * terms.answer_seconds)
        self.agree(terms.to_dict(), "terms")

    @property
    def _all_lines(self) -> Sequence[Channel]:
        return self.lines

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
        name, agreed = self._same(RESUMED)
        agreed = [list(outcome) for outcome in agreed]
        common = min(len(agreed), len(rounds))
        if agreed and (run != name or agreed[:common] != rounds[:common]):
            raise ProtocolError(
                "the helpers resume from another run. Remove the state files everywhere."
            )
        return agreed, name

    def answer(self, counts: NDArray[np.uint32]) -> None:
        """Send each helper a share of every count."""
        share = random_words(-(-counts.size // 2)).view(np.uint32)[: counts.size]
        rest = counts.ravel() - share
        self._wait()
        for line, part in zip(self.lines, (share, rest), strict=True):
            put(line, part)
        self.ledger.note("each helper", "uniform shares of this owner's counts", counts.size)

    def answer_bits(self, bits: NDArray[np.bool_]) -> None:
        """Send each helper a share of every bit; exclusive or of the two gives the bit."""
        packed = np.packbits(bits)
        share = np.frombuffer(secrets.token_bytes(packed.size), np.uint8)
        for line, part in zip(self.lines, (share, packed ^ share), strict=True):
            put(line, part)
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

    def _why_all_stop(self) -> str:
        """Where enough are left, and the run would go on: because it was cut before."""
        left = len(self.terms.owners) - len(self.lost)
        goes_on = self.terms.loss == "continue" and left >= self.terms.least_owners
        return "resumed" if goes_on else self.terms.loss

    def _wait(self) -> None:
        """Wait until 1, 2, 4, 8 ... times the pace are over since an outcome was heard."""
        if self._pace:
            took, whole = time.monotonic() - self._heard, self._pace
            while whole < took:
                whole *= 2
            time.sleep(whole - took)

    def _send(self, message: Any) -> None:
        for line in self.lines:
            put(line, message)

    def _same(self, expected: Expected) -> Any:
        """Receive from both helpers; what differs is not answered, and nothing said is the end."""
        one, two = (line.receive(told(expected)) for line in self.lines)
        if digest_of(one) != digest_of(two):
            raise ProtocolError("the helpers tell different things. Nothing more is answered.")
        self._heard = time.monotonic()
        lost, outcome = one
        self.lost = [name for i, name in enumerate(self.terms.owners) if lost >> i & 1]
        if not outcome:
            raise OwnerLostError(self.lost, self._why_all_stop())
        return outcome[0]
