"""What a worker found in a quasi-identifier, while column, hierarchy and table are the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.schema import Schema
from shoal.studio._desk import Desk


def look_at(desk: Desk, name: str) -> dict[str, Any]:
    """What a worker finds in a column; only a change of this column makes it look again."""
    return desk.fact(f"column:{name}", "column", _args(desk, name, desk.table_args()))


def coverage(desk: Desk, names: Sequence[str]) -> list[dict[str, Any] | None]:
    """Whether hierarchies cover the values, for columns that somebody looked at; begins nothing."""
    table, trees = desk.table_args(), []
    for name in names:
        fact = desk.asked(f"column:{name}", "column", _args(desk, name, table))
        trees.append(((fact or {}).get("value") or {}).get("tree"))
    return trees


def _args(desk: Desk, name: str, table: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **table, "schema": _text(desk, name), "folder": str(desk.project.folder), "column": name,
        "reveal": name in desk.revealed,
    }  # fmt: skip


def _text(desk: Desk, name: str) -> str:
    """The column as a schema of its own, written once: every page asks for all of them."""
    column = desk.schema[name]
    known = desk.column_texts.get(name)
    if known is None or known[0] is not column:
        known = desk.column_texts[name] = (column, Schema({name: column}).to_toml())
    return known[1]
