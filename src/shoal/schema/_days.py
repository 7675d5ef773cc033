"""Days of the calendar: read where they can be read in one way only, and joined to periods."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from shoal.errors import HierarchyError
from shoal.schema._hierarchy import Hierarchy, Values
from shoal.schema._tree_parts import ROOT_LABEL

PIVOT = 30
"""Years of two digits from here on are of the last century, others of this."""

PERIODS = ("month", "quarter", "year", "decade")
"""What days are joined to, and where ranges of dates may end."""

MONTH_NAMES = (
    ("jan", "january", "januar", "jänner", "jän", "janvier", "janv", "enero", "ene", "gennaio",
     "gen", "janeiro", "januari"),
    ("feb", "february", "februar", "feber", "février", "fevrier", "févr", "fevr", "fév", "fev",
     "febrero", "febbraio", "fevereiro", "februari"),
    ("mar", "march", "märz", "maerz", "mrz", "mär", "mars", "marzo", "março", "maart", "mrt"),
    ("apr", "april", "avril", "avr", "abril", "abr", "aprile"),
    ("may", "mai", "mayo", "maggio", "mag", "maio", "mei"),
    ("jun", "june", "juni", "juin", "junio", "giugno", "giu", "junho"),
    ("jul", "july", "juli", "juillet", "juil", "julio", "luglio", "lug", "julho"),
    ("aug", "august", "août", "aout", "agosto", "ago", "augustus"),
    ("sep", "sept", "september", "septembre", "septiembre", "settembre", "set", "setembro"),
    ("oct", "okt", "october", "oktober", "octobre", "octubre", "ottobre", "ott", "outubro", "out"),
    ("nov", "november", "novembre", "noviembre", "novembro"),
    ("dec", "dez", "december", "dezember", "décembre", "decembre", "déc", "diciembre", "dic",
     "dicembre", "dezembro"),
)  # fmt: skip
"""What months are called, in small letters; no name is that of two."""

_WEEKDAYS = (
    "monday|tuesday|wednesday|thursday|friday|saturday|sunday|mon|tues|tue|wed|thurs|thu|fri|"
    "sat|sun|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag|mo|di|mi|do|fr|"
    "sa|so|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lun|mar|mer|jeu|ven|sam|dim|lunes|"
    "martes|miércoles|jueves|viernes|sábado|domingo|mié|(?:ju|vi)e|sáb|dom|lunedì|martedì|mercoledì|"
    "giovedì|venerdì|sabato|domenica|gio|sab"
)
_MONTH_OF = {name: month for month, names in enumerate(MONTH_NAMES, 1) for name in names}
_NAME = f"({'|'.join(sorted(_MONTH_OF, key=len, reverse=True))})[.]?"
_BEFORE = f"(?:(?:{_WEEKDAYS})[.]?,? (?:the |den |le |el )?)?"

# patterns are read by Python and by DuckDB alike, of texts in small letters
DAY_FIRST = (
    f"{_BEFORE}([0-9]{{1,2}})(?:[.]|er|st|nd|rd|th)?[ /-]?(?:de |of )?{_NAME},?[ /-]?(?:de |del )?"
    "([0-9]{4})"
)
MONTH_FIRST = f"{_BEFORE}{_NAME} ([0-9]{{1,2}})(?:st|nd|rd|th)?,? ([0-9]{{4}})"
YEAR_FIRST = f"([0-9]{{4}})[ /-]{_NAME}[ /-]([0-9]{{1,2}})"
SHORT_FORMS = tuple(f"([0-9]{{1,2}}){by}{_NAME}{by}([0-9]{{2}})" for by in ("-", "/", ""))
"""As spreadsheets, Oracle and SAS write days: 31-Dec-99, 31DEC99."""

NAMED_DAY = "|".join((DAY_FIRST, MONTH_FIRST, YEAR_FIRST, *SHORT_FORMS))
"""Days whose month has a name."""

_HOUR = r"(?:,?[ tT]\d{1,2}:.*)?"
_FORMS = (
    (re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[ t].*)?"), "ymd"),
    (re.compile(r"(\d{4})[/.](\d{1,2})[/.](\d{1,2})(?: .*)?"), "ymd"),
    (re.compile(r"([12]\d{3})([01]\d)([0-3]\d)"), "ymd"),
    (re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})(?: .*)?"), "dmy"),
)
_WORD = re.compile(r"[^\W\d_]{3}")


@cache
def _named_forms() -> tuple[tuple[re.Pattern[str], str], ...]:
    """The same for days whose month has a name: compiled when one is looked for."""
    named = [(DAY_FIRST, "dmy"), (MONTH_FIRST, "mdy"), (YEAR_FIRST, "ymd")]
    named += [(form, "dmy") for form in SHORT_FORMS]
    return tuple((re.compile(form + _HOUR), order) for form, order in named)


def _forms_of(written: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    return _named_forms() if _WORD.search(written) else _FORMS


def read_day(written: str) -> dt.date | None:
    """The day behind a text; None where there is none, or where slashes leave it open.

    Examples
    --------
    >>> read_day("31.12.1999"), read_day("19991231"), read_day("12/11/1999")
    (datetime.date(1999, 12, 31), datetime.date(1999, 12, 31), None)
    >>> read_day("Dec 31, 1999") == read_day("ven. 31 décembre 1999") == read_day("31-DEC-99")
    True
    """
    written = written.strip().lower()
    for form, order in _forms_of(written):
        if match := form.fullmatch(written):
            year, month, day = (match[1 + order.index(part)] for part in "ymd")
            try:
                return dt.date(full_year(year), _MONTH_OF.get(month) or int(month), int(day))
            except ValueError:
                return None
    return None


def read_month(written: str) -> dt.date | None:
    """The first day of the month that a text is; None where it is none.

    Examples
    --------
    >>> read_month("Jan 1970") == read_month("1970-01") == read_month("01/1970")
    True
    >>> read_month("13/1970"), read_month("Jan 70")
    (None, None)
    """
    written = written.strip().lower()
    for form, year, month in _months():
        if found := form.fullmatch(written):
            number = _MONTH_OF.get(found[month]) or int(found[month])
            return dt.date(int(found[year]), number, 1) if 1 <= number <= 12 else None
    return None


@cache
def _months() -> tuple[tuple[re.Pattern[str], int, int], ...]:
    """Ways to write months, and which part is the year, which the month."""
    year, number = "((?:1[89]|20)[0-9]{2})", "([0-9]{1,2})"
    return (
        (re.compile(f"{_NAME}[ /-]?(?:de |del )?{year}"), 2, 1),
        (re.compile(f"{year}[ /-]?{_NAME}"), 1, 2),
        (re.compile(f"{number}[./-]{year}"), 2, 1),
        (re.compile(f"{year}[./-]{number}"), 1, 2),
    )


def full_year(text: str) -> int:
    """A year of four digits; one of two is taken for 1930 to 2029."""
    if len(text) > 2:
        return int(text)
    return int(text) + (1900 if int(text) >= PIVOT else 2000)


def has_short_year(written: str) -> bool:
    """Whether the day behind a text has a year of two digits.

    Examples
    --------
    >>> has_short_year("31-DEC-99"), has_short_year("31-DEC-1999"), has_short_year("31-XYZ-99")
    (True, False, False)
    """
    written = written.strip().lower()
    if not _WORD.search(written) or read_day(written) is None:
        return False
    return any(form.fullmatch(written) for form, _ in _named_forms()[-len(SHORT_FORMS) :])


@dataclass(frozen=True)
class Dates:
    """Days, or months (`Jan 1970`, `01/1970`), to months, quarters, years and decades.

    Examples
    --------
    >>> Dates(("month", "year")).build(["2024-01-31", "2024-02-01"]).labels[2:]
    ('2024-01', '2024-02', '2024', '*')
    """

    periods: tuple[str, ...]

    def __post_init__(self) -> None:
        given = (self.periods,) if isinstance(self.periods, str) else self.periods
        object.__setattr__(self, "periods", tuple(given))

    def build(self, values: Values, *, column: str = "") -> Hierarchy:
        """Periods over the values."""
        unknown = [period for period in self.periods if period not in PERIODS]
        if unknown or not self.periods:
            raise HierarchyError(
                f"dates of column {column!r}: unknown period {unknown[:1]}. "
                f"Choose from {', '.join(PERIODS)}."
            )
        days = [_day(value, column) for value in values]
        months = [day.year * 12 + day.month for day in days]
        one_of = dict(zip(months, days, strict=True))  # a hundred years have 1,200 months
        ordered = [period for period in PERIODS if period in self.periods]
        levels = []
        for period in ordered:
            label = {month: _period(day, period) for month, day in one_of.items()}
            levels.append([label[month] for month in months])
        return Hierarchy.from_columns([values, *levels, [ROOT_LABEL] * len(values)], column=column)

    def to_toml(self) -> Any:
        """`{dates = ["month", "year"]}`."""
        return {"dates": list(self.periods)}


def _day(value: Any, column: str) -> dt.date:
    if isinstance(value, dt.datetime):
        return value.date()
    if isinstance(value, dt.date):
        return value
    day = read_day(str(value)) or read_month(str(value))
    if day is None:
        raise HierarchyError(
            f"dates of column {column!r}: some values are neither dates (YYYY-MM-DD) nor months "
            "(YYYY-MM)."
        )
    return day


def _period(day: dt.date, period: str) -> str:
    match period:
        case "month":
            return f"{day.year:04d}-{day.month:02d}"
        case "quarter":
            return f"{day.year:04d}-Q{(day.month + 2) // 3}"
        case "year":
            return f"{day.year:04d}"
        case _:
            return f"{day.year // 10 * 10:04d}s"
