"""Days of the calendar: read where they can be read in one way only, and joined to periods."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from typing import Any

from shoal.errors import HierarchyError
from shoal.schema._hierarchy import Hierarchy, Values
from shoal.schema._tree_parts import ROOT_LABEL

PIVOT = 30
"""Years of two digits from here on are of the last century, others of this."""

PERIODS = ("month", "quarter", "year", "decade")
"""What days are joined to, and where ranges of dates may end."""

_MONTHS = (
    ("jan", "january", "januar", "janvier", "enero", "gennaio"),
    ("feb", "february", "februar", "fevrier", "février", "febrero", "febbraio"),
    ("mar", "march", "märz", "maerz", "mrz", "mars", "marzo"),
    ("apr", "april", "avril", "abril", "aprile"),
    ("may", "mai", "mayo", "maggio"),
    ("jun", "june", "juni", "juin", "junio", "giugno"),
    ("jul", "july", "juli", "juillet", "julio", "luglio"),
    ("aug", "august", "août", "aout", "agosto"),
    ("sep", "sept", "september", "septembre", "septiembre", "settembre"),
    ("oct", "okt", "october", "oktober", "octobre", "octubre", "ottobre"),
    ("nov", "november", "novembre", "noviembre"),
    ("dec", "dez", "december", "dezember", "décembre", "decembre", "diciembre", "dicembre"),
)
_MONTH_OF = {name: month for month, names in enumerate(_MONTHS, 1) for name in names}
_NAMED = r"(?P<b>[^\W\d_]{3,10})\.?"
_HOUR = r"(?:,?[ T]\d{1,2}:.*)?"

_SHORT = re.compile(rf"(?P<d>\d{{1,2}})(?P<by>[/-]?){_NAMED}(?P=by)(?P<y>\d\d){_HOUR}")
"""As spreadsheets, Oracle and SAS write days: 31-Dec-99, 31DEC99."""

_FORMS = (
    re.compile(r"(?P<y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2})(?:[ T].*)?"),
    re.compile(r"(?P<y>\d{4})[/.](?P<m>\d{1,2})[/.](?P<d>\d{1,2})(?: .*)?"),
    re.compile(r"(?P<y>[12]\d{3})(?P<m>[01]\d)(?P<d>[0-3]\d)"),
    re.compile(r"(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{4})(?: .*)?"),
    re.compile(rf"(?P<d>\d{{1,2}})\.?[ /-]?(?:de )?{_NAMED},?[ /-]?(?:de )?(?P<y>\d{{4}}){_HOUR}"),
    _SHORT,
    re.compile(rf"{_NAMED} (?P<d>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<y>\d{{4}}){_HOUR}"),
)


def read_day(written: str) -> dt.date | None:
    """The day behind a text; None where there is none, or where slashes leave it open.

    Examples
    --------
    >>> read_day("31.12.1999"), read_day("19991231"), read_day("12/11/1999")
    (datetime.date(1999, 12, 31), datetime.date(1999, 12, 31), None)
    >>> read_day("Dec 31, 1999") == read_day("31 décembre 1999") == read_day("31-DEC-99")
    True
    """
    for form in _FORMS:
        if found := form.fullmatch(written.strip()):
            parts = found.groupdict()
            month = int(parts["m"]) if "m" in parts else _MONTH_OF.get(parts["b"].lower(), 0)
            try:
                return dt.date(full_year(parts["y"]), month, int(parts["d"]))
            except ValueError:
                return None
    return None


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
    return _SHORT.fullmatch(written.strip()) is not None and read_day(written) is not None


@dataclass(frozen=True)
class Dates:
    """Days to months, quarters, years and decades.

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
    day = read_day(str(value))
    if day is None:
        raise HierarchyError(f"dates of column {column!r}: some values are not dates (YYYY-MM-DD).")
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
