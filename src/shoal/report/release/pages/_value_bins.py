"""Values put together so that a picture has few bars, and none for a handful of people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import ceil, floor, log10
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shoal.report.release.facts._marginals import Marginal
from shoal.report.release.pages._numbers import number
from shoal.schema._coding import Coding
from shoal.typing import Counts, Floats

MOST = 10


@dataclass(frozen=True)
class ValueBin:
    """Some values of a column with their rows before and after.

    Parameters
    ----------
    first : str
        The value, or where a range begins.
    last : str
        Where a range ends; empty for what is no range.
    before, after : float
        Rows; `bin_values` makes shares of them.
    is_rest : bool
        Whether these are all values that are no bin of their own: the label has none of them.
    """

    first: str
    last: str
    before: float
    after: float
    is_rest: bool = False

    @property
    def label(self) -> str:
        """The values, in words."""
        if not self.last or self.first == self.last:
            return self.first
        return f"{self.first} to {self.last}"

    def join(self, other: ValueBin) -> ValueBin:
        """The bin with the one after it."""
        before, after = self.before + other.before, self.after + other.after
        if self.last and other.last:
            return ValueBin(self.first, other.last, before, after)
        return ValueBin(f"{self.label}, {other.label}", "", before, after)


def bin_values(marginal: Marginal, least: int) -> list[ValueBin]:
    """Shares of a few bins, each with at least `least` raw rows if the column has that many."""
    if marginal.coding.kind in ("numeric", "date"):
        # ends are opened first: what is missing may then join the last range as it reads
        joined = _join_few([*_open_ends(_join_few(_line(marginal, least), least)),
                            *_missing(marginal)], least)  # fmt: skip
    else:
        joined = _join_few(_frequent(marginal, least), least)
    total, kept = max(1.0, float(marginal.before.sum())), max(1.0, float(marginal.after.sum()))
    return [replace(part, before=part.before / total, after=part.after / kept) for part in joined]


def _join_few(parts: Iterable[ValueBin], least: int) -> list[ValueBin]:
    """Neighbours joined until each has at least `least` raw rows, if there are as many."""
    joined: list[ValueBin] = []
    for part in parts:
        if joined and min(part.before, joined[-1].before) < least:
            part = joined.pop().join(part)
        joined.append(part)
    return joined


def _line(marginal: Marginal, least: int) -> Iterator[ValueBin]:
    """Round steps over the number line: their ends are nobody's value.

    Steps lie between the values that `least` rows at either end reach: the size of the steps, and
    where they stop, would otherwise tell the least and the largest person's value.
    """
    coding = marginal.coding
    numbers = _numbers(coding, "Y")
    here = np.isfinite(numbers)
    if here.any():
        low, high = _reached_by(numbers[here], marginal.before[here], least)
        show = _year if coding.kind == "date" else _end
        if coding.kind == "date" and low == high:  # one year: its months tell more
            numbers, show = _numbers(coding, "M"), _month
            low, high = _reached_by(numbers[here], marginal.before[here], least)
        whole = bool((numbers[here] == np.floor(numbers[here])).all())
        step = _step(high - low, whole)
        steps = np.clip(np.floor(numbers / step), floor(low / step), floor(high / step))
        for index in range(floor(low / step), floor(high / step) + 1):
            first, last = index * step, (index + 1) * step - (1 if whole else 0)
            last_shown = show(last) if whole else f"below {show(last)}"
            inside = np.flatnonzero(here & (steps == index))
            yield _bin(marginal, inside, show(first), last_shown)


def _missing(marginal: Marginal) -> Iterator[ValueBin]:
    if marginal.coding.missing >= 0:
        yield _bin(marginal, np.array([marginal.coding.missing]), "missing")


def _reached_by(numbers: Floats, rows: Counts, least: int) -> tuple[float, float]:
    """The values up to which, and from which on, there are at least `least` rows."""
    order = np.argsort(numbers, kind="stable")
    up, down = np.cumsum(rows[order]), np.cumsum(rows[order][::-1])
    low = numbers[order][min(int(np.searchsorted(up, least)), len(order) - 1)]
    high = numbers[order][::-1][min(int(np.searchsorted(down, least)), len(order) - 1)]
    return float(min(low, high)), float(max(low, high))


def _open_ends(bins: list[ValueBin]) -> list[ValueBin]:
    """Leave the first and the last range open: how far they go is somebody's secret."""
    ranges = [index for index, part in enumerate(bins) if part.last]
    if len(ranges) == 1:
        only = ranges[0]
        return [*bins[:only], replace(bins[only], first="all values", last=""), *bins[only + 1 :]]
    if ranges:
        first, last = bins[ranges[0]], bins[ranges[-1]]
        begin = first.last if first.last.startswith("below") else f"up to {first.last}"
        bins[ranges[0]] = replace(first, first=begin, last="")
        bins[ranges[-1]] = replace(last, first=f"{last.first} and more", last="")
    return bins


def _numbers(coding: Coding, unit: Literal["Y", "M"]) -> Floats:
    """Numbers of the values; of a date its year or month, since a day would be somebody's."""
    if coding.kind != "date":
        return coding.numbers
    here = np.isfinite(coding.numbers)
    days = np.where(here, coding.numbers, 0).astype(np.int64).astype("datetime64[D]")
    first = 1970 if unit == "Y" else 1970 * 12
    return np.where(here, days.astype(f"datetime64[{unit}]").astype(np.int64) + first, np.nan)


def _step(width: float, whole: bool) -> float:
    if width <= 0:
        return 1.0
    size = 10.0 ** floor(log10(width / MOST))
    step = next(size * by for by in (1, 2, 5, 10) if width / (size * by) <= MOST)
    return max(1.0, float(ceil(step))) if whole else step


def _year(value: float) -> str:
    return str(int(value))


def _month(value: float) -> str:
    return f"{int(value) // 12}-{int(value) % 12 + 1:02}"


def _end(value: float) -> str:
    return number(int(value) if value == int(value) else value)


def _frequent(marginal: Marginal, least: int) -> Iterator[ValueBin]:
    """The most frequent values, then all others together."""
    coding, before = marginal.coding, marginal.before
    order = np.argsort(-before, kind="stable")
    shown = [code for code in order.tolist() if before[code] >= least][:MOST]
    if coding.kind == "ordinal":
        shown.sort()
    rest = np.setdiff1d(np.flatnonzero((before > 0) | (marginal.after > 0)), shown)
    for code in shown:
        value = coding.texts[code]
        yield _bin(marginal, np.array([code]), "missing" if value is None else value or "(empty)")
    if len(rest):
        others = f"{len(rest):,} other value{'s' if len(rest) > 1 else ''}"
        yield replace(_bin(marginal, rest, others), is_rest=len(shown) > 0)


def _bin(marginal: Marginal, codes: NDArray[np.intp], first: str, last: str = "") -> ValueBin:
    before, after = marginal.before[codes].sum(), marginal.after[codes].sum()
    return ValueBin(first, last, float(before), float(after))
