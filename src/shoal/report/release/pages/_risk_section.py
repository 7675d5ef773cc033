"""The section on what an attacker can do, before and after."""

from __future__ import annotations

from html import escape

from shoal.report.figures._bars import Bar, draw_bars
from shoal.report.release.facts._release_file import ReleaseFile
from shoal.report.release.pages._cells import Show, data_cell
from shoal.report.release.pages._glossary import KEY, number, percent
from shoal.report.release.pages._page import paragraphs, table

_WHEN = ("before", "after")


def risks(release: ReleaseFile) -> str:
    """Chances of finding people and of learning about them."""
    threshold = number(release.number("risk", "after", "threshold"))
    rows = [
        ("highest chance to find a person", percent, ("prosecutor", "highest")),
        ("average chance to find a person", percent, ("prosecutor", "average")),
        (f"rows with a chance above {threshold}", percent, ("prosecutor", "share_above")),
        ("highest chance, attacker unsure who is in", percent, ("journalist", "highest")),
        ("rows linked rightly when all are linked", percent, ("marketer",)),
        ("rows that are alone in their group", number, ("sample_uniques",)),
        ("pairs of rows that can be told apart", percent, ("separation_ratio",)),
    ]
    drawn = draw_bars(
        "risk-bars",
        "Chance to find a person, before and after",
        "Bars of the highest and the average chance and of the share of rows at risk; the table "
        "below has the same numbers.",
        [
            _pair(release, "highest chance", "risk", "prosecutor", "highest"),
            _pair(release, "average chance", "risk", "prosecutor", "average"),
            _pair(release, f"rows above {threshold}", "risk", "prosecutor", "share_above"),
        ],
    )
    return (
        paragraphs(
            "The attacker is taken to know every quasi-identifier of a person without error, and "
            "picks one row of the person's group."
        )
        + f"<figure><figcaption>{KEY}</figcaption>{drawn}</figure>"
        + before_after(release, "risk-table", "Finding a person", "risk", rows)
        + "".join(
            before_after(
                release,
                f"inference-{at}",
                f"Learning {column} of a person whose group is known",
                "risk",
                [
                    ("rows whose value is certain", number, ("inference", column, "certain_rows")),
                    ("the same, share", percent, ("inference", column, "certain_share")),
                    (
                        "surest guess in any group",
                        percent,
                        ("inference", column, "highest_confidence"),
                    ),
                    (
                        "guesses that are right",
                        percent,
                        ("inference", column, "average_confidence"),
                    ),
                ],
            )
            for at, column in enumerate(release.mapping("risk", "after", "inference"))
        )
    )


def before_after(
    release: ReleaseFile,
    name: str,
    caption: str,
    part: str,
    rows: list[tuple[str, Show, tuple[str, ...]]],
) -> str:
    """A table of the manifest's measures of the raw and the released table."""
    cells = [
        [escape(words), *(data_cell(release, show, part, when, *path) for when in _WHEN)]
        for words, show, path in rows
    ]
    return table(name, caption, ("measure", *_WHEN), cells)


def _pair(release: ReleaseFile, words: str, part: str, *path: str) -> Bar:
    before, after = (release.number(part, when, *path) or 0.0 for when in _WHEN)
    return Bar(words, f"{percent(before)} → {percent(after)}", (before, after))
