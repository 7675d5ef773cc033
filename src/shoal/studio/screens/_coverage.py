"""What a worker found in a quasi-identifier, while column, hierarchy and table are the same."""

from __future__ import annotations

from typing import Any

from shoal.schema import Schema
from shoal.studio._desk import Desk


def look_at(desk: Desk, name: str) -> dict[str, Any]:
    """What a worker finds in a column; only a change of this column makes it look again."""
    return desk.fact(f"column:{name}", "column", _args(desk, name))


def coverage(desk: Desk, name: str) -> dict[str, Any] | None:
    """Whether its hierarchy covers the values, if somebody looked; nothing is begun."""
    fact = desk.asked(f"column:{name}", "column", _args(desk, name))
    return ((fact or {}).get("value") or {}).get("tree")


def _args(desk: Desk, name: str) -> dict[str, Any]:
    return desk.table_args() | {
        "schema": Schema({name: desk.schema[name]}).to_toml(),
        "folder": str(desk.project.folder), "column": name, "reveal": name in desk.revealed,
    }  # fmt: skip
