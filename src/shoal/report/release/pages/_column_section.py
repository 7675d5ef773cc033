"""The section that compares every column before and after."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from shoal.report.figures._bars import Bar, draw_bars
from shoal.report.release.facts._marginals import Marginal, label_counts
from shoal.report.release.facts._recount import Recount
from shoal.report.release.facts._release_file import ReleaseFile
from shoal.report.release.pages._cells import counted_cell, data_cell
from shoal.report.release.pages._glossary import KEY, number, percent
from shoal.report.release.pages._page import folded, paragraphs, table
from shoal.report.release.pages._value_bins import MOST, bin_values


def columns(
    release: ReleaseFile,
    seen: Recount | None,
    marginals: Sequence[Marginal],
    kept: dict[str, float],
    least: int,
) -> str:
    """How coarse each quasi-identifier became, and what became of its distribution.

    Parameters
    ----------
    release, seen
        The release, and its rows counted again.
    marginals : sequence of Marginal
        Raw beside released; empty without the raw table.
    kept : dict of str to float
        For every sensitive column, how far its distribution moved.
    least : int
        Raw rows that a bar stands for at least.
    """
    lost = {
        name: release.number("metrics", "after", "ncp", name) or 0.0
        for name in release.mapping("metrics", "after", "ncp")
    }
    bars = [Bar(name, percent(share), (share,)) for name, share in lost.items()]
    drawn = draw_bars(
        "column-bars",
        "Detail lost, by column",
        "; ".join(f"{name}: {percent(share)}" for name, share in lost.items()),
        bars,
    )
    rows = [
        [escape(n), *(data_cell(release, percent, "metrics", w, "ncp", n) for w in _WHEN)]
        for n in lost
    ]
    return (
        paragraphs(
            "0\u00a0% is a column released as it was, 100\u00a0% one of which nothing is left. "
            "Measured as the normalized certainty penalty."
        )
        + f"<figure>{drawn}</figure>"
        + table("columns-table", "Detail lost", ("column", *_WHEN), rows)
        + (_compared(marginals, kept, least) if marginals else _released(seen))
    )


_WHEN = ("before", "after")


def _compared(marginals: Sequence[Marginal], kept: dict[str, float], least: int) -> str:
    parts = [
        "<h3>Distributions before and after</h3>",
        paragraphs(
            "Before: the raw table. After: what a recipient would take the release to say, each "
            "row spread evenly over the values that its label can mean. “Moved” is the share of "
            "rows that would have to change for the two to agree. Values are put together so that "
            f"no bar stands for fewer than {least} raw rows."
        ),
        f'<p class="keys">{KEY}</p>',
    ]
    parts += [_column(at, marginal, least) for at, marginal in enumerate(marginals)]
    if kept:
        rows = [
            [escape(name), counted_cell(percent, moved, "moved", name)]
            for name, moved in kept.items()
        ]
        parts.append(
            "<h3>Sensitive columns</h3>"
            + paragraphs(
                "They are released as they are; their distribution moves only by rows left out. "
                "Their values are not shown here."
            )
            + table("kept-table", "Sensitive columns", ("column", "moved"), rows)
        )
    return "".join(parts)


def _column(at: int, marginal: Marginal, least: int) -> str:
    name, bins = marginal.coding.name, bin_values(marginal, least)
    longest = max((max(part.before, part.after) for part in bins), default=1.0) or 1.0
    bars = [
        Bar(
            part.label,
            f"{percent(part.before)} → {percent(part.after)}",
            (part.before / longest, part.after / longest),
        )
        for part in bins
    ]
    moved = counted_cell(percent, marginal.moved, "moved", name)
    rows = [[escape(part.label), percent(part.before), percent(part.after)] for part in bins]
    unplaced = (
        f"; labels of {marginal.unplaced:,} rows could not be placed" if marginal.unplaced else ""
    )
    drawn = draw_bars(
        f"values-{at}",
        f"{name} before and after",
        f"Two bars for each of {len(bins)} sets of values; the table below has the same numbers.",
        bars,
    )
    return (
        f"<h4>{escape(name)}</h4><figure><figcaption>moved: {moved}{unplaced}</figcaption>{drawn}"
        "</figure>"
        + folded(
            f"{name} as a table",
            table(f"values-{at}-table", f"{name}: share of rows", ("values", *_WHEN), rows),
        )
    )


def _released(seen: Recount | None) -> str:
    """The released labels; all that can be shown without the raw table."""
    if seen is None:
        return ""
    parts = [
        "<h3>Released values</h3>",
        paragraphs(
            "The raw table was not given, so distributions are shown after only: the labels that "
            "are written in the release. Give the raw table with --original to see both."
        ),
    ]
    for at, coding in enumerate(seen.groups.codings):
        found = sorted(label_counts(seen.groups, at), key=lambda pair: -pair[1])
        shown = [(label or "missing", rows) for label, rows in found[:MOST]]
        if rest := found[MOST:]:
            words = f"{len(rest):,} other label{'s' if len(rest) > 1 else ''}"
            shown.append((words, sum(rows for _, rows in rest)))
        total = max(1, sum(rows for _, rows in found))
        longest = max((rows for _, rows in shown), default=1)
        drawn = draw_bars(
            f"labels-{at}",
            f"Released values of {coding.name}",
            f"A bar for each of {len(shown)} labels; the table below has the same numbers.",
            [Bar(label, percent(rows / total), (rows / longest,)) for label, rows in shown],
        )
        rows = [[escape(label), number(n), percent(n / total)] for label, n in shown]
        parts.append(
            f"<h4>{escape(coding.name)}</h4><figure>{drawn}</figure>"
            + folded(
                f"{coding.name} as a table",
                table(f"labels-{at}-table", f"{coding.name}: rows of the release",
                      ("label", "rows", "share"), rows),
            )
        )  # fmt: skip
    return "".join(parts)
