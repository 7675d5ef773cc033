"""What the integer codes of one column stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from shoal.errors import HierarchyError, SchemaError
from shoal.schema._builders import Auto
from shoal.schema._column import Column, Kind
from shoal.schema._cover import check_lost, lost_values
from shoal.schema._hierarchy import Hierarchy
from shoal.schema._recipe import Recipe
from shoal.schema._text import BEYOND, exact, number, text
from shoal.typing import Codes, Floats


@dataclass(frozen=True, eq=False)
class Coding:
    """Codes 0, 1, ... of a column, and the values behind them.

    Codes follow the hierarchy's leaves when there is one, else the natural order of the values
    (numbers and dates rising, an ordinal column's own order, text sorted).  The code of a missing
    value is always the last one.

    Parameters
    ----------
    name : str
        The column.
    kind : {"categorical", "ordinal", "numeric", "date"}
        How values relate to one another.
    texts : tuple of str or None
        Text of each value; None for the missing value, if the column has one.
    numbers : ndarray of float
        Place of each value on the number line (numeric and date columns), rank (ordinal), else NaN.
    hierarchy : Hierarchy or None
        Its leaves are the codes.
    ceiling : ndarray of int32
        Node beyond which each leaf may not be generalized (the root without a limit); empty
        without a hierarchy.
    lines : float or str, optional
        What the schema says of where ranges may end; see :mod:`shoal.schema._lines`.
    """

    name: str
    kind: Kind
    texts: tuple[str | None, ...]
    numbers: Floats
    hierarchy: Hierarchy | None = None
    ceiling: Codes = field(default_factory=lambda: np.empty(0, np.int32))
    lines: float | str | None = None

    @property
    def n_codes(self) -> int:
        """Number of codes, the missing value's included."""
        return len(self.texts)

    @property
    def missing(self) -> int:
        """Code of a missing value, -1 when the column has none."""
        return len(self.texts) - 1 if self.texts and self.texts[-1] is None else -1

    @property
    def is_ordered(self) -> bool:
        """Whether runs of codes are ranges of values."""
        return self.kind != "categorical"

    @property
    def is_limited(self) -> bool:
        """Whether some value may not be generalized to the root."""
        return self.hierarchy is not None and bool((self.ceiling != self.hierarchy.root).any())

    @cached_property
    def code_of(self) -> dict[str | None, int]:
        """Code of each text."""
        return {value: code for code, value in enumerate(self.texts)}

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: the fields alone; what was computed from them is computed again."""
        return {name: vars(self)[name] for name in self.__dataclass_fields__}

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, for JSON."""
        return {
            "name": self.name,
            "kind": self.kind,
            "texts": list(self.texts),
            "numbers": [None if np.isnan(x) else float(x) for x in self.numbers],
            "hierarchy": self.hierarchy.to_dict() if self.hierarchy else None,
            "ceiling": self.ceiling.tolist(),
            "lines": self.lines,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Coding:
        """Inverse of :meth:`to_dict`."""
        tree = data["hierarchy"]
        return cls(
            data["name"],
            data["kind"],
            tuple(data["texts"]),
            np.array([np.nan if x is None else x for x in data["numbers"]], np.float64),
            Hierarchy.from_dict(tree) if tree else None,
            np.array(data["ceiling"], np.int32),
            data.get("lines"),
        )

    def __repr__(self) -> str:
        return f"Coding({self.name!r}, {self.kind}, {self.n_codes} codes)"


def make_coding(
    name: str,
    column: Column,
    values: Sequence[Any],
    *,
    has_missing: bool = False,
    missing_to_root: bool = False,
    build_hierarchy: bool = False,
) -> Coding:
    """Code a column from its distinct, non-missing `values`.

    Parameters
    ----------
    name, column
        The column and what the schema says of it.
    values : sequence
        Distinct values, none missing, in any order.
    has_missing : bool
        Whether the column also has missing values.
    missing_to_root : bool
        Put values that the hierarchy lacks straight under its root instead of raising.
    build_hierarchy : bool
        Build a hierarchy from the values when the schema gives none.
    """
    values = list({str(text(value)): value for value in reversed(values)}.values())[::-1]
    ordered, keys = _natural_order(name, column, values)
    recipe = column.hierarchy
    if recipe is None and build_hierarchy:
        recipe = Auto()
    if recipe is None:
        texts: tuple[str | None, ...] = tuple(text(value) for value in ordered)
        numbers = np.array(keys, np.float64)
        if has_missing:
            texts, numbers = (*texts, None), np.append(numbers, np.nan)
        return Coding(name, column.kind, texts, numbers, lines=column.lines)
    hierarchy = recipe.build(ordered, column=name) if isinstance(recipe, Recipe) else recipe
    lost = lost_values(hierarchy, [str(text(v)) for v in ordered])
    if lost:
        check_lost(hierarchy, lost, name, column, missing_to_root)
        hierarchy = hierarchy.with_leaves(lost)
    numbers = _leaf_numbers(hierarchy, column, name)
    if column.kind != "categorical":
        hierarchy = hierarchy.sorted_by(_leaf_places(hierarchy, column, numbers))
        numbers = _leaf_numbers(hierarchy, column, name)
        places = np.array(_leaf_places(hierarchy, column, numbers))
        if (np.diff(places[np.isfinite(places)]) < 0).any():
            raise HierarchyError(
                f"column {name!r} is {column.kind}, and groups of its hierarchy interleave. "
                "Change its kind to categorical, or give groups that are ranges."
            )
    if has_missing:
        hierarchy = hierarchy.with_missing()
        numbers = np.append(numbers, np.nan)
    return Coding(
        name,
        column.kind,
        hierarchy.labels[: hierarchy.n_leaves],
        numbers,
        hierarchy,
        find_ceiling(hierarchy, column, name),
        column.lines,
    )


def code_column(
    name: str, column: Column, codes: Codes, values: Sequence[Any]
) -> tuple[Coding, Codes]:
    """Code one column by its values alone, whatever its hierarchy."""
    bare = replace(column, hierarchy=None, limit=(), limit_level=None)
    missing = bool((codes < 0).any())
    coding = make_coding(name, bare, values, has_missing=missing)
    recoded = np.array([*(coding.code_of[text(v)] for v in values), coding.missing], np.int32)
    return coding, recoded[codes]


def find_ceiling(hierarchy: Hierarchy, column: Column, name: str) -> Codes:
    """First limit on the way up from each leaf; the root where there is none."""
    root = np.full(hierarchy.n_leaves, hierarchy.root, np.int32)
    if column.limit_level is not None:
        if not 0 <= column.limit_level < hierarchy.n_levels:
            raise SchemaError(
                f"column {name!r}: limit_level {column.limit_level} is not among the levels 0 to "
                f"{hierarchy.n_levels - 1} of its hierarchy."
            )
        ceiling = hierarchy.levels[:, column.limit_level].copy()
    else:
        ceiling = root
        nodes = []
        for label in column.limit:
            node = hierarchy.find(label)
            if node < 0:
                raise SchemaError(
                    f"column {name!r}: limit {label!r} is not a node of its hierarchy. "
                    "Where labels are made from the data, use limit_level."
                )
            nodes.append(node)
        for node in sorted(nodes, key=lambda node: hierarchy.depth[node]):  # the deepest wins
            ceiling[hierarchy.start[node] : hierarchy.stop[node]] = node
    if hierarchy.missing >= 0:
        ceiling[hierarchy.missing] = hierarchy.root
    return ceiling


def _natural_order(
    name: str, column: Column, values: Sequence[Any]
) -> tuple[list[Any], list[float]]:
    if column.kind == "ordinal" and column.order:
        rank = {value: index for index, value in enumerate(column.order)}
        lost = sorted({str(text(v)) for v in values} - rank.keys())
        if lost:
            raise SchemaError(
                f"column {name!r}: {len(lost)} values are not in its order. Add them to `order`."
            )
        ordered = sorted(values, key=lambda v: rank[str(text(v))])
        return ordered, [float(rank[str(text(v))]) for v in ordered]
    if column.kind in ("numeric", "date") or (
        column.kind == "ordinal" and not any(isinstance(v, str) for v in values)
    ):
        try:
            keys = [_as_number(value, column.kind) for value in values]
            order = sorted(range(len(values)), key=_places(values, keys, column.kind).__getitem__)
        except (TypeError, ValueError):
            raise SchemaError(
                f"column {name!r} is {column.kind}, and some of its values are not. "
                "Clean them or change its kind to categorical."
            ) from None
        return [values[i] for i in order], [keys[i] for i in order]
    ordered = sorted(values, key=lambda value: str(text(value)))
    ranks = range(len(ordered)) if column.kind == "ordinal" else [float("nan")] * len(ordered)
    return ordered, [float(rank) for rank in ranks]


def _places(values: Sequence[Any], keys: Sequence[float], kind: Kind) -> list[Any]:
    """What values are sorted by: their numbers, exact ones where floats would not tell."""
    far = kind != "date" and any(abs(key) >= BEYOND for key in keys)
    return [exact(value) for value in values] if far else list(keys)


def _leaf_places(hierarchy: Hierarchy, column: Column, numbers: Floats) -> list[float]:
    """Place of each leaf in the natural order: its number, or its rank where floats do not tell."""
    known = np.where(np.isnan(numbers), np.inf, numbers).tolist()
    if column.kind != "numeric" or not any(BEYOND <= abs(place) < np.inf for place in known):
        return known
    labels = [str(label) for label in hierarchy.labels[: hierarchy.n_leaves]]
    places = _places(labels, known, column.kind)
    rank = {place: float(index) for index, place in enumerate(sorted(set(places)))}
    return [rank[place] for place in places]


def _as_number(value: Any, kind: Kind) -> float:
    if kind == "date" and isinstance(value, str):
        value = np.datetime64(value).astype("datetime64[us]").item()
    return number(value)


def _leaf_numbers(hierarchy: Hierarchy, column: Column, name: str) -> Floats:
    labels = [str(label) for label in hierarchy.labels[: hierarchy.n_leaves]]
    if column.kind == "categorical":
        return np.full(len(labels), np.nan)
    if column.kind == "ordinal":
        rank = {label: float(index) for index, label in enumerate(column.order or labels)}
        return np.array([rank.get(label, np.nan) for label in labels])
    try:
        return np.array([_as_number(label, column.kind) for label in labels])
    except ValueError:
        raise SchemaError(
            f"column {name!r} is {column.kind}, and some leaves of its hierarchy are not. "
            "Change its kind to categorical, or mend the hierarchy."
        ) from None
