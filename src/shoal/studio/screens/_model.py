"""Model: whether a model file can be published, and what it tells about people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.errors import ParameterError
from shoal.studio.screens._screen import Action, Field, Room, Screen

PUBLISHES = ("counts", "frequencies", "majority")


def _show(room: Room, query: Mapping[str, str]) -> dict[str, Any]:
    desk = room.desk
    outcome, job = desk.results.get("audit"), desk.running("audit")
    return {
        "publishes": list(PUBLISHES),
        "k": desk.project.settings.k,
        "folder": str(desk.project.folder),
        "job": job.to_dict() if job else None,
        "failed": (outcome or {}).get("error", ""),
        "found": (outcome or {}).get("value"),
        "asked": desk.results.get("audit of", {}),
    }


def _audit(room: Room, given: dict[str, Any]) -> None:
    """Audit a model in the background; pickles are refused, since they can run any program."""
    desk = room.desk
    path = room.folders.resolve(given["model"], base=desk.project.folder)
    if given["publishes"] not in PUBLISHES or given["k"] < 1:
        raise ParameterError("choose what is published with the model, and k from 1 on.")
    args = desk.schema_args() | {
        "model": str(path), "k": given["k"], "publishes": given["publishes"],
    }  # fmt: skip
    desk.results["audit of"] = {key: args[key] for key in ("model", "k", "publishes")}
    desk.results.pop("audit", None)
    desk.project.note(f"audited the model {path.name} at k = {given['k']}")
    desk.start("audit", args, "audit")


MODEL = Screen(
    "model",
    "Whether a model file can be published.",
    _show,
    {
        "audit": Action(
            "Audit a model file on the project's table.",
            _audit,
            {
                "model": Field("text", "A .json or .skops file, in a folder you allowed."),
                "k": Field("integer", "Smallest group.", 10),
                "publishes": Field("text", f"One of {', '.join(PUBLISHES)}.", "counts"),
            },
        )
    },
    live=("audit",),
)
