"""What a schema says about a hierarchy, before the values of the column are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

from shoal.errors import HierarchyError
from shoal.schema._hierarchy import Hierarchy
from shoal.schema._text import texts
from shoal.schema._tree_parts import ROOT_LABEL

Values: TypeAlias = Sequence[Any]


@runtime_checkable
class Recipe(Protocol):
    """Makes the hierarchy of a column out of its values."""

    def build(self, values: Values, *, column: str = "") -> Hierarchy:
        """Hierarchy over `values` (distinct, not missing, in natural order)."""

    def to_toml(self) -> Any:
        """What stands behind `hierarchy =` in a schema file."""


def from_label_columns(values: Values, levels: Sequence[Sequence[str]], column: str) -> Hierarchy:
    """Hierarchy of `values` from the label of each on every level, finest first."""
    leaves = list(map(str, texts(values)))
    if not leaves:
        raise HierarchyError(f"hierarchy of column {column!r}: there are no values to use.")
    if len(set(leaves)) < len(leaves):  # rows say which value was given twice
        rows = zip(leaves, *levels, [ROOT_LABEL] * len(leaves), strict=True)
        return Hierarchy.from_levels(rows, column=column)
    return Hierarchy.from_columns([leaves, *levels, [ROOT_LABEL] * len(leaves)], column=column)
