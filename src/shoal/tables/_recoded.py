"""Cells, the groups they are released in, and the labels of the groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.schema._band_labels import band_bounds, range_label
from shoal.schema._coding import Coding
from shoal.schema._lines import PublicRange, public_lines
from shoal.tables._frequency import FrequencyTable, group_keys
from shoal.typing import Codes, Counts, Flags, Floats

SUPPRESSED = -1
"""Group of a cell that is not released."""

_KEPT = "_node_labels"


@dataclass(frozen=True, eq=False)
class Labels:
    """The values that one column may take in a release.  Texts are distinct.

    Parameters
    ----------
    coding : Coding
        The column's raw values.
    texts : tuple of str or None
        What is written; None is a missing value released as it is.
    low, high : ndarray of int32
        First and last code covered (both included).
    node : ndarray of int32, optional
        Node of the hierarchy, -1 for a range or a set that is no node; unless given, single values
        are nodes where there is a hierarchy.
    covered : ndarray of int64, optional
        Number of values covered; the missing value does not count as one.
    ends : ndarray of float, shape (n_labels, 2), optional
        Numbers at which labels that end on public lines begin and end; kept within the values of
        a numeric or date column.
    """

    coding: Coding
    texts: tuple[str | None, ...]
    low: Codes
    high: Codes
    node: Codes = None  # type: ignore[assignment]  # follows from the others unless given
    covered: Counts = None  # type: ignore[assignment]  # likewise
    ends: Floats | None = None
    #: Whether each label is a raw value, released as it is.
    is_raw: Flags = field(init=False)
    #: Ends as they are written, which may lie beyond all values.
    written_ends: Floats | None = field(init=False)

    def __post_init__(self) -> None:
        coding, ends = self.coding, self.ends if self.coding.kind in ("numeric", "date") else None
        vars(self).update(written_ends=ends)
        low, high = (codes.astype(np.int32, copy=False) for codes in (self.low, self.high))
        is_raw = low == high
        known = {"low": low, "high": high, "is_raw": is_raw}
        if self.node is None:  # leaves have the codes of their values; wider ranges may be no node
            is_node = is_raw & (coding.hierarchy is not None)
            known["node"] = np.where(is_node, low, -1).astype(np.int32)
        if self.covered is None:
            # the missing value is the last code, and no value: a range that ends there covers less
            ends_missing = (high == coding.missing) & (low < high) & (coding.missing >= 0)
            known["covered"] = (high - low + 1 - ends_missing).astype(np.int64)
        if ends is not None and not np.isnan(coding.numbers).all():
            ends = np.clip(ends, np.nanmin(coding.numbers), np.nanmax(coding.numbers))
        vars(self).update(known, ends=ends)

    def __repr__(self) -> str:
        return f"Labels({self.coding.name!r}, {len(self.texts)} labels)"

    @cached_property
    def bounds(self) -> Floats:
        """Least and largest number behind each label, shape (n_labels, 2); NaN for text.

        In a numeric column what a band's label says counts, not the values seen in it; an open end
        is the least or largest value of the column.  Ranks and dates are not what labels say.
        """
        numbers = self.coding.numbers
        ends = np.full((len(self.texts), 2), np.nan)
        if np.isnan(numbers).all():
            return ends
        least, largest = np.nanmin(numbers), np.nanmax(numbers)
        for label, (low, high) in enumerate(zip(self.low, self.high, strict=True)):
            inside = numbers[low : high + 1]
            is_band = self.coding.kind == "numeric" and low < high
            said = band_bounds(self.texts[label]) if is_band else None
            if said is not None:
                ends[label] = (
                    said[0] if np.isfinite(said[0]) else least,
                    said[1] if np.isfinite(said[1]) else largest,
                )
            elif not np.isnan(inside).all():
                ends[label] = np.nanmin(inside), np.nanmax(inside)
        return ends


def node_labels(coding: Coding) -> Labels:
    """Every node of the column's hierarchy as a label; codes of labels are codes of nodes.

    Made once, and kept with the coding: losses, solvers and recodings all ask for them.
    """
    kept = vars(coding)  # as a cached property of the coding would be, if it knew of labels
    if _KEPT not in kept:
        tree = coding.hierarchy
        assert tree is not None
        nodes = np.arange(tree.n_nodes, dtype=np.int32)
        low, high = tree.start, tree.stop - 1
        kept[_KEPT] = Labels(coding, tree.labels, low, high, nodes, tree.n_leaves_below)
    labels: Labels = kept[_KEPT]
    return labels


def range_labels(coding: Coding, low: Codes, high: Codes) -> Labels:
    """Labels for ranges of codes (both ends included; pairs must be distinct).

    A range of one code is released as the raw value.  Where a range's ends are missing values
    the label is the root.
    """
    texts: list[str | None] = []
    for a, b in zip(low.tolist(), high.tolist(), strict=True):
        if a == b:
            texts.append(coding.texts[a])
        elif b == coding.missing:
            texts.append("*")
        else:
            texts.append(range_label(coding.texts[a], coding.texts[b]))
    return Labels(coding, tuple(texts), low, high)


def public_range_labels(
    coding: Coding,
    low: Codes,
    high: Codes,
    starred: Flags | None = None,
    *,
    all_is_star: bool = False,
) -> tuple[Labels, Codes]:
    """Labels for ranges of codes widened to public lines, and the label of each range.

    A range of one code is released as the value: everybody in it has that value, so it tells of
    nobody more than its label says.  A range that ends with the missing value or is `starred` is
    released as `*`; with `all_is_star`, so is one that covers every value.

    Examples
    --------
    >>> from shoal.schema import Column
    >>> from shoal.schema._coding import make_coding
    >>> age = make_coding("age", Column("quasi-identifier", "numeric"), [31, 33, 34, 52, 58, 99])
    >>> labels, label = public_range_labels(age, np.array([0, 0, 3]), np.array([1, 2, 3]))
    >>> labels.texts, label.tolist()
    (('[30-34]', '52'), [0, 0, 1])
    """
    widen, star_range = public_lines(coding), PublicRange(0, coding.n_codes - 1)
    stars = np.zeros(len(low), np.bool_) if starred is None else starred
    # all ranges between the same two bands are widened alike, whatever values they end at: one
    # range of each kind is looked up.  Single values and stars are kinds of their own
    bands = coding.bands
    keys = np.arange(coding.n_codes) if bands is None else bands.astype(np.int64)
    room = int(keys.max(initial=0)) + 1
    alone = (low == high) & ~stars
    hides = stars | ((low < high) & (high == coding.missing))
    packed = np.where(alone, room * room + low.astype(np.int64), keys[low] * room + keys[high])
    _, first_of, of_kind = np.unique(
        np.where(hides, -1, packed), return_index=True, return_inverse=True
    )
    order = np.argsort(first_of, kind="stable")  # labels are numbered as they appear
    kinds, rank = first_of[order], np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    number_of: dict[str | None, int] = {}
    ranges: list[PublicRange] = []
    codes = np.empty(len(kinds), np.int32)
    asked = zip(low[kinds].tolist(), high[kinds].tolist(), stars[kinds].tolist(), strict=True)
    for index, (first, last, star) in enumerate(asked):
        if first == last and not star:
            number = float(coding.numbers[first])
            text, widened = coding.texts[first], PublicRange(first, last, "", number, number)
        else:
            hidden = star or last == coding.missing
            widened = star_range if hidden else widen(first, last) or _exact(coding, first, last)
            if all_is_star and widened.low == 0 and widened.high >= coding.n_codes - 1:
                widened = star_range
            text = widened.text
        if text not in number_of:
            number_of[text] = len(ranges)
            ranges.append(widened)
        elif (
            widened.high - widened.low > ranges[number_of[text]].high - ranges[number_of[text]].low
        ):
            ranges[number_of[text]] = widened  # a value may be spelt as a range is, or as '*'
        codes[index] = number_of[text]
    spans = np.array([(widened.low, widened.high) for widened in ranges], np.int32).reshape(-1, 2)
    ends = np.array([(widened.least, widened.most) for widened in ranges]).reshape(-1, 2)
    label_of = codes[rank[of_kind.reshape(-1)]]
    return Labels(coding, tuple(number_of), spans[:, 0], spans[:, 1], ends=ends), label_of


def _exact(coding: Coding, low: int, high: int) -> PublicRange:
    """A range of a column that has no public lines."""
    text = range_label(coding.texts[low], coding.texts[high])
    return PublicRange(low, high, text, float(coding.numbers[low]), float(coding.numbers[high]))


@dataclass(frozen=True, eq=False)
class Recoded:
    """A table of cells, with the group that each cell is released in.

    Parameters
    ----------
    cells : FrequencyTable
        The raw combinations.
    labels : tuple of Labels
        One per quasi-identifier.
    codes : ndarray of int32, shape (n_groups, n_quasi_identifiers)
        Each group's label in each column; rows are distinct.
    group_of : ndarray of int64
        Group of each cell; -1 when its rows are suppressed.
    per_column : tuple of ndarray or None
        When every column is recoded on its own: the label of each code.  Engines then need no
        join on whole combinations.
    """

    cells: FrequencyTable
    labels: tuple[Labels, ...]
    codes: Codes
    group_of: NDArray[np.int64]
    per_column: tuple[Codes, ...] | None = field(default=None)
    #: Which cells are suppressed.
    suppressed: Flags = field(init=False)
    #: Number of rows suppressed, or of people where those are counted.
    n_suppressed: int = field(init=False)
    #: Number of rows released, whatever is counted.
    n_released_rows: int = field(init=False)

    def __post_init__(self) -> None:
        suppressed = self.group_of == SUPPRESSED
        left_out = int(self.cells.sizes[suppressed].sum())
        released = int(self.cells.row_counts[~suppressed].sum())
        vars(self).update(suppressed=suppressed, n_suppressed=left_out, n_released_rows=released)

    @classmethod
    def from_cells(
        cls,
        cells: FrequencyTable,
        labels: Sequence[Labels],
        codes: Codes,
        *,
        suppressed: Flags | None = None,
        per_column: Sequence[Codes] | None = None,
    ) -> Recoded:
        """Join cells whose labels (`codes`, one row per cell) are equal into groups."""
        kept = np.ones(len(codes), np.bool_) if suppressed is None else ~suppressed
        inside, n_groups = group_keys(codes[kept])
        group_of = np.full(len(codes), SUPPRESSED, np.int64)
        group_of[kept] = inside
        rows = np.zeros((n_groups, codes.shape[1]), np.int32)
        rows[inside[::-1]] = codes[kept][::-1]  # backwards: the first cell of a group writes last
        maps = None if per_column is None else tuple(per_column)
        return cls(cells, tuple(labels), rows, group_of, maps)

    @classmethod
    def from_parts(
        cls, cells: FrequencyTable, labels: Sequence[Labels], codes: Codes, part: NDArray[np.int64]
    ) -> Recoded:
        """The same for cells in parts: `codes` are those of parts, `part` is each cell's.

        Groups are numbered as :meth:`from_cells` does, by the first of their cells.
        """
        same, n_groups = group_keys(codes)
        group = same[part]
        first = np.full(n_groups, len(part), np.int64)
        np.minimum.at(first, group, np.arange(len(part)))
        order = np.argsort(first, kind="stable")
        rank = np.empty(n_groups, np.int64)
        rank[order] = np.arange(n_groups)
        rows = np.zeros((n_groups, codes.shape[1]), np.int32)
        rows[rank[same]] = codes
        return cls(cells, tuple(labels), rows, rank[group])

    @cached_property
    def groups(self) -> FrequencyTable:
        """The released groups, counted; keys are codes of labels."""
        return self.cells.merge(self.group_of, len(self.codes), self.codes)

    def is_untouched(self, column: int) -> bool:
        """Whether every released value of a column is the raw one."""
        labels = self.labels[column]
        used = np.unique(self.codes[:, column])
        # a star over the only value ever fitted covers one code, and is not that value
        return bool(labels.is_raw[used].all()) and all(
            labels.texts[label] == labels.coding.texts[labels.low[label]] for label in used
        )
