"""The log of decisions: who, when, what and why, one JSON object on a line."""

from __future__ import annotations

import datetime as dt
import getpass
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from shoal._plain import from_json


@dataclass(frozen=True)
class Decision:
    """One decision.

    Parameters
    ----------
    when : str
        In UTC, to the second.
    who : str
        The person, or the account on this machine.
    what, why : str
        What was decided and the reason given; names of columns and counts, no values.
    """

    when: str
    who: str
    what: str
    why: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


def add_decision(path: Path, what: str, why: str = "", who: str = "") -> Decision:
    """Append a line; lines of two writers never mix, since each is written at one stroke."""
    when = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
    decision = Decision(when, who or account(), what, why)
    line = json.dumps(decision.to_dict(), ensure_ascii=False) + "\n"
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(handle, line.encode())
    finally:
        os.close(handle)
    return decision


def read_decisions(path: Path) -> list[Decision]:
    """All decisions, oldest first; a line that is none is passed over."""
    decisions = []
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    for line in lines:
        try:
            data = from_json(line)
            texts = [str(data.get(key, "")) for key in ("when", "who", "what", "why")]
        except (ValueError, AttributeError):
            continue
        decisions.append(Decision(*texts))
    return decisions


def account() -> str:
    """The name of the account that runs this program."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # an account without a name
        return "unknown"
