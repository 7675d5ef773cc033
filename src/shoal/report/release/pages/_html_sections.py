"""The sections of a release report; every number in them is the manifest's or a fresh count."""

from __future__ import annotations

from html import escape

from shoal.report.figures._bars import Bar, bin_sizes, draw_bars
from shoal.report.release.facts._recount import Recount
from shoal.report.release.facts._release_file import ReleaseFile
from shoal.report.release.pages._cells import Show, data_cell
from shoal.report.release.pages._glossary import METHODS, number, percent, uncovered
from shoal.report.release.pages._page import listed, paragraphs, table
from shoal.report.release.pages._promise_section import standing
from shoal.report.release.pages._risk_section import before_after


def lead(release: ReleaseFile, seen: Recount | None) -> str:
    """Whether the promise holds, and the four numbers that people ask for first."""
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
    return f'{standing(release, seen)}<dl class="cards">{shown}</dl>'


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
    ) + before_after(release, "utility-table", "Utility before and after", "metrics", rows)


def sizes(seen: Recount | None) -> str:
    """The distribution of group sizes, counted in the released table."""
    if seen is None:
        return paragraphs(
            "The released table was not beside its manifest, so its groups were not counted. Put "
            "both in one folder and make the report again to see them."
        )
    bins = bin_sizes(seen.sizes)
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
        paragraphs(
            f"The promise, in one sentence: {release.get('guarantee')}. It says nothing more than "
            "that. These attacks remain; whoever publishes the table should have weighed them."
        )
        + listed(uncovered(release.get("privacy")))
        + paragraphs(
            "The chances above are worst cases for the attacker described, not for every attacker."
        )
    )


def _names(names: tuple[str, ...]) -> str:
    return escape(", ".join(names)) if names else "none"
