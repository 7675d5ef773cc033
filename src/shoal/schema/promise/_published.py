"""What a schema may tell together with a release: no value that nobody in the release has.

A schema that was made from a table lists values of people: a tree names towns in which one person
lives, and that person may be suppressed.  What is published therefore names only what the cells of
the release say, and what stands above it.  Recipes (bands, prefixes, periods, ready-made trees)
name no value and stay, and so does all of a column that is declared `public`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from shoal.schema._builders import Tree
from shoal.schema._column import Column
from shoal.schema._hierarchy import Hierarchy
from shoal.schema._schema import Schema

_LEVEL = re.compile(r" \[level \d+\]$")


def listing_columns(schema: Schema) -> dict[str, Column]:
    """Columns of a schema in which values stand that are not declared public.

    Examples
    --------
    >>> coarse = {"role": "quasi-identifier", "hierarchy": {"prefix": [1]}}
    >>> grade = {"role": "sensitive", "kind": "ordinal", "order": ["low", "high"]}
    >>> list(listing_columns(Schema({"town": coarse, "grade": grade})))
    ['grade']
    """
    return {
        name: column
        for name, column in schema.items()
        if not column.public
        and (isinstance(column.hierarchy, Tree | Hierarchy) or column.order or column.limit)
    }


def published_schema(schema: Schema, told: Mapping[str, Collection[str | None]]) -> Schema:
    """The schema that may be published with a release whose cells say what is `told`, by column.

    Examples
    --------
    >>> tree = {"north": ["Kiel", "Emden"], "south": ["Ulm", "Passau"]}
    >>> schema = Schema({"town": {"role": "quasi-identifier", "hierarchy": {"tree": tree}}})
    >>> published_schema(schema, {"town": ["north", "Ulm"]})["town"].to_toml()["hierarchy"]
    {'tree': {'north': [], 'south': ['Ulm']}}
    """
    made = dict(schema)
    for name, column in listing_columns(schema).items():
        named = named_by(told.get(name, ()), column.separator)
        hierarchy, level = column.hierarchy, column.limit_level
        if isinstance(hierarchy, Tree):
            tree = _pruned(hierarchy.tree, named)
            hierarchy, level = Tree(tree) if tree else None, None
        elif isinstance(hierarchy, Hierarchy):
            hierarchy, level = _cut(hierarchy, named), None
        order = tuple(value for value in column.order if value in named)
        # how far values may coarsen was kept when the release was made, and names labels
        made[name] = replace(column, order=order, hierarchy=hierarchy, limit=(), limit_level=level)
    return Schema(made, schema.requirements)


def named_by(cells: Collection[str | None], separator: str | None = None) -> set[str]:
    """Values that cells name: what they say, or items of sets, and the ends of ranges."""
    named = {text for text in cells if text is not None}
    if separator is not None:
        named = {item.strip() for text in named for item in text.split(separator)}
    named |= {_LEVEL.sub("", text) for text in named}
    for text in [text for text in named if text[:1] == "[" and text[-1:] == "]"]:
        for sign in (" to ", "-"):  # a value may hold it, too: any way to read it will do
            parts = text[1:-1].split(sign)
            for cut in range(1, len(parts)):
                named |= {sign.join(parts[:cut]), sign.join(parts[cut:])}
    return named


def _pruned(tree: Any, named: set[str]) -> Any:
    if not isinstance(tree, Mapping):
        return [leaf for leaf in tree if leaf in named]
    below = {label: _pruned(under, named) for label, under in tree.items()}
    return {label: under for label, under in below.items() if under or label in named}


def _cut(hierarchy: Hierarchy, named: set[str]) -> Hierarchy | None:
    """Ways up from what is named; what lies below it is not told, and repeats it."""
    rows = {}
    for nodes in hierarchy.levels.tolist():
        labels = [str(hierarchy.labels[node]) for node in nodes]
        first = next((at for at, label in enumerate(labels[:-1]) if label in named), None)
        if first is not None:
            rows[labels[first]] = [labels[first]] * first + labels[first:]
    above = {label for row in rows.values() for label in row if label != row[0]}
    ways = [row for label, row in rows.items() if label not in above]
    return Hierarchy.from_levels(ways) if ways else None
