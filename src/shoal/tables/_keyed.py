"""What is made with a secret key: tokens in place of names, and dates moved person by person.

A token is an HMAC-SHA256 of the name's text: the same in every table and release under one key, and
nothing without the key.  How many days a person's dates are moved comes from the same key.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import hmac
import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ParameterError, TableError
from shoal.schema import Schema
from shoal.schema._text import text

KEY_BYTES = 32
"""Length of a key."""

_TOKEN, _SHIFT = b"shoal pseudonym\0", b"shoal shift\0"


def normal_text(value: Any) -> str:
    """The text that stands for a name: of one Unicode form, without blanks around it.

    Examples
    --------
    >>> normal_text(" P-07 "), normal_text(20.0)
    ('P-07', '20')
    """
    return unicodedata.normalize("NFKC", text(value) or "").strip()


def make_token(key: bytes, value: Any) -> str:
    """The token of a name: 128 bits.

    Examples
    --------
    >>> make_token(bytes(32), "Ada") == make_token(bytes(32), "Ada ")
    True
    >>> make_token(bytes(32), "Ada") == make_token(bytes([1] * 32), "Ada")
    False
    """
    return "p" + _digest(key, _TOKEN, value).hex()[:32]


def day_offset(key: bytes, value: Any, most: int) -> int:
    """Days by which all dates of a person are moved: between -most and most, equally likely."""
    return int.from_bytes(_digest(key, _SHIFT, value)) % (2 * most + 1) - most


def fingerprint(key: bytes) -> str:
    """What may be shown of a key, to tell it from others."""
    return hashlib.sha256(b"shoal pseudonym key\0" + key).hexdigest()[:16]


def _digest(key: bytes, purpose: bytes, value: Any) -> bytes:
    return hmac.digest(key, purpose + normal_text(value).encode(), "sha256")


def need_key(schema: Schema, key: bytes | None, *, keep_suppressed: bool = False) -> bytes | None:
    """The key, where the schema asks for one; raises when there is none."""
    if schema.pseudonym is not None and keep_suppressed:
        raise ParameterError(
            f"column {schema.pseudonym!r} ties the rows of a person together, starred ones too, so "
            "that suppressed rows cannot be kept. Leave them out: do not keep suppressed rows."
        )
    if schema.pseudonym is None and not schema.shifted:
        return None
    if key is None:
        name = schema.pseudonym or schema.shifted[0]
        raise ParameterError(
            f"column {name!r} asks for a secret key, and none is given. Make one with `shoal site "
            "key pseudonyms --out FILE` and give it with --key FILE (RowOptions(key=...))."
        )
    if not isinstance(key, bytes) or len(key) != KEY_BYTES:
        raise ParameterError(f"a key of pseudonyms is {KEY_BYTES} bytes. Make one with os.urandom.")
    return key


def make_tokens(name: str, key: bytes, values: Sequence[Any]) -> list[str]:
    """Tokens of distinct names; raises where two of them are one name, spelt in two ways."""
    tokens = [make_token(key, value) for value in values]
    if len(set(tokens)) < len(tokens):
        raise TableError(
            f"column {name!r} spells {len(tokens) - len(set(tokens))} names in several ways "
            "(blanks around them, other forms of a letter), so that one person would count as two. "
            "Make the spelling one."
        )
    return tokens


def moved_dates(
    name: str, values: Sequence[Any], codes: NDArray[Any], days: NDArray[np.int64]
) -> tuple[list[Any], NDArray[np.int32]]:
    """Dates moved by a number of days each: distinct values, and the number of each row's.

    `codes` are places in `values`, -1 where a date is missing.
    """
    number: dict[tuple[int, int], int] = {}
    made: list[Any] = []
    rows = np.empty(len(codes), np.int32)
    for index, pair in enumerate(zip(codes.tolist(), days.tolist(), strict=True)):
        if pair not in number:
            number[pair] = len(made)
            made.append(None if pair[0] < 0 else _moved(name, values[pair[0]], pair[1]))
        rows[index] = number[pair]
    if len({type(value) for value in made if value is not None}) > 1:
        made = [None if value is None else str(value) for value in made]
    return made, rows


def _moved(name: str, value: Any, days: int) -> Any:
    try:
        moment = dt.datetime.fromisoformat(value) if isinstance(value, str) else value
        moved = moment + dt.timedelta(days=days)
    except (ValueError, TypeError, OverflowError):
        raise TableError(
            f"column {name!r} is to be shifted, and some of its values are no dates (2024-01-31). "
            "Write them so."
        ) from None
    if not isinstance(moved, dt.datetime):
        return moved
    return moved.date() if moved.time() == dt.time() else moved.isoformat(" ")
