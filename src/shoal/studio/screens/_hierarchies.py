"""Hierarchies: bands over a histogram, a tree of values, coverage, and a way back."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from math import floor, isfinite
from typing import Any

from shoal._plain import from_json
from shoal.errors import HierarchyError, ParameterError
from shoal.schema import Column, Schema, read_hierarchy
from shoal.schema._bands import Breaks
from shoal.schema._builders import Intervals, Tree
from shoal.schema._column import recipe_from_toml
from shoal.schema._csv import write_hierarchy
from shoal.studio._desk import Desk
from shoal.studio.project._project import HIERARCHIES
from shoal.studio.screens._columns import REVEAL, UNDO
from shoal.studio.screens._coverage import coverage, look_at
from shoal.studio.screens._screen import Action, Field, Room, Screen
from shoal.studio.screens._tree_edits import (
    groups,
    leaves,
    move,
    rename,
    top_values,
    tree_of_values,
)

MOST_CUTS = 60
MOST_LOOKED_AT = 40
MOST_LEVELS = 100
LARGEST_FILE = 50_000_000
"""Bytes of a hierarchy to be imported: a million values."""


def _show(room: Room, query: Mapping[str, str]) -> dict[str, Any]:
    desk = room.desk
    schema = desk.schema
    names = list(schema.quasi_identifiers)
    column = _chosen(names, query.get("column", ""))
    shown: dict[str, Any] = {
        "columns": [
            _listed(desk, index, name, tree or {})
            for index, (name, tree) in enumerate(zip(names, coverage(desk, names), strict=True))
        ],
        "column": column,
        "index": names.index(column) if column else 0,
        "can_undo": desk.can_undo,
        "can_redo": desk.can_redo,
        "fact": None,
    }
    if column:
        shown |= _editor(desk, column)
        for name in names[:MOST_LOOKED_AT]:  # so that the list says which ones miss values
            look_at(desk, name)
    return shown


def _chosen(names: list[str], text: str) -> str:
    if not names:
        return ""
    index = int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 0
    return names[min(index, len(names) - 1)]


def _listed(desk: Desk, index: int, name: str, tree: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "index": index,
        "name": name,
        "recipe": _recipe_words(desk.schema[name]),
        "uncovered": tree.get("uncovered"),
        "error": bool(tree.get("error")),
    }


def _recipe(column: Column) -> Any:
    """What stands in the schema file; "auto" where nothing does."""
    return column.to_toml().get("hierarchy", "auto")


def _recipe_words(column: Column) -> str:
    written = _recipe(column)
    return written if isinstance(written, str) else next(iter(written))


def _editor(desk: Desk, name: str) -> dict[str, Any]:
    reveal, fact = name in desk.revealed, look_at(desk, name)
    column, facts = desk.schema[name], fact["value"]
    written = _recipe(column)
    shown: dict[str, Any] = {
        "fact": {key: fact[key] for key in ("state", "error")},
        "found": facts,
        "kind": column.kind,
        "revealed": reveal,
        "recipe": written,
        "recipe_text": written if isinstance(written, str) else json.dumps(written),
        "limit_level": column.limit_level,
        "cuts": None,
        "tree": None,
    }
    if facts and facts["histogram"] and column.kind == "numeric":
        shown["cuts"] = _cuts(column, facts["histogram"])
    elif facts and column.kind != "numeric" and column.kind != "date":
        tree = _tree(column, facts)
        counts = dict(map(tuple, facts["values"] or ()))
        shown["tree"] = tree and {
            "groups": groups(tree),
            "top": top_values(tree),
            "rows": counts,
            "n_groups": len(groups(tree)),
            "n_values": len(leaves(tree)),
        }
    return shown


def _cuts(column: Column, histogram: Mapping[str, Any]) -> list[list[float]]:
    """Cuts between bands, each with the number of levels that it is a cut on."""
    recipe = column.hierarchy
    if isinstance(recipe, Breaks):
        finest = recipe.levels[0]
        return [[cut, sum(cut in level for level in recipe.levels)] for cut in finest]
    if not isinstance(recipe, Intervals):
        return []
    low, step = histogram["start"], histogram["step"]
    high = low + step * len(histogram["bars"])
    width = recipe.widths[0]
    first = floor((low - recipe.origin) / width) + 1
    cuts: list[list[float]] = []
    for number in range(first, first + MOST_CUTS + 1):
        cut = recipe.origin + number * width
        if cut >= high:
            return cuts
        levels = sum(abs((number * width / w) % 1.0) < 1e-9 for w in recipe.widths)
        cuts.append([cut, levels])
    return []  # more than can be handled one by one


def _tree(column: Column, facts: Mapping[str, Any]) -> dict[str, Any] | None:
    """The tree to be edited; without the values revealed there is none to show."""
    if facts["values"] is None:
        return None
    if isinstance(column.hierarchy, Tree):
        return dict(column.hierarchy.tree)
    if _recipe(column) in ("flat", "auto") and facts["suggested"] == "flat":
        return tree_of_values(value for value, _ in facts["values"])
    return None


# -- actions ------------------------------------------------------------------------------------


def _write(desk: Desk, name: str, hierarchy: Any, what: str, why: str = "") -> None:
    column = replace(desk.schema[name], hierarchy=hierarchy, limit=(), limit_level=None)
    changed = Schema({**desk.schema, name: column}, desk.schema.requirements)
    desk.change_schema(changed, f"{name}: {what}", why)


def _column(room: Room, given: Mapping[str, Any]) -> str:
    name = str(given["column"])
    if name not in room.desk.schema.quasi_identifiers:
        raise ParameterError(f"{name!r} is no quasi-identifier.")
    return name


def _set_recipe(room: Room, given: dict[str, Any]) -> None:
    """Exchange the recipe for one as it is written in a schema file."""
    name = _column(room, given)
    text = given["recipe"]
    try:
        spec = text if text in ("auto", "flat") else from_json(text)
    except ValueError:
        raise HierarchyError(
            'write "auto", "flat" or JSON such as {"intervals": [5, 10]}.'
        ) from None
    _refuse_deep(spec)
    if isinstance(spec, dict) and "file" in spec:
        raise ParameterError("use the import for files.")
    _write(room.desk, name, recipe_from_toml(spec, column=name), f"hierarchy {text[:80]}")


def _refuse_deep(spec: Any) -> None:
    """Raise where groups lie in groups lie in groups, deeper than a schema file can say."""
    within = [spec]
    for _ in range(MOST_LEVELS):
        within = [
            item
            for one in within
            if isinstance(one, dict | list)
            for item in (one.values() if isinstance(one, dict) else one)
        ]
    if within:
        raise HierarchyError(f"a tree has at most {MOST_LEVELS} levels.")


def _set_widths(room: Room, given: dict[str, Any]) -> None:
    """Bands of equal widths: 5, 10, 20."""
    name = _column(room, given)
    try:
        widths = tuple(float(part) for part in re.split(r"[,;\s]+", given["widths"].strip(", ;")))
    except ValueError:
        raise HierarchyError("give widths with commas between, as in 5, 10, 20.") from None
    recipe = Intervals(widths)
    recipe.build([0.0, 1.0], column=name)  # says what is wrong with the widths
    _write(room.desk, name, recipe, f"bands of {given['widths']}")


def _set_cuts(room: Room, given: dict[str, Any]) -> None:
    """Bands between cuts: 18:2, 30:1, 65:2, where 2 is a cut on two levels."""
    name = _column(room, given)
    cuts: dict[float, int] = {}
    for part in filter(None, re.split(r"[,;\s]+", given["cuts"])):
        cut, _, height = part.partition(":")
        try:
            cuts[float(cut)] = min(9, max(1, int(height or 1)))
        except ValueError:
            raise HierarchyError("give cuts as numbers, as in 18:2, 30:1, 65:2.") from None
    if not cuts or len(cuts) > MOST_CUTS or not all(map(isfinite, cuts)):
        raise HierarchyError(f"give between 1 and {MOST_CUTS} cuts.")
    levels = [tuple(sorted(c for c, h in cuts.items() if h >= level)) for level in range(1, 10)]
    recipe = Breaks(tuple(level for level in dict.fromkeys(levels) if level))
    _write(
        room.desk, name, recipe, f"bands between {len(cuts)} cuts on {len(recipe.levels)} levels"
    )


def _edited(room: Room, name: str) -> dict[str, Any]:
    """The tree of a column as it stands; raises where there is none to edit."""
    facts = room.desk.known(f"column:{name}")
    tree = _tree(room.desk.schema[name], facts) if facts else None
    if tree is None:
        raise ParameterError("reveal the column first: a tree is made of its values.")
    lacking = facts["tree"].get("uncovered_values") or []
    return {**tree, **tree_of_values(v for v in lacking if v not in set(leaves(tree)))}


def _move(room: Room, given: dict[str, Any]) -> None:
    """Put values into a group."""
    name = _column(room, given)
    tree = move(_edited(room, name), given["values"], given["group"])
    what = f"put {len(given['values'])} values into a group"
    _write(room.desk, name, Tree(tree), what, given["why"])


def _rename(room: Room, given: dict[str, Any]) -> None:
    """Give a group another name, or dissolve it."""
    name = _column(room, given)
    tree = rename(_edited(room, name), given["group"], given["name"])
    _write(room.desk, name, Tree(tree), "renamed a group" if given["name"] else "dissolved a group")


def _bundle(room: Room, given: dict[str, Any]) -> None:
    """Put all rare values into one group."""
    name = _column(room, given)
    tree = _edited(room, name)
    facts = room.desk.known(f"column:{name}")
    inside = set(top_values(tree))
    rare = [value for value, n in facts["values"] if n < given["fewer"] and value in inside]
    if not rare:
        raise ParameterError("no value outside a group is as rare as that.")
    _write(room.desk, name, Tree(move(tree, rare, given["group"] or "other")),
           f"bundled {len(rare)} values of fewer than {given['fewer']} rows")  # fmt: skip


def _suggest(room: Room, given: dict[str, Any]) -> None:
    """Take what the values suggest."""
    name = _column(room, given)
    facts = room.desk.known(f"column:{name}")
    if not facts:
        raise ParameterError("the column is still being looked at.")
    _write(room.desk, name, recipe_from_toml(facts["suggested"], column=name), "as suggested")


def _import(room: Room, given: dict[str, Any]) -> None:
    """Take a hierarchy from a file in the level format of ARX and others."""
    name = _column(room, given)
    desk = room.desk
    path = room.folders.file(given["path"], most=LARGEST_FILE, base=desk.project.folder)
    tree = read_hierarchy(path, column=name)
    folder = desk.project.folder / HIERARCHIES
    folder.mkdir(exist_ok=True)
    file = folder / f"{re.sub(r'[^A-Za-z0-9_-]+', '-', name) or 'column'}.csv"
    write_hierarchy(tree, file)
    recipe = recipe_from_toml(
        {"file": f"{HIERARCHIES}/{file.name}"}, column=name, folder=str(desk.project.folder)
    )
    desk.forget(f"column:{name}")  # the recipe reads the same when the file is another
    _write(desk, name, recipe, f"hierarchy from {path.name}")


def _limit(room: Room, given: dict[str, Any]) -> None:
    """Let no value be generalized beyond a level; 0 lifts the limit."""
    name = _column(room, given)
    level = given["level"] or None
    column = replace(room.desk.schema[name], limit_level=level, limit=())
    said = f"not beyond level {level}" if level else "no limit"
    schema = room.desk.schema
    changed = Schema({**schema, name: column}, schema.requirements)
    room.desk.change_schema(changed, f"{name}: {said}")


_NAME = Field("text", "Name of the column.")
_WHY = Field("text", "Why, for the log of decisions.", "")
HIERARCHY_SCREEN = Screen(
    "hierarchies",
    "How quasi-identifiers coarsen: bands, trees, and whether all values are covered.",
    _show,
    {
        "recipe": Action("Set a recipe as in a schema file.", _set_recipe,
                         {"column": _NAME, "recipe": Field("text", "auto, flat, or JSON.")}),
        "widths": Action("Bands of equal widths.", _set_widths,
                         {"column": _NAME, "widths": Field("text", "5, 10, 20")}),
        "cuts": Action("Bands between cuts.", _set_cuts,
                       {"column": _NAME, "cuts": Field("text", "18:2, 30:1, 65:2")}),
        "move": Action("Put values into a group.", _move,
                       {"column": _NAME, "values": Field("texts", "Values, revealed before."),
                        "group": Field("text", "A group, new or known; empty is the root.", ""),
                        "why": _WHY}),
        "rename": Action("Rename a group, or dissolve it.", _rename,
                         {"column": _NAME, "group": Field("text", "The group."),
                          "name": Field("text", "Its new name; empty dissolves it.", "")}),
        "bundle": Action("Put all rare values into one group.", _bundle,
                         {"column": _NAME, "fewer": Field("integer", "Rare: rows below this."),
                          "group": Field("text", "The group's name.", "other")}),
        "suggest": Action("Take what the values suggest.", _suggest, {"column": _NAME}),
        "import": Action("Take a hierarchy from a CSV or ARX file.", _import,
                         {"column": _NAME, "path": Field("text", "In a folder you allowed.")}),
        "limit": Action("Limit how far values may be generalized.", _limit,
                        {"column": _NAME, "level": Field("integer", "Level; 0 for no limit.")}),
        "reveal": REVEAL,
        "undo": UNDO,
    },
    live=("column", "schema"),
    query={"column": "Number of a quasi-identifier in the list, from 0; the first unless given."},
)  # fmt: skip
