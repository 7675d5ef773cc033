"""Columns: one line each, with role, kind, reason, and how far it tells people apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from shoal.errors import ParameterError
from shoal.schema import Column, Schema
from shoal.schema._builders import Auto
from shoal.schema._column import KINDS, ROLES
from shoal.studio._desk import Desk
from shoal.studio.screens._screen import Action, Field, Room, Screen
from shoal.studio.screens._table import overview

_TARGETS = ("quasi-identifier", "sensitive", "insensitive")


def exposure(desk: Desk) -> dict[str, Any] | None:
    """Who looks like whom in the raw table, once there is a quasi-identifier."""
    schema = desk.project.schema
    if schema is None or not schema.quasi_identifiers:
        return None
    return desk.fact("exposure", "exposure", desk.schema_args())


def suggestion(desk: Desk) -> dict[str, Any]:
    """Roles with reasons; the first schema of a project is made from them."""
    known = desk.fact("suggestion", "suggest", desk.table_args())
    if known["value"]:  # remembered of an earlier run, perhaps, and the schema was removed
        desk.take_suggestion(known["value"])
    return known


def _show(room: Room, query: Mapping[str, str]) -> dict[str, Any]:
    desk = room.desk
    known, suggested, exposed = overview(desk), suggestion(desk), exposure(desk)
    return {
        "overview": {key: known[key] for key in ("state", "error")},
        "suggestion": {key: suggested[key] for key in ("state", "error")},
        "summary": (suggested["value"] or {}).get("summary", []),
        "exposure": exposed,
        "alone": ((exposed or {}).get("value") or {}).get("unique", 0),
        "roles": list(ROLES),
        "kinds": list(KINDS),
        "columns": _rows(desk, known["value"], suggested["value"], exposed),
        "unlike": _unlike(desk, known["value"]),
        "can_undo": desk.can_undo,
        "can_redo": desk.can_redo,
    }


def _rows(
    desk: Desk, known: Any, suggested: Any, exposed: Mapping[str, Any] | None
) -> list[dict[str, Any]]:
    schema = desk.project.schema
    counts = {column["name"]: column for column in (known or {}).get("columns", ())}
    names = list(counts) or list(schema or ())
    total = max(1, (known or {}).get("sampled") or (known or {}).get("rows") or 1)
    exact = bool((known or {}).get("exact"))
    roles = (suggested or {}).get("schema", {}).get("columns", {})
    reasons = (suggested or {}).get("reasons", {})
    exposure = (exposed or {}).get("value") or {}
    rows = []
    for index, name in enumerate(names):
        column = schema[name] if schema is not None and name in schema else None
        counted = counts.get(name, {})
        without = exposure.get("without", {}).get(name)
        rows.append(
            {
                "index": index,
                "name": name,
                "sort": counted.get("sort", ""),
                "title": counted.get("title", ""),
                "role": column.role if column else "",
                "kind": column.kind if column else "",
                "target": bool(column and column.target),
                "suggested": roles.get(name, {}).get("role", ""),
                "reasons": list(reasons.get(name, ())),
                "distinct": counted.get("distinct"),
                "distinct_exact": exact and counted.get("distinct_exact", False),
                "missing": counted.get("missing"),
                "missing_share": (counted.get("missing") or 0) / total,
                "accepted": name in desk.project.settings.accepted,
                "revealed": name in desk.revealed,
                # people who would not be alone if nobody knew this column
                "tells_apart": None if without is None else max(0, exposure["unique"] - without),
                "tells_share": None
                if without is None or not exposure.get("n")
                else max(0, exposure["unique"] - without) / exposure["n"],
            }
        )
    return rows


def _unlike(desk: Desk, known: Any) -> dict[str, int] | None:
    """How many columns the schema lacks, and how many the table; None where they agree."""
    if desk.project.schema is None or not known:
        return None
    there = {column["name"] for column in known["columns"]}
    differences = {"new": len(there - set(desk.schema)), "gone": len(set(desk.schema) - there)}
    return differences if any(differences.values()) else None


def _fit(room: Room, given: dict[str, Any]) -> None:
    """Give the schema the columns of the table: new ones as suggested, and none that are gone."""
    desk = room.desk
    known, suggested = overview(desk)["value"], suggestion(desk)["value"]
    if not known or not suggested:
        raise ParameterError("the table is still being looked at. Try again in a moment.")
    proposed = Schema.from_dict(suggested["schema"], folder=str(desk.project.folder))
    columns = {
        one["name"]: desk.schema[one["name"]] if one["name"] in desk.schema
        else replace(proposed[one["name"]], target=False)
        for one in known["columns"]
    }  # fmt: skip
    new, gone = len(set(columns) - set(desk.schema)), len(set(desk.schema) - set(columns))
    changed = Schema(columns, desk.schema.requirements)
    desk.change_schema(changed, f"took the columns of the table: {new} new, {gone} gone")
    _accept_names(desk, [])


def _set(room: Room, given: dict[str, Any]) -> None:
    """Give columns a role or a kind, or make one the target."""
    desk = room.desk
    schema, names = desk.schema, _named(desk, given["columns"])
    changed: dict[str, Column] = dict(schema)
    for name in names:
        changed[name] = _changed(desk, name, schema[name], given)
    if given["target"]:
        for name, column in changed.items():
            changed[name] = replace(column, target=name == names[0] and given["target"] == "yes")
    said = [f"{key} {given[key]}" for key in ("role", "kind", "target") if given[key]]
    what = f"{', '.join(names)}: {', '.join(said) or 'looked at'}"
    desk.change_schema(Schema(changed, schema.requirements), what, given["why"])
    _accept_names(desk, names)


def _changed(desk: Desk, name: str, column: Column, given: Mapping[str, Any]) -> Column:
    role, kind = given["role"] or column.role, given["kind"] or column.kind
    if role not in ROLES or kind not in KINDS:
        raise ParameterError("choose a role and a kind from the list.")
    if column.role == role and kind == column.kind:
        return column
    if role != "quasi-identifier":
        return Column(role, kind, target=column.target and role in _TARGETS,
                      **_kept(column, role, kind))  # fmt: skip
    hierarchy = column.hierarchy if kind == column.kind else None
    return Column(role, kind, hierarchy or _proposed(desk, name, kind), column.weight,
                  target=column.target)  # fmt: skip


def _kept(column: Column, role: str, kind: str) -> dict[str, Any]:
    """What somebody said of a column besides, as far as it goes with another role."""
    if kind != column.kind:
        return {}
    kept: dict[str, Any] = {"order": column.order}
    if {role, column.role} == {"sensitive", "insensitive"}:
        kept |= {key: getattr(column, key) for key in ("round_to", "bottom", "top", "beyond")}
    return kept


def _proposed(desk: Desk, name: str, kind: str) -> Any:
    """The hierarchy that was suggested for a column of this kind; else an automatic one."""
    known = (desk.known("suggestion") or {}).get("schema", {}).get("columns", {}).get(name, {})
    if known.get("kind") == kind and "hierarchy" in known:
        return Column.from_toml(name, known, folder=str(desk.project.folder)).hierarchy
    return Auto()


def _accept(room: Room, given: dict[str, Any]) -> None:
    """Accept roles as they are; without names, of all columns."""
    desk = room.desk
    names = _named(desk, given["columns"]) if given["columns"] else list(desk.schema)
    desk.project.note(f"accepted the roles of {len(names)} columns", given["why"])
    _accept_names(desk, names)
    desk.tell({"changed": "schema"})


def _accept_names(desk: Desk, names: Sequence[str]) -> None:
    accepted = dict.fromkeys([*desk.project.settings.accepted, *names])
    desk.project.set(accepted=tuple(name for name in accepted if name in desk.schema))


def _named(desk: Desk, names: Sequence[str]) -> list[str]:
    if not names:
        raise ParameterError("choose at least one column.")
    if lost := [name for name in names if name not in desk.schema]:
        raise ParameterError(f"there is no column {lost[0]!r}.")
    return list(names)


def _undo(room: Room, given: dict[str, Any]) -> None:
    room.desk.undo(back=not given["again"])


def _reveal(room: Room, given: dict[str, Any]) -> None:
    """Show the values of a column, or hide them again; that somebody looked is noted."""
    desk = room.desk
    (name,) = _named(desk, [given["column"]])
    if given["hide"]:
        desk.revealed.discard(name)
    elif name not in desk.revealed:
        desk.revealed.add(name)
        desk.project.note(f"revealed the values of {name}")
    desk.tell({"changed": "schema"})


_WHY = Field("text", "Why, for the log of decisions.", "")
_COLUMNS = Field("texts", "Names of columns.")
UNDO = Action(
    "Take the last change of the schema back.", _undo,
    {"again": Field("flag", "Do what was taken back again.", False)},
)  # fmt: skip
REVEAL = Action(
    "Show the values of a column.",
    _reveal,
    {
        "column": Field("text", "Name of the column."),
        "hide": Field("flag", "Hide them again.", False),
    },
)
COLUMNS = Screen(
    "columns",
    "Role, kind and reason of every column, and how far it tells people apart.",
    _show,
    {
        "set": Action(
            "Give columns a role or a kind, or make one what recipients want to predict.",
            _set,
            {
                "columns": _COLUMNS,
                "role": Field("text", f"One of {', '.join(ROLES)}.", ""),
                "kind": Field("text", f"One of {', '.join(KINDS)}.", ""),
                "target": Field("text", "yes makes it the target, no lets there be none.", ""),
                "why": _WHY,
            },
        ),
        "accept": Action(
            "Accept the roles of columns; of all when none is named.",
            _accept,
            {"columns": Field("texts", "Names of columns.", []), "why": _WHY},
        ),
        "fit": Action("Give the schema the columns that the table has.", _fit),
        "reveal": REVEAL,
        "undo": UNDO,
    },
    live=("glance", "look", "suggestion", "schema", "exposure"),
)
