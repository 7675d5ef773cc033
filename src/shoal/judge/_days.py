"""Moments that a text may be, however days, months and years are arranged in it.

One text alone may leave it open which number is the day.  A column says more: whoever wrote it
wrote all of it one way, and days beyond 12 tell which.
"""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from shoal.judge._text_table import TextColumn

_CLOCK = (
    r"(?:,?[ Tt]+(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.(?P<part>\d{1,6}))?)?"
    r"(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?)?"
)
_DAY = re.compile(
    r"(?:(\d{1,4})([./-])(\d{1,2})\2(\d{4}|\d{1,2})|(\d{4})(\d{2})(\d{2}))" + _CLOCK, re.ASCII
)
_WORD = r"(?P<word>[a-z]{3,10})\.?"
_NAMED = tuple(
    re.compile(r"(?:[a-z]{2,10}[.,]{0,2} (?:(?:the|den|le|el) )?)?" + form + _CLOCK)
    for form in (
        rf"(?P<day>\d{{1,2}})(?:\.|er|st|nd|rd|th)?[ /-]?(?:de |of )?{_WORD},?[ /-]?(?:del? )?"
        r"(?P<year>\d{4}|\d{2})",
        rf"{_WORD} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<year>\d{{4}})",
        rf"(?P<year>\d{{4}})[ /-]{_WORD}[ /-](?P<day>\d{{1,2}})",
    )
)
_MONTHS = {
    beginning: month
    for month, beginnings in {
        1: ("jan", "ene", "gen"), 2: ("feb", "fev"), 3: ("mar", "mrz", "mae", "maa", "mrt"),
        4: ("apr", "avr", "abr"), 5: ("may", "mai", "mag", "mei"), 6: ("jun", "juin", "giu"),
        7: ("jul", "juil", "lug"), 8: ("aug", "aou", "ago"), 9: ("sep", "set"),
        10: ("oct", "okt", "ott", "out"), 11: ("nov",), 12: ("dec", "dez", "dic"),
    }.items()
    for beginning in beginnings
}  # fmt: skip
"""Beginnings of the names of months, without accents; no name begins like that of two."""
_ORDERS = ("dmy", "mdy", "ymd")
_PLAIN = "plain"
"""A year of four digits comes first: nothing is open."""

_PIVOT = 30
"""Years of two digits from here on are of the last century."""


@lru_cache(maxsize=65_536)
def moments_by_order(text: str) -> dict[str, dt.datetime]:
    """The moment that a text is for each order of its parts; none where it is no date at all.

    Examples
    --------
    >>> found = moments_by_order("01/02/24 3:05 PM")
    >>> [str(found[order]) for order in ("dmy", "mdy")]
    ['2024-02-01 15:05:00', '2024-01-02 15:05:00']
    """
    match = _DAY.fullmatch(text.strip())
    if match is None:
        named = _named(text)
        return {} if named is None else {"dmy": named[0]}  # whatever the order, it is this day
    time = _time(match)
    if match[5]:
        first, second, third, orders = match[5], match[6], match[7], (_PLAIN,)
    else:
        first, second, third = match[1], match[3], match[4]
        orders = _possible(first, match[2], third)
    moments = {}
    for order in orders:
        year, month, day = {"dmy": (third, second, first), "mdy": (third, first, second)}.get(
            order, (first, second, third)
        )
        try:
            whole = dt.datetime(_year(year), int(month), int(day))
            moments[order] = dt.datetime.combine(whole, time) if time is not None else whole
        except (ValueError, TypeError):
            continue
    return moments if time is not None or match["hour"] is None else {}


def possible_moments(text: str) -> Iterator[dt.datetime]:
    """Every moment that a text alone may be; years of two digits are of either century."""
    match = _DAY.fullmatch(text.strip())
    named = None if match else _named(text)
    for order, moment in moments_by_order(text).items():
        yield moment
        year = match[1] if match and order == "ymd" else match and match[4]
        year = named[1] if named else year
        if order != _PLAIN and len(year or "") == 2:
            try:
                yield moment.replace(year=moment.year + (100 if moment.year < 2000 else -100))
            except ValueError:  # the 29th of February
                continue


def day_orders(own: TextColumn) -> list[TextColumn]:
    """A column with its dates written year first, once for each order that all of them allow.

    The column as it is where no text is a date, or where no order fits all that are.

    Examples
    --------
    >>> import numpy as np
    >>> days = TextColumn(np.zeros(1, np.int8), ("01/02/2024", "31/12/2024", None))
    >>> [column.texts for column in day_orders(days)]
    [('2024-02-01', '2024-12-31', None)]
    """
    read = [{} if text is None else moments_by_order(text) for text in own.texts]
    turned = [moments for moments in read if moments and _PLAIN not in moments]
    if not turned:
        return [own]
    fitting = [order for order in _ORDERS if all(order in moments for moments in turned)]
    columns = []
    for order in fitting:
        texts = [
            text if not moments else _spell(moments.get(order, moments.get(_PLAIN)), text or "")
            for text, moments in zip(own.texts, read, strict=True)
        ]
        columns.append(TextColumn(own.codes, tuple(texts)))
    return columns or [own]


def _named(text: str) -> tuple[dt.datetime, str] | None:
    """The moment behind a text whose month has a name, and its year as it is written."""
    plain = unicodedata.normalize("NFKD", text.strip().lower())
    plain = "".join(sign for sign in plain if not unicodedata.combining(sign))
    for form in _NAMED:
        match = form.fullmatch(plain)
        word = match["word"] if match else ""
        month = _MONTHS.get(word[:3]) or _MONTHS.get(word[:4])
        if match is None or month is None:
            continue
        time = _time(match)
        if time is None and match["hour"] is not None:
            return None
        try:
            day = dt.date(_year(match["year"]), month, int(match["day"]))
        except ValueError:
            return None
        return dt.datetime.combine(day, time or dt.time()), match["year"]
    return None


def _possible(first: str, sign: str, third: str) -> tuple[str, ...]:
    if len(first) == 4:
        return (_PLAIN,)
    if len(first) > 2:
        return ()
    turned = ("dmy",) if sign == "." else ("dmy", "mdy")
    return turned if len(third) == 4 else (*turned, "ymd")


def _year(text: str) -> int:
    if len(text) == 4:
        return int(text)
    if len(text) != 2:
        raise ValueError
    return int(text) + (1900 if int(text) >= _PIVOT else 2000)


def _time(match: re.Match[str]) -> dt.time | None:
    if match["hour"] is None:
        return None
    hour, half = int(match["hour"]), (match["half"] or "").lower()
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half == "p" else 0)
    try:
        part = int((match["part"] or "").ljust(6, "0"))
        return dt.time(hour, int(match["minute"]), int(match["second"] or 0), part)
    except ValueError:
        return None


def _spell(moment: dt.datetime | None, text: str) -> str:
    """A moment year first; a day without a time stays one."""
    if moment is None:
        return text
    return moment.isoformat(" ") if ":" in text else moment.date().isoformat()
