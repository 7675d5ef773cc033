"""What the cells of a column of text are: numbers, dates, truth values, words for nothing."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from shoal.schema._days import NAMED_DAY, full_year, has_short_year, read_day

Sort = Literal[
    "whole", "number", "grouped", "grouped whole", "boolean", "date", "moment", "text", "empty"
]

NUMBERS = ("whole", "number", "grouped", "grouped whole")
_DECIMALS = "decimals or thousands"

MISSING_WORDS = frozenset(
    ["na", "n/a", "#n/a", "#na", "<na>", "nan", "null", "none", "nil", "missing", "unknown value",
     ".", "?", "-", "--", "---", "\\n", "k.a.", "n.a.", "k. a.", "#null!", "#value!", "nd",
     "#div/0!", "#ref!", "#name?", "#num!"]
)  # fmt: skip
"""Words that stand for nothing where a column otherwise holds numbers, dates or truth values."""

BLANK = " "
"""What stands around a value and is no part of it, where the value is no text."""

# patterns are read by Python and by DuckDB alike: no classes beyond ASCII, no looking ahead
_WHOLE = re.compile("-?[1-9][0-9]{0,18}|0")
NUMBER = r"-?((0|[1-9][0-9]{0,14})(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,2})?"
DAY = (
    "[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}|[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}|"
    "[0-9]{1,2}[.][0-9]{1,2}[.][0-9]{4}|[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}|"
    "[0-9]{1,2}-[0-9]{1,2}-[0-9]{4}"
)
SHORT_DAY = (
    "[0-9]{1,2}[.][0-9]{1,2}[.][0-9]{2}|[0-9]{1,2}/[0-9]{1,2}/[0-9]{2}|"
    "[0-9]{1,2}-[0-9]{1,2}-[0-9]{2}"
)
"""Days whose year has two digits, first or last."""

_SECONDS = r"(:[0-9]{2}(\.[0-9]{1,6})?)?"
CLOCK = rf"[ T][0-9]{{1,2}}:[0-9]{{2}}{_SECONDS}"
HALVES = rf"[ T](0?[1-9]|1[0-2]):[0-9]{{2}}{_SECONDS} ?[AaPp][.]?[Mm][.]?"
"""Times of a clock of twelve hours."""

IN_DOUBT = re.compile(r"-?[1-9][0-9]{0,2}[.][0-9]{3}")
"""Thousands in Germany, three decimals in England."""

_NUMBER, _DAY = re.compile(NUMBER), re.compile(f"{DAY}|{SHORT_DAY}")
_MOMENT = re.compile(f"({DAY}|{SHORT_DAY})({CLOCK}|{HALVES})?")
_IS_SHORT = re.compile(f"({SHORT_DAY})([ T].*)?")
_IS_HALF = re.compile("[AaPp][.]?[Mm][.]?$")

_LONG_CLOCK = f"({CLOCK}|{HALVES})".replace("[ T]", "[ t]")
NAMED_MOMENT = f"({NAMED_DAY})(,?{_LONG_CLOCK})?"
"""A day whose month has a name, and perhaps a time; in small letters."""

_WORD = re.compile(r"[^\W\d_]{3}")
_compiled = cache(re.compile)  # what few columns need

_BLANKS = "[ \u00a0\u202f]*"
_MONEY = (
    "US$", "C$", "A$", "R$", "$", "€", "£", "¥", "₹", "₽", "₺", "₩", "SFr.", "Fr.", "EUR", "USD",
    "GBP", "CHF", "JPY", "CAD", "AUD", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "INR", "BRL",
)  # fmt: skip
_MEASURES = (
    "%", "‰", "zł", "Kč", "kr.", "kr", "Ft", "Euro", "kg", "mg", "µg", "g", "cm", "mm", "km", "m",
    "ml", "l", "mmHg", "°C",
)  # fmt: skip
_TIMES = {
    "years": (
        "years", "year", "yrs", "yr", "y", "yo", "y.o.", "y/o", "years old", "year old", "jahre",
        "jahr", "jahren", "ans", "an", "années", "année", "años", "año", "anni", "anno", "jaar",
        "lat",
    ),
    "months": (
        "months", "month", "mos", "mo", "monate", "monat", "monaten", "mois", "meses", "mes",
        "mesi", "mese", "maanden", "maand",
    ),
    "weeks": (
        "weeks", "week", "wks", "wk", "wochen", "woche", "semaines", "semaine", "semanas",
        "semana", "settimane", "settimana",
    ),
    "days": (
        "days", "day", "d", "tage", "tag", "tagen", "jours", "jour", "días", "día", "dias", "dia",
        "giorni", "giorno", "dagen", "dag", "dni",
    ),
    "hours": (
        "hours", "hour", "hrs", "hr", "h", "stunden", "stunde", "std.", "heures", "heure", "horas",
        "hora", "ore", "ora", "uur",
    ),
    "minutes": (
        "minutes", "minute", "mins", "min", "minuten", "minutos", "minuto", "minuti", "minuut",
    ),
}  # fmt: skip
"""One unit, whatever its number (`1 year`, `2 years`), its language and its capitals."""

_TIME_OF = {
    spelling: unit
    for unit, words in _TIMES.items()
    for word in words
    # a capital alone behind a number is a code: 3D
    for spelling in ((word, word.capitalize(), word.upper()) if len(word) > 1 else (word,))
}
_WITH_UNIT = re.compile(
    f"-?(?P<before>{'|'.join(map(re.escape, _MONEY))})?{_BLANKS}-?[0-9.].*?{_BLANKS}"
    f"(?P<after>{'|'.join(map(re.escape, (*_MONEY, *_MEASURES, *_TIME_OF)))})?"
)
"""A number beside its unit: `5 EUR`, `EUR 5`, `5 kg`; a letter in front is a code, `E11`."""

ORDERS = ("dmy", "mdy")


@dataclass(frozen=True)
class Reading:
    """How the cells of one column are read.

    Parameters
    ----------
    sort : str
        What they are.
    decimal, thousands : str
        How numbers are written that are not plain.
    order : str
        "dmy" or "mdy" where dates are not written year first; "ymd" where they are, and all years
        have two digits.
    short : bool
        Whether some years have two digits.
    halves : bool
        Whether some times say AM or PM.
    missing : frozenset of str
        Words, in lower case, that stand for nothing.
    undecided : str
        What cannot be told, for a note; empty otherwise.
    unit : tuple of str and str
        What stands before every number, and behind it; a sign of money, a percent sign.
    named : bool
        Whether months are written as names.
    """

    sort: Sort
    decimal: str = "."
    thousands: str = ""
    order: str = ""
    missing: frozenset[str] = frozenset()
    undecided: str = ""
    short: bool = False
    halves: bool = False
    unit: tuple[str, str] = ("", "")
    named: bool = False


def moment_pattern(reading: Reading) -> str:
    """Pattern of the days or moments of a column, as they were seen in it."""
    day = f"{DAY}|{SHORT_DAY}" if reading.short else DAY
    if reading.sort == "date":
        return day
    clock = f"{CLOCK}|{HALVES}" if reading.halves else CLOCK
    return f"({day})({clock})?"


def is_missing_word(text: str) -> bool:
    """Whether a cell may stand for nothing."""
    return text.lower() in MISSING_WORDS


def is_typed(texts: Collection[str]) -> Literal["number", "date"] | None:
    """Whether all of some texts are numbers, or all are dates, in whatever way of writing."""
    if not texts:
        return None
    if all(re.fullmatch(r"[+-]?\d[\d.,' ]*([eE][+-]?\d+)?%?", text) for text in texts):
        return "date" if all(_DAY.fullmatch(text) for text in texts) else "number"
    if all(_DAY.fullmatch(text) or _MOMENT.fullmatch(text) for text in texts):
        return "date"
    if all(map(_WORD.search, texts)) and _are_named(texts, NAMED_MOMENT):
        return "date"
    return None


def close_readings(
    values: set[str], decimal: str | None, thousands: str | None, order: str | None
) -> Iterable[Reading]:
    """The first sort that fits all values, if one does."""
    if {value.lower() for value in values} <= {"true", "false"}:
        yield Reading("boolean")
    if all(_WHOLE.fullmatch(value) and -(2**63) <= int(value) < 2**63 for value in values):
        yield Reading("whole")
    plain = decimal in (None, ".") and thousands is None
    if plain and all(_NUMBER.fullmatch(value) for value in values):
        broken = [value for value in values if not _WHOLE.fullmatch(value)]
        if decimal is None and all(map(IN_DOUBT.fullmatch, broken)):
            yield Reading("text", undecided=_DECIMALS)
        else:
            yield Reading("number")
    grouped = _grouped(values, decimal, thousands)
    if grouped is not None:
        yield grouped
    yield from _beside_a_unit(values, decimal, thousands)
    if all(_DAY.fullmatch(value) for value in values):
        yield from _dates(values, "date", order)
    elif all(_MOMENT.fullmatch(value) for value in values):
        yield from _dates(values, "moment", order)
    elif all(map(_WORD.search, values)) and _are_named(values, NAMED_MOMENT):
        yield Reading(
            "date" if _are_named(values, NAMED_DAY) else "moment",
            short=any(map(has_short_year, values)),
            halves=any(map(_IS_HALF.search, values)),
            named=True,
        )


def _are_named(values: Iterable[str], pattern: str) -> bool:
    """Whether all are days, or moments, whose months have names."""
    form = _compiled(pattern)
    return all(form.fullmatch(value.lower()) and read_day(value) for value in values)


def _beside_a_unit(
    values: set[str], decimal: str | None, thousands: str | None
) -> Iterable[Reading]:
    """Numbers that all stand beside one unit; nothing where there is none, or several."""
    units: set[tuple[str, str]] = set()
    for value in values:
        unit = unit_of(value)
        if unit is None:
            return
        units.add(unit)
    if len(units) > 1 or ("", "") in units:
        return
    unit = units.pop()
    bare = {re.sub(unit_pattern(unit), r"\1\2", value) for value in values}
    for reading in close_readings(bare, decimal, thousands, None):
        if reading.sort in NUMBERS:
            yield replace(reading, unit=unit)
        elif reading.undecided == _DECIMALS:
            yield reading


def unit_of(value: str) -> tuple[str, str] | None:
    """What stands before and behind the number of a text; None where there is anything else."""
    match = _WITH_UNIT.fullmatch(value)
    if match is None:
        return None
    after = match["after"] or ""
    return match["before"] or "", _TIME_OF.get(after, after)


def unit_pattern(unit: tuple[str, str]) -> str:
    """Pattern of a number beside its unit; a sign and the number are its first two groups."""
    before, after = map(re.escape, unit)
    if unit[1] in _TIMES:
        own = [re.escape(word) for word, said in _TIME_OF.items() if said == unit[1]]
        after = f"(?:{'|'.join(own)})"
    return f"^(-?){before}{_BLANKS}(-?[0-9.].*?){_BLANKS}{after}$"


def number_pattern(decimal: str, thousands: str, *, whole: bool = False) -> str:
    """Pattern of a number with decimals behind a sign, and thousands perhaps apart."""
    digits = "0|[1-9][0-9]{0,14}"
    if thousands:
        digits += f"|[1-9][0-9]{{0,2}}([{thousands}][0-9]{{3}}){{1,4}}"
    return f"-?({digits})" if whole else f"-?({digits})([{decimal}][0-9]+)?"


_PAIRS = (
    (",", "."), (".", ","), (",", " "), (".", "'"), (",", "\u00a0"), (",", "\u202f"), (",", "'"),
    (".", " "), (".", "\u2019"),
)  # fmt: skip
"""Signs before decimals and between thousands that go together somewhere."""


def _grouped(values: set[str], decimal: str | None, thousands: str | None) -> Reading | None:
    """Numbers with a decimal comma or with thousands apart, where it can be told which."""
    if thousands is not None:
        pairs = [(decimal or ("," if thousands == "." else "."), thousands)]
    else:
        pairs = [pair for pair in _PAIRS if decimal in (None, pair[0])]
    fitting = [
        (point, apart)
        for point, apart in pairs
        if all(re.fullmatch(number_pattern(point, apart), value) for value in values)
    ]
    if not fitting:
        return None
    meant = {
        tuple(plain_number(value, *pair) for value in sorted(values)): pair
        for pair in reversed(fitting)
    }
    if len(meant) > 1:
        return Reading("text", undecided=_DECIMALS)
    point, apart = meant.popitem()[1]
    whole = not any(point in value for value in values)
    return Reading("grouped whole" if whole else "grouped", decimal=point, thousands=apart)


def plain_number(value: str, decimal: str, thousands: str) -> str:
    """The same number with a point, and nothing between thousands."""
    return (value.replace(thousands, "") if thousands else value).replace(decimal, ".")


def _dates(values: set[str], sort: Sort, order: str | None) -> Iterable[Reading]:
    """Dates whose days exist; days and months are told apart by the days beyond 12."""
    days = {re.split(r"[ T]", value)[0] for value in values}
    straight = {day for day in days if day[:4].isdigit()}
    turned = days - straight
    if not all(_exists(day, "ymd") for day in straight):
        return
    short = any(_IS_SHORT.fullmatch(day) for day in turned)
    halves = any(map(_IS_HALF.search, values))
    reading = Reading(sort, short=short, halves=halves)
    if not turned:
        yield reading
        return
    fitting = [o for o in _orders(turned, order) if all(_exists(day, o) for day in turned)]
    if len(fitting) == 1:
        yield replace(reading, order=fitting[0])
    elif fitting:
        yield Reading("text", undecided="day or month first")


def _orders(turned: set[str], asked: str | None) -> list[str]:
    """Orders that days may have which do not begin with a year of four digits."""
    if asked in ORDERS:
        return [asked]
    # a point is written between day, month and year, in this order
    if all("." in day for day in turned):
        return ["dmy"]
    all_short = all(re.fullmatch("[0-9]{2}[/-][0-9]{1,2}[/-][0-9]{2}", day) for day in turned)
    return [*ORDERS, "ymd"] if all_short else list(ORDERS)


def _exists(value: str, order: str) -> bool:
    parts = re.split(r"[./-]", value)
    year, month, day = (parts[order.index(part)] for part in "ymd")
    try:
        dt.date(full_year(year), int(month), int(day))
    except ValueError:
        return False
    return True
