"""Whether two texts say the same value, decided from the texts alone."""

from __future__ import annotations

import datetime as dt
import re
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal, InvalidOperation
from functools import lru_cache

from shoal.judge._days import possible_moments

NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*", re.IGNORECASE)
"""A text that is a number."""

_TRUE = {"true", "t", "yes", "y", "1"}
_FALSE = {"false", "f", "no", "n", "0"}
_EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)
_PERIOD = re.compile(r"(\d{4})(?:-(\d{2}))?")


def same_value(written: str | None, source: str | None) -> bool:
    """Whether a written text says what a source says.

    Examples
    --------
    >>> same_value("20", "20.0"), same_value("2020-02-01", "01/02/2020"), same_value("a", "A")
    (True, True, False)
    """
    if written == source:
        return True
    if written is None or source is None:
        return is_missing(written) and is_missing(source)
    if (first := number(written)) is not None and (second := number(source)) is not None:
        return first == second or _same_float(first, second)
    if (said := written.lower()) in ("true", "false"):
        return source.strip().lower() in (_TRUE if said == "true" else _FALSE)
    moment = iso_moment(written)
    if moment is not None:
        return moment in moments(source)
    return _same_time(written, source)


def is_missing(value: str | None) -> bool:
    """Whether a text stands for no value."""
    return value is None or value == "" or value.lower() in ("nan", "nat")


def canonical(value: str | None) -> str | None:
    """One text for all texts of one value, so that values can be counted."""
    if value is None:
        return None
    if (plain := number(value)) is not None:
        return str(_EXACT.normalize(plain)) if plain else "0"
    if (moment := iso_moment(value)) is not None:
        return moment.isoformat()
    return value.lower() if value.lower() in ("true", "false") else value


def number(value: str) -> Decimal | None:
    """The number that a text is, exactly; None when it is none."""
    if not NUMBER.fullmatch(value):
        return None
    try:
        return Decimal(value.strip())
    except InvalidOperation:  # an exponent of twenty digits
        return None


@lru_cache(maxsize=65_536)
def iso_moment(value: str) -> dt.datetime | None:
    """The moment that a text is, without its zone; None when it is none."""
    try:
        return dt.datetime.fromisoformat(value.strip()).replace(tzinfo=None)
    except ValueError:
        return None


@lru_cache(maxsize=65_536)
def moments(value: str) -> frozenset[dt.datetime]:
    """Every moment that a text may be: days and months change places between countries."""
    exact = iso_moment(value)
    return frozenset([exact] if exact is not None else possible_moments(value))


def period(value: str) -> tuple[dt.datetime, dt.datetime] | None:
    """First and last moment of a year, a month or a moment; None when a text is none of them."""
    if match := _PERIOD.fullmatch(value.strip()):
        year, month = int(match[1]), int(match[2] or 0)
        if year and month <= 12:
            first = dt.datetime(year, month or 1, 1)
            after = (year + 1, 1) if month in (0, 12) else (year, month + 1)
            if after[0] > dt.MAXYEAR:
                return first, dt.datetime.max
            return first, dt.datetime(*after, 1) - dt.timedelta(microseconds=1)
    moment = iso_moment(value)
    if moment is None:
        return None
    whole_day = moment.time() == dt.time() and len(value.strip()) <= len("2020-01-01")
    return moment, moment + dt.timedelta(days=1, microseconds=-1) if whole_day else moment


def _same_float(first: Decimal, second: Decimal) -> bool:
    """Whether two decimals are one binary number; whole numbers are compared exactly."""
    whole = first == first.to_integral_value() and second == second.to_integral_value()
    return not whole and float(first) == float(second)


def _same_time(written: str, source: str) -> bool:
    try:
        return dt.time.fromisoformat(written) == dt.time.fromisoformat(source.strip())
    except ValueError:
        return False
