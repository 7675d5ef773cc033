"""What an experiment found: numbers beside the published ones, and lines to draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Finding:
    """One number, what the paper says it is, and what would surprise us.

    Parameters
    ----------
    where : str
        Table or figure of the paper, or what of ours it stands beside ("Table 2").
    what : str
        Row or point, in words ("ID3, k = 750").
    ours : float
        What was measured just now.
    published : float or str or None
        What the paper prints, or what its figure shows ("about 0.8"); None where it is silent.
    low, high : float or None
        Bounds outside of which the claim is not reproduced; None for no bound on that side.
    unit : str
        Written behind the numbers ("%", "rows", "s"); empty for plain numbers.
    """

    where: str
    what: str
    ours: float
    published: float | str | None = None
    low: float | None = None
    high: float | None = None
    unit: str = ""

    @property
    def holds(self) -> bool | None:
        """Whether it is within its bounds; None where it has none."""
        if self.low is None and self.high is None:
            return None
        above = self.low is None or self.ours >= self.low  # NaN is never within
        below = self.high is None or self.ours <= self.high
        return above and below

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self) | {"holds": self.holds}


@dataclass(frozen=True)
class Line:
    """Points that belong together in a chart.

    Parameters
    ----------
    name : str
        Shown in the legend.
    x, y : sequences of float
        The points, in drawing order.
    published : bool
        Read from the paper, hence drawn dashed.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    published: bool = False


@dataclass(frozen=True)
class Chart:
    """A figure of the paper, drawn again.

    Parameters
    ----------
    where : str
        As in the findings it belongs to ("Figure 2").
    title : str
        One sentence on what it shows.
    x_label, y_label : str
        Written along the axes, with units.
    lines : sequence of Line
        At least one.
    log_x, log_y : bool
        Logarithmic axes.
    """

    where: str
    title: str
    x_label: str
    y_label: str
    lines: Sequence[Line]
    log_x: bool = False
    log_y: bool = False


@dataclass(frozen=True)
class Evidence:
    """All that one experiment found.

    Parameters
    ----------
    findings : sequence of Finding
        In the order of the paper; those that share `where` make one table.
    difference : str
        One to three sentences: what differs from the paper, and why.
    charts : sequence of Chart
        Figures, if there is anything to look at.
    settings : mapping
        What was fixed and the reader needs to know: rows used, splits, key sizes.
    unmet : sequence of str
        Claims of the paper that we cannot confirm, a sentence each; `difference` says why.
    """

    findings: Sequence[Finding]
    difference: str
    charts: Sequence[Chart] = ()
    settings: Mapping[str, Any] | None = None
    unmet: Sequence[str] = ()

    @property
    def failures(self) -> list[Finding]:
        """Findings outside their bounds."""
        return [finding for finding in self.findings if finding.holds is False]
