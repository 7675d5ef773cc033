"""How often each value occurs: in the raw table, and as a recipient reads it off the release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.schema._band_labels import band_bounds
from shoal.schema._coding import Coding
from shoal.tables import FrequencyTable
from shoal.tables._engine import STAR
from shoal.tables.forms._label_ends import label_ends
from shoal.typing import Counts, Flags, Floats


class ValueRows(NamedTuple):
    """The values of a column, and how many rows have each."""

    coding: Coding
    rows: Counts


class RawValues(NamedTuple):
    """The values of a raw table, column by column.

    `cells` are its combinations; None where they stay on a cluster.
    """

    quasi: tuple[ValueRows, ...]
    sensitive: Mapping[str, ValueRows]
    cells: FrequencyTable | None

    @classmethod
    def of(cls, cells: FrequencyTable) -> RawValues:
        """Those of all rows, from their combinations."""
        counted = []
        for column, coding in enumerate(cells.codings):
            codes = cells.keys[:, column]
            rows = np.bincount(codes, weights=cells.sizes, minlength=coding.n_codes)
            counted.append(ValueRows(coding, rows.astype(np.int64)))
        sensitive = {name: ValueRows(own.coding, own.totals) for name, own in
                     cells.histograms.items()}  # fmt: skip
        return cls(tuple(counted), sensitive, cells)


@dataclass(frozen=True, eq=False)
class Marginal:
    """One column before and after.

    Parameters
    ----------
    coding : Coding
        The raw values.
    before : ndarray of int64
        Raw rows with each value.
    after : ndarray of float64
        Released rows with each value, a label's rows spread evenly over the values it can mean.
    unplaced : int
        Released rows whose label means none of the values.
    """

    coding: Coding
    before: Counts
    after: Floats
    unplaced: int

    @property
    def moved(self) -> float:
        """Share of rows that would have to change for the two to be alike (total variation)."""
        if not self.before.sum() or not self.after.sum():
            return 1.0
        return float(abs(_shares(self.before) - _shares(self.after)).sum() / 2)


def label_counts(groups: FrequencyTable, column: int) -> Iterator[tuple[str | None, int]]:
    """Labels of one column in a released table, with their rows."""
    coding = groups.codings[column]
    rows = np.bincount(groups.keys[:, column], weights=groups.sizes, minlength=coding.n_codes)
    for label, n in zip(coding.texts, rows.astype(np.int64).tolist(), strict=True):
        if n:
            yield label, n


def compare_marginals(raw: RawValues, groups: FrequencyTable) -> list[Marginal]:
    """Every quasi-identifier of the raw table beside the released groups."""
    marginals = []
    for coding, before in raw.quasi:
        after, unplaced = np.zeros(coding.n_codes), 0
        for label, n in label_counts(groups, groups.names.index(coding.name)):
            means = meaning(label, coding)
            if means.any():
                after[means] += n / means.sum()
            else:
                unplaced += n
        marginals.append(Marginal(coding, before, after, unplaced))
    return marginals


def meaning(label: str | None, coding: Coding) -> Flags:
    """Which values a released label can stand for: a value, a star, a node, a range, a set."""
    means = np.zeros(coding.n_codes, np.bool_)
    if label in coding.code_of:
        means[coding.code_of[label]] = True
    elif label == STAR:
        means[:] = True
    elif label is not None:
        tree = coding.hierarchy
        node = tree.find(label) if tree is not None else -1
        if tree is not None and node >= 0:
            means[tree.start[node] : tree.stop[node]] = True
        elif not _set(label, coding, means):
            _range(label, coding, means)
    return means


def _set(label: str, coding: Coding, means: Flags) -> bool:
    if not (label.startswith("{") and label.endswith("}")):
        return False
    for part in label[1:-1].split(","):
        means |= meaning(part.strip(), coding)
    return True


def _range(label: str, coding: Coding, means: Flags) -> None:
    if coding.kind == "date":
        days = label_ends(label, "date")
        if days is not None and days.low is not None and days.high is not None:
            day = np.floor(coding.numbers)
            means |= (day >= float(days.low)) & (day <= float(days.high))
        return
    bounds = band_bounds(label)
    if bounds is not None and not np.isnan(coding.numbers).all():
        below = label.startswith("<") or label.endswith(")")
        numbers = coding.numbers
        means |= (numbers >= bounds[0]) & (
            (numbers < bounds[1]) if below else (numbers <= bounds[1])
        )
        return
    inner = label.removeprefix("[").removesuffix("]")
    for cut in (dash for dash, sign in enumerate(inner) if sign == "-"):  # values may hold dashes
        first, last = coding.code_of.get(inner[:cut]), coding.code_of.get(inner[cut + 1 :])
        if first is not None and last is not None:
            means[first : last + 1] = True
            return


def moved_between(before: ValueRows, after: ValueRows) -> float:
    """Total variation between one column's values in two tables."""
    shares: dict[str | None, float] = {}
    for sign, (coding, rows) in ((1.0, before), (-1.0, after)):
        parts = _shares(rows) if rows.sum() else rows
        for value, share in zip(coding.texts, parts.tolist(), strict=True):
            shares[value] = shares.get(value, 0.0) + sign * share
    return sum(map(abs, shares.values())) / 2


def _shares(rows: Counts | Floats) -> Floats:
    return rows / rows.sum()
