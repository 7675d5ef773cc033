"""The table: rows, columns, sorts and missing values, from a sample first, exactly soon after."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.errors import ShoalError
from shoal.studio._desk import Desk
from shoal.studio.screens._reading import READ_AGAIN, show_reading
from shoal.studio.screens._screen import Room, Screen

_MOST_OTHERS = 40


def overview(desk: Desk) -> dict[str, Any]:
    """What is known of the table: exact counts where they are there, else those of a sample."""
    args = desk.table_args()
    first = desk.fact("glance", "glance", args)
    if first["state"] != "ready":
        return first
    exact = first if first["value"]["exact"] else desk.fact("look", "look", args)
    return exact if exact["state"] == "ready" else first


def _show(room: Room, query: Mapping[str, str]) -> dict[str, Any]:
    desk = room.desk
    known = overview(desk)
    table: Path = desk.project.table
    return {
        "reading": show_reading(desk),
        "others": _others(room) if desk.project.schema is not None else [],
        "table": {"name": table.name, "path": str(table), "bytes": _size(table)},
        "overview": known,
        "missing_cells": _missing(known["value"]),
        "releases": desk.project.releases(),
        "decisions": [decision.to_dict() for decision in desk.project.decisions()[-8:]][::-1],
    }


def _missing(known: Mapping[str, Any] | None) -> int | None:
    """Empty cells of the table; estimated from the sample while that is all there is."""
    if known is None:
        return None
    seen = sum(column["missing"] for column in known["columns"])
    return seen if known["exact"] else int(seen * (known["rows"] or 0) / (known["sampled"] or 1))


def _others(room: Room) -> list[dict[str, Any]]:
    """Other tables in the folder of this one, for a project with the same schema."""
    table: Path = room.desk.project.table
    try:
        entries = room.folders.list(str(table.parent))["entries"]
    except ShoalError:  # a folder that was not allowed
        return []
    files = [e for e in entries if e["kind"] == "table" and Path(e["path"]) != table]
    return files[:_MOST_OTHERS]


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size if path.is_file() else None
    except OSError:
        return None


TABLE = Screen(
    "table", "Rows, columns, sorts and missing values of the table.", _show,
    {"reading": READ_AGAIN},
    live=("glance", "look", "parts", "sign", "schema"),
)  # fmt: skip
