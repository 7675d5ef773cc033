"""Recipes for bands between break points: given, of equal width or of equal frequency."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from shoal.errors import HierarchyError
from shoal.schema._builders import band_label, finite_numbers, plain_number
from shoal.schema._hierarchy import Hierarchy, Values
from shoal.schema._text import BEYOND, text
from shoal.schema._tree_parts import ROOT_LABEL
from shoal.typing import Floats


@dataclass(frozen=True)
class Breaks:
    """Bands between given break points; several lists make several levels, finest first.

    Examples
    --------
    >>> Breaks((18, 65)).build([3, 30, 70]).labels[3:]
    ('<18', '[18-64]', '>=65', '*')
    """

    levels: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        levels: tuple[Any, ...] = tuple(self.levels)
        if not levels or not all(isinstance(level, list | tuple) for level in levels):
            levels = (levels,)  # one level, written flat
        nested = tuple(tuple(float(point) for point in level) for level in levels)
        object.__setattr__(self, "levels", nested)

    def build(self, values: Values, *, column: str = "") -> Hierarchy:
        """Bands over the values."""
        numbers = finite_numbers(values, column)
        for points in self.levels:
            rising = all(a < b for a, b in pairwise(points))
            if not points or not rising or not all(map(math.isfinite, points)):
                raise HierarchyError(f"breaks of column {column!r}: break points must rise.")
        for fine, coarse in pairwise(self.levels):
            if not set(coarse) <= set(fine):
                raise HierarchyError(
                    f"breaks of column {column!r}: every coarser break must be among the finer "
                    "ones, so that bands nest."
                )
        return _bands(values, numbers, [np.array(points, float) for points in self.levels], column)

    def to_toml(self) -> Any:
        """`{breaks = [18, 40, 65]}` or a list of lists."""
        levels = [[plain_number(point) for point in points] for points in self.levels]
        return {"breaks": levels[0] if len(levels) == 1 else levels}


@dataclass(frozen=True)
class EqualWidth:
    """`bins` bands of one width between the least and the largest value, merged in pairs.

    Examples
    --------
    >>> EqualWidth(4).build([0, 10, 20, 30, 40]).labels[5:]
    ('<10', '[10-19]', '<20', '[20-29]', '>=30', '>=20', '*')
    """

    bins: int

    def build(self, values: Values, *, column: str = "") -> Hierarchy:
        """Bands over the values."""
        numbers = finite_numbers(values, column)
        points = np.linspace(numbers.min(), numbers.max(), _bins(self.bins, column) + 1)[1:-1]
        return _bands(values, numbers, _halve(np.unique(_short(points))), column)

    def to_toml(self) -> Any:
        """`{equal_width = 8}`."""
        return {"equal_width": self.bins}


@dataclass(frozen=True)
class EqualFrequency:
    """`bins` bands that hold about equally many distinct values, merged in pairs.

    Examples
    --------
    >>> EqualFrequency(2).build([1, 2, 3, 4, 100, 200]).labels[6:]
    ('<4', '>=4', '*')
    """

    bins: int

    def build(self, values: Values, *, column: str = "") -> Hierarchy:
        """Bands over the values."""
        numbers = finite_numbers(values, column)
        ranks = np.arange(1, _bins(self.bins, column)) * len(numbers) // self.bins
        return _bands(values, numbers, _halve(np.unique(_short(np.sort(numbers)[ranks]))), column)

    def to_toml(self) -> Any:
        """`{equal_frequency = 8}`."""
        return {"equal_frequency": self.bins}


def _bins(bins: int, column: str) -> int:
    if bins < 2:
        raise HierarchyError(f"bins of column {column!r}: at least 2 are needed, got {bins}.")
    return bins


def _halve(points: Floats) -> list[Floats]:
    """The break points, then every second of them, and so on."""
    levels = []
    while len(points):
        levels.append(points)
        points = points[1::2]
    return levels


def _bands(values: Values, numbers: Floats, levels: list[Floats], column: str) -> Hierarchy:
    columns = []
    whole = all((each == np.floor(each)).all() for each in (numbers, *levels))
    for points in levels:
        ends = [Fraction(str(text(point))) for point in points.tolist()]
        which = np.searchsorted(points, numbers, side="right")
        # a float may lie beyond a point that its number does not reach
        for place in np.flatnonzero(np.abs(numbers) >= BEYOND).tolist():
            which[place] = bisect_right(ends, Fraction(str(text(values[place]))))
        names = [band_label(low, high, whole) for low, high in pairwise([None, *ends, None])]
        columns.append([names[i] for i in which])
    return Hierarchy.from_columns([values, *columns, [ROOT_LABEL] * len(values)], column=column)


def _short(points: Floats) -> Floats:
    """Break points made from data, with few digits: what is written is where bands end."""
    return np.array([p if float(p).is_integer() else float(f"{p:.12g}") for p in points.tolist()])
