"""Whether a written release was counted again, and what came of it: no one signs without that."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.errors import ParameterError
from shoal.studio._desk import Desk
from shoal.studio.screens._screen import Action, Field, Room
from shoal.studio.screens.signing._digests import digest_now


def judged(desk: Desk, path: str) -> dict[str, Any] | None:
    """What was found when a release was last counted again; None where that was of other bytes."""
    verdict = _verdict_on(desk, path, digest_now(Path(path)))
    return None if verdict is None else verdict | {"against": against(verdict)}


def problem(desk: Desk, table: Path, digest: str | None) -> str:
    """Why a written release must not go; empty when nothing speaks against it."""
    verdict = _verdict_on(desk, str(table), digest)
    if verdict is None:
        return "nobody counted it again since it was written. Have it counted first."
    return against(verdict)


def against(verdict: Mapping[str, Any]) -> str:
    """What a verdict says against a release; empty when it says nothing."""
    if verdict["problems"]:
        return "; ".join(verdict["problems"])
    if verdict["promise"] not in ("holds", "judged"):
        return (
            "the promise cannot be evaluated from the released rows alone, as where people have "
            "several. Write the release on this screen: both tables are looked at then."
        )
    return ""


def _verdict_on(desk: Desk, path: str, digest: str | None) -> dict[str, Any] | None:
    """The newest on these bytes; whoever wrote them, the studio or the command line."""
    if digest is None:  # what cannot be read was not counted
        return None
    kept = [*desk.history.get("judge", ()), *desk.history.get("sign", ())]
    values = [one["value"] for one in kept if isinstance(one.get("value"), dict)]
    on_it = [value for value in values if value.get("files", {}).get("table") == path]
    return next((value for value in on_it if value.get("digest") == digest), None)


def _judge(room: Room, given: dict[str, Any]) -> None:
    """Count a release again, and attack it for its report, in the background."""
    desk = room.desk
    if desk.running("judge"):
        raise ParameterError("a release is being counted already.")
    release = next((r for r in desk.project.releases() if r["name"] == given["release"]), None)
    if release is None:
        raise ParameterError("there is no release of that name in the project.")
    desk.results.pop("judge", None)
    more = {"release": release["path"], "on": release["name"]}
    desk.start("judge", desk.table_args() | more, "judge")


JUDGE = Action(
    "Count a release again, as the command line wrote it, and write its report.",
    _judge,
    {"release": Field("text", "Name of the release.")},
)
