"""Days of the calendar as people write them, where they can be read in one way only."""

from __future__ import annotations

import datetime as dt
import re

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

_FORMS = (
    re.compile(r"(?P<y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2})(?:[ T].*)?"),
    re.compile(r"(?P<y>\d{4})[/.](?P<m>\d{1,2})[/.](?P<d>\d{1,2})(?: .*)?"),
    re.compile(r"(?P<y>[12]\d{3})(?P<m>[01]\d)(?P<d>[0-3]\d)"),
    re.compile(r"(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{4})(?: .*)?"),
    re.compile(rf"(?P<d>\d{{1,2}})\.?[ -]?(?:de )?{_NAMED},?[ -]?(?:de )?(?P<y>\d{{4}}){_HOUR}"),
    re.compile(rf"{_NAMED} (?P<d>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<y>\d{{4}}){_HOUR}"),
)


def read_day(written: str) -> dt.date | None:
    """The day behind a text; None where there is none, or where slashes leave it open.

    Examples
    --------
    >>> read_day("31.12.1999"), read_day("19991231"), read_day("12/11/1999")
    (datetime.date(1999, 12, 31), datetime.date(1999, 12, 31), None)
    >>> read_day("Dec 31, 1999") == read_day("31 décembre 1999") == read_day("31-DEC-1999")
    True
    """
    for form in _FORMS:
        if found := form.fullmatch(written.strip()):
            parts = found.groupdict()
            month = int(parts["m"]) if "m" in parts else _MONTH_OF.get(parts["b"].lower(), 0)
            try:
                return dt.date(int(parts["y"]), month, int(parts["d"]))
            except ValueError:
                return None
    return None
