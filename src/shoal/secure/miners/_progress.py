"""Public outcomes of rounds: what a run reports, and what it resumes from.

A round's inputs are private parts and public outcomes of earlier rounds, so a cut run continues
from the outcomes alone; no share, label or key is ever stored.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from shoal.errors import ProtocolError
from shoal.secure._party import Session


@dataclass(frozen=True)
class Progress:
    """Rounds finished so far, and the traffic of this end."""

    rounds: list[list[int]]
    traffic: dict[str, int]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {"rounds": [list(r) for r in self.rounds], "traffic": dict(self.traffic)}


def common_rounds(party: Session, done: Sequence[Sequence[int]]) -> list[list[int]]:
    """Rounds that both parties have finished; they must agree on them.

    A cut can leave one party a round ahead of the other; the longer record is shortened.
    """
    rounds = [[int(value) for value in outcome] for outcome in done]
    count = party.exchange(len(rounds))
    if type(count) is not int or count < 0:
        raise ProtocolError("expected the other party's number of finished rounds.")
    rounds = rounds[:count]
    digest = hashlib.sha256(json.dumps(rounds).encode()).hexdigest()
    common = min(count, len(rounds))
    if party.exchange([common, digest]) != [common, digest]:
        raise ProtocolError(
            "the parties resume from different runs. Remove the state files at both ends."
        )
    return rounds
