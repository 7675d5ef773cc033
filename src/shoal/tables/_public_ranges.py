"""Labels of ranges that end on public lines."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from shoal.schema._band_labels import range_label
from shoal.schema._coding import Coding
from shoal.schema._lines import PublicRange, Widen, bands_of, everything, public_lines
from shoal.tables._recoded import Labels
from shoal.typing import Codes, Flags


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
    widen = public_lines(coding)
    stars = np.zeros(len(low), np.bool_) if starred is None else starred
    number_of: dict[str | None, int] = {}
    ranges: list[PublicRange] = []
    kinds, kind_of = _alike(coding, low, high, stars)
    codes = np.empty(len(kinds), np.int32)
    ends = zip(low[kinds].tolist(), high[kinds].tolist(), stars[kinds].tolist(), strict=True)
    for index, (first, last, star) in enumerate(ends):
        text, found = _range(coding, widen, first, last, star)
        if all_is_star and found.low == 0 and last > first and found.high >= coding.n_codes - 1:
            found = everything(coding)
            text = found.text
        if text not in number_of:
            number_of[text] = len(ranges)
            ranges.append(found)
        elif found.high - found.low > ranges[number_of[text]].high - ranges[number_of[text]].low:
            ranges[number_of[text]] = found  # a value may be spelt as a range is, or as '*'
        codes[index] = number_of[text]
    return _labels(coding, tuple(number_of), ranges), codes[kind_of]


def _alike(
    coding: Coding, low: Codes, high: Codes, stars: Flags
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """One of all ranges that get the same label, in order of appearance, and whose each range is.

    A single value is its own label, so what its ends are between does not count.
    """
    # ranges from one band to another are widened alike, whatever values they end at
    bands = bands_of(coding)
    keys = np.arange(coding.n_codes) if bands is None else bands.astype(np.int64)
    room = int(keys.max(initial=0)) + 1
    alone = (low == high) & ~stars
    hides = stars | ((low < high) & (high == coding.missing))
    packed = keys[low] * room + keys[high]
    packed = np.where(hides, -1, np.where(alone, room * room + low.astype(np.int64), packed))
    _, first, inverse = np.unique(packed, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return first[order], rank[inverse.reshape(-1)]


def _range(
    coding: Coding, widen: Widen, low: int, high: int, star: bool
) -> tuple[str | None, PublicRange]:
    if star or (low < high == coding.missing):
        found = everything(coding)
        return found.text, found
    if low == high:
        number = float(coding.numbers[low])
        return coding.texts[low], PublicRange(low, high, "", number, number)
    found = widen(low, high) or _exact(coding, low, high)
    return found.text, found


def _exact(coding: Coding, low: int, high: int) -> PublicRange:
    """A range of a column that has no public lines."""
    text = range_label(coding.texts[low], coding.texts[high])
    return PublicRange(low, high, text, float(coding.numbers[low]), float(coding.numbers[high]))


def _labels(coding: Coding, texts: tuple[str | None, ...], ranges: list[PublicRange]) -> Labels:
    low = np.array([found.low for found in ranges], np.int32)
    high = np.array([found.high for found in ranges], np.int32)
    is_node = (low == high) & (coding.hierarchy is not None)
    node = np.where(is_node, low, -1).astype(np.int32)
    ends_missing = (high == coding.missing) & (low < high) & (coding.missing >= 0)
    covered = (high - low + 1 - ends_missing).astype(np.int64)
    ends = np.array([(found.least, found.most) for found in ranges], np.float64).reshape(-1, 2)
    if coding.kind not in ("numeric", "date"):
        return Labels(coding, texts, node, low, high, covered)
    known = coding.numbers[~np.isnan(coding.numbers)]
    least, most = (known.min(), known.max()) if len(known) else (-math.inf, math.inf)
    return Labels(coding, texts, node, low, high, covered, np.clip(ends, least, most))
