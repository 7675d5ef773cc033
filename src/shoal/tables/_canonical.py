"""One value for all that are equal, in every engine and in every file.

What is counted as one value is written as one value:

- Missing is missing: None, NULL, NaN, NaT and NA are one.
- Numbers are what they are worth: 20, 20.0, Decimal("20.00") are one, -0.0 is 0.  Whole numbers
  stay exact, however large.
- True and false are no numbers.
- A date, and midnight of that date, are one.
- Categories, dictionaries and enums are the values that they stand for.
- Text is text: nothing is trimmed or folded; what differs differs.
- Bytes are written in hexadecimal digits.
- Lists, structs and maps are refused: turn them into columns of their own.

Typed columns are put right by each engine's own arithmetic (`frames._fresh`, `canonical_sql`).
Columns that may mix kinds of values go through their texts, here.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from numbers import Number
from typing import Any

import numpy as np

from shoal.schema._text import text

_LARGEST = 2**63


def canonical_values(values: Sequence[Any]) -> list[Any]:
    """The values as values of one kind, equal where their texts are; missing ones are None.

    Whole numbers where all are, floats where all fit into them, truth values, else texts.

    Examples
    --------
    >>> from decimal import Decimal
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
