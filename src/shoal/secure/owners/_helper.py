"""A helper: it computes on shares of the owners' counts, together with the other helper."""

import time
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from shoal.errors import OwnerLostError, ParameterError, ProtocolError
from shoal.parties._channel import Channel
from shoal.parties._expect import Array, Expected, Octets
from shoal.secure._party import Party
from shoal.secure.owners._ledger import EVERYBODY
from shoal.secure.owners._messages import DIGEST, STORED, Participant, digest_of, take
from shoal.secure.owners._terms import Terms

_SHORTEST = 0.05  # seconds for an answer that is there already


class Helper(Participant):
    """One of two helpers: it holds shares and learns what the run opens, which is the model.

    Parameters
    ----------
    party : FirstParty or SecondParty
        Session with the other helper.
    owners : mapping of str to Channel
        Lines to the connected owners, by name.
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
    **Reveals.**  What the miner opens, to both helpers and all owners.

    **Assumes.**  Semi-honest helpers that do not collude: two helpers who put their shares together
    see every count that was asked for, of each owner.  A helper together with any number of
    owners learns nothing about the others beyond the model.

    **Costs.**  Those of two parties, whatever the number of owners; with `check_inputs` up to 63
    AND gates more per count and owner.

    Examples
    --------
    >>> from shoal.parties import memory_pair, run_parties
    >>> from shoal.secure import FirstParty, SecondParty, Terms
    >>> terms = Terms(["north", "south"], most_rows=9, loss="continue")
    >>> def alone(kind):  # no owner is there: too few to go on
    ...     return lambda line: Helper(kind(line), {}, terms)
    >>> run_parties(alone(FirstParty), alone(SecondParty))
    Traceback (most recent call last):
    shoal.errors.OwnerLostError: lost on the way: north, south. Fewer owners are left...
    """

    def __init__(self, party: Party, owners: Mapping[str, Channel], terms: Terms) -> None:
        unknown = set(owners) - set(terms.owners)
        if unknown:
            raise ParameterError(f"{len(unknown)} lines are to owners that the terms do not name.")
        super().__init__(terms)
        self.party = party
        self._lines = {name: owners[name] for name in terms.owners if name in owners}
        channel = party.channel
        channel.timeout = max(channel.timeout, 2 * terms.answer_seconds)
        party.agree(terms.to_dict(), "terms")
        self._keep(set(self._lines))
        self._compare(terms.to_dict(), "terms")

    @property
    def owners(self) -> list[str]:
        """Owners that are still there."""
        return list(self._lines)

    @property
    def _all_lines(self) -> Sequence[Channel]:
        return [self.party.channel, *self._lines.values()]

    def agree(self, mine: dict[str, Any], what: str) -> None:
        """Check that the other helper and all owners have the same public parameters."""
        self.party.agree(mine, what)
        self._compare(mine, what)

    def confirm(self) -> None:
        """Compare with the other helper what went over the line."""
        self.party.confirm()

    def resume(self) -> list[tuple[int, bytes]]:
        """The run, and how many of its rounds, that each owner has stored."""
        return [(count, run) for count, run in self.collect(STORED).values()]

    def tell(self, message: Any) -> None:
        """Tell every owner; who does not hear is missed when it is to answer."""
        self._send([message])

    def _send(self, told: list[Any]) -> None:
        lost = sum(1 << i for i, name in enumerate(self.terms.owners) if name in self.lost)
        for line in self._lines.values():
            try:
                line.send({"lost": lost, "told": told})
            except ProtocolError:
                line.close()

    def announce(self, outcome: list[int], what: str) -> None:
        """Tell every owner what was opened."""
        self.tell(outcome)
        self.ledger.note(EVERYBODY, what, len(outcome))

    def collect(self, expected: Expected) -> dict[str, Any]:
        """One message from every owner, of those that both helpers have heard."""
        deadline = time.monotonic() + self.terms.answer_seconds
        answers = {}
        for name, line in self._lines.items():
            # One deadline for all: an owner that is silent does not use up the others' time.
            line.timeout = max(_SHORTEST, deadline - time.monotonic())
            try:
                answers[name] = take(line, expected)
            except ProtocolError:  # cut, too late, or something else than an answer
                line.close()
            line.timeout = self.terms.answer_seconds
        self._keep(set(answers))
        return {name: answers[name] for name in self._lines}

    def refuse(self, names: set[str]) -> None:
        """Go on without owners that both helpers have found wanting, or stop."""
        self._keep(set(self._lines) - names)

    def _keep(self, present: set[str]) -> None:
        """Keep the owners that both helpers have; what only one of them has is dropped."""
        mine = self._flags(present)
        theirs = self.party.exchange(mine, Array("who is there", np.bool_, mine.shape))
        both = {n for n, here in zip(self.terms.owners, mine & theirs, strict=True) if here}
        gone = [n for n in self.terms.owners if n not in both and n not in self.lost]
        if not gone:
            return
        self.lost += gone
        for name in gone:
            line = self._lines.pop(name, None)
            if line is not None:
                line.close()
        self.ledger.note(EVERYBODY, f"that these owners are lost: {', '.join(gone)}", len(gone))
        if self.terms.loss == "stop" or len(self._lines) < self.terms.least_owners:
            self.stop(self.terms.loss)

    def stop(self, loss: str = "stop") -> NoReturn:
        """End the run for everybody: it cannot go on without the owners who are lost."""
        self._send([])  # nothing is told any more
        raise OwnerLostError(self.lost, loss)

    def _flags(self, names: Any) -> NDArray[np.bool_]:
        return np.array([name in names for name in self.terms.owners])

    def _compare(self, mine: dict[str, Any], what: str) -> None:
        digest = digest_of(mine)
        self.tell(digest)
        theirs = self.collect(Octets(f"a digest of the {what}", DIGEST))
        differ = [name for name, other in theirs.items() if other != digest]
        if differ:
            raise ProtocolError(f"these owners have other {what}: {', '.join(differ)}.")
