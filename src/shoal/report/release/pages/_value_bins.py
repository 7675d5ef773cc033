"""Values put together so that a picture has few bars, and none for a handful of people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil, floor, log10

import numpy as np
from numpy.typing import NDArray

from shoal.report.release.facts._marginals import Marginal
from shoal.report.release.pages._numbers import number
from shoal.schema._coding import Coding
from shoal.typing import Floats

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
    """

    first: str
    last: str
    before: float
    after: float

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
    """Shares of few bins; each holds at least `least` raw rows where the column has as many."""
    is_line = marginal.coding.kind in ("numeric", "date")
    parts = _line(marginal) if is_line else _frequent(marginal, least)
    joined: list[ValueBin] = []
    for part in parts:
        if joined and min(part.before, joined[-1].before) < least:
            part = joined.pop().join(part)
        joined.append(part)
    total, kept = max(1.0, float(marginal.before.sum())), max(1.0, float(marginal.after.sum()))
    return [replace(part, before=part.before / total, after=part.after / kept) for part in joined]


def _line(marginal: Marginal) -> Iterator[ValueBin]:
    """Round steps over the number line: their ends are nobody's value."""
    coding = marginal.coding
    numbers = _numbers(coding)
    here = np.isfinite(numbers)
    if here.any():
        low, high = float(numbers[here].min()), float(numbers[here].max())
        whole = bool((numbers[here] == np.floor(numbers[here])).all())
        step = _step(high - low, whole)
        for index in range(floor(low / step), floor(high / step) + 1):
            inside = here & (numbers >= index * step) & (numbers < (index + 1) * step)
            first, last = index * step, (index + 1) * step - (1 if whole else 0)
            is_year = coding.kind == "date"
            last_shown = _end(last, is_year) if whole else f"below {_end(last, is_year)}"
            yield _bin(marginal, np.flatnonzero(inside), _end(first, is_year), last_shown)
    if coding.missing >= 0:
        yield _bin(marginal, np.array([coding.missing]), "missing")


def _numbers(coding: Coding) -> Floats:
    """Numbers of the values; of a date its year, since a day would be somebody's."""
    if coding.kind != "date":
        return coding.numbers
    here = np.isfinite(coding.numbers)
    days = np.where(here, coding.numbers, 0).astype(np.int64).astype("datetime64[D]")
    return np.where(here, days.astype("datetime64[Y]").astype(np.int64) + 1970, np.nan)


def _step(width: float, whole: bool) -> float:
    if width <= 0:
        return 1.0
    size = 10.0 ** floor(log10(width / MOST))
    step = next(size * by for by in (1, 2, 5, 10) if width / (size * by) <= MOST)
    return max(1.0, float(ceil(step))) if whole else step


def _end(value: float, is_year: bool) -> str:
    if is_year:
        return str(int(value))
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
        yield _bin(marginal, rest, f"{len(rest):,} other value{'s' if len(rest) > 1 else ''}")


def _bin(marginal: Marginal, codes: NDArray[np.intp], first: str, last: str = "") -> ValueBin:
    before, after = marginal.before[codes].sum(), marginal.after[codes].sum()
    return ValueBin(first, last, float(before), float(after))
