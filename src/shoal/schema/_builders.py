"""Recipes for codes, dates, files and trees, and the one that chooses; reading them from TOML."""

from __future__ import annotations

import datetime as dt
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shoal.errors import HierarchyError
from shoal.schema._bands import Breaks, EqualFrequency, EqualWidth, Intervals, round_widths
from shoal.schema._csv import read_hierarchy
from shoal.schema._days import read_day
from shoal.schema._hierarchy import Hierarchy, Recipe, Values, from_label_columns
from shoal.schema._text import BEYOND, as_numbers, text, texts
from shoal.schema.readymade._ready import Ready


@dataclass(frozen=True)
class Prefix:
    """Keep only the first characters of a code: ZIP codes, diagnoses, occupations.

    Examples
    --------
    >>> Prefix((1, 3)).build(["10115", "10117", "20095"]).labels[3:]
    ('101**', '1****', '200**', '2****', '*')
    """

    lengths: tuple[int, ...]
    mask: str = "*"

    def __post_init__(self) -> None:
        object.__setattr__(self, "lengths", tuple(int(length) for length in self.lengths))

    def build(self, values: Values, *, column: str = "") -> Hierarchy:
        """Prefixes over the values."""
        if not self.lengths or min(self.lengths) < 1:
            raise HierarchyError(f"prefix of column {column!r}: keep at least one character.")
        if len(self.mask) != 1:
            raise HierarchyError(f"prefix of column {column!r}: the mask is one character.")
        known = [code or "" for code in texts(values)]
        levels = []
        for keep in sorted(set(self.lengths), reverse=True):
            masks = {length: self.mask * (length - keep) for length in set(map(len, known))}
            levels.append([t[:keep] + masks[len(t)] for t in known])
        return from_label_columns(values, levels, column)

    def to_toml(self) -> Any:
        """`{prefix = [1, 3]}`."""
        table: dict[str, Any] = {"prefix": list(self.lengths)}
        return table | ({"mask": self.mask} if self.mask != "*" else {})


_PERIODS = ("month", "quarter", "year", "decade")


@dataclass(frozen=True)
class Dates:
    """Days to months, quarters, years and decades.

    Examples
    --------
    >>> Dates(("month", "year")).build(["2024-01-31", "2024-02-01"]).labels[2:]
    ('2024-01', '2024-02', '2024', '*')
    """

    periods: tuple[str, ...]

    def __post_init__(self) -> None:
        given = (self.periods,) if isinstance(self.periods, str) else self.periods
        object.__setattr__(self, "periods", tuple(given))

    def build(self, values: Values, *, column: str = "") -> Hierarchy:
        """Periods over the values."""
        unknown = [period for period in self.periods if period not in _PERIODS]
        if unknown or not self.periods:
            raise HierarchyError(
                f"dates of column {column!r}: unknown period {unknown[:1]}. "
                f"Choose from {', '.join(_PERIODS)}."
            )
        days = [_day(value, column) for value in values]
        months = [day.year * 12 + day.month for day in days]
        one_of = dict(zip(months, days, strict=True))  # a hundred years have 1,200 months
        ordered = [period for period in _PERIODS if period in self.periods]
        levels = []
        for period in ordered:
            label = {month: _period(day, period) for month, day in one_of.items()}
            levels.append([label[month] for month in months])
        return from_label_columns(values, levels, column)

    def to_toml(self) -> Any:
        """`{dates = ["month", "year"]}`."""
        return {"dates": list(self.periods)}


@dataclass(frozen=True, eq=False)
class FromFile:
    """A file in the level format: `leaf;level1;...;*`, one line per value.

    Parameters
    ----------
    path : str
        Where the file is, as written in the schema.
    folder : str
        What a relative path is relative to: the schema file's folder, or the working one.

    Examples
    --------
    >>> from shoal.schema import Column
    >>> Column("quasi-identifier", hierarchy=FromFile("town.csv")).to_toml()["hierarchy"]
    {'file': 'town.csv'}
    """

    path: str
    folder: str = ""

    def build(self, values: Values, *, column: str = "") -> Hierarchy:
        """Read the file; `values` may be any part of its leaves."""
        return read_hierarchy(Path(self.folder) / self.path, column=column)

    def seen_from(self, folder: Path) -> FromFile:
        """The same file as a schema in another folder names it."""
        if os.path.isabs(self.path):
            return self
        path = os.path.relpath(self._location, folder.resolve())
        return FromFile(Path(path).as_posix(), str(folder))

    @property
    def _location(self) -> str:
        return str((Path(self.folder) / self.path).resolve())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FromFile) and self._location == other._location

    def __hash__(self) -> int:
        return hash(self._location)

    def to_toml(self) -> Any:
        """`{file = "age.csv"}`."""
        return {"file": self.path}


@dataclass(frozen=True, eq=False)
class Tree:
    """Nested mappings, written out in the schema; the order of values counts.

    Examples
    --------
    >>> Tree({"North": ["Kiel"], "South": ["Ulm", "Passau"]}).build([]).labels
    ('Kiel', 'Ulm', 'Passau', 'North', 'South', '*')
    """

    tree: Mapping[str, Any]

    def __post_init__(self) -> None:
        if not isinstance(self.tree, Mapping):
            raise TypeError("a tree is a mapping")
        plain: dict[str, Any] = {}  # dicts and lists of texts, which is what a schema file can hold
        todo: list[tuple[Mapping[Any, Any], dict[str, Any]]] = [(self.tree, plain)]
        while todo:
            given, made = todo.pop()
            for label, below in given.items():
                if isinstance(below, Mapping):
                    deeper: dict[str, Any] = {}
                    made[str(text(label))] = deeper
                    todo.append((below, deeper))
                    continue
                is_list = isinstance(below, Sequence) and not isinstance(below, str)
                leaves = below if is_list else [] if below is None else [below]
                if any(isinstance(leaf, Mapping | list | tuple) for leaf in leaves):
                    raise TypeError("a list in a tree holds values")
                made[str(text(label))] = list(map(str, texts(leaves)))
        object.__setattr__(self, "tree", plain)

    def build(self, values: Values, *, column: str = "") -> Hierarchy:
        """Take the tree as it is; `values` may be any part of its leaves."""
        return Hierarchy.from_tree(self.tree, column=column)

    def to_toml(self) -> Any:
        """`{tree = {...}}`."""
        return {"tree": self.tree}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tree) and json.dumps(self.tree) == json.dumps(other.tree)

    def __hash__(self) -> int:
        return hash(json.dumps(self.tree))


@dataclass(frozen=True)
class Auto:
    """A hierarchy from the values alone: bands, periods, prefixes, or straight to the root.

    Examples
    --------
    >>> Auto().recipe([18, 25, 61, 90]), Auto().recipe(["F", "M"])
    (Intervals(widths=(5.0, 10.0, 20.0, 40.0), origin=0.0), Flat())
    """

    def build(self, values: Values, *, column: str = "") -> Hierarchy:
        """Choose by what the values are."""
        if not len(values):
            raise HierarchyError(f"hierarchy of column {column!r}: there are no values to use.")
        return self.recipe(values).build(values, column=column)

    def recipe(self, values: Values) -> Recipe:
        """The recipe that fits these values."""
        if all(isinstance(value, dt.date) for value in values):
            return Dates(("month", "quarter", "year"))
        if all(isinstance(v, int | float | np.number) and not isinstance(v, bool) for v in values):
            numbers = as_numbers(values)
            far = bool((np.abs(numbers) >= BEYOND).any())  # where bands would not be exact
            widths = () if far else round_widths(numbers)
            return Intervals(widths) if widths else Flat()
        known = [code or "" for code in texts(values)]
        lengths = {len(t) for t in known}
        if len(lengths) == 1 and len(known) > 20 and all(t.isdigit() for t in known):
            width = lengths.pop()
            return Prefix(tuple(range(1, width))) if width > 1 else Flat()
        return Flat()

    def to_toml(self) -> Any:
        """`"auto"`."""
        return "auto"


@dataclass(frozen=True)
class Flat:
    """Every value straight under the root: release it or hide it.

    Examples
    --------
    >>> Flat().build(["F", "M"]).labels
    ('F', 'M', '*')
    """

    def build(self, values: Values, *, column: str = "") -> Hierarchy:
        """One level above the values."""
        known = [value for value in dict.fromkeys(texts(values)) if value is not None]
        return from_label_columns(known, [], column)

    def to_toml(self) -> Any:
        """`"flat"`."""
        return "flat"


def recipe_from_toml(spec: Any, *, column: str, folder: str = "") -> Recipe | Hierarchy:
    """Read what stands behind `hierarchy =`."""
    if spec == "auto":
        return Auto()
    if spec == "flat":
        return Flat()
    if not isinstance(spec, Mapping):
        raise HierarchyError(
            f'hierarchy of column {column!r} is neither "auto", "flat" nor a table such as '
            "{intervals = [5, 10]}."
        )
    makers: dict[str, Callable[[Any], Recipe | Hierarchy]] = {
        "intervals": lambda s: Intervals(_list(s["intervals"]), s.get("origin", 0.0)),
        "breaks": lambda s: Breaks(_list(s["breaks"])),
        "equal_width": lambda s: EqualWidth(int(s["equal_width"])),
        "equal_frequency": lambda s: EqualFrequency(int(s["equal_frequency"])),
        "prefix": lambda s: Prefix(_list(s["prefix"]), str(s.get("mask", "*"))),
        "dates": lambda s: Dates(_list(s["dates"])),
        "file": lambda s: FromFile(str(s["file"]), folder),
        "ready": lambda s: Ready(str(s["ready"])),
        "tree": lambda s: Tree(s["tree"]),
        "levels": lambda s: Hierarchy.from_levels(map(_list, s["levels"]), column=column),
    }
    extras = {"intervals": {"origin"}, "prefix": {"mask"}}
    chosen = [name for name in makers if name in spec]
    if len(chosen) != 1 or set(spec) - {chosen[0]} - extras.get(chosen[0], set()):
        raise HierarchyError(
            f"hierarchy of column {column!r}: give exactly one of {', '.join(makers)}."
        )
    try:
        return makers[chosen[0]](spec)
    except HierarchyError:
        raise
    except (TypeError, ValueError, AttributeError):
        raise HierarchyError(
            f"hierarchy of column {column!r}: {chosen[0]} has a value of the wrong type."
        ) from None


def _list(given: Any) -> tuple[Any, ...]:
    return tuple(given) if isinstance(given, list | tuple) else (given,)


def _day(value: Any, column: str) -> dt.date:
    if isinstance(value, dt.datetime):
        return value.date()
    if isinstance(value, dt.date):
        return value
    day = read_day(str(value))
    if day is None:
        raise HierarchyError(f"dates of column {column!r}: some values are not dates (YYYY-MM-DD).")
    return day


def _period(day: dt.date, period: str) -> str:
    match period:
        case "month":
            return f"{day.year:04d}-{day.month:02d}"
        case "quarter":
            return f"{day.year:04d}-Q{(day.month + 2) // 3}"
        case "year":
            return f"{day.year:04d}"
        case _:
            return f"{day.year // 10 * 10:04d}s"
