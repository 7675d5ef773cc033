"""What pages have around their screen: steps, who is exposed, the same as commands."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlencode

from shoal.errors import ShoalError
from shoal.studio._attack_lines import attack_values
from shoal.studio._desk import Desk
from shoal.studio._render import render
from shoal.studio._snippets import snippet_values, snippets
from shoal.studio.screens._columns import exposure
from shoal.studio.screens._coverage import coverage
from shoal.studio.screens._explore import grid_of, proposed_method, suppresses
from shoal.studio.screens._promise import exposed_at
from shoal.studio.screens._registry import STEPS
from shoal.studio.screens._screen import Room, Screen
from shoal.studio.screens.signing._sign import checklist, is_attacked

_GAPS = ("NAME.csv", "MODEL.json", "NAME.key", "OTHER.crt", " TARGET")
"""Words that stand for what the project has not got yet."""
_NO_LINES = {"command": "", "python": "", "gaps": ""}


def start_page(shown: Mapping[str, Any], typed: Mapping[str, Any] | None = None) -> str:
    """The first page; what was typed stands in its fields again after an error."""
    return render("start.html", shown=shown, typed=typed or {})


def page_of(
    room: Room,
    screen: Screen,
    shown: Mapping[str, Any] | None,
    query: Mapping[str, str],
    error: str,
) -> str:
    """A page of a project; without anything to show, the reason stands in its place."""
    frame = frame_of(room, screen, shown, query) | {"error": error, "waits": shown is None}
    template = "empty.html" if shown is None else f"{screen.name}.html"
    return render(template, page=frame, shown=shown or {})


def frame_of(
    room: Room, screen: Screen, shown: Mapping[str, Any] | None, query: Mapping[str, str]
) -> dict[str, Any]:
    """What stands around a screen, as plain values."""
    desk = room.desk
    kept = {key: query[key] for key in screen.query if key in query}
    return {
        "number": desk.number,
        "name": desk.project.name,
        "folder": str(desk.project.folder),
        "screen": screen.name,
        "live": " ".join(screen.live),
        "query": f"?{urlencode(kept)}" if kept else "",
        "steps": [{"name": name, "done": _is_done(desk, name)} for name in STEPS],
        "exposed": _exposed(desk),
        "lines": _lines(desk, screen, shown),
        "lost": desk.n_lost,
    }


def _is_done(desk: Desk, step: str) -> bool:
    """Whether a step is behind the user; none is while the table is gone, which the page tells."""
    try:
        return _done(desk, step)
    except ShoalError:
        return False


def _done(desk: Desk, step: str) -> bool:
    settings = desk.project.settings
    match step:
        case "table":
            return desk.known("glance") is not None
        case "columns":
            return checklist(desk)[0]["done"]
        case "hierarchies":
            names = desk.project.schema.quasi_identifiers if desk.project.schema else ()
            covered = coverage(desk, names)
            return bool(covered) and all(tree and not tree["uncovered"] for tree in covered)
        case "promise":
            return bool(settings.recipient)
        case "explore" | "compare":
            return bool(settings.method)
        case "attack":
            return is_attacked(desk)
        case "sign":
            return any(desk.project.folder.glob("releases/*.signed.json"))
        case _:
            return False


def _exposed(desk: Desk) -> dict[str, Any] | None:
    """Who is exposed as things stand; None while nobody knows."""
    try:
        fact = exposure(desk)
    except ShoalError:
        return None
    if fact is None or fact["state"] != "ready":
        return None
    exposed = fact["value"]
    at_k = exposed_at(exposed, desk.project.settings.k)
    return at_k | {"unique": exposed["unique"], "counts": exposed["counts"]}


def _lines(desk: Desk, screen: Screen, shown: Mapping[str, Any] | None) -> dict[str, str]:
    """The same as commands and in Python; nothing where there is nothing to run yet."""
    if shown is None:
        return _NO_LINES
    try:
        method = str(shown.get("method") or "") or desk.project.settings.method
        method = method or (proposed_method(desk) if desk.project.schema else "local")
        values = snippet_values(desk.project, suppresses(desk, method)) | {"method": method}
        more = _more(desk, screen.name, shown)
        if more is None:
            return _NO_LINES
        lines = snippets(screen.name, values | more)
        is_open = any(gap in lines["command"] for gap in _GAPS)
        return lines | {"gaps": "yes" if is_open else ""}
    except ShoalError:
        return _NO_LINES


def _more(desk: Desk, screen: str, shown: Mapping[str, Any]) -> dict[str, Any] | None:
    """What the lines of one screen need beside the settings; None where it has none to show."""
    match screen:
        case "hierarchies":
            return {"column": shown["column"]}
        case "explore":
            asked = shown["asked"]
            names = asked.get("methods") or [one["name"] for one in shown["methods"]] or ["local"]
            ks = asked.get("ks") or grid_of(desk.project.settings.k)
            return {"ks": ",".join(map(str, ks)), "k_list": ks, "methods": names}
        case "compare":
            return {"k": shown["k"]}
        case "attack":
            return attack_values(desk, shown)
        case "sign":
            out = PurePosixPath("releases") / shown["name"]
            dossier = out.with_name(f"{out.stem}.dossier.html")
            return {"out": str(out), "dossier": str(dossier), "order_seed": None}
        case "model":
            asked = shown["asked"] or {"model": "MODEL.json", "publishes": "counts"}
            return {"model": asked["model"], "publishes": asked["publishes"]}
        case "together":
            return _together(shown)
        case _:
            return {}


def _together(shown: Mapping[str, Any]) -> dict[str, Any]:
    own, peer = shown["own"] or {}, shown["peer"] or {}
    asked = {"way": "listen", "address": "127.0.0.1:7001", "max_depth": 3} | shown["asked"]
    host, _, port = asked["address"].rpartition(":")
    waits = asked["way"] == "listen"
    return {
        "key": own.get("key", "keys/NAME.key"),
        "certificate": own.get("certificate", "keys/NAME.crt"),
        "peer": peer.get("path", "OTHER.crt"),
        "way": asked["way"], "address": asked["address"], "max_depth": asked["max_depth"],
        "target": asked.get("target") or shown["target"] or "TARGET",
        "opener": "listen" if waits else "connect",
        "party": "FirstParty" if waits else "SecondParty",
        "host_port": (host.strip("[]"), int(port) if port.isascii() and port.isdigit() else 0),
    }  # fmt: skip
