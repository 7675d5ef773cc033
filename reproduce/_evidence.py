"""What an experiment found: numbers beside the published ones, and lines to draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from reproduce._claims import bounds_fit, read_claim
from shoal.errors import ParameterError

NUMBER, WORDS, GUARD = "number", "words", "guard"
"""Bounds around a published number, around what the paper says in words, and around ours."""


@dataclass(frozen=True)
class Finding:
    """One number, what the paper says it is, and what would surprise us.

    Bounds are of one of two kinds.  Beside a published value they say how far ours may be from it
    and still *agree with the paper*: they are derived from the paper before anything is run, and
    bounds that exclude the published value are refused.  All others are a *regression guard*
    around our own number, which says nothing of the paper.

    Parameters
    ----------
    where : str
        Table or figure of the paper, or what of ours it stands beside ("Table 2").
    what : str
        Row or point, in words ("ID3, k = 750").
    ours : float
        What was measured just now.
    published : float or str or None
        What the paper prints, or says ("above 0", "comparable"); None where it is silent.
    low, high : float or None
        Bounds; None for no bound on that side.
    unit : str
        Written behind the numbers ("%", "rows", "s"); empty for plain numbers.
    guard : bool
        Bounds are around ours, though the paper has a value.
    differs : str
        Why ours is known to lie outside bounds that agree with the paper; empty where it does not.
    """

    where: str
    what: str
    ours: float
    published: float | str | None = None
    low: float | None = None
    high: float | None = None
    unit: str = ""
    guard: bool = False
    differs: str = ""

    def __post_init__(self) -> None:
        if self.kind in (NUMBER, WORDS) and not bounds_fit(self.published, self.low, self.high):
            raise ParameterError(
                f"{self.where}, {self.what}: bounds of {self.low} to {self.high} do not agree with "
                f"the published {self.published}. Derive them from the paper, or make it a guard."
            )

    @property
    def kind(self) -> str | None:
        """What its bounds are: agreement with a number or with words, a guard, or None."""
        if self.low is None and self.high is None:
            return None
        if self.guard or self.published is None:
            return GUARD
        return NUMBER if read_claim(self.published) else WORDS

    @property
    def holds(self) -> bool | None:
        """Whether it is within its bounds; None where it has none."""
        if self.kind is None:
            return None
        claim = read_claim(self.published)
        if self.kind == NUMBER and claim is not None and claim.denies(self.ours):
            return False
        above = self.low is None or self.ours >= self.low  # NaN is never within
        below = self.high is None or self.ours <= self.high
        return above and below

    @property
    def fails(self) -> bool:
        """Whether it lies outside its bounds and nobody has said why."""
        return self.holds is False and not (self.differs and self.kind != GUARD)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self) | {"kind": self.kind, "holds": self.holds}


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
    dots : bool
        Points that no line joins.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    published: bool = False
    dots: bool = False


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
    bounds : str
        How the bounds that agree with the paper were derived, before running.
    """

    findings: Sequence[Finding]
    difference: str
    charts: Sequence[Chart] = ()
    settings: Mapping[str, Any] | None = None
    unmet: Sequence[str] = ()
    bounds: str = ""

    @property
    def failures(self) -> list[Finding]:
        """Findings outside their bounds for no stated reason."""
        return [finding for finding in self.findings if finding.fails]

    @property
    def differences(self) -> list[Finding]:
        """Findings outside of what agrees with the paper."""
        return [f for f in self.findings if f.kind != GUARD and f.holds is False]
