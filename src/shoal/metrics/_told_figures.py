"""Figures of a release that may be published: no more than its cells and its labels tell.

What a release loses is measured against the raw table, and what is sensitive there is counted by
raw combinations.  Both are for the house.  Of a column whose ranges are on a line, a loss of many
digits tells the least and the largest value that anybody has, also where all cells hide them; of
two people who are alike, a count of rows whose illness is certain tells whether theirs is.  Where
few rows are left out and all others are released as they are, whatever weighs raw values tells
which ones those few have.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np

from shoal.metrics._measure import Metrics
from shoal.metrics._risk import Risk
from shoal.metrics.kept._tables_kept import FEWEST_LEFT_OUT
from shoal.schema._lines import public_lines
from shoal.tables._recoded import Labels, Recoded
from shoal.typing import Floats

_DIGITS = 3
"""Of a share, as many as reports show."""

_LOSSES = (
    "gcp", "loss", "information_loss", "information_loss_share", "precision",
    "non_uniform_entropy",
)  # fmt: skip


class LineLoss(NamedTuple):
    """What a column on a line loses, by the ends of its labels alone.

    `width` is summed over rows, `whole` counts rows of which nothing is told; `low` and `high` are
    the ends of all labels together.
    """

    width: float
    whole: float
    low: float
    high: float


def line_losses(recoded: Recoded, *, are_told: bool = True) -> dict[str, LineLoss]:
    """Loss of each column whose ranges lie on a line.

    `are_told` is false where no cell says where ranges end.  Ranges that end at values of people
    are taken as wide as public lines around them.
    """
    losses = {}
    for column, labels in enumerate(recoded.labels):
        if labels.coding.hierarchy is not None or labels.coding.kind not in ("numeric", "date"):
            continue
        rows = np.zeros(len(labels.texts))
        np.add.at(rows, recoded.codes[:, column], recoded.groups.sizes)
        used = np.flatnonzero(rows)
        ends, is_raw = _ends(labels, used, are_told), labels.is_raw[used]
        missing = labels.coding.missing
        hides = (labels.low < labels.high) & (labels.high == missing) & (missing >= 0)
        has_ends = np.isfinite(ends).all(axis=1) & ~hides[used]
        width = np.where(has_ends & ~is_raw, ends[:, 1] - ends[:, 0], 0.0)
        losses[labels.coding.name] = LineLoss(
            width=float(width @ rows[used]),
            whole=float(rows[used] @ (~has_ends & ~is_raw)) + recoded.n_suppressed,
            low=float(ends[has_ends, 0].min(initial=math.inf)),
            high=float(ends[has_ends, 1].max(initial=-math.inf)),
        )
    return losses


def _ends(labels: Labels, used: Any, are_told: bool) -> Floats:
    """Where the used labels begin and end; not finite where the label does not say."""
    if labels.written_ends is not None:
        return labels.written_ends[used]
    numbers, widen = labels.coding.numbers, public_lines(labels.coding)
    ends = np.column_stack([numbers[labels.low[used]], numbers[labels.high[used]]])
    no_gap = np.isfinite(ends).all(axis=1)  # beside a missing value nothing is told
    for index in np.flatnonzero(~labels.is_raw[used] & no_gap).tolist():
        label = used[index]
        widened = widen(int(labels.low[label]), int(labels.high[label]))
        if widened is not None:
            ends[index] = widened.least, widened.most
        elif not are_told:
            ends[index] = -math.inf, math.inf
    return ends


def add_line_losses(parts: Iterable[Mapping[str, LineLoss]]) -> dict[str, LineLoss]:
    """The same of all regions, from those of each."""
    joined: dict[str, LineLoss] = {}
    for part in parts:
        for name, one in part.items():
            had = joined.get(name, LineLoss(0.0, 0.0, math.inf, -math.inf))
            joined[name] = LineLoss(
                had.width + one.width,
                had.whole + one.whole,
                min(had.low, one.low),
                max(had.high, one.high),
            )
    return joined


def tells_of_few(n_left_out: int, least: int) -> bool:
    """Whether rows were left out, but fewer than a group has, or than `FEWEST_LEFT_OUT`.

    Examples
    --------
    >>> tells_of_few(0, 20), tells_of_few(15, 20), tells_of_few(15, 5)
    (False, True, False)
    """
    return 0 < n_left_out < max(FEWEST_LEFT_OUT, least)


def told_figures(
    metrics: tuple[Metrics, Metrics],
    risks: tuple[Risk, Risk],
    lines: Mapping[str, LineLoss],
    *,
    by_people: bool = False,
    of_few: bool = False,
) -> dict[str, Any]:
    """What a manifest tells of losses and risks, from those before and after.

    Counted `by_people`, sensitive values tell which rows of a group are one person's.  With
    `of_few` rows left out (:func:`tells_of_few`), figures that weigh raw values tell of them.
    """
    (raw, made), (risk_before, risk_after) = metrics, risks
    unsaid = {name: dict.fromkeys(asdict(one)) for name, one in risk_before.inference.items()}
    after = asdict(risk_after)
    losses = _told_losses(made, lines)
    if by_people:
        after["inference"] = unsaid
        losses["classification_metric"] = None
    if of_few:
        losses["non_uniform_entropy"] = None
    return {
        "metrics": {
            # of classes and sensitive values, nothing by raw combinations
            "before": asdict(raw) | {"classification_metric": None},
            "after": asdict(made) | losses,
        },
        "risk": {
            "before": asdict(risk_before) | {"inference": unsaid},
            "after": after,
        },
    }


def _told_losses(made: Metrics, lines: Mapping[str, LineLoss]) -> dict[str, Any]:
    ncp = dict(made.ncp)
    for name, one in lines.items():
        span = one.high - one.low  # widths count over the widest range that labels tell
        lost_rows = one.whole + (one.width / span if span > 0 else 0.0)
        ncp[name] = min(1.0, lost_rows / max(1, made.n_rows))
    more = sum(ncp[name] - made.ncp[name] for name in lines)  # a range loses the same by all
    mean = more / max(1, len(ncp))
    lost = {
        "gcp": made.gcp + mean,
        "loss": made.loss + mean,
        "information_loss": made.information_loss + more * made.n_rows,
        "information_loss_share": made.information_loss_share + mean,
        "precision": made.precision,
        "non_uniform_entropy": made.non_uniform_entropy,
    }
    told, by_column = (
        {name: float(f"{round(share, 9):.{_DIGITS}g}") for name, share in shares.items()}
        for shares in ({name: lost[name] for name in _LOSSES}, ncp)
    )
    return {**told, "ncp": by_column}
