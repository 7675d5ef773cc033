"""Compare: a candidate beside the original, column by column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.errors import ParameterError
from shoal.studio._desk import Desk
from shoal.studio.screens._columns import REVEAL
from shoal.studio.screens._explore import CHOOSE, read_candidate, suppresses
from shoal.studio.screens._screen import Action, Field, Room, Screen


def _show(room: Room, query: Mapping[str, str]) -> dict[str, Any]:
    desk = room.desk
    method, k = read_candidate(desk, query.get("candidate", ""))
    name = f"{method}:{k}"
    args = desk.promise_args(method, k) | {"revealed": sorted(desk.revealed)}
    fact = desk.fact(f"compare:{name}", "compare", args, lane="make")
    settings = desk.project.settings
    return {
        "candidate": name,
        "method": method,
        "k": k,
        "fact": {key: fact[key] for key in ("state", "error", "job")},
        "found": fact["value"],
        "candidates": list(dict.fromkeys([*settings.pinned, name])),
        "chosen": f"{settings.method}:{settings.k}" if settings.method else "",
        "target": desk.schema.target,
        # cells count sensitive columns apart, so that no rows for testing can be drawn from them
        "several": len({*desk.schema.sensitive, desk.schema.target}) > 1,
        "trained": desk.asked(f"train:{name}", "train", desk.promise_args(method, k)),
        "kept": desk.asked(f"kept:{name}", "kept", desk.promise_args(method, k)),
        "suppresses": suppresses(desk, method),
        "others": [
            {"candidate": other, "found": _short(_found(desk, other))}
            for other in settings.pinned
            if other != name
        ],
    }


def _found(desk: Desk, name: str) -> Any:
    """What another candidate came to, if that was of things as they stand."""
    try:
        method, k = read_candidate(desk, name)
    except ParameterError:  # pinned by hand in the file, and no method of ours
        return None
    args = desk.promise_args(method, k) | {"revealed": sorted(desk.revealed)}
    fact = desk.asked(f"compare:{name}", "compare", args)
    return fact["value"] if fact else None


def _short(result: Any) -> dict[str, Any] | None:
    if not result:
        return None
    keys = ("lost", "groups", "smallest", "suppressed", "discernibility")
    return {key: result[key] for key in keys} | {"highest": result["risk"]["after"]["highest"]}


def _train(room: Room, given: dict[str, Any]) -> None:
    """Train a model on the original and on the release, and compare how often each is right."""
    desk = room.desk
    method, k = read_candidate(desk, given["candidate"])
    desk.ask(f"train:{method}:{k}", "train", desk.promise_args(method, k))


def _measure(room: Room, given: dict[str, Any]) -> None:
    """Ask the original and the release what analysts ask."""
    method, k = read_candidate(room.desk, given["candidate"])
    room.desk.ask(f"kept:{method}:{k}", "kept", room.desk.promise_args(method, k))


COMPARE = Screen(
    "compare",
    "A candidate beside the original: columns, correlations, counts, models, groups by size.",
    _show,
    {
        "train": Action("Train a model on the original and on the release.", _train,
                        {"candidate": Field("text", "METHOD:K, as in local:10.")}),
        "measure": Action("Measure what analysts still find in it.", _measure,
                          {"candidate": Field("text", "METHOD:K, as in local:10.")}),
        "choose": CHOOSE,
        "reveal": REVEAL,
    },
    live=("compare", "kept", "train", "promise", "schema"),
    query={"candidate": "METHOD:K, as in local:10; what the project asks for unless given."},
)  # fmt: skip
