"""Groups of rows whose quasi-identifiers are the same text, counted without the engines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from unicodedata import category, normalize

import numpy as np
from numpy.typing import NDArray

from shoal.errors import GuaranteeError, TableError, UncoveredValuesError
from shoal.judge._text_table import BLOCK, TextColumn, TextTable, find_pyarrow, numbers_of
from shoal.judge._values import NUMBER, canonical, iso_moment
from shoal.schema import Schema
from shoal.schema._coding import Coding, make_coding
from shoal.tables import FrequencyTable
from shoal.tables._frequency import Histogram
from shoal.typing import Codes

_DENSE = 1 << 26
"""Numbers up to which counting by place is cheaper than sorting."""

_ROOM = 1 << 62
_YEAR = re.compile(r"\s*\d{4}")
"""How every moment begins: most texts need not be asked whether they are one."""

_DIGITS_READ = 15
_FRACTION = re.compile(rf"-?(?=[\d.]{{{_DIGITS_READ + 2},}})\d+\.\d*[1-9](E-\d+)?")
"""Fractions with more digits than that, zeros before them counted, too."""

_SIGNS = {
    "-": re.compile("[\u2010-\u2015\u2212]"),
    "'": re.compile("[\u2018\u2019\u201b\u02bc]"),
    '"': re.compile("[\u201c-\u201f]"),
    "i": re.compile("i\u0307|\u0131"),
}
"""Signs that look like another, or are its small letter."""

_HIDDEN = re.compile(
    r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    r"\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
"""Signs that show nothing and are no formats by their category: controls, fillers, selectors."""

_SAYS_NOTHING = ("", "na", "n/a", "<na>", "#n/a", "nan", "nat", "null")
_COMMAS = re.compile(r"[+-]?\d+(?:(?P<thousands>(?<!\d{4})(?:,\d{3})+(?:\.\d*)?)|,\d*)")
_DAY_FIRST = re.compile(r"(?P<day>\d\d?)\.(?P<month>\d\d?)\.(?P<year>\d{4})(?P<time>(?: \d.*)?)")


def count_texts(
    table: TextTable, schema: Schema, counted: Iterable[str]
) -> tuple[FrequencyTable, NDArray[np.int64]]:
    """Groups of a table with histograms of some columns, and the group of each row."""
    names = [name for name in schema.quasi_identifiers if name in table.columns]
    columns = [table.columns[name] for name in names]
    columns = [_missing_last(own) if None in own.texts[:-1] else own for own in columns]
    group_of, first = group_rows([column.codes for column in columns], table.n_rows)
    keys = np.empty((len(first), len(columns)), np.int32)
    for index, column in enumerate(columns):
        keys[:, index] = column.codes[first]
    codings = tuple(
        Coding(name, "categorical", column.texts, np.full(len(column.texts), np.nan))
        for name, column in zip(names, columns, strict=True)
    )
    histograms = {
        name: histogram(*code_counted(name, table.columns[name], schema), group_of, len(first))
        for name in counted
        if name in table.columns
    }
    sizes = np.bincount(group_of, minlength=len(first)).astype(np.int64)
    return FrequencyTable(codings, keys, sizes, histograms), group_of


def group_rows(
    columns: Sequence[Codes], n_rows: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number of each row's group, and a row of each group."""
    packed, room = np.zeros(n_rows, np.int64), 1
    for codes in columns:
        size = int(codes.max(initial=0)) + 1
        if room * size > _ROOM:
            room = _close_gaps(packed, room)
        packed *= size
        packed += codes
        room *= size
    room = _close_gaps(packed, room)
    first = np.zeros(room, np.int64)
    # backwards: the first row of a group writes last
    for start in reversed(range(0, n_rows, BLOCK)):
        rows = np.arange(start, min(start + BLOCK, n_rows))
        first[packed[start : start + BLOCK][::-1]] = rows[::-1]
    return packed, first


def _close_gaps(packed: NDArray[np.int64], room: int) -> int:
    """Exchange the numbers for others without gaps, in place; returns how many there are."""
    if room <= _DENSE:
        seen = np.zeros(room, np.bool_)
        for start in range(0, len(packed), BLOCK):
            seen[packed[start : start + BLOCK]] = True
        number = np.cumsum(seen, dtype=np.int32) - 1
        for start in range(0, len(packed), BLOCK):
            packed[start : start + BLOCK] = number[packed[start : start + BLOCK]]
        return int(seen.sum())
    pyarrow = find_pyarrow()
    if pyarrow is not None:  # hashing takes a third of the time of sorting
        numbers = [None, pyarrow.py_buffer(packed)]
        encoded = pyarrow.Array.from_buffers(pyarrow.int64(), len(packed), numbers)
        encoded = encoded.dictionary_encode()
        packed[:] = numbers_of(encoded.indices)
        return len(encoded.dictionary)
    values, number = np.unique(packed, return_inverse=True)
    packed[:] = number.reshape(-1)
    return len(values)


def code_counted(name: str, column: TextColumn, schema: Schema) -> tuple[Coding, Codes]:
    """Coding of a sensitive column; texts that a reader takes for one value count as one.

    Each text is read for itself: as nothing, a number, a moment, or else as it looks.  The `order`
    of an ordinal column tells its texts apart unless all are numbers, moments or truths.
    """
    kind = schema[name].kind
    present = [text for text in column.texts if text is not None]
    plain = (
        kind in ("numeric", "date")
        or all(map(NUMBER.fullmatch, present))
        or (all(map(_YEAR.match, present)) and all(map(iso_moment, present)))
        or all(text.lower() in ("true", "false") for text in present)
    )
    read = as_meant if kind == "categorical" else canonical if plain else str
    meant = {text: read(text) if text else "" for text in column.texts}
    for text, value in meant.items():
        if value and _FRACTION.fullmatch(value):  # floats that were computed differ far behind
            meant[text] = canonical(f"{Decimal(value):.{_DIGITS_READ - 1}e}")
    said: dict[str | None, str | None] = {}
    for value in sorted(column.texts, key=lambda text: text is not None):  # nothing written first
        said.setdefault(meant[value], value)
    try:
        values = [value for value in said.values() if value is not None]
        coding = make_coding(name, schema[name], values, has_missing=None in said.values())
    except UncoveredValuesError:
        if not plain:
            raise
        # whole numbers beside gaps are floats in pandas, written as 1.0; a hierarchy says 1
        said = {value: value or None for value in said}
        values = [value for value in said.values() if value is not None]
        coding = make_coding(name, schema[name], values, has_missing=None in said.values())
    codes = [coding.code_of[said[meant[value]]] for value in column.texts]
    return coding, np.array(codes, np.int32)[column.codes]


def as_meant(value: str) -> str:
    """One text for all texts that a reader takes for one value; nothing for those that say none.

    A comma before three digits marks thousands, else it is a decimal one.

    Examples
    --------
    >>> as_meant("N/A"), as_meant("31.12.2024") == as_meant("2024-12-31 00:00")
    ('', True)
    >>> as_meant("01") == as_meant("1.0"), as_meant("1,000") == as_meant("1e3"), as_meant(">90")
    (True, True, '>90')
    """
    shown = as_seen(value)
    if shown in _SAYS_NOTHING:
        return ""
    if match := _COMMAS.fullmatch(shown):
        grouped = match["thousands"] is not None
        return str(canonical(shown.replace(",", "" if grouped else ".")))
    if match := _DAY_FIRST.fullmatch(shown):
        day, month = f"{int(match['day']):02}", f"{int(match['month']):02}"
        turned = f"{match['year']}-{month}-{day}{match['time']}"
        return shown if iso_moment(turned) is None else str(canonical(turned))
    meant = str(canonical(shown.upper()))
    return shown if meant == shown.upper() else meant


def as_seen(value: str, *, fold: bool = True) -> str:
    """One text for all that look alike: spaces, capitals, invisible signs, forms of Unicode.

    Capitals are told apart unless they are to `fold`: names of people may differ in them alone.  So
    are dashes of all lengths, quotes, and the i of Turkish, whose capital has a dot.

    Examples
    --------
    >>> as_seen(" HIV"), as_seen("H\u00adiv"), as_seen("Zu\u0308rich") == as_seen("z\u00fcrich")
    ('hiv', 'hiv', True)
    """
    if not value.isascii():
        value = "".join(sign for sign in normalize("NFKC", value) if category(sign) != "Cf")
        value = value.replace("\u2800", " ")  # Braille without a dot
    value = _HIDDEN.sub("", value)
    shown = " ".join(value.split())
    if not fold:
        return shown
    shown = shown.casefold()
    for sign, signs in () if shown.isascii() else _SIGNS.items():
        shown = signs.sub(sign, shown)
    return shown


def person_codes(column: TextColumn) -> Codes:
    """Number of the person behind each row; texts that are printed alike name one person."""
    number: dict[str | None, int] = {}
    person = [
        number.setdefault(
            None if value is None else canonical(as_seen(value, fold=False)), len(number)
        )
        for value in column.texts
    ]
    return np.array(person, np.int32)[column.codes]


@contextmanager
def aware_of_spellings(subject: str | None, source: TextTable | None) -> Iterator[None]:
    """Say so where groups fail and a person is written in several ways, as searches count them."""
    try:
        yield
    except GuaranteeError:
        if subject is None or source is None:
            raise
        texts = source.columns[subject].texts
        each = person_codes(TextColumn(np.arange(len(texts), dtype=np.int32), texts))
        twice = len(texts) - len(np.unique(each))
        if not twice:
            raise
        raise TableError(
            f"column {subject!r} names people, and {twice} of its texts are other spellings "
            "(spaces, forms of Unicode, zeros) of a name that is there. They are one person each, "
            "so that groups have too few. Write every name in one way."
        ) from None


def histogram(
    coding: Coding,
    codes: NDArray[np.integer],
    group_of: NDArray[np.int64],
    n_groups: int,
    rows: NDArray[np.int64] | None = None,
) -> Histogram:
    """Rows of each group with each value; `rows` says for how many each entry stands, else one."""
    room = max(coding.n_codes, 1)
    if n_groups * room <= min(_DENSE, max(len(codes), 1024)):
        counts = np.zeros(n_groups * room, np.int64)
        for start in range(0, len(codes), BLOCK):
            block = slice(start, start + BLOCK)
            weight = 1 if rows is None else rows[block]
            np.add.at(counts, group_of[block] * room + codes[block], weight)
        entries = np.flatnonzero(counts)
        counts = counts[entries]
    elif rows is None:
        entries, counts = np.unique(group_of * room + codes, return_counts=True)
    else:
        entries, entry_of = np.unique(group_of * room + codes, return_inverse=True)
        counts = np.bincount(entry_of.reshape(-1), weights=rows, minlength=len(entries))
    start = np.searchsorted(entries, np.arange(n_groups + 1, dtype=np.int64) * room)
    return Histogram(
        coding,
        start.astype(np.int64),
        (entries % room).astype(np.int32),
        counts.astype(np.int64),
    )


def _missing_last(column: TextColumn) -> TextColumn:
    """The same column as a coding wants it: nothing written comes last."""
    missing, last = column.texts.index(None), len(column.texts) - 1
    texts = list(column.texts)
    texts[missing], texts[last] = texts[last], None
    new_code = np.arange(len(texts), dtype=np.int32)
    new_code[missing], new_code[last] = last, missing
    return TextColumn(new_code[column.codes], tuple(texts))
