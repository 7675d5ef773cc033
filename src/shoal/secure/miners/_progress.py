"""Public outcomes of rounds: what a run reports, and what it resumes from.

A round's inputs are private parts and public outcomes of earlier rounds, so a cut run continues
from the outcomes alone; no share, label or key is ever stored.  A run has a random name that both
parties draw together: only rounds of one and the same run are continued.
"""

import hashlib
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from shoal.errors import ParameterError, ProtocolError
from shoal.parties._expect import Fields, Octets, Whole
from shoal.secure._party import Session
from shoal.secure.miners._equals import EqualParty
from shoal.secure.miners._roles import Seat
from shoal.secure.owners._helper import Helper
from shoal.secure.owners._owner import Owner

NAME_SIZE = 16
_NO_NAME = bytes(NAME_SIZE)
_MAX_ROUNDS = 2**20


@dataclass(frozen=True)
class Progress:
    """Rounds finished so far, their run, the traffic of this end, and owners who were lost."""

    rounds: list[list[int]]
    run: str = ""
    traffic: dict[str, int] = field(default_factory=dict)
    lost: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        rounds = [list(outcome) for outcome in self.rounds]
        return {
            "rounds": rounds,
            "run": self.run,
            "traffic": dict(self.traffic),
            "lost": list(self.lost),
        }


def reached(rounds: list[list[int]], run: str, seat: Seat) -> Progress:
    """How far a run has come, seen from one seat."""
    lost = seat.lost if isinstance(seat, Helper | Owner) else ()
    return Progress(rounds, run, seat.traffic, tuple(lost))


def common_rounds(party: Session, done: Progress | None) -> tuple[list[list[int]], str]:
    """Rounds of one run that both parties have finished, and the name of the run.

    A cut can leave one party a round ahead of the other; the longer record is shortened.  Where
    one has nothing, both start anew.
    """
    done = done or Progress([])
    rounds = [[int(value) for value in outcome] for outcome in done.rounds]
    name = _name(done.run) if rounds else _NO_NAME
    own = secrets.token_bytes(NAME_SIZE)
    mine = {"rounds": len(rounds), "run": name, "draw": own}
    count, run, draw = party.exchange(mine, _RECORD)
    if not rounds or not count:
        return [], _fresh(party, own, draw)
    rounds = rounds[:count]
    common = min(count, len(rounds))
    digest = hashlib.sha256(json.dumps(rounds[:common]).encode()).digest()
    theirs = party.exchange(digest, Octets("a digest of the finished rounds", len(digest)))
    if run != name or theirs != digest:
        raise ProtocolError(
            "the parties resume from different runs. Remove the state files at both ends."
        )
    return rounds, run.hex()


def resume(seat: Seat, done: Progress | None) -> tuple[list[list[int]], str]:
    """Rounds from which all who take part go on, and the name of the run.

    The questions after the last round may have been asked and answered before the run was cut.
    They are not asked again without an owner who took part then: where an outcome is another one,
    that would tell about this owner's rows.
    """
    done = done or Progress([])
    if isinstance(seat, EqualParty):
        if done.rounds:
            raise ParameterError("this engine does not resume a run. Start anew.")
        return [], ""
    rounds = [[int(value) for value in outcome] for outcome in done.rounds]
    name = _name(done.run) if rounds else _NO_NAME
    if isinstance(seat, Owner):
        rounds, name = seat.resume(rounds, name)
        return rounds, name.hex()
    if isinstance(seat, Helper):
        if done.rounds and not set(seat.lost) <= set(done.lost):
            seat.stop("resumed")
        # The shortest record counts, and whoever has none of this run makes all start anew.
        stored = [count if run == name else 0 for count, run in seat.resume()]
        kept = Progress(rounds[: min(stored, default=0)], done.run)
        rounds, run = common_rounds(seat.party, kept)
        seat.tell({"run": bytes.fromhex(run), "rounds": rounds})
        return rounds, run
    return common_rounds(seat, done)


_RECORD = Fields(
    "the other party's finished rounds",
    {
        "rounds": Whole("the number of finished rounds", _MAX_ROUNDS),
        "run": Octets("the name of a run", NAME_SIZE),
        "draw": Octets("a random draw", NAME_SIZE),
    },
)


def _name(run: str) -> bytes:
    try:
        name = bytes.fromhex(run)
    except ValueError:
        name = b""
    if len(name) != NAME_SIZE:
        raise ProtocolError("the rounds to resume from do not name their run. Start anew.")
    return name


def _fresh(party: Session, mine: bytes, theirs: bytes) -> str:
    """Name a run by both parties' draws, so that neither alone can repeat an old name."""
    both: Sequence[bytes] = (mine, theirs) if party.is_first else (theirs, mine)
    return hashlib.sha256(b"shoal run" + b"".join(both)).digest()[:NAME_SIZE].hex()
