"""Where rows lie, so that distances between them are Euclidean: numbers and hierarchies."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from shoal.errors import ParameterError, SchemaError, TableError
from shoal.models._input import Input
from shoal.schema import Coding, Schema, make_coding, text
from shoal.typing import Flags, Floats

MOST_POINTS = 10_000


@dataclass(frozen=True, eq=False)
class Axis:
    """One column: a number over a spread, or a coding with a place for every value."""

    name: str
    place: int
    is_public: bool
    spread: float = 1.0
    low: float = 0.0
    high: float = 0.0
    coding: Coding | None = None
    table: Floats | None = None

    @property
    def width(self) -> int:
        """Dimensions."""
        return 1 if self.table is None else self.table.shape[1]

    def put(self, table: Input) -> Floats:
        """Coordinates of the rows."""
        if self.table is None or self.coding is None:
            values = table.numbers(self.place)
            _require_all(self.name, np.isnan(values))
            return values[:, None] / self.spread
        factor = table.factor(self.place)
        _require_all(self.name, factor.codes < 0)
        known = [self.coding.code_of.get(text(value), -1) for value in factor.values]
        if -1 in known:
            raise TableError(f"column {self.name!r} has {known.count(-1)} values unknown to fit.")
        return self.table[np.array(known)[factor.codes]]


@dataclass(frozen=True, eq=False)
class ClusterSpace:
    """All columns side by side."""

    axes: tuple[Axis, ...]

    @classmethod
    def find(cls, table: Input, schema: Schema | None, *, scale: bool) -> ClusterSpace:
        """Scale numbers to unit variance, and place categorical values by their hierarchies."""
        if schema is not None:
            schema.require(table.names)
        axes = []
        for place, name in enumerate(table.names):
            column = None if schema is None else schema[name]
            if column is not None and column.role == "identifier":
                continue
            public = column is None or column.role != "sensitive"
            if column is None or column.kind == "numeric":
                values = table.numbers(place)
                _require_all(name, np.isnan(values))
                spread = float(values.std()) if scale else 1.0
                low, high = float(values.min()), float(values.max())
                axes.append(Axis(name, place, public, spread or 1.0, low, high))
            elif column.kind == "categorical":
                coding = make_coding(name, column, table.factor(place).values)
                table_of = _place_values(coding)
                axes.append(Axis(name, place, public, coding=coding, table=table_of))
            else:
                raise SchemaError(f"column {name!r} is {column.kind}: make it numeric to cluster.")
        if not axes:
            raise SchemaError("there is no column to cluster by.")
        return cls(tuple(axes))

    def place(self, table: Input) -> Floats:
        """Coordinates of rows."""
        return np.concatenate([axis.put(table) for axis in self.axes], axis=1)

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
            raise ParameterError(f"private columns have {prod(sizes):,} combinations of values.")
        for axis in self.axes:
            stop = start + axis.width
            if not axis.is_public:
                if axis.table is None:
                    ends = np.zeros((2, width))
                    ends[:, start] = axis.low / axis.spread, axis.high / axis.spread
                    segments.append((ends[0], ends[1] - ends[0]))
                else:
                    moved = np.zeros((len(axis.table), width))
                    moved[:, start:stop] = axis.table
                    points = (points[:, None] + moved).reshape(-1, width)
            start = stop
        return points, tuple(segments)


def _require_all(name: str, missing: Flags) -> None:
    if missing.any():
        raise TableError(
            f"column {name!r} has {int(missing.sum())} missing values. Impute or drop them."
        )


def _place_values(coding: Coding) -> Floats:
    """Coordinates such that the squared distance is the share of levels on which values differ."""
    levels: Any = np.arange(coding.n_codes)[:, None]
    if coding.hierarchy is not None:
        levels = coding.hierarchy.levels[: coding.n_codes]
        levels = levels[:, :-1] if levels.shape[1] > 1 else levels  # all share the root
    parts = []
    for column in np.asarray(levels).T:
        found, at = np.unique(column, return_inverse=True)
        parts.append(np.eye(len(found))[at] / np.sqrt(2 * levels.shape[1]))
    return np.concatenate(parts, axis=1)
