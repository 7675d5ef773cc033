"""Where rows lie, so that distances between them are Euclidean: numbers and hierarchies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, log10, prod
from typing import Any

import numpy as np

from shoal._plain import pack
from shoal.errors import ParameterError, SchemaError, ShoalError, TableError
from shoal.models._input import Input
from shoal.schema import Schema
from shoal.schema._coding import Coding, make_coding
from shoal.schema._text import text
from shoal.typing import Flags, Floats

MOST_POINTS = 10_000
NEARLY = 1 - 1e-6
"""Of the spread of a column: that of a scaled one is 1 but for rounding."""
MANYS = 0.8
"""Share of the spread that has to be left without the few at either end."""


@dataclass(frozen=True, eq=False)
class Axis:
    """One column: a number from an origin over a spread, or a coding with a place per value."""

    name: str
    place: int
    is_public: bool
    spread: float = 1.0
    origin: float = 0.0
    low: float = np.nan
    high: float = np.nan
    is_declared: bool = False
    coding: Coding | None = None
    table: Floats | None = None

    @property
    def width(self) -> int:
        """Dimensions."""
        return 1 if self.table is None else self.table.shape[1]

    def put(self, table: Input) -> Floats:
        """Coordinates of the rows."""
        if self.table is None or self.coding is None:
            values = _read_numbers(table, self.place)
            _require_all(self.name, np.isnan(values))
            return (values[:, None] - self.origin) / self.spread
        factor = table.factor(self.place)
        _require_all(self.name, factor.codes < 0)
        known = [self.coding.code_of.get(text(value), -1) for value in factor.values]
        if -1 in known:
            raise TableError(f"column {self.name!r} has {known.count(-1)} values unknown to fit.")
        return self.table[np.array(known)[factor.codes]]

    def to_dict(self) -> dict[str, Any]:
        """What a recipient needs to place a value; the range of a private column if declared."""
        entries: dict[str, Any] = {"name": self.name, "place": self.place, "public": self.is_public}
        if self.coding is not None:
            return entries | {"coding": pack(self.coding, packed=False)}
        if self.is_declared:
            entries["range"] = [self.low, self.high]
        return entries | {"spread": self.spread, "origin": self.origin}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Axis:
        """Inverse of :meth:`to_dict`."""
        name, place, public = data["name"], data["place"], data["public"]
        if "coding" in data:
            coding = Coding.from_dict(data["coding"])
            return cls(name, place, public, coding=coding, table=_place_values(coding))
        low, high = data.get("range", (np.nan, np.nan))
        spread, origin = data["spread"], data["origin"]
        return cls(name, place, public, spread, origin, low, high, "range" in data)


@dataclass(frozen=True, eq=False)
class ClusterSpace:
    """All columns side by side."""

    axes: tuple[Axis, ...]

    @classmethod
    def find(
        cls,
        table: Input,
        schema: Schema | None,
        domain: Mapping[str, Sequence[float]],
        *,
        scale: bool,
        few: int = 1,
    ) -> ClusterSpace:
        """Bring numbers to mean 0 and variance 1; place categorical values by their hierarchies.

        Private numbers only nearly, since what they are scaled by is published: in two digits, and
        in less where `few` people have most of the spread.
        """
        if schema is not None:
            schema.require(table.names)
            schema.require_rows_of_own("a clustering")
        axes = []
        for place, name in enumerate(table.names):
            column = None if schema is None else schema[name]
            if column is not None and (not column.is_released or column.target):
                continue
            public = column is None or column.role != "sensitive"
            if column is None or column.kind == "numeric":
                declared = domain.get(name)
                axes.append(_numeric(table, place, public, declared, scale=scale, few=few))
            elif column.kind == "categorical":
                coding = make_coding(name, column, table.factor(place).values)
                table_of = _place_values(coding)
                axes.append(Axis(name, place, public, coding=coding, table=table_of))
            else:
                raise SchemaError(f"column {name!r} is {column.kind}: make it numeric to cluster.")
        if not axes:
            raise SchemaError("there is no column to cluster by.")
        ranges = {axis.name for axis in axes if axis.coding is None and not axis.is_public}
        if lost := sorted(set(domain) - ranges):
            raise SchemaError(f"domain names {lost[0]!r}, which is no private numeric column.")
        return cls(tuple(axes))

    def with_ranges(self, table: Input) -> ClusterSpace:
        """The same with the ranges of a table where none is known: as an attacker is given it."""
        axes = []
        for axis in self.axes:
            if not axis.is_public and axis.coding is None and np.isnan(axis.low):
                values = table.numbers(axis.place)
                axis = replace(axis, low=float(values.min()), high=float(values.max()))
            axes.append(axis)
        return ClusterSpace(tuple(axes))

    def place(self, table: Input) -> Floats:
        """Coordinates of rows."""
        return np.concatenate([axis.put(table) for axis in self.axes], axis=1)

    def units(self, points: Floats) -> Floats:
        """Typical distance between two people in each dimension; 0 if nothing private is told."""
        if not self.is_private.any():
            return np.zeros(points.shape[1])
        parts = []
        for axis, own in zip(self.axes, self._own(points), strict=True):
            if axis.table is not None:
                parts.append(axis.table.max(axis=0))
            else:
                wide = float(own.std())
                # a scaled spread is 1 but for rounding, which must not decide between two lines
                parts.append(np.array([_line(NEARLY * wide) if wide else 0.0]))
        return np.concatenate(parts)

    def _own(self, points: Floats) -> list[Floats]:
        """Coordinates of each column."""
        return np.split(points, np.cumsum([axis.width for axis in self.axes])[:-1], axis=1)

    @property
    def is_private(self) -> Flags:
        """Which dimensions come from private columns."""
        return np.repeat(
            [not axis.is_public for axis in self.axes], [axis.width for axis in self.axes]
        )

    def moves(self) -> tuple[Floats, tuple[tuple[Floats, Floats], ...]]:
        """What private values can add to a public point: finitely many points, and segments."""
        start, width = 0, sum(axis.width for axis in self.axes)
        points, segments = np.zeros((1, width)), []
        sizes = [len(a.table) for a in self.axes if a.table is not None and not a.is_public]
        if prod(sizes) > MOST_POINTS:
            raise ParameterError(
                f"private columns have {prod(sizes):,} combinations of values; at most "
                f"{MOST_POINTS:,} are tried. Leave some out, or give hierarchies with fewer leaves."
            )
        for axis in self.axes:
            stop = start + axis.width
            if not axis.is_public:
                if axis.table is None:
                    ends = np.zeros((2, width))
                    ends[:, start] = np.array([axis.low, axis.high]) - axis.origin
                    ends[:, start] /= axis.spread
                    segments.append((ends[0], ends[1] - ends[0]))
                else:
                    moved = np.zeros((len(axis.table), width))
                    moved[:, start:stop] = axis.table
                    # every combination of the values of private categories
                    points = (points[:, None] + moved).reshape(-1, width)
            start = stop
        return points, tuple(segments)


def _numeric(
    table: Input,
    place: int,
    public: bool,
    declared: Sequence[float] | None,
    *,
    scale: bool,
    few: int,
) -> Axis:
    name, values = table.names[place], _read_numbers(table, place)
    _require_all(name, np.isnan(values))
    spread, origin = (float(values.std()), float(values.mean())) if scale else (1.0, 0.0)
    if scale and not public:
        spread, origin = _on_lines(spread, origin, of_few=_is_of_few(values, few))
    low, high = _round_out(float(values.min()), float(values.max()))
    if declared is not None:
        if len(declared) != 2 or not declared[0] <= declared[1]:
            raise ParameterError(f"domain of {name!r} must be its least and largest value.")
        if values.min() < declared[0] or values.max() > declared[1]:
            raise SchemaError(f"column {name!r} has values outside its domain. Widen it.")
        low, high = map(float, declared)
    return Axis(name, place, public, spread or 1.0, origin, low, high, is_declared=not public)


def _on_lines(spread: float, origin: float, *, of_few: bool = False) -> tuple[float, float]:
    """A spread in two digits, and the next multiple of half of it or more: both are published.

    To the last digit they are sums over private values: of the one person who has any, or of the
    one that somebody does not know, they tell that value.  Two digits of the spread of a few people
    tell theirs to a few per cent, so that it is 1, 2 or 5 times a power of ten.

    Examples
    --------
    >>> _on_lines(14_736.28, 31_250.917)
    (15000.0, 30000.0)
    >>> _on_lines(14_736.28, 31_250.917, of_few=True)
    (20000.0, 30000.0)
    """
    if not spread:
        return 0.0, 0.0
    told = float(f"{spread:.1e}")
    if of_few:
        told = min(
            (_line(way * spread) for way in (1, 2)), key=lambda one: abs(log10(one / spread))
        )
    step = _line(told)
    return told, round(origin / step) * step


def _is_of_few(values: Floats, few: int) -> bool:
    """Whether a column is spread by a few people: without them at its ends, much less is left."""
    ends = np.sort(values)[[min(few, len(values)) - 1, -min(few, len(values))]]
    # the `few` values at either end all count as the innermost of them
    calm = np.clip(values, ends.min(), ends.max()).std() if ends[0] <= ends[1] else 0.0
    return bool(calm < MANYS * values.std())


def _line(least: float) -> float:
    """The next number that is 1, 2 or 5 times a power of ten, at least half of a given one."""
    unit = 10.0 ** floor(log10(least / 2))
    return next(times * unit for times in (1, 2, 5, 10) if times * unit >= least / 2)


def _round_out(low: float, high: float) -> tuple[float, float]:
    """A range around another, between multiples of 1, 2 or 5 times a power of ten.

    Two steps or three make it, so that it tells little more than an order of magnitude.
    """
    span = high - low if high > low else max(abs(low), abs(high), 1.0)
    step = _line(span)
    first, last = floor(low / step) * step, ceil(high / step) * step
    return (first, last) if first < last else (first, last + step)


def _read_numbers(table: Input, place: int) -> Floats:
    """A column of numbers; an error without its values for one that holds something else."""
    try:
        return table.numbers(place)
    except ShoalError:
        raise
    except ValueError:
        raise TableError(
            f"column {table.names[place]!r} is numeric and holds something that is no number. "
            "Mend the table, or say another kind in the schema."
        ) from None


def _require_all(name: str, missing: Flags) -> None:
    if missing.any():
        raise TableError(
            f"column {name!r} has {int(missing.sum())} missing values (NaN). Impute or drop them."
        )


def _place_values(coding: Coding) -> Floats:
    """Coordinates such that the squared distance is the share of levels on which values differ."""
    levels: Any = np.arange(coding.n_codes)[:, None]
    if coding.hierarchy is not None:
        levels = coding.hierarchy.levels[: coding.n_codes]
        levels = levels[:, :-1] if levels.shape[1] > 1 else levels  # all share the root
    parts = []
    for column in np.asarray(levels).T:
        nodes, index = np.unique(column, return_inverse=True)
        # two different nodes of a level are sqrt(2) apart as unit vectors
        parts.append(np.eye(len(nodes))[index] / np.sqrt(2 * levels.shape[1]))
    return np.concatenate(parts, axis=1)
