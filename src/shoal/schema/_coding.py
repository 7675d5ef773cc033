"""What the integer codes of one column stand for."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np

from shoal._plain import unpack_numbers
from shoal.errors import HierarchyError, SchemaError
from shoal.schema._builders import Auto
from shoal.schema._column import Column, Kind
from shoal.schema._cover import check_lost
from shoal.schema._hierarchy import Hierarchy, Recipe
from shoal.schema._text import (
    BEYOND,
    are_shown_apart,
    as_numbers,
    exact,
    plain_words,
    readings,
    texts,
)
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
    #: Number of codes, the missing value's included.
    n_codes: int = field(init=False)
    #: Code of a missing value, -1 when the column has none.
    missing: int = field(init=False)
    #: Number of values: the missing one is none.
    n_values: int = field(init=False)
    #: Whether runs of codes are ranges of values.
    is_ordered: bool = field(init=False)
    #: Whether some value may not be generalized to the root.
    is_limited: bool = field(init=False)
    #: The finest band of the hierarchy around each code, if released ranges end with those.
    bands: Codes | None = field(init=False)
    #: Whether released ranges can end on public lines; see :mod:`shoal.schema._lines`.
    has_lines: bool = field(init=False)

    def __post_init__(self) -> None:
        n_codes, tree = len(self.texts), self.hierarchy
        missing = n_codes - 1 if n_codes and self.texts[-1] is None else -1
        n_values, limited, bands = n_codes - (missing >= 0), False, None
        if tree is not None:
            limited = bool((self.ceiling != tree.root).any())
            finest = tree.levels[:, min(1, tree.n_levels - 1)]
            is_line = self.lines is None or limited
            bands = finest if is_line and (finest[:n_values] != tree.root).any() else None
        known = {"n_codes": n_codes, "missing": missing, "n_values": n_values}
        known |= {"is_limited": limited, "is_ordered": self.kind != "categorical"}
        has_lines = self.kind != "ordinal" or n_values < 2 or bands is not None
        vars(self).update(known, bands=bands, has_lines=has_lines)

    @cached_property
    def has_fractions(self) -> bool:
        """Whether some number is not whole: dates that have a time of day."""
        known = self.numbers[~np.isnan(self.numbers)]
        return bool((known != np.floor(known)).any())

    @cached_property
    def code_of(self) -> dict[str | None, int]:
        """Code of each text."""
        return {value: code for code, value in enumerate(self.texts)}

    @cached_property
    def code_read(self) -> dict[Any, int]:
        """Code of each reading: of texts that a person takes for one value, the first."""
        known = [value for value in self.texts if value is not None]
        # one text for each value already, but for what arithmetic adds to numbers
        told_apart = self.kind == "date" or (
            self.kind == "numeric" and are_shown_apart(self.numbers)
        )
        if self.kind == "ordinal":  # an order tells which texts are values; numbers are one
            told_apart = not all(isinstance(each, Decimal) for each in readings(known))
        code_by_value: dict[Any, int] = {} if self.missing < 0 else {None: self.missing}
        for code, said in enumerate(known if told_apart else readings(known)):
            code_by_value.setdefault(said or None if isinstance(said, str) else said, code)
        return code_by_value

    def find(self, value: str) -> int:
        """Code of a text, however it is spelt; -1 when there is none."""
        near = (self.code_read.get(read, -1) for read in (*readings([value]), plain_words(value)))
        return self.code_of[value] if value in self.code_of else max(near)

    @property
    def n_alike(self) -> int:
        """Texts that a person takes for the value of another text, or for a missing one."""
        return self.n_codes - len(self.code_read)

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: the fields alone; what was computed from them is computed again."""
        return {name: vars(self)[name] for name in self.__dataclass_fields__}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Coding:
        """Inverse of :func:`shoal._plain.pack`."""
        tree = data["hierarchy"]
        return cls(
            data["name"],
            data["kind"],
            tuple(data["texts"]),
            unpack_numbers(data["numbers"], np.float64),
            Hierarchy.from_dict(tree) if tree else None,
            unpack_numbers(data["ceiling"], np.int32),
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
    known: Sequence[str] | None = None,
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
    known : sequence of str, optional
        Their texts, where they were found already.
    """
    known = list(map(str, texts(values))) if known is None else known
    if len(set(known)) < len(known):
        first = {said: index for index, said in reversed(list(enumerate(known)))}
        values = [values[index] for index in sorted(first.values())]
        known = list(map(str, texts(values)))
    order, keys = _natural_order(name, column, values, known)
    recipe = column.hierarchy
    if recipe is None and build_hierarchy:
        recipe = Auto()
    known = [known[index] for index in order]
    if recipe is None:
        missing = [None] if has_missing else []
        numbers = np.append(keys, np.nan) if has_missing else keys
        return Coding(name, column.kind, (*known, *missing), numbers, lines=column.lines)
    if isinstance(recipe, Recipe):
        hierarchy = recipe.build([values[index] for index in order], column=name)
    else:
        hierarchy = recipe
    lost = sorted(set(known).difference(hierarchy.labels[: hierarchy.n_leaves]))
    if lost:
        check_lost(hierarchy, lost, name, column, missing_to_root)
        hierarchy = hierarchy.with_leaves(lost)
    if column.kind == "categorical":
        numbers = np.full(hierarchy.n_leaves, np.nan)
    else:
        hierarchy, numbers = _sort_leaves(hierarchy, column, name)
    if has_missing:
        hierarchy = hierarchy.with_missing()
        numbers = np.append(numbers, np.nan)
    ceiling = np.full(hierarchy.n_leaves, hierarchy.root, np.int32)
    if column.limit or column.limit_level is not None:
        ceiling = find_ceiling(hierarchy, column, name)
    return Coding(
        name,
        column.kind,
        hierarchy.labels[: hierarchy.n_leaves],
        numbers,
        hierarchy,
        ceiling,
        column.lines,
    )


def _sort_leaves(hierarchy: Hierarchy, column: Column, name: str) -> tuple[Hierarchy, Floats]:
    """The same tree with leaves in natural order, and the number of each leaf."""
    numbers = _leaf_numbers(hierarchy, column, name)
    places = np.array(_leaf_places(hierarchy, column, numbers))
    if (np.diff(places) > 0).all():
        return hierarchy, numbers
    hierarchy = hierarchy.sorted_by(places.tolist())
    numbers = _leaf_numbers(hierarchy, column, name)
    places = np.array(_leaf_places(hierarchy, column, numbers))
    if (np.diff(places[np.isfinite(places)]) < 0).any():
        raise HierarchyError(
            f"column {name!r} is {column.kind}, and groups of its hierarchy interleave. "
            "Change its kind to categorical, or give groups that are ranges."
        )
    return hierarchy, numbers


def code_column(
    name: str, column: Column, codes: Codes, values: Sequence[Any]
) -> tuple[Coding, Codes]:
    """Code one column by its values alone, whatever its hierarchy."""
    bare = replace(column, hierarchy=None, limit=(), limit_level=None)
    missing = bool((codes < 0).any())
    coding = make_coding(name, bare, values, has_missing=missing)
    recoded = np.array([*map(coding.code_of.__getitem__, texts(values)), coding.missing], np.int32)
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
    name: str, column: Column, values: Sequence[Any], known: Sequence[str]
) -> tuple[list[int], Floats]:
    """Places of the values in their natural order, and their numbers in that order.

    `known` are the texts of the values.
    """
    if column.kind == "ordinal" and column.order:
        rank = {value: index for index, value in enumerate(column.order)}
        lost = sorted(set(known) - rank.keys())
        if lost:
            raise SchemaError(
                f"column {name!r}: {len(lost)} values are not in its order. Add them to `order`."
            )
        order = sorted(range(len(known)), key=lambda position: rank[known[position]])
        return order, np.array([float(rank[known[position]]) for position in order])
    if column.kind in ("numeric", "date") or (
        column.kind == "ordinal" and not any(isinstance(v, str) for v in values)
    ):
        try:
            keys = as_numbers(values, dates=column.kind == "date")
            order = np.argsort(keys, kind="stable").tolist()
            if column.kind != "date" and (np.abs(keys) >= BEYOND).any():
                order = _exactly_sorted(values, keys)
        except OverflowError:
            raise SchemaError(
                f"column {name!r} has numbers beyond {sys.float_info.max:.1e}, which cannot be "
                "calculated with. Clean them or change its kind to categorical."
            ) from None
        except (TypeError, ValueError):
            raise SchemaError(
                f"column {name!r} is {column.kind}, and some of its values are not. "
                "Clean them, change its kind to categorical, or read the table as when the schema "
                "was made (--missing, --decimal, --dates, --encoding, --sheet; [reading] in the "
                "schema keeps them)."
            ) from None
        return order, keys[order]
    order = sorted(range(len(known)), key=known.__getitem__)
    if column.kind == "ordinal":
        return order, np.arange(len(order), dtype=np.float64)
    return order, np.full(len(order), np.nan)


def _exactly_sorted(values: Sequence[Any], keys: Floats) -> list[int]:
    """Places of values by their exact numbers, where floats would not tell."""
    if any(
        Decimal(str(values[index])).is_finite() for index in np.flatnonzero(np.isinf(keys)).tolist()
    ):
        raise OverflowError
    # the text nan has no place among numbers: behind them, as argsort puts it
    worth = [(True, 0) if key != key else (False, exact(value))
             for key, value in zip(keys.tolist(), values, strict=True)]  # fmt: skip
    return sorted(range(len(values)), key=worth.__getitem__)


def _leaf_places(hierarchy: Hierarchy, column: Column, numbers: Floats) -> list[float]:
    """Place of each leaf in the natural order: its number, or its rank where floats do not tell."""
    known = np.where(np.isnan(numbers), np.inf, numbers).tolist()
    if column.kind != "numeric" or not any(BEYOND <= abs(number) < np.inf for number in known):
        return known
    labels = [str(label) for label in hierarchy.labels[: hierarchy.n_leaves]]
    worth = [exact(label) for label in labels]
    rank = {number: float(index) for index, number in enumerate(sorted(set(worth)))}
    return [rank[number] for number in worth]


def _leaf_numbers(hierarchy: Hierarchy, column: Column, name: str) -> Floats:
    labels = [str(label) for label in hierarchy.labels[: hierarchy.n_leaves]]
    if column.kind == "ordinal":
        rank = {label: float(index) for index, label in enumerate(column.order or labels)}
        return np.array([rank.get(label, np.nan) for label in labels])
    try:
        return as_numbers(labels, dates=column.kind == "date")
    except ValueError:
        raise SchemaError(
            f"column {name!r} is {column.kind}, and some leaves of its hierarchy are not. "
            "Change its kind to categorical, or mend the hierarchy."
        ) from None
