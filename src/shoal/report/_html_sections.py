"""The sections of a release report; every number in them is the manifest's or a fresh count."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from shoal.report._bars import Bar, bin_sizes, draw_bars
from shoal.report._cells import Show, data_cell
from shoal.report._page import listed, paragraphs, table
from shoal.report._release_file import ReleaseFile
from shoal.report._words import METHODS, number, percent, uncovered

_BEFORE_AFTER = ("measure", "before", "after")
_KEY = (
    '<span class="key b" aria-hidden="true"></span>before '
    '<span class="key a" aria-hidden="true"></span>after'
)


def lead(release: ReleaseFile) -> str:
    """The four numbers that people ask for first."""
    cards = [
        ("rows in the smallest group", number, ("metrics", "after", "smallest_group")),
        ("highest chance to find a person", percent, ("risk", "after", "prosecutor", "highest")),
        ("rows left out", number, ("suppressed_rows",)),
        ("detail lost", percent, ("metrics", "after", "gcp")),
    ]
    shown = "".join(
        f"<div><dt>{words}</dt><dd>{data_cell(release, show, *path)}</dd></div>"
        for words, show, path in cards
    )
    broken = _broken(release)
    said = "" if not broken else f'<p class="bad">{escape(broken)}</p>'
    return f'{said}<dl class="cards">{shown}</dl>'


def done(release: ReleaseFile) -> str:
    """Method, rows and columns in words."""
    method = str(release.get("method"))
    roles = {
        "removed (identifiers)": release.columns("identifier"),
        "made coarser (quasi-identifiers)": release.columns("quasi-identifier"),
        "kept, and protected (sensitive)": release.columns("sensitive"),
        "kept as they are (insensitive)": release.columns("insensitive"),
    }
    rows = [[words, str(len(names)), _names(names)] for words, names in roles.items()]
    counts = [
        [words, data_cell(release, number, key)]
        for words, key in [
            ("rows of the raw table", "rows"),
            ("rows released", "released_rows"),
            ("rows left out", "suppressed_rows"),
            ("groups of rows that look alike", "groups"),
        ]
    ]
    notes = [str(note) for note in release.entries("notes")]
    return (
        paragraphs(f"The method was {method}. {METHODS.get(method, '')}".strip())
        + table("rows", "Rows and groups", ("what", "count"), counts)
        + table(
            "roles", "What was done to the columns", ("columns", "number", "names"), rows, text=3
        )
        + ("<h3>Notes of the method</h3>" + listed(notes) if notes else "")
    )


def guarantee(release: ReleaseFile) -> str:
    """The promise, condition by condition."""
    known = release.columns("quasi-identifier")
    rows = []
    for at in range(len(release.entries("reached"))):
        holds = release.get("reached", at, "holds") is True
        rows.append(
            [
                escape(str(release.get("reached", at, "description"))),
                data_cell(release, number, "reached", at, "required"),
                data_cell(release, number, "reached", at, "reached"),
                data_cell(release, number, "reached", at, "failing_groups"),
                "yes" if holds else '<strong class="bad">no</strong>',
            ]
        )
    again = (
        "The groups were counted again in the released table when this report was made, and are "
        "those of the manifest."
        if release.sizes is not None
        else "The released table was not beside its manifest: what follows is the manifest's word."
    )
    names = ", ".join(known) if known else "no column"
    return (
        paragraphs(
            f"Rows that are equal in every quasi-identifier ({names}) form a group. Whoever knows "
            "these columns of a person finds the person's group, but cannot tell its rows apart. "
            "The promise is about every group of the release:"
        )
        + table(
            "reached",
            "Conditions: what was asked of every group, and what the worst group reaches",
            ("condition", "asked", "reached", "failing groups", "holds"),
            rows,
        )
        + paragraphs(_broken(release) or "Every condition holds in every group.", again)
    )


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
        + f"<figure><figcaption>{_KEY}</figcaption>{drawn}</figure>"
        + _before_after(release, "risk-table", "Finding a person", "risk", rows)
        + "".join(
            _before_after(
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


def utility(release: ReleaseFile) -> str:
    """What was lost."""
    rows: list[tuple[str, Show, tuple[str, ...]]] = [
        ("detail lost (GCP), 0 nothing to 100\u00a0% all", percent, ("gcp",)),
        ("loss metric", percent, ("loss",)),
        ("precision, 100\u00a0% when nothing was changed", percent, ("precision",)),
        ("uncertainty about raw values", percent, ("non_uniform_entropy",)),
        ("groups", number, ("n_groups",)),
        ("rows per group", number, ("average_group_size",)),
        ("discernibility, lower is finer", number, ("discernibility",)),
        ("rows left out", percent, ("suppressed_share",)),
    ]
    if release.number("metrics", "after", "classification_metric") is not None:
        words = "rows against the majority class of their group, or left out"
        rows.append((words, percent, ("classification_metric",)))
    return paragraphs(
        "Coarser values hide people and carry less. These measures say how much less."
    ) + _before_after(release, "utility-table", "Utility before and after", "metrics", rows)


def columns(release: ReleaseFile) -> str:
    """How coarse each quasi-identifier became."""
    lost = release.mapping("metrics", "after", "ncp")
    shares = {name: release.number("metrics", "after", "ncp", name) or 0.0 for name in lost}
    drawn = draw_bars(
        "column-bars",
        "Detail lost, by column",
        "; ".join(f"{name}: {percent(share)}" for name, share in shares.items()),
        [Bar(name, percent(share), (share,)) for name, share in shares.items()],
    )
    rows = [
        [
            escape(name),
            *(data_cell(release, percent, "metrics", when, "ncp", name) for when in _WHEN),
        ]
        for name in shares
    ]
    return (
        paragraphs(
            "0\u00a0% is a column released as it was, 100\u00a0% one of which nothing is left. "
            "Measured as the normalized certainty penalty."
        )
        + f"<figure>{drawn}</figure>"
        + table("columns-table", "Detail lost", ("column", "before", "after"), rows)
    )


def sizes(release: ReleaseFile) -> str:
    """The distribution of group sizes, counted in the released table."""
    if release.sizes is None:
        return paragraphs(
            "The released table was not beside its manifest, so its groups were not counted. Put "
            "both in one folder and make the report again to see them."
        )
    bins = bin_sizes(release.sizes)
    most = max((part.groups for part in bins), default=1) or 1
    drawn = draw_bars(
        "size-bars",
        "Groups by size",
        "A bar for each range of group sizes; the table below has the same numbers.",
        [
            Bar(
                part.label,
                f"{part.groups:,} group{'s' if part.groups > 1 else ''}",
                (part.groups / most,),
            )
            for part in bins
            if part.groups
        ],
    )
    rows = [[part.label, number(part.groups), number(part.rows)] for part in bins if part.groups]
    return f"<figure>{drawn}</figure>" + table(
        "sizes-table",
        "Groups of the released table by size",
        ("size of the group", "groups", "rows in them"),
        rows,
    )


def limits(release: ReleaseFile) -> str:
    """What the promise leaves open."""
    return (
        paragraphs("These attacks remain. Whoever publishes the table should have weighed them.")
        + listed(uncovered(release.get("privacy")))
        + paragraphs(
            "The chances above are worst cases for the attacker described, not for every attacker."
        )
    )


_WHEN = ("before", "after")


def _before_after(
    release: ReleaseFile,
    name: str,
    caption: str,
    part: str,
    rows: list[tuple[str, Show, tuple[str, ...]]],
) -> str:
    cells = [
        [escape(words), *(data_cell(release, show, part, when, *path) for when in _WHEN)]
        for words, show, path in rows
    ]
    return table(name, caption, _BEFORE_AFTER, cells)


def _pair(release: ReleaseFile, words: str, part: str, *path: str) -> Bar:
    before, after = (release.number(part, when, *path) or 0.0 for when in _WHEN)
    return Bar(words, f"{percent(before)} → {percent(after)}", (before, after))


def _broken(release: ReleaseFile) -> str:
    parts = release.entries("reached")
    kept = all(isinstance(part, Mapping) and part.get("holds") is True for part in parts)
    if kept and parts:
        return ""
    return "Do not publish: by its manifest this release does not keep its promise."


def _names(names: tuple[str, ...]) -> str:
    return escape(", ".join(names)) if names else "none"
