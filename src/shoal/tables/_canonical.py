"""One value for all that are equal, in every engine and in every file.

What is counted as one value is written as one value:

- Missing is missing: None, NULL, NaN, NaT and NA are one.
- Numbers are what they are worth: 20, 20.0, Decimal("20.00") are one, -0.0 is 0.  Whole numbers
  stay exact, however large.
- True and false are no numbers.
- A date, and midnight of that date, are one.
- Categories, dictionaries and enums are the values that they stand for.
- Text is text: nothing is trimmed or folded; what differs differs.  But in a column that the schema
  calls numeric or date, texts that write one number or one moment in two ways (1 and 1.0, 1e3 and
  1000, -0.0 and 0) are one value: all of them are written in one way (:func:`spelt_twice`).
- Bytes are written in hexadecimal digits.
- Lists, structs and maps are refused: turn them into columns of their own.

Typed columns are put right by each engine's own arithmetic (`frames._fresh`, `canonical_sql`).
Columns that may mix kinds of values go through their texts, here.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from numbers import Number
from typing import Any

import numpy as np

from shoal.schema._text import text

MEASURED = ("numeric", "date")
"""Kinds of columns whose texts say numbers or moments."""

_LARGEST = 2**63
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*", re.IGNORECASE)


def canonical_values(values: Sequence[Any]) -> list[Any]:
    """The values as values of one kind, equal where their texts are; missing ones are None.

    Whole numbers where all are, floats where all fit into them, truth values, else texts.

    Examples
    --------
    >>> from decimal import Decimal, InvalidOperation
    >>> canonical_values([20, 20.0, Decimal("20.00"), None, float("nan")])
    [20, 20, 20, None, None]
    >>> canonical_values([True, 1, "x"])
    ['true', '1', 'x']
    """
    texts = [text(value) for value in values]
    known = [value for value, t in zip(values, texts, strict=True) if t is not None]
    if all(isinstance(value, bool | np.bool_) for value in known):
        return [None if t is None else t == "true" for t in texts]
    if not all(_is_number(value) for value in known):
        return list(texts)
    if all(t is None or t.lstrip("-").isdigit() for t in texts):
        numbers = [None if t is None else int(t) for t in texts]
        fit = all(number is None or -_LARGEST <= number < _LARGEST for number in numbers)
        return list(numbers if fit else texts)
    floats = [None if t is None else float(t) for t in texts]
    exact = all(text(number) == t for number, t in zip(floats, texts, strict=True))
    return list(floats if exact else texts)


def _is_number(value: Any) -> bool:
    return isinstance(value, Number | Decimal) and not isinstance(value, bool | np.bool_ | complex)


def spelt_twice(kind: str, values: Sequence[Any]) -> Mapping[str, str]:
    """Texts of a column that say what another one says, with the one text for both.

    Empty for columns that are neither numeric nor dates, and for those that write everything in
    one way, as nearly all do.

    Examples
    --------
    >>> spelt_twice("numeric", ["1", "1.0", "2.50", "1e3", "1000", "-0.0", "0.0"])
    {'1': '1', '1.0': '1', '1e3': '1000', '1000': '1000', '-0.0': '0', '0.0': '0'}
    >>> spelt_twice("categorical", ["1", "1.0"]) or spelt_twice("numeric", ["1e999", "10e998"])
    {}
    """
    if kind not in MEASURED:
        return {}
    said: dict[Decimal | dt.datetime, list[str]] = {}
    for known in dict.fromkeys(t for t in map(text, values) if t is not None):
        meant = _number(known) if kind == "numeric" else _moment(known)
        if meant is not None:
            said.setdefault(meant, []).append(known)
    return {
        known: str(text(meant))
        for meant, texts in said.items()
        if len(texts) > 1
        for known in texts
    }


def _number(known: str) -> Decimal | None:
    """The number that a text writes; one that no float comes near stays a text."""
    if not _NUMBER.fullmatch(known):
        return None
    nearest = float(known)
    if not math.isfinite(nearest):
        return None
    try:
        meant = Decimal(known.strip())
    except InvalidOperation:  # an exponent of twenty digits
        return None
    return meant if nearest or not meant else None


def _moment(known: str) -> dt.datetime | None:
    """The moment that a text is; one with a zone stays what it is."""
    try:
        moment = dt.datetime.fromisoformat(known.strip())
    except ValueError:
        return None
    return moment if moment.tzinfo is None else None
