"""Recipes for numbers: bands given, aligned, of equal width or of equal frequency."""

from __future__ import annotations

import datetime as dt
import math
from bisect import bisect_right
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from shoal.errors import HierarchyError
from shoal.schema._hierarchy import Hierarchy, Values, from_label_columns
from shoal.schema._text import BEYOND, as_numbers, text
from shoal.typing import Floats

_SURE = 1e-9  # quotients of floats that are as near to a whole number are computed again
_PRECISION = 400  # digits: enough for every float


@dataclass(frozen=True)
class Intervals:
    """Bands of ever larger widths, aligned at `origin`; each width divides the next.

    A value on a boundary belongs to the upper band: with width 5, 25 lies in `[25-29]`.

    Examples
    --------
    >>> Intervals((5, 10)).build([21, 24, 25, 38]).labels[4:]
    ('[20-24]', '[25-29]', '[20-29]', '[35-39]', '[30-39]', '*')
    """

    widths: tuple[float, ...]
    origin: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "widths", tuple(float(width) for width in self.widths))
        object.__setattr__(self, "origin", float(self.origin))

    def build(self, values: Values, *, column: str = "") -> Hierarchy:
        """Bands over the values."""
        numbers = _numbers(values, column)
        finite = all(map(math.isfinite, (*self.widths, self.origin)))
        if not finite or not self.widths or min(self.widths) <= 0:
            raise HierarchyError(f"intervals of column {column!r}: widths must be positive.")
        for small, large in pairwise(self.widths):
            if large <= small or abs(large / small - round(large / small)) > 1e-9:
                raise HierarchyError(
                    f"intervals of column {column!r}: {large:g} is not a multiple of {small:g}. "
                    "Give rising widths, each dividing the next, so that bands nest."
                )
        # as they are written: 0.1 is a tenth
        finest, origin = (Fraction(str(text(part))) for part in (self.widths[0], self.origin))
        whole = bool((numbers == np.floor(numbers)).all())
        whole = whole and finest.denominator == origin.denominator == 1
        # number of each value's band: by floats where they are sure, else by decimal fractions
        quotient = (numbers - float(origin)) / float(finest)
        near = np.abs(quotient - np.round(quotient)) <= _SURE * np.maximum(1.0, np.abs(quotient))
        is_sure = (np.abs(numbers) < BEYOND) & (whole | ~near)
        band = [int(number) for number in np.floor(np.where(is_sure, quotient, 0.0))]
        for place in np.flatnonzero(~is_sure).tolist():
            band[place] = (Fraction(str(text(values[place]))) - origin) // finest
        levels = []
        for width in self.widths:
            # from the finest band, not from the number: bands of all widths must nest
            ratio = round(width / self.widths[0])
            starts = [number // ratio for number in band]
            names = {
                start: band_label(
                    origin + start * finest * ratio, origin + (start + 1) * finest * ratio, whole
                )
                for start in set(starts)
            }
            levels.append([names[start] for start in starts])
        return from_label_columns(values, levels, column)

    def to_toml(self) -> Any:
        """`{intervals = [5, 10]}`."""
        table: dict[str, Any] = {"intervals": [_plain(width) for width in self.widths]}
        return table | ({"origin": _plain(self.origin)} if self.origin else {})


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
        numbers = _numbers(values, column)
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
        levels = [[_plain(point) for point in points] for points in self.levels]
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
        numbers = _numbers(values, column)
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
        numbers = _numbers(values, column)
        ranks = np.arange(1, _bins(self.bins, column)) * len(numbers) // self.bins
        return _bands(values, numbers, _halve(np.unique(_short(np.sort(numbers)[ranks]))), column)

    def to_toml(self) -> Any:
        """`{equal_frequency = 8}`."""
        return {"equal_frequency": self.bins}


def round_widths(numbers: Floats) -> tuple[float, ...]:
    """Round widths (1, 2, 5 times a power of ten): about 16, 8 and 4 bands; empty when too few."""
    span = float(numbers.max() - numbers.min())
    if len(numbers) < 3 or not 0 < span < math.inf:
        return ()
    whole = bool((numbers == np.floor(numbers)).all())
    step = 10.0 ** np.floor(np.log10(span / 16))
    width = next(step * m for m in (1, 2, 5, 10) if step * m >= span / 16)
    if whole:
        width = max(width, 1.0)
    widths = [width * 2**i for i in range(4) if width * 2**i < span]
    if whole and widths and widths[0] == 1:
        widths = widths[1:]  # a band of one integer is the integer
    return tuple(float(f"{width:.12g}") for width in widths)


def band_label(low: Fraction | None, high: Fraction | None, whole: bool) -> str:
    """`[20-24]` for whole numbers, `[20-25)` for others, `<18` and `>=65` at open ends (None)."""
    if low is None:
        return f"<{_digits(high)}"
    if high is None:
        return f">={_digits(low)}"
    if whole and low.denominator == high.denominator == 1:
        return f"[{low}-{high - 1}]" if high - low > 1 else str(low)
    return f"[{_digits(low)}-{_digits(high)})"


def _digits(end: Fraction | None) -> str:
    assert end is not None
    with localcontext(prec=_PRECISION):
        return str(text(Decimal(end.numerator) / end.denominator))


def _plain(value: float) -> float:
    return int(value) if float(value).is_integer() else value


def _bins(bins: int, column: str) -> int:
    if bins < 2:
        raise HierarchyError(f"bins of column {column!r}: at least 2 are needed, got {bins}.")
    return bins


def _numbers(values: Values, column: str) -> Floats:
    if not len(values):
        raise HierarchyError(f"hierarchy of column {column!r}: there are no values to use.")
    try:
        if any(isinstance(value, dt.date) for value in values):
            raise TypeError
        found = as_numbers(values)
    except (TypeError, ValueError):
        raise HierarchyError(
            f"hierarchy of column {column!r}: bands need numbers, and some values are not. "
            'For dates use {dates = ["month", "year"]}.'
        ) from None
    if not np.isfinite(found).all():
        raise HierarchyError(
            f"hierarchy of column {column!r}: bands need finite numbers, and some values are not."
        )
    return found


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
    return from_label_columns(values, columns, column)


def _short(points: Floats) -> Floats:
    """Break points made from data, with few digits: what is written is where bands end."""
    return np.array([p if float(p).is_integer() else float(f"{p:.12g}") for p in points.tolist()])
