"""The picture and the table of group sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.figures._bars import Bar, Bin, bin_sizes
from shoal.report.release.facts._recount import Recount
from shoal.report.release.pages._numbers import number
from shoal.report.release.pages._template import drawn

if TYPE_CHECKING:
    from markupsafe import Markup


def size_rows(seen: Recount) -> list[list[str]]:
    """Number of groups of each size, and the rows they hold."""
    return [[part.label, number(part.groups), number(part.rows)] for part in _bins(seen)]


def size_bars(seen: Recount) -> Markup:
    """The same as bars, as long as there are many groups."""
    bins = _bins(seen)
    most = max((part.groups for part in bins), default=1)
    bars = [Bar(part.label, _groups(part.groups), (part.groups / most,)) for part in bins]
    return drawn(
        "size-bars",
        "Groups by size",
        "A bar for each range of group sizes; the table below has the same numbers.",
        bars,
    )


def _bins(seen: Recount) -> list[Bin]:
    return [part for part in bin_sizes(seen.sizes) if part.groups]


def _groups(n: int) -> str:
    return f"{n:,} group{'s' if n > 1 else ''}"
