"""Pictures and tables for the section that compares every column before and after."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.report.figures._bars import Bar
from shoal.report.release.facts._marginals import Marginal, label_counts
from shoal.report.release.facts._recount import Recount
from shoal.report.release.facts._release_file import ReleaseFile
from shoal.report.release.pages._cells import NumberCell, counted_cell
from shoal.report.release.pages._numbers import number, percent
from shoal.report.release.pages._template import drawn
from shoal.report.release.pages._value_bins import MOST, bin_values

if TYPE_CHECKING:
    from markupsafe import Markup


@dataclass(frozen=True)
class ColumnView:
    """One column as the page shows it.

    Parameters
    ----------
    name : str
        The column.
    bars : Markup
        Its distribution.
    rows : list of list of str
        The same as a table.
    moved : NumberCell or str
        How far the distribution moved; "-" without the raw table.
    unplaced : int
        Released rows whose label means none of the raw values.
    """

    name: str
    bars: Markup
    rows: list[list[str]]
    moved: NumberCell | str = "-"
    unplaced: int = 0


def detail_bars(release: ReleaseFile) -> Markup:
    """How much detail each column lost."""
    lost = {
        name: release.number("metrics", "after", "ncp", name) or 0.0
        for name in release.mapping("metrics", "after", "ncp")
    }
    return drawn(
        "column-bars",
        "Detail lost, by column",
        "; ".join(f"{name}: {percent(share)}" for name, share in lost.items()),
        [Bar(name, percent(share), (share,)) for name, share in lost.items()],
    )


def compared_column(index: int, marginal: Marginal, least: int) -> ColumnView:
    """The distribution of raw values beside what a recipient reads off the release.

    Parameters
    ----------
    index : int
        Number of the column on the page.
    marginal : Marginal
        Its values before and after.
    least : int
        Raw rows that a bar stands for at least.
    """
    name, bins = marginal.coding.name, bin_values(marginal, least)
    # the longest bar fills the width: a column of many values would show only stubs otherwise
    longest = max((max(part.before, part.after) for part in bins), default=1.0) or 1.0
    bars = [
        Bar(
            part.label,
            f"{percent(part.before)} → {percent(part.after)}",
            (part.before / longest, part.after / longest),
        )
        for part in bins
    ]
    return ColumnView(
        name=name,
        bars=drawn(
            f"values-{index}",
            f"{name} before and after",
            f"Two bars for each of {len(bins)} sets of values; the table below has the same "
            "numbers.",
            bars,
        ),
        rows=[[part.label, percent(part.before), percent(part.after)] for part in bins],
        moved=counted_cell(percent, marginal.moved, "moved", name),
        unplaced=marginal.unplaced,
    )


def released_columns(seen: Recount) -> Iterator[ColumnView]:
    """The labels of every column; all that can be shown without the raw table."""
    for index, coding in enumerate(seen.groups.codings):
        labels = sorted(label_counts(seen.groups, index), key=lambda pair: -pair[1])
        shown = [(label or "missing", rows) for label, rows in labels[:MOST]]
        if rest := labels[MOST:]:
            words = f"{len(rest):,} other label{'s' if len(rest) > 1 else ''}"
            shown.append((words, sum(rows for _, rows in rest)))
        total = max(1, sum(rows for _, rows in labels))
        longest = max((rows for _, rows in shown), default=1)
        yield ColumnView(
            name=coding.name,
            bars=drawn(
                f"labels-{index}",
                f"Released values of {coding.name}",
                f"A bar for each of {len(shown)} labels; the table below has the same numbers.",
                [Bar(label, percent(rows / total), (rows / longest,)) for label, rows in shown],
            ),
            rows=[[label, number(rows), percent(rows / total)] for label, rows in shown],
        )
