"""Ready-made hierarchies by name: public classifications that no row decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal._checks import did_you_mean
from shoal.errors import HierarchyError
from shoal.schema._bands import Breaks
from shoal.schema._hierarchy import Hierarchy, Values
from shoal.schema._text import text
from shoal.schema._tree_parts import ROOT_LABEL
from shoal.schema.readymade._code_levels import area_levels, drug_levels, occupation_levels
from shoal.schema.readymade._countries import country_regions
from shoal.schema.readymade._diagnoses import diagnosis_levels
from shoal.schema.readymade._postcodes import postcode_levels

Levels = Callable[[str], tuple[str, ...] | None]

AGE_BREAKS = (
    (5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85, 90),
    (5, 15, 25, 35, 45, 55, 65, 75, 85),
    (15, 65),
)
"""Five-year bands up to 90, ten-year bands, and the United Nations' 0-14, 15-64, 65 and over."""

CODES: Mapping[str, Levels] = {
    "atc": drug_levels,
    "countries": country_regions,
    "icd10": diagnosis_levels,
    "isco08": occupation_levels,
    "nuts": area_levels,
    "postcodes": postcode_levels,
}
"""Classifications of codes, and the function that gives the coarser labels of a code."""


@dataclass(frozen=True)
class Ready:
    """A hierarchy that comes with Shoal, by name; codes that it does not know go to the root.

    Parameters
    ----------
    name : {"ages", "atc", "countries", "icd10", "isco08", "nuts", "postcodes"}
        Ages in years; drugs by ATC; countries by code or name; diagnoses by ICD-10; occupations by
        ISCO-08; European areas by NUTS; postcodes.

    Examples
    --------
    >>> Ready("countries").build(["DE", "FR", "BR"]).labels[3:]
    ('Western Europe', 'Europe', 'South America', 'Americas', '*')
    """

    name: str

    def build(self, values: Values, *, column: str = "") -> Hierarchy:
        """Labels of the classification over the values."""
        if self.name == "ages":
            return Breaks(AGE_BREAKS).build(values, column=column)
        if self.name not in CODES:
            known = ", ".join(sorted(["ages", *CODES]))
            raise HierarchyError(
                f"hierarchy of column {column!r}: there is no ready-made {self.name!r}. "
                f"{did_you_mean(self.name, ['ages', *CODES])}Choose from {known}."
            )
        texts = [str(text(value)) for value in values]
        if not texts:
            raise HierarchyError(f"hierarchy of column {column!r}: there are no values to use.")
        rows = [
            _filled(leaf, levels) for leaf, levels in zip(texts, self._levels(texts), strict=True)
        ]
        height = max(len(row) for row in rows)
        rows = [row + [ROOT_LABEL] * (height - len(row)) for row in rows]
        return Hierarchy.from_columns(
            [values, *_apart(rows, texts), [ROOT_LABEL] * len(values)], column=column
        )

    def knows(self, values: Sequence[str]) -> int:
        """How many of the values the classification has."""
        return sum(levels is not None for levels in self._levels(values))

    def _levels(self, texts: Sequence[str]) -> list[tuple[str, ...] | None]:
        find = CODES[self.name]
        if self.name == "postcodes" and {len(t) for t in texts if t.isdigit()} == {4, 5}:
            texts = [
                t.zfill(5) if t.isdigit() else t for t in texts
            ]  # a table took them for numbers
        if self.name == "isco08" and all(t.isdigit() for t in texts):
            texts = [t.zfill(4) for t in texts]  # the armed forces' 0 is lost the same way
        return [find(t) for t in texts]

    def to_toml(self) -> Any:
        """`{ready = "countries"}`."""
        return {"ready": self.name}


def _filled(leaf: str, labels: tuple[str, ...] | None) -> list[str]:
    """Labels of one value; where the classification is silent the finer label stays."""
    filled, last = [], leaf
    for label in labels or ():
        last = label or last
        filled.append(last)
    return filled


def _apart(rows: list[list[str]], texts: Sequence[str]) -> list[list[str]]:
    """Level by level, with labels that are also values named apart (somebody may write Europe)."""
    values = set(texts)
    return [
        [
            f"{label} (group)" if label in values and label != leaf else label
            for label, leaf in zip(level, texts, strict=True)
        ]
        for level in zip(*rows, strict=True)
    ]
