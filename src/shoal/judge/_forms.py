"""Columns that were written in another form: whether their cells are what their labels make them.

The labels behind the rows are claimed by whoever wrote them.  Here every written cell is made again
from the claimed label (for a draw also from all labels of the column and the seed), and must be
the same.  The claimed labels are then judged as if they had been written: they have to cover the
source, and their groups have to keep the promise.  So nothing but labels, and chance, is in a cell.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import GuaranteeError
from shoal.judge._labels import STAR
from shoal.judge._text_table import TextColumn, TextTable, make_column
from shoal.judge._values import is_missing, iso_moment, number, period

ENDS = ("_low", "_high")
"""What names of the columns of an interval end in."""

_EPOCH = dt.datetime(1970, 1, 1)
_BITS = 20
_WITHHELD = "It is withheld; please report this defect."
_Side = Decimal | None
Units = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Claim:
    """What is claimed of columns in another form.

    Parameters
    ----------
    form : str
        "intervals", "midpoints", "draws" or "means".
    labels : mapping of str to TextColumn
        The label behind each row, by column.
    kinds : mapping of str to str
        "numeric" or "date", by column.
    seeds : mapping of str to int
        Of the draws, by column.
    steps : mapping of str to Fraction
        What means are rounded to, by column.
    """

    form: str = "labels"
    labels: Mapping[str, TextColumn] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    seeds: Mapping[str, int] = field(default_factory=dict)
    steps: Mapping[str, Fraction] = field(default_factory=dict)

    def names(self) -> set[str]:
        """Names of the columns that are written for the labels."""
        ends = ENDS if self.form == "intervals" else ("",)
        return {name + end for name in self.labels for end in ends}


def to_labels(claim: Claim, written: TextTable) -> tuple[TextTable, TextTable | None]:
    """The table with the claimed labels in place, once every written cell was made again.

    The second is the same table with labels that are written alike made one; None where none are,
    or where draws tell nothing about groups.  Means are made again by `judge_group_means`, which
    knows the source; here the second is the table as it was written.
    """
    labels, merged = {}, {}
    for name, column in claim.labels.items():
        if len(column.codes) != written.n_rows:
            raise GuaranteeError(f"column {name!r}: labels of other rows were claimed. {_WITHHELD}")
        # the root of a hierarchy and a suppressed row are both starred
        labels[name] = make_column(column.codes, list(column.texts))
        if claim.form == "draws":
            _judge_draws(claim, name, column, written)
        elif claim.form != "means":
            alike = _judge_ends(claim, name, column, written)
            merged[name] = labels[name] if alike is column else alike
    kept = {name: column for name, column in written.columns.items() if name not in claim.names()}
    whole = TextTable(kept | labels, written.n_rows, written.side_doors)
    if claim.form == "means" and labels:
        return whole, written
    if all(merged.get(name, column) is column for name, column in labels.items()):
        return whole, None
    return whole, TextTable(kept | labels | merged, written.n_rows)


def join_intervals(written: TextTable, names: Sequence[str]) -> TextTable:
    """Columns `NAME_low` and `NAME_high` as one column `NAME`, where a table has no such column."""
    columns = dict(written.columns)
    for name in names:
        low, high = (columns.get(name + end) for end in ENDS)
        if name in columns or low is None or high is None:
            continue
        room = len(high.texts)
        packed, codes = np.unique(
            low.codes.astype(np.int64) * room + high.codes, return_inverse=True
        )
        texts = [
            _joined(low.texts[pair // room], high.texts[pair % room]) for pair in packed.tolist()
        ]
        del columns[name + ENDS[0]], columns[name + ENDS[1]]
        columns[name] = TextColumn(codes.ravel().astype(np.int32), tuple(texts))
    return TextTable(columns, written.n_rows, written.side_doors)


def _joined(low: str | None, high: str | None) -> str:
    if low is None and high is None:
        return STAR
    return f"[{'' if low is None else low} to {'' if high is None else high}]"


def _judge_ends(claim: Claim, name: str, labels: TextColumn, written: TextTable) -> TextColumn:
    """Compare intervals or middles; returns the column with labels of equal text made one."""
    said = _read_all(claim, name, labels)
    whole = _speak_of_whole(said.values())
    wanted: dict[int, tuple[_Side, ...]] = {}
    for code, (low, high, is_open) in said.items():
        last = high - 1 if whole and is_open and high is not None else high
        both = (low, last)
        if claim.form == "midpoints":
            middle = last if low is None else low if last is None else (low + last) / 2
            days = claim.kinds[name] == "date"
            both = (None if middle is None else Decimal(math.floor(middle)) if days else middle,)
        wanted[code] = both
    ends = ENDS if claim.form == "intervals" else ("",)
    for side, end in enumerate(ends):
        column = _written(written, name + end)
        wrong = 0
        for label, text, rows in _pairs(labels, column):
            if not _says(text, wanted.get(label, (None, None))[side], claim.kinds[name]):
                wrong += rows
        _refuse(name, wrong)
    first: dict[tuple[_Side, ...], int] = {}
    nothing = (None,) * len(ends)
    one = [first.setdefault(wanted.get(code, nothing), code) for code in range(len(labels.texts))]
    if one == list(range(len(labels.texts))):
        return labels
    return TextColumn(np.array(one, np.int32)[labels.codes], labels.texts)


def _judge_draws(claim: Claim, name: str, labels: TextColumn, written: TextTable) -> None:
    column = _written(written, name)
    said = _read_all(claim, name, labels)
    scale = 0 if claim.kinds[name] == "date" else _digits(said.values())
    spans = _spans(said, scale)
    expected = _draw_again(labels, spans, claim.seeds[name])
    units = [_units(text, scale, claim.kinds[name]) for text in column.texts]
    drawn = np.array([0 if unit is None else unit for unit in units], np.int64)[column.codes]
    is_none = np.array([unit is None for unit in units], np.bool_)[column.codes]
    nothing = np.array([code not in spans for code in range(len(labels.texts))])[labels.codes]
    wrong = (is_none != nothing) | (~nothing & (drawn != expected))
    for row in np.flatnonzero(wrong & ~is_none & ~nothing).tolist():
        # several units are one binary number where numbers are large
        meant = number(column.texts[column.codes[row]] or "")
        again = Decimal(int(expected[row])).scaleb(-scale)
        wrong[row] = meant is None or float(meant) != float(again)
    _refuse(name, int(wrong.sum()))


def _refuse(name: str, rows: int) -> None:
    if rows:
        raise GuaranteeError(
            f"column {name!r}: {rows} rows have something else than their labels make. {_WITHHELD}"
        )


def _written(written: TextTable, name: str) -> TextColumn:
    if name not in written.columns:
        raise GuaranteeError(f"the output lacks column {name!r}. {_WITHHELD}")
    return written.columns[name]


def _pairs(labels: TextColumn, column: TextColumn) -> Iterator[tuple[int, str | None, int]]:
    room = max(len(column.texts), 1)
    packed, counts = np.unique(
        labels.codes.astype(np.int64) * room + column.codes, return_counts=True
    )
    for pair, rows in zip(packed.tolist(), counts.tolist(), strict=True):
        yield pair // room, column.texts[pair % room], rows


# -- what labels say, read without the engines --------------------------------------------------


def _read_all(claim: Claim, name: str, labels: TextColumn) -> dict[int, tuple[_Side, _Side, bool]]:
    """Ends of the labels that rows have; a missing value has none, and is not listed."""
    said = {}
    for code in np.unique(labels.codes).tolist():
        text = labels.texts[code]
        if text is None:
            continue
        ends = _read(text, claim.kinds[name])
        if ends is None:
            raise GuaranteeError(
                f"column {name!r} has labels that are no numbers, in another form. {_WITHHELD}"
            )
        said[code] = ends
    return said


def _read(label: str, kind: str) -> tuple[_Side, _Side, bool] | None:
    """Least and largest value, days for dates, and whether the largest is left out."""
    if label == STAR:
        return None, None, False
    parse = _days if kind == "date" else _numbers
    if (own := parse(label)) is not None:
        return own[0], own[1], False
    if kind != "date" and label[:2] == ">=":
        low = parse(label[2:])
        return None if low is None else (low[0], None, False)
    if kind != "date" and label[:1] == "<":
        high = parse(label[1:])
        return None if high is None else (None, high[0], True)
    if label[:1] != "[" or label[-1:] not in ("]", ")"):
        return None
    sign = " to " if kind == "date" else "-"
    inner, split = label[1:-1], label.find(sign, 2) - 1
    while split >= 0:
        low, high = parse(inner[:split]), parse(inner[split + len(sign) :])
        if low is not None and high is not None:
            if kind == "date":
                return low[0], high[0] - 1 if label[-1] == ")" else high[1], False
            return low[0], high[0], label[-1] == ")"
        split = inner.find(sign, split + 1)
    return None


def _numbers(text: str) -> tuple[Decimal, Decimal] | None:
    value = number(text)
    return None if value is None else (value, value)


def _days(text: str) -> tuple[Decimal, Decimal] | None:
    if match := re.fullmatch(r"(\d{4})-Q([1-4])", text):
        first = (int(match[2]) - 1) * 3 + 1
        both = period(f"{match[1]}-{first:02}"), period(f"{match[1]}-{first + 2:02}")
    elif re.fullmatch(r"\d{3}0s", text):
        both = period(text[:4]), period(f"{text[:3]}9")
    else:
        both = period(text), period(text)
    if both[0] is None or both[1] is None:
        return None
    return Decimal((both[0][0] - _EPOCH).days), Decimal((both[1][1] - _EPOCH).days)


def _speak_of_whole(ends: Any) -> bool:
    return all(
        not (is_open and low is not None)
        and all(side is None or side == side.to_integral_value() for side in (low, high))
        for low, high, is_open in ends
    )


def _says(text: str | None, wanted: _Side, kind: str) -> bool:
    if wanted is None or is_missing(text):
        return wanted is None and is_missing(text)
    if kind == "date":
        return _units(text, 0, kind) == int(wanted)
    value = number(text or "")
    return value is not None and (value == wanted or float(value) == float(wanted))


def _units(text: str | None, scale: int, kind: str) -> int | None:
    if text is None or is_missing(text):
        return None
    if kind == "date":
        moment = iso_moment(text)
        return -(2**62) if moment is None else (moment - _EPOCH).days
    value = number(text)
    # a draw is a binary number: the nearest unit, which must be that number again
    if value is None:
        return -(2**62)
    units = round(value * 10**scale)
    near = float(Decimal(units).scaleb(-scale)) == float(value)
    return units if near else -(2**62)


# -- draws made again ---------------------------------------------------------------------------


def _digits(ends: Any) -> int:
    """Digits behind the point of a draw: none for whole numbers, else two more than labels have."""
    if _speak_of_whole(ends):
        return 0
    most = 0
    for low, high, _ in ends:
        for side in (low, high):
            if side is not None:
                most = max(most, -int(side.normalize().as_tuple().exponent))
    return min(most, 12) + 2


def _spans(said: Mapping[int, tuple[_Side, _Side, bool]], scale: int) -> dict[int, tuple[int, int]]:
    closed: dict[int, tuple[int | None, int | None]] = {}
    for code, (low, high, is_open) in said.items():
        first = None if low is None else int(low.scaleb(scale))
        last = None if high is None else int(high.scaleb(scale)) - int(is_open)
        closed[code] = first, last
    known = [side for pair in closed.values() for side in pair if side is not None]
    if not known:
        return {}
    least, most = min(known), max(known)
    return {
        code: (least if first is None else first, most if last is None else last)
        for code, (first, last) in closed.items()
    }


def _draw_again(labels: TextColumn, spans: Mapping[int, tuple[int, int]], seed: int) -> Units:
    chance = np.random.default_rng(seed).integers(0, 2**63, (2, len(labels.codes)), dtype=np.int64)
    rows = np.bincount(labels.codes, minlength=len(labels.texts))
    steps: dict[int, int] = defaultdict(int)
    for code, (first, last) in spans.items():
        density = (int(rows[code]) << 2 * _BITS) // (last + 1 - first)
        steps[first] += density
        steps[last + 1] -= density
    starts, before = sorted(steps), [0]
    density = 0
    for start, stop in pairwise(starts):
        density += steps[start]
        before.append(before[-1] + max(1, density * (stop - start) >> _BITS))
    return _pick(labels, spans, starts, before, chance)


def _pick(
    labels: TextColumn,
    spans: Mapping[int, tuple[int, int]],
    starts: Sequence[int],
    before: Sequence[int],
    chance: Any,
) -> Units:
    """For each label by itself: a piece by its weight, then a unit of the piece."""
    index_of = {start: index for index, start in enumerate(starts)}
    sums, lines = np.array(before, np.int64), np.array(starts, np.int64)
    drawn = np.zeros(len(labels.codes), np.int64)
    order = np.argsort(labels.codes, kind="stable")
    bounds = np.searchsorted(labels.codes[order], np.arange(len(labels.texts) + 1))
    for code, (first, last) in spans.items():
        rows = order[bounds[code] : bounds[code + 1]]
        a, b = index_of[first], index_of[last + 1]
        weight = sums[a] + chance[0][rows] % (sums[b] - sums[a])
        piece = np.searchsorted(sums[a : b + 1], weight, side="right") - 1 + a
        drawn[rows] = lines[piece] + chance[1][rows] % (lines[piece + 1] - lines[piece])
    return drawn
