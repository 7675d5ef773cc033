"""The recipes that most columns need: bands, prefixes, trees, or straight to the root."""

from __future__ import annotations

import datetime as dt
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from shoal.errors import HierarchyError
from shoal.schema._days import Dates
from shoal.schema._hierarchy import Hierarchy, Recipe, Values
from shoal.schema._text import BEYOND, as_numbers, text, texts
from shoal.schema._tree_parts import ROOT_LABEL
from shoal.typing import Floats

LEAST_STEP = 5
"""Least spacing of whole numbers that the schema says nothing about."""

_USUAL, _FINEST = 16, 40  # bands, about, at the level people expect first, and at the finest
_LEVELS = 16  # times the width people expect first: no bands are wider
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
        numbers = finite_numbers(values, column)
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
        for index in np.flatnonzero(~is_sure).tolist():
            band[index] = (Fraction(str(text(values[index]))) - origin) // finest
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
        return Hierarchy.from_columns([values, *levels, [ROOT_LABEL] * len(values)], column=column)

    def to_toml(self) -> Any:
        """`{intervals = [5, 10]}`."""
        table: dict[str, Any] = {"intervals": [plain_number(width) for width in self.widths]}
        return table | ({"origin": plain_number(self.origin)} if self.origin else {})


def round_widths(numbers: Floats) -> tuple[float, ...]:
    """Round widths (1, 2, 5 times a power of ten), each twice the one before; empty when too few.

    The finest are a fortieth of the span or more: ranges end at their lines, so that coarser ones
    would cost more than what is hidden by them.  Whole numbers have bands of five or more, as
    people know them from ages, unless there would be fewer than sixteen.
    """
    span = float(numbers.max() - numbers.min())
    if len(numbers) < 3 or not 0 < span < math.inf:
        return ()
    least = [span / bands for bands in (_FINEST, _USUAL)]
    powers = [10.0 ** np.floor(np.log10(one)) for one in least]
    width, usual = (
        next(float(power * m) for m in (1, 2, 5, 10) if power * m >= one)
        for one, power in zip(least, powers, strict=True)
    )
    if (numbers == np.floor(numbers)).all():
        width = max(width, min(usual, 5.0))
        if width <= 1:
            width = 2.0  # a band of one integer is the integer
    widths = []
    while width < span and width < usual * _LEVELS:
        widths.append(float(f"{width:.12g}"))
        width *= 2
    return tuple(widths)


@lru_cache(4096)  # few widths are those of most pairs of values
def round_step(least: Fraction, at_least: int = 0) -> Fraction:
    """Smallest of 1, 2 and 5 times a power of ten that is not below both bounds.

    Examples
    --------
    >>> [str(round_step(Fraction(width))) for width in ("3", "0.3", "17", "5")]
    ['5', '1/2', '20', '5']
    """
    bound = max(least, Fraction(at_least))
    if bound <= 0:
        return Fraction(1)
    # a power at or below the bound's own, from its digits: floats end at 5e-324
    power = len(str(bound.numerator)) - len(str(bound.denominator)) - 2
    scale = Fraction(10) ** power
    while True:
        for factor in (1, 2, 5):
            if scale * factor >= bound:
                return scale * factor
        scale *= 10


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


def finite_numbers(values: Values, column: str) -> Floats:
    """Number of each value; an error where one has none."""
    if not len(values):
        raise HierarchyError(f"hierarchy of column {column!r}: there are no values to use.")
    try:
        if any(isinstance(value, dt.date) for value in values):
            raise TypeError
        numbers = as_numbers(values)
    except (TypeError, ValueError):
        raise HierarchyError(
            f"hierarchy of column {column!r}: bands need numbers, and some values are not. "
            'For dates use {dates = ["month", "year"]}.'
        ) from None
    if not np.isfinite(numbers).all():
        raise HierarchyError(
            f"hierarchy of column {column!r}: bands need finite numbers, and some values are not."
        )
    return numbers


def plain_number(value: float) -> float:
    """The same number as people write it: 5 for 5.0."""
    return int(value) if float(value).is_integer() else value


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
        return Hierarchy.from_columns([values, *levels, [ROOT_LABEL] * len(values)], column=column)

    def to_toml(self) -> Any:
        """`{prefix = [1, 3]}`."""
        table: dict[str, Any] = {"prefix": list(self.lengths)}
        return table | ({"mask": self.mask} if self.mask != "*" else {})


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
        return Hierarchy.from_columns([known, [ROOT_LABEL] * len(known)], column=column)

    def to_toml(self) -> Any:
        """`"flat"`."""
        return "flat"


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
