"""Recipes for bands between break points: given, of equal width or of equal frequency."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from shoal.errors import HierarchyError
from shoal.schema._builders import LEAST_STEP, band_label, finite_numbers, plain_number, round_step
from shoal.schema._hierarchy import Hierarchy, Values
from shoal.schema._text import BEYOND, text
from shoal.schema._tree_parts import ROOT_LABEL
from shoal.typing import Floats

_AROUND = 5  # values beside a cut, at least, whose width says how it is rounded


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
    """At most `bins` bands of one round width over the values, merged in pairs.

    Bands end at multiples of 1, 2 or 5 times a power of ten (at least 5 for whole numbers), the
    least that makes no more than `bins` bands, and the outer ones are open: labels tell neither
    the least nor the largest value, which may be that of a suppressed person.

    Examples
    --------
    >>> EqualWidth(4).build([0, 10, 20, 30, 40]).labels[5:]
    ('<10', '[10-19]', '<20', '[20-29]', '>=30', '>=20', '*')
    >>> EqualWidth(4).build([1, 13, 24, 37]).labels[4:]
    ('<10', '[10-19]', '<20', '[20-29]', '>=30', '>=20', '*')
    """

    bins: int

    def build(self, values: Values, *, column: str = "") -> Hierarchy:
        """Bands over the values."""
        numbers = finite_numbers(values, column)
        least, most = _exact(numbers.min()), _exact(numbers.max())
        step = round_step((most - least) / _bins(self.bins, column), _least_step(numbers))
        lines = _between(least, most, step)
        while len(lines) >= self.bins:  # one too many, where the values begin off a line
            step = round_step(step * Fraction(3, 2))
            lines = _between(least, most, step)
        return _bands(values, numbers, _halve([line * step for line in lines]), column)

    def to_toml(self) -> Any:
        """`{equal_width = 8}`."""
        return {"equal_width": self.bins}


@dataclass(frozen=True)
class EqualFrequency:
    """At most `bins` bands that hold about equally many distinct values, merged in pairs.

    Bands end at round numbers near those that would cut the values evenly, never at a value as
    such: multiples of 1, 2 or 5 times a power of ten, at least a quarter of the narrower band
    beside it (or of five values, where bands hold fewer), and at least 5 for whole numbers.

    Examples
    --------
    >>> EqualFrequency(2).build([1, 2, 3, 4, 100, 200]).labels[6:]
    ('<50', '>=50', '*')
    """

    bins: int

    def build(self, values: Values, *, column: str = "") -> Hierarchy:
        """Bands over the values."""
        numbers = np.sort(finite_numbers(values, column))
        last, bins = len(numbers) - 1, _bins(self.bins, column)
        around, least_step = max(_AROUND, len(numbers) // bins), _least_step(numbers)
        points = set()
        for rank in {part * len(numbers) // bins for part in range(1, bins)}:
            cut = _exact(numbers[rank])
            sides = [side for side in (rank - around, rank + around) if 0 <= side <= last]
            widths = [abs(_exact(numbers[side]) - cut) for side in sides]
            widths = widths or [_exact(numbers[last]) - _exact(numbers[0])]
            step = round_step(min(widths) / 4, least_step)
            line = cut // step * step
            below = {point: np.searchsorted(numbers, float(point)) for point in (line, line + step)}
            point = min(below, key=lambda point: (abs(int(below[point]) - rank), point))
            if 0 < below[point] <= last:  # else it cuts off nothing
                points.add(point)
        return _bands(values, finite_numbers(values, column), _halve(sorted(points)), column)

    def to_toml(self) -> Any:
        """`{equal_frequency = 8}`."""
        return {"equal_frequency": self.bins}


def _exact(value: float) -> Fraction:
    """A float as it is written: 0.1 is a tenth."""
    return Fraction(str(text(float(value))))


def _between(least: Fraction, most: Fraction, step: Fraction) -> range:
    """Which multiples of a step lie between two numbers: a line at an end cuts off nothing."""
    return range(least // step + 1, math.ceil(most / step))


def _least_step(numbers: Floats) -> int:
    return LEAST_STEP if (numbers == np.floor(numbers)).all() else 0


def _bins(bins: int, column: str) -> int:
    if bins < 2:
        raise HierarchyError(f"bins of column {column!r}: at least 2 are needed, got {bins}.")
    return bins


def _halve(lines: Sequence[Fraction]) -> list[Floats]:
    """The break points, then every second of them, and so on."""
    points, levels = np.unique([float(line) for line in lines]), []
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
        for index in np.flatnonzero(np.abs(numbers) >= BEYOND).tolist():
            which[index] = bisect_right(ends, Fraction(str(text(values[index]))))
        names = [band_label(low, high, whole) for low, high in pairwise([None, *ends, None])]
        columns.append([names[i] for i in which])
    return Hierarchy.from_columns([values, *columns, [ROOT_LABEL] * len(values)], column=column)
