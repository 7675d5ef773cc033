"""Postcodes of many countries: how they are written, and how each coarsens."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple


class PostcodeForm(NamedTuple):
    """One way to write postcodes, and how many signs are kept, finest first."""

    where: str
    pattern: re.Pattern[str]
    keep: tuple[int, ...]


FORMS: tuple[PostcodeForm, ...] = tuple(
    PostcodeForm(where, re.compile(pattern), keep)
    for where, pattern, keep in (
        ("Canada", r"[ABCEGHJ-NPRSTVXY]\d[A-Z] ?\d[A-Z]\d", (3, 1)),
        ("Netherlands", r"[1-9]\d{3} ?[A-Z]{2}", (4, 2, 1)),
        ("Poland", r"\d\d-\d{3}", (4, 2, 1)),
        ("Portugal", r"[1-9]\d{3}-\d{3}", (4, 2, 1)),
        ("Brazil", r"\d{5}-\d{3}", (5, 3, 1)),
        ("Japan", r"\d{3}-\d{4}", (3, 2)),
        ("United States", r"\d{5}-\d{4}", (5, 3, 1)),
        ("Czechia, Slovakia, Sweden, Greece", r"[1-9]\d\d \d\d", (3, 2, 1)),
        ("Ireland", r"([AC-FHKNPRTV-Y]\d\d|D6W) ?[0-9AC-FHKNPRTV-Y]{4}", (3, 1)),
        ("Malta", r"[A-Z]{3} ?\d{4}", (3,)),
        ("Argentina", r"[A-HJ-NP-Z]\d{4}[A-Z]{3}", (5, 3, 1)),
        ("countries with a prefix", r"(AD|AZ|LT|LV|MD|SI|L|D|F|I|A|B|CH)-\d{4,6}", (-3, -4)),
        ("five digits", r"\d{5}", (4, 3, 2, 1)),
        ("four digits", r"[1-9]\d{3}", (3, 2, 1)),
        ("six digits", r"[1-9]\d{5}", (3, 2, 1)),
    )
)
"""The order counts: what more signs tell comes first."""

_BRITISH = re.compile(r"(([A-Z]{1,2})\d[0-9A-Z]?) ?(\d)[ABD-HJLNP-UW-Z]{2}")


def postcode_form(values: Sequence[str]) -> str | None:
    """Where postcodes are written like all of these; None where they differ or are none."""
    if values and all(_BRITISH.fullmatch(value.strip().upper()) for value in values):
        return "United Kingdom"
    for form in FORMS:
        if values and all(form.pattern.fullmatch(value.strip().upper()) for value in values):
            return form.where
    return None


def postcode_levels(value: str) -> tuple[str, ...] | None:
    """Ever larger areas around a postcode; None for what is none.

    Examples
    --------
    >>> postcode_levels("SW1A 1AA"), postcode_levels("10115")
    (('SW1A 1*', 'SW1A*', 'SW*', ''), ('1011*', '101*', '10*', '1*'))
    """
    code = value.strip().upper()
    if british := _BRITISH.fullmatch(code):
        district, area, sector = british.groups()
        return f"{district} {sector}*", f"{district}*", f"{area}*", ""
    for form in FORMS:
        if form.pattern.fullmatch(code):
            lengths = [n if n > 0 else len(code) + n for n in form.keep]
            labels = [f"{code[:n].rstrip(' -')}*" for n in lengths]
            return *labels, *[""] * (4 - len(labels))
    return None
