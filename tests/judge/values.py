"""What a value is: missing, or a number, a truth, a moment or a text, whatever type holds it."""

import datetime as dt
import math
import re
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache

MISSING = None
MISSING_WORDS = ("", "nan", "na", "n/a", "null", "none", "-", "?", ".")
"""Texts that may stand for nothing in a CSV file, of which nobody knows what was a text."""

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?")
_MOMENT = re.compile(r"(\d{4}-\d{2}-\d{2})([ T](\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?))?(Z|\+00(:00)?)?")


def plain(value):
    """A value that equals another if and only if both mean the same."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return MISSING
    if hasattr(value, "item") and not isinstance(value, bytes):
        value = value.item()
    if value is None or value != value:
        return MISSING
    if isinstance(value, bool):
        return ("truth", value)
    if isinstance(value, int | float | Decimal):
        return ("number", _number(value))
    if isinstance(value, dt.datetime):
        return ("moment", value.replace(tzinfo=None))
    if isinstance(value, dt.date):
        return ("moment", dt.datetime(value.year, value.month, value.day))
    return ("text", str(value))


def _number(value):
    if isinstance(value, float) and math.isfinite(value) and value != int(value):
        return Fraction(repr(value))  # a binary fraction is what it is written as
    if isinstance(value, int) or math.isfinite(value):
        return Fraction(value)
    return "inf" if value > 0 else "-inf"


@lru_cache(20_000)
def read_number(text):
    """The number that a text writes; None when it writes none."""
    if not _NUMBER.fullmatch(text):
        return "inf" if text in ("inf", "Infinity") else None
    try:
        return Fraction(Decimal(text))
    except (InvalidOperation, ValueError):
        return None


@lru_cache(20_000)
def read_moment(text):
    """The moment that a text writes; None when it writes none."""
    if not (parts := _MOMENT.fullmatch(text)):
        return None
    try:
        return dt.datetime.fromisoformat(parts[1] + ("T" + parts[3] if parts[3] else ""))
    except ValueError:
        return None


def says(text, value, *, guessed=False):
    """Whether a text as written says this (plain) value; `guessed` where the source was a CSV.

    A text stands for itself only.  In a CSV file nobody knows what was a text, so there another
    way of writing the same number or moment is taken for the same.
    """
    if text is None or value is None:
        # nothing written may be an empty text: not every file can tell them apart
        nothing = MISSING_WORDS if guessed else ("",)
        return text is value or (
            text is None and value[0] == "text" and value[1].lower() in nothing
        )
    sort, held = value
    if sort == "truth":
        return text.lower() == str(held).lower()
    if sort == "number":
        return _same_number(text, held)
    if sort == "moment":
        return read_moment(text) == held
    return text == held or (guessed and _means_the_same(text, held))


@lru_cache(20_000)
def said_by(text):
    """Every plain value that a text says: those of which `says` is true."""
    if text is None:
        return (None, ("text", ""))
    said = [("text", text)]
    if text.lower() in ("true", "false"):
        said.append(("truth", text.lower() == "true"))
    number, moment = read_number(text), read_moment(text)
    if number is not None and not isinstance(number, str):
        said.append(("number", number))
    said += [("number", far) for far in ("inf", "-inf") if text.lower() in (far, f"{far}inity")]
    if moment is not None:
        said.append(("moment", moment))
    return tuple(said)


def _same_number(text, held):
    number = read_number(text)
    if isinstance(held, str) or isinstance(number, str) or number is None:
        return text.lower() in (held, f"{held}inity") if isinstance(held, str) else number == held
    return number == held


def _means_the_same(text, held):
    number = read_number(held)
    if number is not None:
        return read_number(text) == number
    moment = read_moment(held)
    if moment is not None:
        return read_moment(text) == moment
    return text.lower() == held.lower() and held.lower() in ("true", "false")
