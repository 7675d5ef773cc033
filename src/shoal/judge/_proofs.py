"""Proofs by arithmetic on arrays that labels are true of many values at once.

A proof is sound: what it says is covered, :meth:`LabelReader.covers` says too.  It need not be
complete: whatever is left is asked one by one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from shoal.judge._count import person_codes
from shoal.judge._date_ends import dates_of_few, day_of
from shoal.judge._labels import STAR, LabelReader
from shoal.judge._text_table import TextColumn
from shoal.judge._values import NUMBER, number, period
from shoal.typing import Codes, Counts, Flags, Floats

_MARKS = 1 << 24
"""Pairs of texts up to which a table of marks is cheaper than looking at every row."""

_BLOCK = 1 << 20  # rows looked at together: what is computed for them has to fit into memory
_SIGNED = r"[+-]?\d+\.?\d*(?:[eE][+-]?\d+)?"
_BAND = re.compile(rf"\[({_SIGNED})-({_SIGNED})([\])])")

_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_MICROSECONDS_OF_A_DAY = 86_400_000_000
_SURE_SIGNS = 15
"""Decimals of so many digits differ as floats where they differ at all."""

Texts = Sequence[str | None]


def unproven_pairs(
    reader: LabelReader | None, written: TextColumn, own: TextColumn, values: Codes
) -> list[tuple[int, int]]:
    """Each pair of a written and a source's text, by number, that no proof covers.

    What proves a pair is the text itself; of columns with labels also the star, a node of the tree
    that stands above the value, and a range with the value in it.

    Parameters
    ----------
    reader : LabelReader or None
        Of the column; None where values are released as they are.
    written, own : TextColumn
        The column as it was written and as the source has it.
    values : ndarray of int32
        Number of the source's text behind each written row.
    """
    room = max(len(own.texts), 1)
    pairs: Iterable[tuple[Codes, Codes]]
    if len(written.texts) * room <= max(_MARKS, len(values)):
        marks = np.zeros(len(written.texts) * room, np.bool_)
        for start in range(0, len(values), _BLOCK):
            block = slice(start, start + _BLOCK)
            marks[written.codes[block].astype(np.int64) * room + values[block]] = True
        packed = np.flatnonzero(marks)
        pairs = [((packed // room).astype(np.int32), (packed % room).astype(np.int32))]
    else:
        pairs = (
            (written.codes[start : start + _BLOCK], values[start : start + _BLOCK])
            for start in range(0, len(values), _BLOCK)
        )
    code_of = {text: code for code, text in enumerate(own.texts)}
    equal = np.array([code_of.get(text, -1) for text in written.texts], np.int32)
    has_labels = reader is not None
    star = np.array([has_labels and text == STAR for text in written.texts], np.bool_)
    node_of = {text: node for node, text in enumerate(reader.labels)} if reader else {}
    nodes = np.array([-1 if t is None else node_of.get(t, -1) for t in written.texts], np.int32)
    leaves = np.array([node_of.get(text, -1) for text in own.texts], np.int32)
    parents = np.array(reader.parents if reader else (), np.int32)
    ranges = None
    if reader is not None and reader.kind in ("numeric", "date"):
        ranges = _read_ranges(reader.kind, written.texts, own.texts)
    left = []
    for label, value in pairs:
        open_ = np.flatnonzero((equal[label] != value) & ~star[label])
        if node_of:
            label, value = label[open_], value[open_]
            open_ = np.flatnonzero(~_are_above(nodes[label], leaves[value], parents))
        if ranges is not None:
            label, value = label[open_], value[open_]
            open_ = np.flatnonzero(~_are_within(ranges, label, value))
        left.append(np.unique(label[open_].astype(np.int64) << 32 | value[open_]))
    packed = np.unique(np.concatenate(left))
    return list(zip((packed >> 32).tolist(), (packed & 0xFFFFFFFF).tolist(), strict=True))


def _are_above(nodes: Codes, leaves: Codes, parents: Codes) -> Flags:
    """Which nodes lie above their leaves, which have the values' own texts; -1 is none."""
    parents = np.where(parents < 0, np.arange(len(parents), dtype=np.int32), parents)
    known = (nodes >= 0) & (leaves >= 0)
    above = np.zeros(len(known), np.bool_)
    while True:
        higher = parents[leaves]
        if (higher == leaves)[known & ~above].all():
            return above
        leaves = higher
        above |= known & (leaves == nodes)


class _Ranges(NamedTuple):
    """Ends that labels name, and where values lie."""

    low: Places
    high: Places
    is_open: Flags  # whether the high end is no part of the range
    no_low: Flags  # whether there is no end on that side
    no_high: Flags
    value: Places


def _are_within(ranges: _Ranges, labels: Codes, values: Codes) -> Flags:
    """Which values lie between the ends of their labels."""
    low, high, value = ranges.low, ranges.high, ranges.value
    first, last, exact = value.first[values], value.last[values], value.exact[values]
    base, top = low.first[labels], high.last[labels]
    begins = (base == first) & low.exact[labels] & exact & np.isfinite(first)
    ends = (last == top) & high.exact[labels] & exact & np.isfinite(last)
    from_low = ranges.no_low[labels] | (base < first) | begins
    to_high = np.where(ranges.is_open[labels], last < high.first[labels], (last < top) | ends)
    return ~np.isnan(first) & from_low & (ranges.no_high[labels] | to_high)


class _Ends(NamedTuple):
    """Ends that a label names: None is no reading; `free` says which end is none at all."""

    low: str | None
    high: str | None
    is_open: bool = False
    free: str = ""


_UNREAD = _Ends(None, None)


def _read_ranges(kind: str, written: Texts, own: Texts) -> _Ranges:
    """The labels as ranges, as far as they are any, and the values on the same line."""
    places_of = number_places if kind == "numeric" else date_places
    ends = [_read_ends(label, kind) for label in written]
    number: dict[str | None, int] = {}  # each end once: many ranges begin or end alike
    low = [number.setdefault(e.low, len(number)) for e in ends]
    high = [number.setdefault(e.high, len(number)) for e in ends]
    places = places_of(list(number))
    return _Ranges(
        low=Places(places.first[low], places.last[low], places.exact[low]),
        high=Places(places.first[high], places.last[high], places.exact[high]),
        is_open=np.array([e.is_open for e in ends], np.bool_),
        no_low=np.array([e.free == "low" for e in ends], np.bool_),
        no_high=np.array([e.free == "high" for e in ends], np.bool_),
        value=places_of(own),
    )


def _read_ends(label: str | None, kind: str) -> _Ends:
    if label is None:
        return _UNREAD
    if label.startswith(">="):
        return _Ends(label[2:], None, free="high")
    if label.startswith("<"):
        return _Ends(None, label[1:], is_open=True, free="low")
    if kind == "numeric":
        band = _BAND.fullmatch(label)
        return _Ends(band[1], band[2], band[3] == ")") if band else _UNREAD
    if not (label.startswith("[") and label.endswith((")", "]"))):
        return _Ends(label, label)  # a month, a year
    low, sign, high = label[1:-1].partition(" to ")
    return _Ends(low, high, label.endswith(")")) if sign else _UNREAD


# -- ends of ranges that are somebody's own value --------------------------------------------------


def ends_of_few(
    reader: LabelReader,
    written: Texts,
    own: TextColumn,
    fewest: int,
    people: TextColumn | None = None,
    rows: Counts | None = None,
) -> int:
    """Ranges that begin or end at a value that somebody has, and fewer than `fewest` people.

    Such a number may be a line all the same: one that the schema sets, or the tree in a label, a
    border of a tree that lists every whole number, or a round one for the width of its range.
    Days are lines as :mod:`shoal.judge._date_ends` says.

    Parameters
    ----------
    reader : LabelReader
        Of the column.
    written : sequence of str or None
        Distinct labels.
    own : TextColumn
        The column as the source has it.
    fewest : int
        People that may be told of together.
    people : TextColumn, optional
        Who is behind each row of the source; unless given, every row is a person.
    rows : ndarray of int64, optional
        Rows that each entry of `own` stands for, where that is not one.
    """
    known = set(reader.labels)
    ranges = [_read_ends(t, reader.kind) for t in written if t and t[0] in "[<>" and t not in known]
    ranges = [ends for ends in ranges if ends is not _UNREAD]
    if not (ranges and reader.on_lines and reader.kind in ("numeric", "date")):
        return 0
    parse: Callable[[str], Any] = number if reader.kind == "numeric" else day_of
    number_of: dict[Any, int] = {}
    codes = np.array(
        [number_of.setdefault(parse(text or ""), len(number_of)) for text in own.texts]
    )
    if people is None:
        of_text = np.bincount(own.codes, rows, minlength=len(codes))
        counts = np.bincount(codes, of_text, minlength=len(number_of))
    else:  # one person may have a value in several rows, written in several ways
        person = person_codes(people)
        room = int(person.max(initial=0)) + 1
        members = np.unique(codes[own.codes] * room + person) // room
        counts = np.bincount(members, minlength=len(number_of))
    held = dict(zip(number_of, counts.tolist(), strict=True))
    inner = set(reader.parents)
    labels = [reader.labels[code] or "" for code in inner if code >= 0]
    if reader.kind == "date":
        ends_of = [(ends.low, ends.high, ends.is_open) for ends in ranges]
        return dates_of_few(ends_of, held, fewest, labels, reader.step)
    leaves = {number(text or "") for code, text in enumerate(reader.labels) if code not in inner}
    whole = all(value is None or value == value.to_integral_value() for value in {*held, *leaves})
    scale = sorted(value for value in leaves if value is not None)
    is_scale = whole and bool(scale) and scale[-1] - scale[0] == len(scale) - 1
    bands = [_read_ends(t if t[:1] in "[<>" else f"[{t}]", "numeric") for t in labels]
    named = [number(text or "") for band in bands for text in (band.low, band.high)]
    # the band behind [20-24] begins at 25
    lines = {line + more for line in named if line is not None for more in (0, 1)}
    n_few = 0
    for ends in ranges:
        low, high = number(ends.low or ""), number(ends.high or "")
        beyond = high if high is None or ends.is_open or not whole else high + 1
        alone = [
            line
            for end, line in ((low, low), (high, beyond))
            if line is not None
            and 0 < held.get(end, 0) < fewest
            and not (is_scale or {end, line} & lines)
        ]
        if not alone:  # as a rule: looking for steps takes longest
            continue
        width = None if low is None or high is None else high - low + (not ends.is_open)
        # of rounder steps all are multiples of these
        powers = [Fraction(10) ** (width.adjusted() + more) for more in (-1, 0, 1)] if width else []
        steps = [
            power * f for power in powers for f in (1, 2, 5) if width and power * f * 6 >= width
        ]
        steps += [] if reader.step is None else [Fraction(str(reader.step))]
        n_few += sum(all(Fraction(line) % step for step in steps) for line in alone)
    return n_few


# -- many texts put on a line at once: numbers by their worth, dates by their ends ---------------


class Places(NamedTuple):
    """Where texts stand on a line.

    Parameters
    ----------
    first, last : ndarray of float
        Least and largest place that a text stands for; NaN where it has none.
    exact : ndarray of bool
        Whether two of them that are equal here are equal indeed.
    """

    first: Floats
    last: Floats
    exact: Flags


def number_places(texts: Sequence[str | None]) -> Places:
    """Numbers; an exponent may make unequal ones equal floats, and so may many digits."""
    worth = np.array(
        [float(text) if text is not None and NUMBER.fullmatch(text) else np.nan for text in texts],
        np.float64,
    )
    exact = [
        text is not None and len(text) <= _SURE_SIGNS and "e" not in text and "E" not in text
        for text in texts
    ]
    return Places(worth, worth, np.array(exact, np.bool_))


def date_places(texts: Sequence[str | None]) -> Places:
    """Years, months, days and moments, in microseconds since 1970, which floats hold exactly.

    Microseconds of the years 1 to 9999 need 59 bits: what is beyond 53 is not `exact`.
    """
    first = np.full(len(texts), np.nan)
    last = np.full(len(texts), np.nan)
    days = [index for index, text in enumerate(texts) if text is not None and _DAY.fullmatch(text)]
    try:
        listed = np.array([texts[index] for index in days], "datetime64[D]")
    except ValueError:  # the 30th of February
        days, listed = [], np.empty(0, "datetime64[D]")
    first[days] = listed.astype(np.int64) * _MICROSECONDS_OF_A_DAY
    last[days] = first[days] + (_MICROSECONDS_OF_A_DAY - 1)
    is_day = np.zeros(len(texts), np.bool_)
    is_day[days] = True
    for index in np.flatnonzero(~is_day).tolist():
        ends = period(texts[index] or "")
        if ends is not None:
            first[index], last[index] = np.array(ends, "datetime64[us]").astype(np.int64)
    exact = (np.abs(first) < 2.0**53) & (np.abs(last) < 2.0**53)
    return Places(first, last, exact)
