"""Attack: what somebody learns from a release who knows some columns, or has a register."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.errors import ParameterError
from shoal.studio._desk import Desk, basis_of
from shoal.studio.screens._explore import proposed_method
from shoal.studio.screens._screen import Action, Field, Room, Screen

DRAFT = "draft"


def _show(room: Room, query: Mapping[str, str]) -> dict[str, Any]:
    desk = room.desk
    catalog = desk.fact("catalog", "catalog", {})
    outcome = desk.results.get("attack")
    job = desk.running("attack")
    schema = desk.schema
    settings = desk.project.settings
    return {
        "attacks": (catalog["value"] or {}).get("attacks", []),
        "releases": desk.project.releases(),
        "draft": {"method": settings.method or proposed_method(desk), "k": settings.k},
        "quasi_identifiers": list(schema.quasi_identifiers),
        "sensitive": list(schema.sensitive),
        "job": job.to_dict() if job else None,
        "failed": (outcome or {}).get("error", ""),
        "results": past_attacks(desk),
        "asked": desk.results.get("attack as", {}),
    }


def past_attacks(desk: Desk) -> list[dict[str, Any]]:
    """Attacks and their results; `stale` if table, schema or promise have changed since."""
    if desk.project.schema is None:
        return []
    now = basis_of(desk.promise_args(desk.project.settings.method or proposed_method(desk)))
    return [
        one["value"]
        | {"on": one["on"], "stale": one.get("basis") != now, "helped": _is_helped(one["value"])}
        for one in desk.history.get("attack", ())
    ]


def _is_helped(result: Mapping[str, Any]) -> bool:
    """Whether an attacker surely does better with the release than without it."""
    return bool(result["interval"][0] > result["baseline"])


def _run(room: Room, given: dict[str, Any]) -> None:
    """Carry out an attack in the background."""
    desk = room.desk
    if desk.running("attack"):
        raise ParameterError("an attack is running already.")
    unknown = set(given["known"]) - set(desk.schema.quasi_identifiers)
    if unknown:
        raise ParameterError(f"{sorted(unknown)[0]!r} is no quasi-identifier.")
    if given["sensitive"] and given["sensitive"] not in desk.schema.sensitive:
        raise ParameterError(f"{given['sensitive']!r} is no sensitive column.")
    args = desk.promise_args(desk.project.settings.method or proposed_method(desk))
    args |= {"attack": given["attack"], "known": given["known"], "sensitive": given["sensitive"]}
    for name in ("register", "control"):
        given[name] = str(room.folders.resolve(given[name])) if given[name] else ""
        args[name] = given[name]
    if given["release"] in ("", DRAFT):
        args |= {"release": str(desk.project.scratch / "draft.csv"), "draft": True}
        args["on"] = f"{DRAFT} ({args['method']}, k = {args['k']})"
    else:
        args["release"] = str(_release(desk, given["release"]))
        args["on"] = given["release"]
    names = ("attack", "release", "known", "sensitive", "register", "control")
    desk.results["attack as"] = {name: given[name] for name in names}
    desk.start("attack", args, "attack")


def _release(desk: Desk, name: str) -> Path:
    for release in desk.project.releases():
        if release["name"] == name:
            return Path(release["path"])
    raise ParameterError("there is no release of that name in the project.")


ATTACK = Screen(
    "attack",
    "Attacks of the registry on a release of the project or on a draft.",
    _show,
    {
        "run": Action(
            "Carry out an attack.",
            _run,
            {
                "attack": Field("text", "Name of the attack."),
                "release": Field("text", "Name of a release; a draft unless given.", ""),
                "known": Field("texts", "Columns that the attacker knows; all unless given.", []),
                "sensitive": Field("text", "Column to be learnt.", ""),
                "register": Field("text", "File of people, in a folder you allowed.", ""),
                "control": Field("text", "File of others, who are not in the table.", ""),
            },
        ),
    },
    live=("attack", "catalog", "schema"),
)
