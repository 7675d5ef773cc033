"""Codes whose first signs are the coarser groups: ATC, ISCO-08, NUTS."""

from __future__ import annotations

import re

_ATC = re.compile(r"([A-DGHJ-NPRSV])(\d\d)?([A-Z])?([A-Z])?(\d\d)?")
_ATC_GROUPS = {
    "A": "alimentary tract, metabolism",
    "B": "blood",
    "C": "heart and circulation",
    "D": "skin",
    "G": "genito-urinary, sex hormones",
    "H": "hormones",
    "J": "anti-infectives",
    "L": "cancer, immune system",
    "M": "muscles and bones",
    "N": "nervous system",
    "P": "parasites",
    "R": "breathing",
    "S": "senses",
    "V": "various",
}
_ISCO_GROUPS = (
    "armed forces",
    "managers",
    "professionals",
    "technicians",
    "clerical support",
    "services and sales",
    "agriculture, forestry, fishery",
    "craft and trades",
    "machine operators",
    "elementary occupations",
)
_ISCO_SUB_MAJOR_TEXT = """
01 02 03 11 12 13 14 21 22 23 24 25 26 31 32 33 34 35 41 42 43 44 51 52 53 54 61 62 63 71 72 73
74 75 81 82 83 91 92 93 94 95 96
"""
_ISCO_SUB_MAJOR = frozenset(_ISCO_SUB_MAJOR_TEXT.split())
_NUTS_COUNTRIES_TEXT = """
AT BE BG CY CZ DE DK EE EL ES FI FR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK AL BA CH IS LI
ME MK NO RS TR UK XK
"""
_NUTS_COUNTRIES = frozenset(_NUTS_COUNTRIES_TEXT.split())


def drug_levels(value: str) -> tuple[str, ...] | None:
    """Chemical, pharmacological and therapeutic group, and the main anatomical group of ATC.

    Examples
    --------
    >>> drug_levels("N02BE01")
    ('N02BE*', 'N02B*', 'N02*', 'N nervous system')
    """
    code = value.strip().upper()
    match = _ATC.fullmatch(code)
    if match is None or len(code) not in (1, 3, 4, 5, 7):
        return None
    return *_cut(code, (5, 4, 3)), f"{code[0]} {_ATC_GROUPS[code[0]]}"


def occupation_levels(value: str) -> tuple[str, ...] | None:
    """Minor, sub-major and major group of ISCO-08.

    Examples
    --------
    >>> occupation_levels("2211")
    ('221*', '22*', '2 professionals')
    """
    code = value.strip()
    if not re.fullmatch(r"\d{4}", code) or code[:2] not in _ISCO_SUB_MAJOR:
        return None
    return *_cut(code, (3, 2)), f"{code[0]} {_ISCO_GROUPS[int(code[0])]}"


def area_levels(value: str) -> tuple[str, ...] | None:
    """NUTS 2, NUTS 1 and country of a European statistical area.

    Examples
    --------
    >>> area_levels("DE212")
    ('DE21*', 'DE2*', 'DE*')
    """
    code = value.strip().upper()
    if not re.fullmatch(r"[A-Z]{2}[0-9A-Z]{1,3}", code) or code[:2] not in _NUTS_COUNTRIES:
        return None
    return _cut(code, (4, 3, 2))


def _cut(code: str, lengths: tuple[int, ...]) -> tuple[str, ...]:
    """The first signs with a star; a code that is no longer than that stays below the next."""
    labels: list[str] = []
    for keep in lengths:
        if len(code) > keep:
            labels.append(f"{code[:keep]}*")
        elif len(code) == keep:
            labels.append(f"{code}*")
        else:
            labels.append("")
    return tuple(labels)
