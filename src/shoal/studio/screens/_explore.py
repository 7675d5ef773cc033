"""Explore: what methods lose at each k, drawn as the points come; candidates to pin and to take."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from shoal.anonymize._choose import Choice, choose_method
from shoal.errors import ParameterError
from shoal.studio._charts import frontier_chart, scatter_chart
from shoal.studio._desk import Desk
from shoal.studio.project._memory import recall, remember
from shoal.studio.screens._screen import Action, Field, Room, Screen

MOST_PINNED = 4
_GRID = (2, 5, 10, 20, 50)


def grid_of(k: int) -> list[int]:
    """What is tried unless somebody says otherwise; what is promised is among it."""
    return sorted({*_GRID, max(k, 2)})


def read_candidate(desk: Desk, text: str) -> tuple[str, int]:
    """Method and k of a candidate, written ``local:10``; those of the project unless given."""
    settings = desk.project.settings
    if not text:
        return settings.method or proposed_method(desk), settings.k
    method, _, number = text.rpartition(":")
    known = [one["name"] for one in _methods(desk)]
    is_number = number.isascii() and number.isdigit() and len(number) < 10
    if not is_number or not 1 <= int(number) <= 10**8:
        raise ParameterError("a candidate is written METHOD:K, as in local:10.")
    if known and method not in known:
        raise ParameterError("there is no method of that name.")
    return method, int(number)


def proposed_method(desk: Desk) -> str:
    """The method that fits table and schema."""
    return proposal(desk).method


def proposal(desk: Desk) -> Choice:
    """The method that fits table and schema, and why."""
    known = desk.known("look") or desk.known("glance") or {}
    return choose_method(desk.schema, int(known.get("rows") or 0))


def suppresses(desk: Desk, method: str) -> bool:
    """Whether a method can leave rows out."""
    return any(one["suppresses"] for one in _methods(desk) if one["name"] == method)


def _methods(desk: Desk) -> list[dict[str, Any]]:
    catalog = desk.fact("catalog", "catalog", {})
    return list((catalog["value"] or {}).get("methods", ()))


def _key(desk: Desk) -> str:
    """What points depend on, beside method and k."""
    args = desk.promise_args()
    parts = [args["stamp"], args["reading"], args["schema"], args["conditions"], args["suppress"]]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def points_of(desk: Desk) -> list[dict[str, Any]]:
    """Points that hold for table, schema and conditions as they are now."""
    result = desk.results.get("explore")
    fresh = [part["point"] for part in (result or {}).get("parts", ())]
    if fresh and desk.results.get("explore key") == _key(desk):
        _store(desk, fresh)
    stored = _stored(desk)
    return stored["points"] if stored.get("key") == _key(desk) else []


def _stored(desk: Desk) -> dict[str, Any]:
    data = recall(desk.project.scratch, "explore")
    return data if isinstance(data.get("points"), list) else {}


def _store(desk: Desk, fresh: Sequence[dict[str, Any]]) -> None:
    key, stored = _key(desk), _stored(desk)
    known = stored["points"] if stored.get("key") == key else []
    points = {(p["method"], p["k"]): p for p in [*known, *fresh]}
    if len(points) != len(known):
        remember(desk.project.scratch, "explore", {"key": key, "points": list(points.values())})


def _show(room: Room, query: Mapping[str, str]) -> dict[str, Any]:
    desk = room.desk
    points = points_of(desk)
    job = desk.running("explore")
    settings = desk.project.settings
    lattice = desk.asked("lattice", "lattice", desk.promise_args("full-domain"))
    lattice_found = (lattice or {}).get("value")
    is_now = desk.results.get("explore key") == _key(desk)
    outcome = (desk.results.get("explore") or {}) if is_now else {}
    return {
        "methods": _methods(desk),
        "grid": grid_of(settings.k),
        "points": sorted(points, key=lambda p: (p["k"], p["method"])),
        "chart": frontier_chart(points),
        "job": job.to_dict() if job else None,
        "outcome": {k: outcome.get(k, "") for k in ("state", "error")},
        "pinned": list(settings.pinned),
        "chosen": f"{settings.method}:{settings.k}" if settings.method else "",
        "proposed": proposal(desk).method,
        "proposed_why": proposal(desk).reason,
        "lattice": lattice and {key: lattice[key] for key in ("state", "error")},
        "lattice_found": lattice_found,
        "lattice_chart": scatter_chart(lattice_found["nodes"], lattice_found["best"])
        if lattice_found
        else None,
        "conditions": list(settings.conditions),
        "asked": desk.results.get("explore as", {}),
    }


def _start(room: Room, given: dict[str, Any]) -> None:
    """Measure methods at every k in the background."""
    desk = room.desk
    if desk.running("explore"):
        raise ParameterError("it is running already.")
    try:
        ks = sorted({int(part) for part in re.split(r"[,;\s]+", given["ks"].strip(", ;"))})
    except ValueError:
        raise ParameterError("give every k as a whole number, as in 2, 5, 10.") from None
    known = [one["name"] for one in _methods(desk)]
    methods = [name for name in given["methods"] or known if name in known]
    if not ks or not methods or ks[0] < 1 or len(ks) > 20:
        raise ParameterError("choose at least one method, and between 1 and 20 values of k.")
    done = {(p["method"], p["k"]) for p in points_of(desk)}
    desk.results["explore key"] = _key(desk)
    desk.results["explore as"] = {"ks": ks, "methods": methods}
    desk.results.pop("explore", None)
    methods = [m for m in methods if any((m, k) not in done for k in ks)] or methods
    args = desk.promise_args() | {"ks": ks, "methods": methods}
    desk.start("explore", args, "explore")


def _cancel(room: Room, given: dict[str, Any]) -> None:
    room.desk.cancel(given["number"])


def _pin(room: Room, given: dict[str, Any]) -> None:
    """Keep a candidate in sight, or no longer."""
    desk = room.desk
    method, k = read_candidate(desk, given["candidate"])
    name, pinned = f"{method}:{k}", list(desk.project.settings.pinned)
    if given["pinned"] == "no":
        pinned = [other for other in pinned if other != name]
    elif name not in pinned:
        if len(pinned) >= MOST_PINNED:
            raise ParameterError(f"{MOST_PINNED} are pinned already. Unpin one first.")
        pinned.append(name)
    desk.project.set(pinned=tuple(pinned))
    desk.tell({"changed": "pinned"})


def _choose(room: Room, given: dict[str, Any]) -> None:
    """Take a candidate: its method and its k."""
    desk = room.desk
    method, k = read_candidate(desk, given["candidate"])
    desk.project.set(method=method, k=k)
    desk.project.note(f"took method {method} at k = {k}", given["why"])
    desk.tell({"changed": "promise"})


def _lattice(room: Room, given: dict[str, Any]) -> None:
    """Search the lattice of full-domain generalizations."""
    room.desk.ask("lattice", "lattice", room.desk.promise_args("full-domain"))


CANCEL = Action("Cancel work.", _cancel, {"number": Field("integer", "Number of the job.")})
_CANDIDATE = Field("text", "METHOD:K, as in local:10.")
CHOOSE = Action(
    "Take a candidate.", _choose,
    {"candidate": _CANDIDATE, "why": Field("text", "Why, for the log of decisions.", "")},
)  # fmt: skip
EXPLORE = Screen(
    "explore",
    "What every method loses at each k, against the chance to find a person.",
    _show,
    {
        "start": Action("Measure methods at every k in the background.", _start,
                        {"ks": Field("text", "2, 5, 10", "2, 5, 10, 20, 50"),
                         "methods": Field("texts", "All unless given.", [])}),
        "cancel": CANCEL,
        "pin": Action("Keep a candidate in sight, or no longer.", _pin,
                      {"candidate": _CANDIDATE,
                       "pinned": Field("text", "yes, or no to let it go.", "yes")}),
        "choose": CHOOSE,
        "lattice": Action("Search the lattice of full-domain generalizations.", _lattice),
    },
    live=("explore", "lattice", "catalog", "pinned", "promise", "schema"),
)  # fmt: skip
