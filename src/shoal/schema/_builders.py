"""Recipes for hierarchies: what a schema says, before the values of the column are known."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from shoal.errors import HierarchyError
from shoal.schema._csv import read_hierarchy
from shoal.schema._hierarchy import ROOT_LABEL, Hierarchy
from shoal.schema._text import number, text
from shoal.typing import Floats

Values: TypeAlias = Sequence[Any]


@runtime_checkable
class Recipe(Protocol):
    """Makes the hierarchy of a column out of its values."""

    def build(self, values: Values, *, column: str = "") -> Hierarchy:
        """Hierarchy over `values` (distinct, not missing, in natural order)."""

    def to_toml(self) -> Any:
        """What stands behind `hierarchy =` in a schema file."""


@dataclass(frozen=True)
class Intervals:
    """Bands of ever larger widths, aligned at `origin`; each width divides the next."""

    widths: tuple[float, ...]
    origin: float = 0.0

    def build(self, values: Values, *, column: str = "") -> Hierarchy:
        """Bands over the values."""
        numbers = _numbers(values, column)
        if not self.widths or min(self.widths) <= 0:
            raise HierarchyError(f"intervals of column {column!r}: widths must be positive.")
        for small, large in pairwise(self.widths):
            if large <= small or abs(large / small - round(large / small)) > 1e-9:
                raise HierarchyError(
                    f"intervals of column {column!r}: {large:g} is not a multiple of {small:g}. "
                    "Give rising widths, each dividing the next, so that bands nest."
                )
        levels = []
        for width in self.widths:
            band = np.floor((numbers - self.origin) / width + 1e-12)
            levels.append(_label_bands(self.origin + band * width, width, numbers))
        return _from_label_columns(values, levels, column)

    def to_toml(self) -> Any:
        """`{intervals = [5, 10]}`."""
        table: dict[str, Any] = {"intervals": [_plain(width) for width in self.widths]}
        return table | ({"origin": _plain(self.origin)} if self.origin else {})


@dataclass(frozen=True)
class Breaks:
    """Bands between given break points; several lists make several levels, finest first."""

    levels: tuple[tuple[float, ...], ...]

    def build(self, values: Values, *, column: str = "") -> Hierarchy:
        """Bands over the values."""
        numbers = _numbers(values, column)
        for points in self.levels:
            if not points or any(b <= a for a, b in pairwise(points)):
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
    """`bins` bands of one width between the least and the largest value, merged in pairs."""

    bins: int

    def build(self, values: Values, *, column: str = "") -> Hierarchy:
        """Bands over the values."""
        numbers = _numbers(values, column)
        points = np.linspace(numbers.min(), numbers.max(), _bins(self.bins, column) + 1)[1:-1]
        return _bands(values, numbers, _halve(points), column)

    def to_toml(self) -> Any:
        """`{equal_width = 8}`."""
        return {"equal_width": self.bins}


@dataclass(frozen=True)
class EqualFrequency:
    """`bins` bands that hold about equally many distinct values, merged in pairs."""

    bins: int

    def build(self, values: Values, *, column: str = "") -> Hierarchy:
        """Bands over the values."""
        numbers = _numbers(values, column)
        at = np.arange(1, _bins(self.bins, column)) * len(numbers) // self.bins
        return _bands(values, numbers, _halve(np.unique(np.sort(numbers)[at])), column)

    def to_toml(self) -> Any:
        """`{equal_frequency = 8}`."""
        return {"equal_frequency": self.bins}


@dataclass(frozen=True)
class Prefix:
    """Keep only the first characters of a code: ZIP codes, diagnoses, occupations."""

    lengths: tuple[int, ...]
    mask: str = "*"

    def build(self, values: Values, *, column: str = "") -> Hierarchy:
        """Prefixes over the values."""
        if not self.lengths or min(self.lengths) < 1:
            raise HierarchyError(f"prefix of column {column!r}: keep at least one character.")
        texts = [text(value) or "" for value in values]
        levels = []
        for keep in sorted(set(self.lengths), reverse=True):
            levels.append(
                [t[:keep] + self.mask * (len(t) - keep) if len(t) > keep else t for t in texts]
            )
        return _from_label_columns(values, levels, column)

    def to_toml(self) -> Any:
        """`{prefix = [1, 3]}`."""
        table: dict[str, Any] = {"prefix": list(self.lengths)}
        return table | ({"mask": self.mask} if self.mask != "*" else {})


_PERIODS = ("month", "quarter", "year", "decade")


@dataclass(frozen=True)
class Dates:
    """Days to months, quarters, years and decades."""

    periods: tuple[str, ...]

    def build(self, values: Values, *, column: str = "") -> Hierarchy:
        """Periods over the values."""
        unknown = [period for period in self.periods if period not in _PERIODS]
        if unknown or not self.periods:
            raise HierarchyError(
                f"dates of column {column!r}: unknown period {unknown[:1]}. "
                f"Choose from {', '.join(_PERIODS)}."
            )
        days = [_day(value, column) for value in values]
        ordered = [period for period in _PERIODS if period in self.periods]
        levels = [[_period(day, period) for day in days] for period in ordered]
        return _from_label_columns(values, levels, column)

    def to_toml(self) -> Any:
        """`{dates = ["month", "year"]}`."""
        return {"dates": list(self.periods)}


@dataclass(frozen=True)
class FromFile:
    """A file in the level format: `leaf;level1;...;*`, one line per value."""

    path: str
    folder: str = field(default="", compare=False)  # what a relative path is relative to

    def build(self, values: Values, *, column: str = "") -> Hierarchy:
        """Read the file; `values` may be any part of its leaves."""
        return read_hierarchy(Path(self.folder) / self.path, column=column)

    def to_toml(self) -> Any:
        """`{file = "age.csv"}`."""
        return {"file": self.path}


@dataclass(frozen=True)
class Tree:
    """Nested mappings, written out in the schema."""

    tree: Mapping[str, Any]

    def build(self, values: Values, *, column: str = "") -> Hierarchy:
        """Take the tree as it is; `values` may be any part of its leaves."""
        return Hierarchy.from_tree(self.tree, column=column)

    def to_toml(self) -> Any:
        """`{tree = {...}}`."""
        return {"tree": self.tree}

    def __hash__(self) -> int:
        return hash(repr(self.tree))


@dataclass(frozen=True)
class Auto:
    """A hierarchy from the values alone: bands, periods, prefixes, or straight to the root."""

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
            return _auto_numeric(np.array([number(value) for value in values]))
        texts = [text(value) or "" for value in values]
        lengths = {len(t) for t in texts}
        if len(lengths) == 1 and len(texts) > 20 and all(t.isdigit() for t in texts):
            width = lengths.pop()
            return Prefix(tuple(range(1, width))) if width > 1 else Flat()
        return Flat()

    def to_toml(self) -> Any:
        """`"auto"`."""
        return "auto"


@dataclass(frozen=True)
class Flat:
    """Every value straight under the root: release it or hide it."""

    def build(self, values: Values, *, column: str = "") -> Hierarchy:
        """One level above the values."""
        return Hierarchy.flat([t for value in values if (t := text(value)) is not None])

    def to_toml(self) -> Any:
        """`"flat"`."""
        return "flat"


def recipe_from_toml(spec: Any, *, column: str, folder: str = "") -> Recipe:
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
    makers: dict[str, Callable[[Any], Recipe]] = {
        "intervals": lambda s: Intervals(tuple(map(float, s["intervals"])), s.get("origin", 0.0)),
        "breaks": lambda s: Breaks(_nested(s["breaks"])),
        "equal_width": lambda s: EqualWidth(int(s["equal_width"])),
        "equal_frequency": lambda s: EqualFrequency(int(s["equal_frequency"])),
        "prefix": lambda s: Prefix(tuple(map(int, s["prefix"])), s.get("mask", "*")),
        "dates": lambda s: Dates(tuple(s["dates"])),
        "file": lambda s: FromFile(str(s["file"]), folder),
        "tree": lambda s: Tree(s["tree"]),
    }
    allowed = set(makers) | {"origin", "mask"}
    chosen = [name for name in makers if name in spec]
    if len(chosen) != 1 or set(spec) - allowed:
        raise HierarchyError(
            f"hierarchy of column {column!r}: give exactly one of {', '.join(makers)}."
        )
    try:
        return makers[chosen[0]](spec)
    except (TypeError, ValueError, AttributeError) as error:
        raise HierarchyError(
            f"hierarchy of column {column!r}: {chosen[0]} has a value of the wrong type."
        ) from error


def _nested(breaks: Sequence[Any]) -> tuple[tuple[float, ...], ...]:
    if breaks and isinstance(breaks[0], Sequence):
        return tuple(tuple(map(float, level)) for level in breaks)
    return (tuple(map(float, breaks)),)


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
        numbers = np.array([number(value) for value in values], np.float64)
    except (TypeError, ValueError):
        raise HierarchyError(
            f"hierarchy of column {column!r}: bands need numbers, and some values are not."
        ) from None
    return numbers


def _auto_numeric(numbers: Floats) -> Recipe:
    """Round widths (1, 2, 5 times a power of ten): about 16, 8 and 4 bands."""
    span = float(numbers.max() - numbers.min())
    if len(numbers) < 3 or span == 0:
        return Flat()
    step = 10.0 ** np.floor(np.log10(span / 16))
    width = next(step * m for m in (1, 2, 5, 10) if step * m >= span / 16)
    if _whole(numbers):
        width = max(width, 1.0)
    widths = [width * 2**i for i in range(4) if width * 2**i < span]
    if _whole(numbers) and widths and widths[0] == 1:
        widths = widths[1:]  # a band of one integer is the integer
    return Intervals(tuple(map(float, widths))) if widths else Flat()


def _halve(points: Floats) -> list[Floats]:
    """The break points, then every second of them, and so on."""
    levels = []
    while len(points):
        levels.append(points)
        points = points[1::2]
    return levels


def _bands(values: Values, numbers: Floats, levels: list[Floats], column: str) -> Hierarchy:
    columns = []
    for points in levels:
        edges = np.concatenate([[-np.inf], points, [np.inf]])
        at = np.searchsorted(points, numbers, side="right")
        whole = _whole(numbers)
        names = [_band(low, high, whole) for low, high in pairwise(edges)]
        columns.append([names[i] for i in at])
    return _from_label_columns(values, columns, column)


def _label_bands(lows: Floats, width: float, numbers: Floats) -> list[str]:
    whole = _whole(numbers)
    distinct, at = np.unique(lows, return_inverse=True)
    names = [_band(float(low), float(low + width), whole) for low in distinct]
    return [names[i] for i in at]


def _whole(numbers: Floats) -> bool:
    return bool((numbers == np.floor(numbers)).all())


def _band(low: float, high: float, whole: bool) -> str:
    """`[20-24]` for whole numbers, `[20-25)` for others, `<18` and `>=65` at open ends."""
    if low == -np.inf:
        return f"<{text(high)}"
    if high == np.inf:
        return f">={text(low)}"
    if whole and float(low).is_integer() and float(high).is_integer():
        return f"[{text(low)}-{text(high - 1)}]" if high - low > 1 else str(text(low))
    return f"[{text(float(f'{low:.12g}'))}-{text(float(f'{high:.12g}'))})"


def _day(value: Any, column: str) -> dt.date:
    if isinstance(value, dt.datetime):
        return value.date()
    if isinstance(value, dt.date):
        return value
    try:
        return dt.date.fromisoformat(str(value)[:10])
    except ValueError:
        raise HierarchyError(
            f"dates of column {column!r}: some values are not dates (YYYY-MM-DD)."
        ) from None


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


def _from_label_columns(values: Values, levels: list[list[str]], column: str) -> Hierarchy:
    leaves = [str(text(value)) for value in values]
    rows = zip(leaves, *levels, [ROOT_LABEL] * len(leaves), strict=True)
    return Hierarchy.from_levels(rows, column=column)
