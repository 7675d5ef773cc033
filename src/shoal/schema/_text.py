"""The text of a value, decided once: every engine and every file agrees on it."""

import datetime as dt
import math
import re
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from decimal import Context, Decimal, InvalidOperation
from typing import Any

import numpy as np

from shoal.typing import Floats

BEYOND = 2**53
"""From here on floats miss whole numbers."""

DIGITS_SHOWN = 15
"""Digits of a fraction that people read: those behind it differ by how a number was computed."""

_SHOWN = Context(prec=DIGITS_SHOWN)
_ONE_SIGN = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"), "-")
_ONE_SIGN |= dict.fromkeys(map(ord, "\u2018\u2019\u201b\u02bc"), "'") | {0x131: "i"}
_ONE_SIGN |= dict.fromkeys(map(ord, "\u2044\u2215"), "/")
_ONE_SIGN |= dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f"), '"')
"""Signs that a reader takes for a hyphen, a quote or the letter i."""

_UNSEEN: dict[int, str | None] = dict.fromkeys([0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5])
for _first, _last in (
    (0x00, 0x08), (0x0E, 0x1B), (0x7F, 0x84), (0x86, 0x9F), (0x180B, 0x180F), (0xFE00, 0xFE0F),
    (0xE0100, 0xE01EF),
):  # fmt: skip
    _UNSEEN |= dict.fromkeys(range(_first, _last + 1))
_UNSEEN[0x2800] = " "
"""Signs that show nothing and are not called formats: controls, fillers, forms of the sign before;
and a blank that is not called one."""

_NOTHING = frozenset(["", "na", "n/a", "<na>", "#n/a", "nan", "nat", "null"])
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?")
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d*")
_SPACED = re.compile(r"[+-]?\d{1,3}([ '_])\d{3}(\1\d{3})*([.,]\d*)?")
_POINT = re.compile(r"(?<=[\w)])\.(?!\S)")
_BESIDE = re.compile(r"(?<=[^\w\s]) | (?=[^\w\s])|(?<=\d) (?=[^\W\d])|(?<=[^\W\d]) (?=\d)")
"""Blanks beside signs, and between a number and letters."""

_WITH_UNIT = re.compile(r"([+-]?\d+(?:[.,]\d+)?)([^\W\d_][^\d]*|[%€$£°][^\d]*)")
_TIME = re.compile(r"\d{1,2}:\d\d(:00(\.0*)?)?")
_SAME_LETTERS = str.maketrans("авекмнорстухіјѕһο", "abekmhopctyxijsho")
"""Letters of other alphabets that are drawn like a Latin one, small or large."""

_DOTTED_DAY = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})( \d.*)?")
_DIGITS = 2**128
_DAY = 86_400_000_000  # in microseconds


def text(value: Any) -> str | None:
    """Text of one value; None for a missing one (None, NaN, NaT).

    Examples
    --------
    >>> [text(v) for v in (20.0, 20.5, True, "01234", float("nan"))]
    ['20', '20.5', 'true', '01234', None]
    >>> [text(v) for v in (-0.0, Decimal("20.50"), 2**53 + 1, float(2**60))]
    ['0', '20.5', '9007199254740993', '1152921504606846976']
    """
    if type(value) in (str, int):  # most are, and a text is its own
        return str(value)
    if isinstance(value, np.generic):
        value = value.item()
    match value:
        case None:
            return None
        case bool():
            return "true" if value else "false"
        case float() if value == value:  # digits up to 128 bits, as databases have them
            return str(int(value)) if abs(value) < _DIGITS and value == int(value) else repr(value)
        case Decimal():
            return _decimal(value) if value.is_finite() else text(float(value))
        case dt.datetime():
            return _moment(value)
        case bytes():
            return value.hex()
        case _:
            return None if value != value else str(value)


def is_missing(value: Any) -> bool:
    """Whether there is no value: None, or NaN, which alone differs from itself."""
    return value is None or bool(value != value)


def texts(values: Sequence[Any]) -> list[str | None]:
    """Text of each of many values; columns of one type take the short way.

    Examples
    --------
    >>> texts([dt.date(2024, 2, 29)]), texts([20.0, "20", None])
    (['2024-02-29'], ['20', '20', None])
    """
    kinds = set(map(type, values))
    if kinds <= {str, int}:
        return list(map(str, values))
    if kinds == {dt.date}:
        return [value.isoformat() for value in values]
    return [text(value) for value in values]


def number(value: Any) -> float:
    """Place of one value on the number line: dates count days since 1970; NaN when missing."""
    if type(value) in (int, float):
        return float(value)
    if isinstance(value, np.generic):
        value = value.item()
    match value:
        case None:
            return math.nan
        case dt.datetime():
            if value != value:  # NaT
                return math.nan
            moment = value.replace(tzinfo=None)
            return (moment - dt.datetime(1970, 1, 1)) / dt.timedelta(days=1)
        case dt.date():
            return float((value - dt.date(1970, 1, 1)).days)
        case _:
            return float(value)


def as_numbers(values: Sequence[Any], *, dates: bool = False) -> Floats:
    """Number of each of many values, or of dates; columns of one type take the short way.

    Examples
    --------
    >>> as_numbers([20, 20.5, "7"]).tolist(), as_numbers(["1970-01-03"], dates=True).tolist()
    ([20.0, 20.5, 7.0], [2.0])
    """
    kinds = set(map(type, values))
    if kinds <= {int, float, str} and not dates:
        return np.array([*map(float, values)], np.float64)
    if kinds == {dt.date}:
        return np.array(values, "datetime64[D]").astype(np.float64)
    if dates and kinds == {str}:
        moments = np.array(values, "datetime64[us]").view(np.int64)
        if not (moments % _DAY).any():  # what is no moment is not whole
            return (moments // _DAY).astype(np.float64)
    if dates:
        values = [
            np.datetime64(value).astype("datetime64[us]").item()
            if isinstance(value, str)
            else value
            for value in values
        ]
    return np.array([number(value) for value in values], np.float64)


def exact(value: Any) -> Any:
    """A number for comparing, as exact as it was given; floats would make 2**53 + 1 even.

    Examples
    --------
    >>> exact("9007199254740993") > 2**53, exact("20.5")
    (True, 20.5)
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, int | float | Decimal):
        return value
    if isinstance(value, str) and abs(number(value)) >= BEYOND:
        return Decimal(value)
    return number(value)


def readings(known: Sequence[str]) -> list[Any]:
    """What a person takes each text for: None (nothing), a number, a moment, or else its words.

    Each text is read for itself, whatever stands beside it.  Spaces, capitals, invisible signs,
    letters that look alike and forms of Unicode make no other value, nor do digits that only
    arithmetic adds, nor blanks between a number and its unit.

    Examples
    --------
    >>> readings(["0.30000000000000004"]) == readings([".3"])
    True
    >>> readings(["HIV", "hiv ", "H\u200bIV", "N/A", ""])
    ['hiv', 'hiv', 'hiv', None, None]
    >>> len(set(readings(["1", "1.0", "01", "1,0"]))), len(set(readings(["1,000", "1e3", "high"])))
    (1, 2)
    >>> readings(["5 kg", "5.0 KG", "1 000", "flu (a)", "flu(A)."])
    ['5kg', '5kg', Decimal('1000'), 'flu(a)', 'flu(a)']
    """
    return [_reading(plain_words(each)) for each in known]


def _reading(words: str) -> Any:
    if words in _NOTHING:
        return None
    if _NUMBER.fullmatch(words):
        with suppress(InvalidOperation):  # an exponent of twenty digits
            return _shown_number(Decimal(words))
    if _THOUSANDS.fullmatch(words):
        return _shown_number(Decimal(words.replace(",", "")))
    if _DECIMAL_COMMA.fullmatch(words):
        return _shown_number(Decimal(words.replace(",", ".")))
    day = _DOTTED_DAY.fullmatch(words)
    said = f"{day[3]}-{int(day[2]):02}-{int(day[1]):02}{day[4] or ''}" if day else words.upper()
    try:
        return dt.datetime.fromisoformat(said).replace(tzinfo=None)
    except ValueError:
        return _one_spelling(words)


def _one_spelling(words: str) -> Any:
    """Words without blanks and points that say nothing; numbers among them in one way."""
    if _SPACED.fullmatch(words):
        return _shown_number(Decimal(re.sub("[ '_]", "", words).replace(",", ".")))
    if _TIME.fullmatch(words):
        return ":".join(words.split(":")[:2])
    words = words if words.isascii() else words.translate(_SAME_LETTERS)
    words = _BESIDE.sub("", _POINT.sub("", words))
    if match := _WITH_UNIT.fullmatch(words):
        number = _shown_number(Decimal(match[1].replace(",", "."))).normalize()
        return f"{number:f}{match[2]}"
    return words


def _shown_number(value: Decimal) -> Decimal:
    """A number as it is shown: what floats add beyond `DIGITS_SHOWN` is left out."""
    if len(value.as_tuple().digits) <= DIGITS_SHOWN or value == value.to_integral_value():
        return value
    return _SHOWN.plus(value)


def are_shown_apart(numbers: Floats) -> bool:
    """Whether no two numbers are so near that they may be one value, computed in two ways."""
    known = np.sort(numbers[np.isfinite(numbers)])
    near = np.diff(known) <= np.abs(known[1:]) * 10.0 ** (1 - DIGITS_SHOWN)
    fractions = known != np.rint(known)
    return not (near & (fractions[1:] | fractions[:-1])).any()


def plain_words(said: str) -> str:
    """A text as a person reads it: without capitals, invisible signs and superfluous spaces.

    Dashes of all lengths are one sign, and so are quotes: programs that write texts change them.
    """
    if not said.isprintable():
        said = said.translate(_UNSEEN)
    if not said.isascii():
        said = unicodedata.normalize("NFKC", said).translate(_UNSEEN)
        said = "".join(sign for sign in said if unicodedata.category(sign) != "Cf")
        # the small letter of a Turkish capital is written with a dot of its own
        said = said.casefold().replace("i\u0307", "i").translate(_ONE_SIGN)
    return " ".join(said.casefold().split())


def _decimal(value: Decimal) -> str | None:
    """The text of a float where one is worth the same, else all digits, without idle zeros."""
    if value == value.to_integral_value() and abs(value) < _DIGITS:
        return str(int(value))
    nearest = float(value)
    if math.isfinite(nearest) and Decimal(repr(nearest)) == value:
        return text(nearest)
    digits = format(value, "f")
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


def _moment(value: dt.datetime) -> str | None:
    if value != value:  # NaT
        return None
    if (value.hour, value.minute, value.second, value.microsecond) == (0, 0, 0, 0):
        return value.date().isoformat()
    return value.isoformat(sep=" ")
