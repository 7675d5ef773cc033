"""The picture and rows for the section on what an attacker can do, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.figures._bars import Bar
from shoal.report.release.facts._release_file import ReleaseFile
from shoal.report.release.facts._special import Special
from shoal.report.release.pages._numbers import number, percent
from shoal.report.release.pages._template import drawn

if TYPE_CHECKING:
    from markupsafe import Markup


def risk_bars(release: ReleaseFile, threshold: str) -> Markup:
    """The chance of finding a person: highest, average, and how many are above the threshold."""
    return drawn(
        "risk-bars",
        "Chance to find a person, before and after",
        "Bars of the highest and the average chance and of the share of rows at risk; the table "
        "below has the same numbers.",
        [
            _pair(release, "highest chance", "highest"),
            _pair(release, "average chance", "average"),
            _pair(release, f"rows above {threshold}", "share_above"),
        ],
    )


def known_rows(release: ReleaseFile) -> list[list[str]]:
    """Chances of attackers who know the columns that the promise names, and no others."""
    if "by_columns" not in release.mapping("risk"):
        return []
    rows = []
    for index in range(len(release.entries("risk", "by_columns"))):
        path = ("risk", "by_columns", index)
        chances = [release.number(*path, key) or 0.0 for key in ("highest", "average")]
        fewest = number(release.number(*path, "fewest"))
        rows.append([str(release.get(*path, "known")), fewest, *map(percent, chances)])
    return rows


def special_rows(special: Special) -> list[list[str]]:
    """Columns that make rows stand out, with their part in the scores before and after."""
    return [
        [name, *("none" if part is None else percent(part) for part in parts)]
        for name, *parts in special.rows
    ]


def _pair(release: ReleaseFile, words: str, key: str) -> Bar:
    before, after = (
        release.number("risk", when, "prosecutor", key) or 0.0 for when in ("before", "after")
    )
    return Bar(words, f"{percent(before)} → {percent(after)}", (before, after))
