"""The log: who decided what, when and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.errors import ParameterError
from shoal.studio.screens._screen import Action, Field, Room, Screen


def _show(room: Room, query: Mapping[str, str]) -> dict[str, Any]:
    decisions = [decision.to_dict() for decision in room.desk.project.decisions()]
    return {"decisions": decisions[::-1], "folder": str(room.desk.project.folder)}


def _note(room: Room, given: dict[str, Any]) -> None:
    """Add a remark."""
    if not given["what"]:
        raise ParameterError("write what was decided.")
    room.desk.project.note(given["what"], given["why"], given["who"])
    room.desk.tell({"changed": "log"})


LOG = Screen(
    "log",
    "Who decided what, when and why.",
    _show,
    {
        "note": Action(
            "Add a decision.",
            _note,
            {
                "what": Field("text", "What was decided."),
                "why": Field("text", "Why.", ""),
                "who": Field("text", "By whom; this account unless given.", ""),
            },
        )
    },
    live=("log", "schema", "promise", "sign"),
)
