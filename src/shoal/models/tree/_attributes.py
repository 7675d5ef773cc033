"""The attributes of a tree: who may know them, how their values are read and coarsened."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from shoal.errors import HierarchyError, SchemaError
from shoal.models._input import Factor, Input
from shoal.schema import Column, Hierarchy, Schema
from shoal.schema._bands import Breaks
from shoal.schema._builders import Auto, Flat, Intervals, Prefix, Tree
from shoal.schema._column import Kind
from shoal.schema._csv import FromFile
from shoal.schema._days import Dates
from shoal.schema._hierarchy import Recipe
from shoal.schema._text import text
from shoal.typing import Floats

Reader = Prefix | Intervals | Breaks | Dates
"""Recipes that read a label off a value alone, whatever other values there are."""


@dataclass(frozen=True)
class Attribute:
    """One column of the training table, without anything of its rows.

    A tree keeps these and the labels and thresholds of its tests.  Values of a column without a
    hierarchy of its own are not listed: the domain that training rows happened to have is theirs.

    Parameters
    ----------
    name : str
        The column.
    kind : {"categorical", "ordinal", "numeric", "date"}
        Categorical ones get a branch per value, the others a cut.
    public : bool
        Whether an attacker may know it (quasi-identifier or insensitive).
    coarsens : Hierarchy, recipe or None
        How values are generalized: a tree that the schema fixed, or a recipe that reads labels
        off values.
    order : tuple of str
        Values of an ordinal column, lowest first; empty when it holds numbers.
    """

    name: str
    kind: Kind = "numeric"
    public: bool = True
    coarsens: Hierarchy | Reader | None = None
    order: tuple[str, ...] = ()

    @property
    def ordered(self) -> bool:
        """Whether it is tested against a threshold."""
        return self.kind != "categorical"

    @cached_property
    def _rank(self) -> dict[str, float]:
        return {value: float(rank) for rank, value in enumerate(self.order)}

    def places(self, table: Input, column: int) -> Floats:
        """An ordered column on the number line; NaN where missing or not in the order."""
        if self.order:
            return self._place(table.factor(column))
        if table.is_numeric(column):
            return table.numbers(column)
        factor = table.factor(column)
        if self.kind == "date":
            factor = Factor(factor.codes, [_moment(value) for value in factor.values])
        try:
            return factor.numbers()
        except (TypeError, ValueError):
            raise SchemaError(
                f"column {self.name!r} is {self.kind}, and some of its values are not. "
                "Clean them or change its kind."
            ) from None

    def _place(self, factor: Factor) -> Floats:
        ranks = [self._rank.get(str(text(value)), np.nan) for value in factor.values]
        return np.array([*ranks, np.nan])[factor.codes]

    def labels(self, values: Sequence[Any]) -> list[tuple[str, ...] | None]:
        """Labels of each value, finest first, the root left out; None for an unknown value."""
        texts = [str(text(value)) for value in values]
        if self.coarsens is None:
            return [(own,) for own in texts]
        tree = self.coarsens
        if not isinstance(tree, Hierarchy):
            if not values:
                return []
            try:
                tree = tree.build(values, column=self.name)
            except HierarchyError:
                return [None] * len(values)
        leaf_of = {label: leaf for leaf, label in enumerate(tree.labels[: tree.n_leaves])}
        paths: list[tuple[str, ...] | None] = []
        for own in texts:
            leaf = leaf_of.get(own)
            if leaf is None:
                paths.append(None)
            else:
                paths.append(tuple(str(tree.labels[node]) for node in tree.levels[leaf, :-1]))
        return paths

    def members(self, level: int, label: str) -> list[str]:
        """Values that a label covers, where the domain is known."""
        if level == 0 or self.coarsens is None:
            return [label]
        if not isinstance(self.coarsens, Hierarchy):
            raise SchemaError(
                f"column {self.name!r}: the values that its labels cover are not listed anywhere. "
                "Give it a hierarchy as a tree or a file."
            )
        tree = self.coarsens
        nodes = tree.levels[:, level]
        return [str(tree.labels[leaf]) for leaf in range(tree.n_leaves)
                if str(tree.labels[nodes[leaf]]) == label]  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        data: dict[str, Any] = {"name": self.name, "kind": self.kind, "public": self.public}
        if isinstance(self.coarsens, Hierarchy):
            data["hierarchy"] = self.coarsens.to_dict()
        elif self.coarsens is not None:
            data["recipe"] = self.coarsens.to_toml()
        if self.order:
            data["order"] = list(self.order)
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Attribute:
        """Inverse of :meth:`to_dict`."""
        coarsens: Any = None
        if "hierarchy" in data:
            coarsens = Hierarchy.from_dict(data["hierarchy"])
        elif "recipe" in data:
            spec = {"role": "quasi-identifier", "hierarchy": data["recipe"]}
            coarsens = Column.from_toml(data["name"], spec).hierarchy
        return cls(
            data["name"], data["kind"], data["public"], coarsens, tuple(data.get("order", ()))
        )


def describe_attributes(
    table: Input, schema: Schema | None, target: str | None
) -> list[Attribute | None]:
    """What the schema says of each column; None for identifiers and the target, never used.

    Without a schema every column is public, and text is categorical.
    """
    if schema is None:
        return [Attribute(name, _guess(table, place)) for place, name in enumerate(table.names)]
    names = [*table.names]
    schema.require(names if target is None or target in names else [*names, target])
    schema.require_rows_of_own("a tree")
    return [
        None if name == target else _describe(name, schema[name], table, place)
        for place, name in enumerate(table.names)
    ]


def _guess(table: Input, place: int) -> Kind:
    if table.is_numeric(place):
        return "numeric"
    if table.is_date(place):
        return "date"
    values = table.factor(place).values
    return "date" if values and all(isinstance(v, dt.date) for v in values) else "categorical"


def _describe(name: str, column: Column, table: Input, place: int) -> Attribute | None:
    if not column.is_released:
        return None
    public = column.role != "sensitive"
    if column.kind != "categorical":
        values = table.factor(place).values if column.kind == "ordinal" else ()
        if not column.order and any(isinstance(value, str) for value in values):
            raise SchemaError(
                f"column {name!r} is ordinal and holds text. Give its values in `order`, "
                "lowest first."
            )
        return Attribute(name, column.kind, public, None, column.order)
    recipe = column.hierarchy
    if isinstance(recipe, Auto):
        recipe = recipe.recipe(table.factor(place).values)
    return Attribute(name, "categorical", public, _coarsens(recipe, name))


def _coarsens(recipe: Recipe | Hierarchy | None, name: str) -> Hierarchy | Reader | None:
    match recipe:
        case Hierarchy():
            return recipe
        case FromFile() | Tree():
            return recipe.build((), column=name)
        case Prefix() | Intervals() | Breaks() | Dates():
            return recipe
        case None | Flat():
            return None
        case _:  # bands that depend on all values would have to list them
            return None


def _moment(value: Any) -> Any:
    if isinstance(value, str):
        return np.datetime64(value).astype("datetime64[us]").item()
    return value
