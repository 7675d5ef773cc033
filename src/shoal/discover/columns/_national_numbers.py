"""Numbers that states give to people, told by their form and their check digits.

A rule says how a number is written (blanks, dots, dashes and slashes are taken out first) and
whether its digits agree.  `chance` is about the share of random numbers of the same length that
agree; it decides how many values have to agree before they are believed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from shoal.discover.columns._check_digits import (
    cross_sum,
    digits,
    luhn,
    mod11_2,
    mod11_10,
    verhoeff,
    weighted,
)

_DAY = r"(0[1-9]|[12]\d|3[01])"
_MONTH = r"(0[1-9]|1[0-2])"
_DDMM = _DAY + _MONTH
_MMDD = _MONTH + _DAY
_SPANISH = "TRWAGMYFPDXBNJZSQVHLCKE"
_FINNISH = "0123456789ABCDEFHJKLMNPRSTUVWXY"
_IRISH = "WABCDEFGHIJKLMNOPQRSTUV"
_ITALIAN_ODD = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22,
                25, 24, 23)  # fmt: skip
_MEXICAN = "0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ"
_TAIWANESE = "ABCDEFGHJKLMNPQRSTUVXYWZIO"


class NationalNumber(NamedTuple):
    """How one country numbers people."""

    country: str
    pattern: str
    agrees: Callable[[str], bool]
    chance: float


def _rest_11(text: str, weights: tuple[int, ...], *, ten: int | None = None) -> bool:
    """The sum's distance to the next multiple of 11 is the last digit; 11 counts as 0."""
    check = (11 - weighted(text, weights) % 11) % 11
    if check == 10:
        check = -1 if ten is None else ten
    return check == int(text[-1])


def _austria(text: str) -> bool:
    return weighted(text, (3, 7, 9, 0, 5, 8, 4, 2, 1, 6)) % 11 == int(text[3])


def _belgium(text: str) -> bool:
    born = (int(text[:9]), int("2" + text[:9]))  # from 2000 on a 2 is put in front
    return any(97 - number % 97 == int(text[9:]) for number in born)


def _bulgaria(text: str) -> bool:
    return weighted(text, (2, 4, 8, 5, 10, 9, 7, 3, 6)) % 11 % 10 == int(text[9])


def _ean(text: str) -> bool:
    return weighted(text, (1, 3) * 6 + (1,)) % 10 == 0


def _czech(text: str) -> bool:
    return int(text) % 11 == 0 or (int(text[:9]) % 11 == 10 and text[9] == "0")


def _german_tax(text: str) -> bool:
    return len(set(text[:10])) in (8, 9) and mod11_10(text)


def _german_pension(text: str) -> bool:
    spelt = text[:8] + f"{ord(text[8]) - 64:02d}" + text[9:11]
    weights = (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1)
    total = sum(cross_sum(d * w) for d, w in zip(digits(spelt), weights, strict=True))
    return total % 10 == int(text[11])


def _german_health(text: str) -> bool:
    spelt = f"{ord(text[0]) - 64:02d}" + text[1:9]
    total = sum(cross_sum(d * (1 + i % 2)) for i, d in enumerate(digits(spelt)))
    return total % 10 == int(text[9])


def _baltic(text: str) -> bool:
    check = weighted(text, (1, 2, 3, 4, 5, 6, 7, 8, 9, 1)) % 11
    if check == 10:
        check = weighted(text, (3, 4, 5, 6, 7, 8, 9, 1, 2, 3)) % 11 % 10
    return check == int(text[10])


def _latvia(text: str) -> bool:
    return (1101 - weighted(text, (1, 6, 3, 7, 9, 10, 5, 8, 4, 2))) % 11 % 10 == int(text[10])


def _spain(text: str) -> bool:
    number = str("XYZ".index(text[0])) + text[1:8] if text[0] in "XYZ" else text[:8]
    return _SPANISH[int(number) % 23] == text[8]


def _finland(text: str) -> bool:
    return _FINNISH[int(text[:6] + text[-4:-1]) % 31] == text[-1]


def _france(text: str) -> bool:
    number = text[:13].replace("2A", "19").replace("2B", "18")
    return 97 - int(number) % 97 == int(text[13:])


def _hungary(text: str) -> bool:
    return weighted(text, (3, 7) * 4) % 10 == int(text[8])


def _ireland(text: str) -> bool:
    more = ord(text[8]) - 64 if len(text) > 8 and text[8] != "W" else 0
    return _IRISH[(weighted(text, (8, 7, 6, 5, 4, 3, 2)) + 9 * more) % 23] == text[7]


def _iceland(text: str) -> bool:
    check = (11 - weighted(text, (3, 2, 7, 6, 5, 4, 3, 2)) % 11) % 11
    return check == int(text[8])


def _italy(text: str) -> bool:
    places = [int(c) if c.isdigit() else ord(c) - 65 for c in text[:15]]
    total = sum(p if i % 2 else _ITALIAN_ODD[p] for i, p in enumerate(places))
    return chr(65 + total % 26) == text[15]


def _netherlands(text: str) -> bool:
    return int(text) > 0 and weighted(text, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0


def _norway(text: str) -> bool:
    first = weighted(text, (3, 7, 6, 1, 8, 9, 4, 5, 2, 1)) % 11
    return first == 0 and weighted(text, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)) % 11 == 0


def _poland(text: str) -> bool:
    return weighted(text, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)) % 10 == 0


def _portugal(text: str) -> bool:
    return _rest_11(text, (9, 8, 7, 6, 5, 4, 3, 2), ten=0)


def _romania(text: str) -> bool:
    check = weighted(text, (2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9)) % 11
    return (1 if check == 10 else check) == int(text[12])


def _yugoslavia(text: str) -> bool:
    return _rest_11(text, (7, 6, 5, 4, 3, 2) * 2)


def _turkey(text: str) -> bool:
    d = digits(text)
    tenth = (7 * sum(d[0:9:2]) - sum(d[1:8:2])) % 10
    return tenth == d[9] and sum(d[:10]) % 10 == d[10]


def _health_service(text: str) -> bool:
    return _rest_11(text, (10, 9, 8, 7, 6, 5, 4, 3, 2))


def _australian_tax(text: str) -> bool:
    return weighted(text, (1, 4, 3, 7, 5, 8, 6, 9, 10)) % 11 == 0


def _medicare(text: str) -> bool:
    return weighted(text, (1, 3, 7, 9, 1, 3, 7, 9)) % 10 == int(text[8])


def _brazil(text: str) -> bool:
    first = 11 - weighted(text, tuple(range(10, 1, -1))) % 11
    second = 11 - weighted(text, tuple(range(11, 1, -1))) % 11
    wanted = [0 if check > 9 else check for check in (first, second)]
    return len(set(text)) > 1 and digits(text[9:]) == wanted


def _chile(text: str) -> bool:
    total = sum(int(c) * (2 + i % 6) for i, c in enumerate(reversed(text[:-1])))
    return "0123456789K"[(11 - total % 11) % 11] == text[-1]


def _argentina(text: str) -> bool:
    return _rest_11(text, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2))


def _mexico(text: str) -> bool:
    total = sum(_MEXICAN.index(c) * (18 - i) for i, c in enumerate(text[:17]))
    return (10 - total % 10) % 10 == int(text[17])


def _korea(text: str) -> bool:
    return (11 - weighted(text, (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)) % 11) % 10 == int(text[12])


def _japan(text: str) -> bool:
    rest = weighted(text, (6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11
    return (0 if rest <= 1 else 11 - rest) == int(text[11])


def _taiwan(text: str) -> bool:
    code = _TAIWANESE.index(text[0]) + 10
    return (code // 10 + weighted(str(code % 10) + text[1:], (*range(9, 0, -1), 1))) % 10 == 0


def _singapore(text: str) -> bool:
    total = weighted(text[1:], (2, 7, 6, 5, 4, 3, 2)) + (4 if text[0] in "TG" else 0)
    letters = "JZIHGFEDCBA" if text[0] in "ST" else "XWUTRQPNMLK"
    return letters[total % 11] == text[8]


def _anything(text: str) -> bool:
    """No check digit: the form is all that can be checked."""
    return bool(text)


RULES: tuple[NationalNumber, ...] = (
    NationalNumber("Argentina", r"(20|23|24|27)\d{9}", _argentina, 0.004),
    NationalNumber("Australia (tax)", r"\d{9}", _australian_tax, 0.1),
    NationalNumber("Australia (Medicare)", r"[2-6]\d{9,10}", _medicare, 0.06),
    NationalNumber("Austria", rf"[1-9]\d{{3}}{_DDMM}\d\d", _austria, 0.004),
    NationalNumber("Belgium", rf"\d\d{_MMDD}\d{{5}}", _belgium, 0.001),
    NationalNumber("Brazil", r"\d{11}", _brazil, 0.01),
    NationalNumber("Bulgaria", r"\d\d([024][1-9]|[135][0-2])" + _DAY + r"\d{4}", _bulgaria, 0.01),
    NationalNumber("Canada", r"[1-79]\d{8}", luhn, 0.09),
    NationalNumber("Chile", r"\d{7,8}[0-9K]", _chile, 0.1),
    NationalNumber("China", rf"[1-8]\d{{5}}(19|20)\d\d{_MMDD}\d{{3}}[0-9X]", mod11_2, 0.0001),
    NationalNumber("Croatia", r"\d{11}", mod11_10, 0.1),
    NationalNumber("Czechia, Slovakia", rf"\d\d[0-8]\d{_DAY}\d{{4}}", _czech, 0.025),
    NationalNumber("Denmark", rf"{_DDMM}\d\d\d{{4}}", _anything, 0.037),
    NationalNumber("Estonia, Lithuania", rf"[1-6]\d\d{_MMDD}\d{{4}}", _baltic, 0.002),
    NationalNumber("Finland", rf"{_DDMM}\d\d[A-FU-Y+]?\d{{3}}[0-9A-FHJ-NPR-Y]", _finland, 0.001),
    NationalNumber("France", r"[1-478]\d{4}(\d\d|2[AB])\d{8}", _france, 0.005),
    NationalNumber("Germany (tax)", r"[1-9]\d{10}", _german_tax, 0.03),
    NationalNumber("Germany (pension)", rf"\d\d{_DDMM}\d\d[A-Z]\d{{3}}", _german_pension, 0.004),
    NationalNumber("Germany (health)", r"[A-Z]\d{9}", _german_health, 0.1),
    NationalNumber("Greece", rf"{_DDMM}\d\d\d{{5}}", luhn, 0.004),
    NationalNumber("Hungary", r"\d{9}", _hungary, 0.1),
    NationalNumber("Iceland", rf"{_DDMM}\d{{5}}[089]", _iceland, 0.001),
    NationalNumber("India (Aadhaar)", r"[2-9]\d{11}", verhoeff, 0.08),
    NationalNumber("India (PAN)", r"[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]", _anything, 0.001),
    NationalNumber("Ireland", r"\d{7}[A-W][A-IW]?", _ireland, 0.04),
    NationalNumber("Israel", r"\d{9}", luhn, 0.1),
    NationalNumber("Italy", r"[A-Z]{6}\d\d[A-EHLMPRST]\d\d[A-Z]\d{3}[A-Z]", _italy, 0.001),
    NationalNumber("Japan", r"\d{12}", _japan, 0.1),
    NationalNumber("Korea", rf"\d\d{_MMDD}[0-9]\d{{6}}", _korea, 0.004),
    NationalNumber("Latvia", rf"{_DDMM}\d\d[0-2]\d{{4}}", _latvia, 0.001),
    NationalNumber("Mexico", r"[A-Z][AEIOUX][A-Z]{2}\d{6}[HMX][A-Z]{5}[A-Z0-9]\d", _mexico, 0.0001),
    NationalNumber("Netherlands", r"\d{9}", _netherlands, 0.09),
    NationalNumber("Norway", r"([0-7]\d)([04][1-9]|[15][0-2])\d{7}", _norway, 0.002),
    NationalNumber("Poland", r"\d\d([02468][1-9]|[13579][0-2])" + _DAY + r"\d{5}", _poland, 0.02),
    NationalNumber("Portugal", r"[125689]\d{8}", _portugal, 0.06),
    NationalNumber("Romania", rf"[1-8]\d\d{_MMDD}\d{{6}}", _romania, 0.003),
    NationalNumber("Singapore", r"[STFG]\d{7}[A-Z]", _singapore, 0.01),
    NationalNumber("South Africa", rf"\d\d{_MMDD}\d{{4}}[01][89]\d", luhn, 0.001),
    NationalNumber("Spain", r"[0-9XYZ]\d{7}[A-Z]", _spain, 0.05),
    NationalNumber("Sweden", rf"(19|20)?\d\d{_MMDD}\d{{4}}", lambda t: luhn(t[-10:]), 0.004),
    NationalNumber("Switzerland", r"756\d{10}", _ean, 0.0001),
    NationalNumber("Taiwan", r"[A-Z][12]\d{8}", _taiwan, 0.02),
    NationalNumber("Turkey", r"[1-9]\d{10}", _turkey, 0.009),
    NationalNumber("United Kingdom (NHS)", r"\d{10}", _health_service, 0.09),
    NationalNumber(
        "United Kingdom (NINO)",
        r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]",
        _anything,
        0.001,
    ),
    NationalNumber("former Yugoslavia", rf"{_DDMM}[09]\d{{8}}", _yugoslavia, 0.001),
)
"""One rule for each way of numbering people that is recognised."""

_SEPARATORS = re.compile(r"[\s./-]")
_SSN = re.compile(r"(?!000|666|9\d\d)\d{3}-(?!00)\d\d-(?!0000)\d{4}")
_COMPILED = tuple((rule, re.compile(rule.pattern)) for rule in RULES)


def countries_of(value: str) -> frozenset[str]:
    """Countries that may have given this number to somebody.

    Examples
    --------
    >>> sorted(countries_of("756.9217.0769.85"))
    ['Switzerland']
    >>> sorted(countries_of("123-45-6789"))
    ['United States']
    """
    if len(value) > 30:
        return frozenset()
    if _SSN.fullmatch(value):
        return frozenset({"United States"})
    bare = _SEPARATORS.sub("", value.strip().upper())
    countries = (
        rule.country for rule, form in _COMPILED if form.fullmatch(bare) and rule.agrees(bare)
    )
    return frozenset(countries)


CHANCES = {rule.country: rule.chance for rule in RULES} | {"United States": 0.0001}
"""How likely a random number of the right length passes for one of each country."""
