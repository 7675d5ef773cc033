"""The promise: conditions as sentences, what they leave open, and who is exposed now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from operator import and_
from typing import Any

from shoal.errors import ParameterError
from shoal.privacy._promise import schema_promise
from shoal.privacy._words import read_condition, read_promise
from shoal.studio._desk import Desk
from shoal.studio.screens._columns import exposure
from shoal.studio.screens._screen import Action, Field, Room, Screen

RECIPIENTS: dict[str, float] = {"public": 1 / 11, "contract": 1 / 5, "room": 1 / 3}
"""Largest chance to find a person that is proposed for each recipient."""


def proposed_k(recipient: str) -> int:
    """The smallest group that keeps the chance to find a person at what is proposed.

    Examples
    --------
    >>> proposed_k("public"), proposed_k("contract"), proposed_k("room")
    (11, 5, 3)
    """
    threshold = RECIPIENTS[recipient]
    return next(k for k in range(1, 1_000) if 1 / k <= threshold + 1e-12)


def exposed_at(counted: Mapping[str, Any], k: int) -> dict[str, Any]:
    """How many are in groups smaller than k."""
    rows = sum(n for size, n in counted["sizes"] if size < k)
    total = max(1, counted["n"])
    return {"k": k, "n": rows, "share": rows / total, "total": counted["n"]}


def _show(room: Room, query: Mapping[str, str]) -> dict[str, Any]:
    desk = room.desk
    settings = desk.project.settings
    schema = desk.schema
    catalog = desk.fact("catalog", "catalog", {})
    exposed = exposure(desk)
    counted = (exposed or {}).get("value")
    chosen = [_described(desk, text) for text in settings.conditions]
    asked = read_promise(settings.k, settings.conditions)
    return {
        "recipient": settings.recipient,
        "recipients": [
            {"name": name, "threshold": share, "k": proposed_k(name)}
            for name, share in RECIPIENTS.items()
        ],
        "k": settings.k,
        "suppress": settings.suppress,
        "chosen": chosen,
        "sentence": reduce(and_, schema_promise(schema), asked).describe(),
        "sensitive": list(schema.sensitive),
        "quasi_identifiers": list(schema.quasi_identifiers),
        "catalog": {key: catalog[key] for key in ("state", "error")},
        "conditions": (catalog["value"] or {}).get("conditions", []),
        "left_open": (catalog["value"] or {}).get("left_open", []),
        "exposure": exposed,
        "ladder": [exposed_at(counted, k) for k in _ladder(settings.k)] if counted else [],
        "now": exposed_at(counted, settings.k) if counted else None,
        "certain": {
            name: part["certain_share"]
            for name, part in (counted or {}).get("inference", {}).items()
        },
    }


def _ladder(k: int) -> list[int]:
    return sorted({2, 3, 5, 10, 20, 50, 100, k})


def _described(desk: Desk, text: str) -> dict[str, Any]:
    model = read_condition(text, desk.project.settings.k)
    return {"text": text, "sentence": model.describe(), "leaves_open": model.leaves_open}


def _set(room: Room, given: dict[str, Any]) -> None:
    """Change recipient, k or the share of rows that may be left out."""
    desk = room.desk
    changes: dict[str, Any] = {}
    said: list[str] = []
    recipient, k, suppress = given["recipient"], given["k"], given["suppress"]
    if recipient:
        if recipient not in RECIPIENTS:
            raise ParameterError(f"choose a recipient from {', '.join(RECIPIENTS)}.")
        if recipient != desk.project.settings.recipient:
            changes |= {"recipient": recipient, "k": proposed_k(recipient)}
            said.append(f"recipient {recipient}, which proposes k = {changes['k']}")
    if k is not None and not (changes and k == desk.project.settings.k):
        if not 1 <= k <= 1_000_000:
            raise ParameterError("k is a whole number from 1 on.")
        changes["k"] = k
        said.append(f"k = {k}")
    if suppress is not None:
        if not 0 <= suppress < 1:
            raise ParameterError("the share of rows to leave out lies between 0 and 1.")
        changes["suppress"] = suppress
        said.append(f"at most {suppress:.1%} of the rows left out")
    if changes:
        desk.project.set(**changes)
        desk.project.note(f"promise: {'; '.join(said)}", given["why"])
        desk.tell({"changed": "promise"})


def _add(room: Room, given: dict[str, Any]) -> None:
    """Ask for one more condition."""
    desk = room.desk
    word, _, rest = given["condition"].partition("@")
    column = given["column"] or rest
    text = f"{word}@{column}" if column else word
    if column and column not in desk.schema.sensitive:
        raise ParameterError(f"{column!r} is not a sensitive column.")
    model = read_condition(text, desk.project.settings.k)  # says what is wrong
    if getattr(model, "needs_order", False):
        _refuse_texts(desk, word.partition(":")[0], [column] if column else desk.schema.sensitive)
    conditions = tuple(dict.fromkeys([*desk.project.settings.conditions, text]))
    desk.project.set(conditions=conditions)
    desk.project.note(f"promise: asked for {text}", given["why"])
    desk.tell({"changed": "promise"})


def _refuse_texts(desk: Desk, word: str, columns: Iterable[str]) -> None:
    for name in columns:
        if desk.schema[name].kind == "categorical":
            raise ParameterError(
                f"{word} compares numbers, and column {name!r} is categorical. Choose a column of "
                "numbers or dates, or give this one another kind on the screen Columns."
            )


def _remove(room: Room, given: dict[str, Any]) -> None:
    """Ask for a condition no longer."""
    desk = room.desk
    left = tuple(c for c in desk.project.settings.conditions if c != given["condition"])
    desk.project.set(conditions=left)
    desk.project.note(f"promise: no longer {given['condition']}", given["why"])
    desk.tell({"changed": "promise"})


_WHY = Field("text", "Why, for the log of decisions.", "")
PROMISE = Screen(
    "promise",
    "The conditions that every group has to meet, and who is exposed now.",
    _show,
    {
        "set": Action(
            "Change recipient, k or the share of rows that may be left out.",
            _set,
            {
                "recipient": Field("text", f"One of {', '.join(RECIPIENTS)}.", ""),
                "k": Field("integer", "Smallest group of people that look alike.", None),
                "suppress": Field("number", "Share of rows that may be left out.", None),
                "why": _WHY,
            },
        ),
        "add": Action(
            "Ask for one more condition.",
            _add,
            {
                "condition": Field("text", "Word and numbers, as in distinct:3."),
                "column": Field("text", "A sensitive column; all of them unless given.", ""),
                "why": _WHY,
            },
        ),
        "remove": Action(
            "Ask for a condition no longer.", _remove,
            {"condition": Field("text", "As it is listed."), "why": _WHY},
        ),
    },
    live=("exposure", "schema", "promise", "catalog"),
)  # fmt: skip
