"""What the values of a column look like: addresses, numbers with check digits, codes, dates."""

from __future__ import annotations

import ipaddress
import math
import re
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from shoal.discover.columns._check_digits import luhn, mod97
from shoal.discover.columns._facts import Facts
from shoal.discover.columns._given_names import is_given_name
from shoal.discover.columns._national_numbers import CHANCES, countries_of
from shoal.schema import Ready
from shoal.schema._column import Role
from shoal.schema._days import read_day, read_month
from shoal.schema.readymade._postcodes import postcode_form

_ENOUGH = 20
"""Rows from which values that all differ are taken for numbers of cases."""
_SURE = 6.0
"""Decimal digits of surprise that chance would need: one in a million."""

_STREETS = (
    r"strasse|straße|str\.|weg|platz|allee|gasse|street|road|avenue|lane|drive|boulevard|court|"
    r"st\.?|rd\.?|ave\.?|rue|quai|chemin|calle|avenida|plaza|paseo|via|viale|piazza|corso|"
    r"straat|laan|plein|gracht|rua|travessa|praça|praca|largo|ulica|ul\.|aleja|al\.|plac"
)
_STREET = re.compile(rf"(?i)(?:\b|(?<=\w))(?:{_STREETS})(?=\W|$)|\b(?:{_STREETS})\s")
_TELEPHONE = re.compile(
    r"(?:\+|00)[1-9][\d\s()./-]{6,18}|\(?0\d{1,5}\)?[\s/.-]*\d[\d\s/.-]{4,14}"
    r"|\(?[2-9]\d\d\)?[-. ]\s?\d{3}[-. ]\d{4}"
)
_DAYS = (
    re.compile(r"(?:0?[1-9]|[12]\d|3[01])[./-](?:0?[1-9]|1[0-2])[./-](?:1[89]|20)?\d\d(?:[ T].*)?"),
    re.compile(r"(?:0?[1-9]|1[0-2])/(?:0?[1-9]|[12]\d|3[01])/(?:1[89]|20)?\d\d(?:[ T].*)?"),
    re.compile(r"(?:1[89]|20)\d\d[./-](?:0?[1-9]|1[0-2])[./-](?:0?[1-9]|[12]\d|3[01])(?:[ T].*)?"),
    re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"),
)


class Form(NamedTuple):
    """A way to write something, and the role that it gives a column.

    `share` is how much of the values must look so, `least` how many at least, `check` whether one
    does; `what` is said in the reason.
    """

    what: str
    role: Role
    share: float
    least: int
    check: Callable[[str], object]


def _network(value: str) -> bool:
    if not re.fullmatch(r"[0-9a-fA-F:.]{3,45}", value) or not re.search(r"[.:].*[.:]", value):
        return False
    try:
        ipaddress.ip_address(value)
    except ValueError:
        return False
    return True


def _iban(value: str) -> bool:
    bare = re.sub(r"[\s-]", "", value.upper())
    shape = re.fullmatch(r"[A-Z]{2}\d\d[A-Z0-9]{11,30}", bare)
    return shape is not None and mod97(bare[4:] + bare[:4])


def _long_luhn(value: str) -> bool:
    bare = re.sub(r"[\s-]", "", value)
    return re.fullmatch(r"\d{13,19}", bare) is not None and len(set(bare)) > 1 and luhn(bare)


def _telephone(value: str) -> bool:
    enough = 7 <= sum(c.isdigit() for c in value) <= 15
    return enough and _TELEPHONE.fullmatch(value) is not None and not is_day(value)


def _street(value: str) -> bool:
    return (
        re.search(r"\d", value) is not None
        and len(value.split()) >= 2
        and _STREET.search(value) is not None
    )


def _person(value: str) -> bool:
    parts = re.findall(r"[^\W\d_]+", value)
    return 1 <= len(parts) <= 4 and any(map(is_given_name, parts))


def is_day(value: str) -> bool:
    """Whether a text is a day of the calendar, in one of the usual spellings."""
    return any(form.fullmatch(value) for form in _DAYS) or read_day(value) is not None


def is_month(value: str) -> bool:
    """Whether a text is a month of a year: `Jan 1970`, `01/1970`."""
    return read_month(value) is not None


IDENTIFYING: tuple[Form, ...] = (
    Form(
        "e-mail addresses",
        "identifier",
        0.1,
        1,
        re.compile(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}").fullmatch,
    ),
    Form("web addresses", "identifier", 0.2, 2, re.compile(r"(?i)(https?://|www\.)\S+").fullmatch),
    Form(
        "UUIDs",
        "identifier",
        0.5,
        2,
        re.compile(r"(?i)\{?[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}\}?").fullmatch,
    ),
    Form(
        "MAC addresses",
        "identifier",
        0.5,
        2,
        re.compile(r"(?i)([0-9a-f]{2}[:-]){5}[0-9a-f]{2}").fullmatch,
    ),
    Form("IP addresses", "identifier", 0.5, 2, _network),
    Form("bank accounts (IBAN, check digits agree)", "identifier", 0.5, 2, _iban),
    Form("card or device numbers (check digits agree)", "identifier", 0.8, 6, _long_luhn),
    Form("telephone numbers", "identifier", 0.8, 5, _telephone),
    Form("addresses of streets", "identifier", 0.5, 4, _street),
    Form(
        "keys made by a computer",
        "identifier",
        0.9,
        4,
        re.compile(r"(?i)[0-9a-f]{32,128}").fullmatch,
    ),
    Form("names of people", "identifier", 0.3, 5, _person),
)
"""Forms of what names people."""


class Found(NamedTuple):
    """What the values of a column are taken for."""

    what: str
    role: Role
    ready: str | None = None


def recognize(facts: Facts) -> Found | None:
    """What the values of a column look like; None where they look like nothing in particular."""
    values = facts.texts
    if not values or facts.fractional or facts.sort in ("boolean", "date"):
        return None
    if facts.sort == "number":
        return _national(facts) or _counted(facts, IDENTIFYING[6:7])
    if _share(values, is_day) >= 0.9:
        return Found("dates, written as text", "quasi-identifier")
    if _share(values, is_month) >= 0.9:
        return Found("months of a year", "quasi-identifier")
    if all(len(value) <= 1 for value in values):
        return None
    return (
        _counted(facts, IDENTIFYING[:6])
        or _national(facts)
        or _counted(facts, IDENTIFYING[6:])
        or _codes(facts)
    )


def _counted(facts: Facts, forms: tuple[Form, ...]) -> Found | None:
    values = facts.texts
    for form in forms:
        n = sum(bool(form.check(value)) for value in values)
        if n >= min(form.least, len(values)) and n >= form.share * len(values):
            return Found(form.what, form.role)
    return None


def _national(facts: Facts) -> Found | None:
    """Numbers of people, if more check digits agree than chance would let."""
    values = facts.texts
    votes = Counter(country for value in values for country in countries_of(value))
    if facts.sort == "number":  # a number has lost the zeros in front
        lengths = {len(value) for value in values}
        padded = [value.zfill(max(lengths)) for value in values]
        votes = Counter(country for value in padded for country in countries_of(value))
    for country, n in votes.most_common():
        if n >= 0.8 * len(values) and -n * math.log10(CHANCES[country]) >= _SURE:
            return Found(f"numbers of people ({country}, check digits agree)", "identifier")
    return None


def _codes(facts: Facts) -> Found | None:
    values = facts.texts
    longest = max(map(len, values))
    # numbers of cases (P00001) may look like diagnoses, and would be released as they are
    shared = facts.n_rows < _ENOUGH or not facts.all_differ
    if shared and longest == 7 and _known("atc", values):
        return Found("drugs (ATC)", "sensitive", "atc")
    if shared and longest <= 8 and _known("icd10", values) and any(len(v) >= 3 for v in values):
        return Found("diagnoses (ICD-10)", "sensitive", "icd10")
    if _known("countries", values) and len(values) >= 3:
        return Found("countries", "quasi-identifier", "countries")
    if {len(v) for v in values} <= {3, 4, 5} and _known("nuts", values) and longest >= 4:
        return Found("European areas (NUTS)", "quasi-identifier", "nuts")
    form = postcode_form(values)
    if form is not None and not form.endswith("digits"):
        return Found(f"postcodes ({form})", "quasi-identifier", "postcodes")
    return None


def _known(name: str, values: list[str]) -> bool:
    return Ready(name).knows(values) >= max(2, 0.9 * len(values))


def _share(values: list[str], check: Callable[[str], bool]) -> float:
    return sum(map(check, values)) / len(values)
