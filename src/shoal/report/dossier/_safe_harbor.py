"""HIPAA's safe harbor list (45 CFR 164.514(b)(2)), held against the columns of a release."""

from __future__ import annotations

import re
from dataclasses import dataclass

from shoal.discover.columns._facts import look
from shoal.discover.columns._forms import recognize
from shoal.schema import Schema
from shoal.tables._engine import Engine

CATEGORIES: tuple[tuple[str, str], ...] = (
    ("Names", r"name|surname|initials"),
    (
        "Places smaller than a state (of a ZIP code three digits may stay, if over 20,000 people)",
        r"zip|post(al)?_?code|plz|city|town|county|street|address|village|district|place|latitude|longitude",
    ),
    (
        "Dates but the year, and ages over 89",
        r"date|birth|dob|admission|admitted|discharged?|death|day|age|born",
    ),
    ("Telephone numbers", r"phone|mobile|tel"),
    ("Fax numbers", r"fax"),
    ("E-mail addresses", r"e_?mail"),
    ("Social security numbers", r"ssn|social_?security|nhs|insee|national_?id"),
    ("Medical record numbers", r"mrn|record|patient(_?id)?|case_?number"),
    ("Health plan numbers", r"plan|insurance|policy|member"),
    ("Account numbers", r"account|iban|card"),
    ("Certificate and licence numbers", r"licen[cs]e|certificate|passport"),
    ("Vehicles", r"vehicle|plate|vin"),
    ("Devices", r"device|serial|implant"),
    ("Web addresses", r"url|web(site)?|homepage"),
    ("IP addresses", r"ip(_?address)?"),
    ("Biometric identifiers", r"finger|voice|retina|iris|biometric|genome|dna"),
    ("Photographs of faces", r"photo|picture|image|face"),
    ("Any other unique number or code", r"id|uid|uuid|key|code|number|token|pseudonym"),
)
"""The eighteen kinds, and words in names of columns that suggest one."""


BY_VALUES: tuple[tuple[str, int], ...] = (
    ("names of people", 0),
    ("addresses of streets", 1),
    ("postcodes", 1),
    ("European areas", 1),
    ("dates", 2),
    ("telephone", 3),
    ("e-mail", 5),
    ("numbers of people", 6),
    ("bank accounts", 9),
    ("card or device", 9),
    ("MAC addresses", 12),
    ("web addresses", 13),
    ("IP addresses", 14),
    ("", 17),
)
"""What values are taken for, and the place of the kind that it is; anything else that names
people is a code."""


@dataclass(frozen=True)
class HarborLine:
    """One kind of identifier: released columns that may be of it, and those taken out.

    `by_values` are released columns whose values look like it, whatever they are called.
    """

    category: str
    released: tuple[str, ...]
    removed: tuple[str, ...]
    by_values: tuple[str, ...] = ()


def check_safe_harbor(schema: Schema, table: Engine | None = None) -> list[HarborLine]:
    """Columns that may be of each kind, by their names, for dates by their kind, and by values.

    Neither proves anything, so that a person has to confirm every line.  By its name a released
    column is in the first category that fits; where labels are coarse enough it may be allowed.

    Examples
    --------
    >>> schema = Schema({"zip": {"role": "quasi-identifier"}, "e-mail": {"role": "identifier"}})
    >>> [(line.released, line.removed) for line in check_safe_harbor(schema) if line.released]
    [(('zip',), ())]
    """
    by_category: dict[str, tuple[list[str], list[str]]] = {name: ([], []) for name, _ in CATEGORIES}
    for name, column in schema.items():
        category = _category(name, column.kind)
        if column.role == "pseudonym":  # a token is a code, whatever the column is called
            category = CATEGORIES[-1][0]
        if category is not None:
            by_category[category][0 if column.is_released else 1].append(name)
    seen = {} if table is None else _by_values(table)
    return [
        HarborLine(
            name, tuple(kept), tuple(gone), tuple(c for c, number in seen.items() if number == i)
        )
        for i, (name, (kept, gone)) in enumerate(by_category.items())
    ]


def _by_values(table: Engine) -> dict[str, int]:
    """Columns whose values look like a kind, and the place of that kind."""
    places = {}
    for name in table.types:
        facts = look(table, name)
        recognized = recognize(facts)
        if facts.sort == "date":
            places[name] = 2
        elif recognized is not None:
            category = next(
                number for words, number in BY_VALUES if recognized.what.startswith(words)
            )
            if (
                category < 17 or recognized.role == "identifier"
            ):  # a drug or a country is no identifier
                places[name] = category
    return places


def _category(name: str, kind: str | None) -> str | None:
    if kind == "date":
        return CATEGORIES[2][0]
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().replace("-", "_").replace(" ", "_")
    for category, pattern in CATEGORIES:
        if re.search(rf"(^|_)({pattern})s?($|_)", words):
            return category
    return None
