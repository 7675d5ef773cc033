"""Bars as inline SVG: no library, no script, sharp on paper and legible on a phone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil

from shoal.typing import Counts

_LINE, _BAR, _GAP = 20, 12, 14
_MOST_BINS = 12
_LETTERS = 42  # that fit beside one another on a narrow screen


@dataclass(frozen=True)
class Bar:
    """One bar, or two below one another (before and after).

    Parameters
    ----------
    label, shown : str
        What stands left and right above the bar.
    lengths : tuple of float
        One length, or that before and that after; 0 to 1.
    past : bool
        A single bar has the colour of what was before.
    """

    label: str
    shown: str
    lengths: tuple[float, ...]
    past: bool = False


def draw_bars(name: str, title: str, description: str, bars: Sequence[Bar]) -> str:
    """An SVG of bars; labels stand above them, so that long ones fit a narrow screen.

    Lengths are percentages of the width: the picture grows with the page, the letters do not.
    """
    name = escape(name)
    parts, y = [], 0
    for bar in bars:
        parts.append(
            f'<text x="0" y="{y + 14}">{escape(_fit(bar))}</text>'
            f'<text x="100%" y="{y + 14}" text-anchor="end">{escape(bar.shown)}</text>'
        )
        y += _LINE
        for index, length in enumerate(bar.lengths):
            kind = "before" if bar.past or index < len(bar.lengths) - 1 else "after"
            width = 100 * min(1.0, max(0.0, length))
            parts.append(
                f'<rect class="track" x="0" y="{y}" width="100%" height="{_BAR}"/>'
                f'<rect class="{kind}" x="0" y="{y}" width="{width:.3f}%" height="{_BAR}"/>'
            )
            y += _BAR + 2
        y += _GAP
    return (
        f'<svg role="img" aria-labelledby="{name}-title {name}-desc" width="100%" '
        f'height="{max(y - _GAP, 1)}">'
        f'<title id="{name}-title">{escape(title)}</title>'
        f'<desc id="{name}-desc">{escape(description)}</desc>{"".join(parts)}</svg>'
    )


def _fit(bar: Bar) -> str:
    """A label that leaves room for the number on a phone; tables have it in full."""
    room = _LETTERS - len(bar.shown)
    return bar.label if len(bar.label) <= room else bar.label[: room - 1] + "…"


@dataclass(frozen=True)
class Bin:
    """Groups of `low` to `high` rows: how many, and how many rows they hold."""

    low: int
    high: int
    groups: int
    rows: int

    @property
    def label(self) -> str:
        """The sizes, in words."""
        ends = f"{self.low:,}" if self.low == self.high else f"{self.low:,} to {self.high:,}"
        return f"{ends} row{'s' if self.high > 1 else ''}"


def bin_sizes(sizes: Counts) -> list[Bin]:
    """Count groups by size: in equal steps, or in multiplying ones where sizes differ widely."""
    if not len(sizes):
        return []
    bins = []
    for low, high in _steps(int(sizes.min()), int(sizes.max())):
        inside = sizes[(sizes >= low) & (sizes <= high)]
        bins.append(Bin(low, high, len(inside), int(inside.sum())))
    return bins


def _steps(low: int, high: int) -> Iterator[tuple[int, int]]:
    width, factor = ceil((high - low + 1) / _MOST_BINS), 2
    if width <= max(1, low):  # equal steps no wider than the smallest group tell enough
        for start in range(low, high + 1, width):
            yield start, min(start + width - 1, high)
        return
    while low * factor**_MOST_BINS <= high:
        factor += 1
    while low <= high:
        yield low, min(low * factor - 1, high)
        low *= factor
