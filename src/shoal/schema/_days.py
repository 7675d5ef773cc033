"""Days of the calendar as people write them, where they can be read in one way only."""

from __future__ import annotations

import datetime as dt
import re

_FORMS = (
    re.compile(r"(?P<y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2})(?:[ T].*)?"),
    re.compile(r"(?P<y>\d{4})[/.](?P<m>\d{1,2})[/.](?P<d>\d{1,2})(?: .*)?"),
    re.compile(r"(?P<y>[12]\d{3})(?P<m>[01]\d)(?P<d>[0-3]\d)"),
    re.compile(r"(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{4})(?: .*)?"),
)


def read_day(written: str) -> dt.date | None:
    """The day behind a text; None where there is none, or where slashes leave it open.

    Examples
    --------
    >>> read_day("31.12.1999"), read_day("19991231"), read_day("12/11/1999")
    (datetime.date(1999, 12, 31), datetime.date(1999, 12, 31), None)
    """
    for form in _FORMS:
        if found := form.fullmatch(written.strip()):
            try:
                return dt.date(int(found["y"]), int(found["m"]), int(found["d"]))
            except ValueError:
                return None
    return None
