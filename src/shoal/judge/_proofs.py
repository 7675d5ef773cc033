"""Proofs by arithmetic on arrays that labels are true of many values at once.

A proof is sound: what it says is covered, :meth:`LabelReader.covers` says too.  It need not be
complete: whatever is left is asked one by one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from shoal.judge._labels import STAR, LabelReader
from shoal.judge._text_table import TextColumn
from shoal.judge._values import NUMBER, period
from shoal.typing import Codes, Flags, Floats

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
Proof = Callable[[Codes, Codes], Flags]
"""Which of some pairs are fine: numbers of written texts, and of texts of the source."""


def unproven_pairs(
    reader: LabelReader | None, written: TextColumn, own: TextColumn, values: Codes
) -> list[tuple[int, int]]:
    """Each pair of a written and a source's text, by number, that no proof covers.

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
    proofs, left = _proofs(reader, written.texts, own.texts), []
    for label, value in pairs:
        for proof in proofs:
            unproven = ~proof(label, value)
            label, value = label[unproven], value[unproven]
        left.append(np.unique(label.astype(np.int64) << 32 | value.astype(np.int64)))
    packed = np.unique(np.concatenate(left))
    return list(zip((packed >> 32).tolist(), (packed & 0xFFFFFFFF).tolist(), strict=True))


def _proofs(reader: LabelReader | None, written: Texts, own: Texts) -> list[Proof]:
    """The text itself; of columns with labels also the star, nodes of a tree, and ranges."""
    code_of = {text: code for code, text in enumerate(own)}
    equal = np.array([code_of.get(text, -1) for text in written], np.int32)
    star = np.array([text == STAR for text in written], np.bool_)
    proofs: list[Proof] = [lambda labels, values: equal[labels] == values]
    if reader is None:
        return proofs
    proofs.append(lambda labels, _values: star[labels])
    if reader.labels:
        proofs.append(_in_tree(reader, written, own))
    if reader.kind in ("numeric", "date"):
        proofs.append(_in_range(reader.kind, written, own))
    return proofs


def _in_tree(reader: LabelReader, written: Texts, own: Texts) -> Proof:
    """Labels that are nodes above the leaf that has the value's own text."""
    node_of = {text: node for node, text in enumerate(reader.labels)}
    parents = np.array(reader.parents, np.int32)
    parents = np.where(parents < 0, np.arange(len(parents), dtype=np.int32), parents)
    wanted = np.array([-1 if t is None else node_of.get(t, -1) for t in written], np.int32)
    leaves = np.array([node_of.get(text, -1) for text in own], np.int32)

    def proof(labels: Codes, values: Codes) -> Flags:
        node, climbed = wanted[labels], leaves[values]
        known = (node >= 0) & (climbed >= 0)
        above = np.zeros(len(known), np.bool_)
        while True:
            higher = parents[climbed]
            if (higher == climbed)[known & ~above].all():
                return above
            climbed = higher
            above |= known & (climbed == node)

    return proof


class _Ends(NamedTuple):
    """Ends that a label names: None is no reading; `free` says which end is none at all."""

    low: str | None
    high: str | None
    is_open: bool = False
    free: str = ""


_UNREAD = _Ends(None, None)


def _in_range(kind: str, written: Texts, own: Texts) -> Proof:
    """Labels that are ranges whose ends lie on both sides of the value."""
    place = number_places if kind == "numeric" else date_places
    ends = [_read_ends(label, kind) for label in written]
    lows, highs = [e.low for e in ends], [e.high for e in ends]
    number = {text: code for code, text in enumerate(dict.fromkeys(chain(lows, highs)))}
    at_ends = place(list(number))  # each once: many ranges begin or end alike
    low, high = (
        at_ends.of(np.array([number[end] for end in one], np.int64)) for one in (lows, highs)
    )
    value = place(own)
    is_open = np.array([e.is_open for e in ends], np.bool_)
    no_low = np.array([e.free == "low" for e in ends], np.bool_)
    no_high = np.array([e.free == "high" for e in ends], np.bool_)

    def proof(labels: Codes, values: Codes) -> Flags:
        at, base, top = value.of(values), low.of(labels), high.of(labels)
        begins = (base.first == at.first) & base.exact & at.exact & np.isfinite(at.first)
        ends = (at.last == top.last) & top.exact & at.exact & np.isfinite(at.last)
        from_low = no_low[labels] | (base.first < at.first) | begins
        to_high = np.where(is_open[labels], at.last < top.first, (at.last < top.last) | ends)
        return ~np.isnan(at.first) & from_low & (no_high[labels] | to_high)

    return proof


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

    def of(self, codes: np.ndarray) -> Places:
        """Places by their numbers."""
        return Places(self.first[codes], self.last[codes], self.exact[codes])


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
    days = [place for place, text in enumerate(texts) if text is not None and _DAY.fullmatch(text)]
    try:
        listed = np.array([texts[place] for place in days], "datetime64[D]")
    except ValueError:  # the 30th of February
        days, listed = [], np.empty(0, "datetime64[D]")
    first[days] = listed.astype(np.int64) * _MICROSECONDS_OF_A_DAY
    last[days] = first[days] + (_MICROSECONDS_OF_A_DAY - 1)
    is_day = np.zeros(len(texts), np.bool_)
    is_day[days] = True
    for place in np.flatnonzero(~is_day).tolist():
        ends = period(texts[place] or "")
        if ends is not None:
            first[place], last[place] = np.array(ends, "datetime64[us]").astype(np.int64)
    exact = (np.abs(first) < 2.0**53) & (np.abs(last) < 2.0**53)
    return Places(first, last, exact)
