"""The state file of a two-party run: public outcomes, bound to the table that they came from.

What binds it is a keyed digest of the parameters, of the schema and of the table, under a key made
from this party's private key and the run's random name: whoever finds the file can test no guess
about the table with it, and the same command on another table does not continue the run.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from shoal._atomic import write_text
from shoal.errors import ParameterError, TableError
from shoal.secure import TablePart
from shoal.secure.miners._progress import Progress

VERSION = 3


@dataclass(frozen=True)
class StateFile:
    """Where a run keeps its rounds, if anywhere.

    Parameters
    ----------
    path : Path or None
        The file; None keeps nothing.
    key : Path
        This party's private key.
    """

    path: Path | None
    key: Path

    def load(self, contents: Mapping[str, bytes]) -> Progress | None:
        """Rounds of a run on these contents; anything else is an error."""
        if self.path is None or not self.path.exists():
            return None
        name = self.path.name
        try:
            data = json.loads(self.path.read_text("utf-8"))
            version = data.get("version", 1)
            if version == VERSION:
                rounds = [[int(value) for value in outcome] for outcome in data["rounds"]]
                lost = tuple(str(name) for name in data["lost"])
                done = Progress(rounds, str(data["run"]), lost=lost)
                bound = dict(data["bound"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError,
                RecursionError):  # fmt: skip
            raise TableError(f"{name!r} is not a state file. Remove it to start anew.") from None
        if version != VERSION:
            raise ParameterError(
                f"{name!r} is a state file of another version of Shoal. Remove it to start anew."
            )
        for what, content in contents.items():
            told = str(bound.get(what)).encode("utf-8", "replace")  # whatever was written there
            if not hmac.compare_digest(told, self._bound(done.run, what, content).encode()):
                raise ParameterError(
                    f"{name!r} belongs to a run with another {what}. Its rounds are not continued: "
                    "all remove their state files to start anew."
                )
        return done

    def store(self, progress: Progress, contents: Mapping[str, bytes]) -> None:
        """Keep the rounds."""
        if self.path is not None:
            bound = {
                what: self._bound(progress.run, what, content) for what, content in contents.items()
            }
            data = {
                "version": VERSION, "run": progress.run, "bound": bound, "rounds": progress.rounds,
                "lost": list(progress.lost),
            }  # fmt: skip
            write_text(self.path, json.dumps(data) + "\n")

    def _bound(self, run: str, what: str, content: bytes) -> str:
        secret = hashlib.sha256(b"shoal state file\0" + self.key.read_bytes()).digest()
        text = f"{run}\0{what}\0".encode("utf-8", "replace") + content
        return hmac.new(secret, text, hashlib.sha256).hexdigest()


def part_content(part: TablePart) -> bytes:
    """A digest of a party's part of the table, made once: on the way it would take time to see."""
    head = json.dumps([list(part.names), [list(v) for v in part.values], part.split])
    shape = json.dumps(part.codes.shape)
    whole = f"{head}\0{shape}\0".encode() + part.codes.astype("<i4").tobytes()
    return hashlib.sha256(whole).digest()
