"""Model: whether a model file can be published, and what it tells about people."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.errors import ParameterError
from shoal.studio._desk import Desk
from shoal.studio.screens._screen import Action, Field, Room, Screen

PUBLISHES = ("counts", "frequencies", "majority")


def _show(room: Room, query: Mapping[str, str]) -> dict[str, Any]:
    desk = room.desk
    asked, job = desk.results.get("audit of", {}), desk.running("audit")
    outcome = desk.asked("audit", "audit", _args(desk, asked)) if asked else None
    return {
        "publishes": list(PUBLISHES),
        "k": desk.project.settings.k,
        "folder": str(desk.project.folder),
        "job": job.to_dict() if job else None,
        "failed": (outcome or {}).get("error", ""),
        "found": (outcome or {}).get("value"),
        "asked": asked,
        "stale": bool(asked) and outcome is None,
    }


def _args(desk: Desk, asked: Mapping[str, Any]) -> dict[str, Any]:
    """What an audit depends on, the model file as it is now included."""
    try:
        status = Path(asked["model"]).stat()
    except OSError:
        return {**asked}  # it is gone, and what was found of it with it
    return desk.schema_args() | {**asked, "model_stamp": [status.st_size, status.st_mtime_ns]}


def _audit(room: Room, given: dict[str, Any]) -> None:
    """Audit a model in the background; pickles are refused, since they can run any program."""
    desk = room.desk
    path = room.folders.resolve(given["model"], base=desk.project.folder)
    if given["publishes"] not in PUBLISHES or given["k"] < 1:
        raise ParameterError("choose what is published with the model, and k from 1 on.")
    if not path.is_file():
        raise ParameterError("there is no such file.")
    asked = {"model": str(path), "k": given["k"], "publishes": given["publishes"]}
    desk.results["audit of"] = asked
    desk.project.note(f"audited the model {path.name} at k = {given['k']}")
    desk.ask("audit", "audit", _args(desk, asked))


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
    live=("audit", "schema"),
)
