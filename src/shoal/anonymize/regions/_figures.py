"""Figures of a release by regions: sums over regions, and figures of the final groups.

Loss adds up over rows, so every region says what it lost.  Sizes of groups do not: groups of two
regions may be released alike.  They are counted on the output, by the judge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum
from typing import Any, NamedTuple

import numpy as np

from shoal.metrics._measure import Metrics, column_losses, precision
from shoal.metrics._risk import Inference, Reidentification, Risk
from shoal.metrics._told_figures import LineLoss, add_line_losses, line_losses
from shoal.privacy._model import Level
from shoal.tables import FrequencyTable
from shoal.tables._recoded import Recoded
from shoal.typing import Counts, Floats

THRESHOLD = 0.2
"""Risk above which a row counts as exposed, as for other releases."""


class GroupFigures(NamedTuple):
    """Groups of a table, counted, without the groups themselves.

    `sizes` says how many groups have each size; `tops`, for each counted column, how many rows
    have the most frequent value of their group, how many are in groups with one value only, and the
    largest share of a value; `levels` what the worst group reaches.
    """

    sizes: dict[int, int]
    tops: dict[str, tuple[int, int, float]]
    levels: tuple[Level, ...] = ()


def group_figures(groups: FrequencyTable, levels: tuple[Level, ...] = ()) -> GroupFigures:
    """Figures of groups that are at hand."""
    filled = groups.sizes > 0
    sizes, counts = np.unique(groups.sizes[filled], return_counts=True)
    tops = {}
    for name, histogram in groups.histograms.items():
        top = np.zeros(groups.n_groups, np.int64)
        np.maximum.at(top, histogram.group_of_entry, histogram.counts)
        share = top[filled] / groups.sizes[filled]
        certain = int(groups.sizes[filled & (top == groups.sizes)].sum())
        tops[name] = (int(top.sum()), certain, float(share.max(initial=0.0)))
    return GroupFigures(dict(zip(sizes.tolist(), counts.tolist(), strict=True)), tops, levels)


def add_figures(parts: Sequence[GroupFigures]) -> GroupFigures:
    """Figures of all groups, from those of some each; every group is in one part."""
    sizes: dict[int, int] = {}
    tops: dict[str, tuple[int, int, float]] = {}
    for part in parts:
        for size, n in part.sizes.items():
            sizes[size] = sizes.get(size, 0) + n
        for name, (top, certain, share) in part.tops.items():
            had = tops.get(name, (0, 0, 0.0))
            tops[name] = (had[0] + top, had[1] + certain, max(had[2], share))
    return GroupFigures(dict(sorted(sizes.items())), tops)


def region_figures(recoded: Recoded, value_counts: Sequence[Counts]) -> dict[str, Any]:
    """Plain values of one region that add up over all; losses are sums over rows."""
    n_rows, n_columns = recoded.cells.n_rows, len(recoded.labels)
    cells = group_figures(recoded.cells)
    return {
        "rows": n_rows,
        "suppressed": recoded.n_suppressed,
        "groups": len(recoded.codes),
        "ncp": (column_losses(recoded, "ncp") * n_rows).tolist(),
        "loss": float(column_losses(recoded).sum()) * n_rows,
        "height": float(column_losses(recoded, "height").sum()) * n_rows,
        "levels": (1.0 - precision(recoded)) * n_rows * n_columns,
        "bits": _bits(recoded, value_counts),
        "cells": {str(size): n for size, n in cells.sizes.items()},
        "tops": {name: list(top) for name, top in cells.tops.items()},
        "lines": {name: list(loss) for name, loss in line_losses(recoded).items()},
    }


def _bits(recoded: Recoded, value_counts: Sequence[Counts]) -> float:
    """Bits that it takes to guess the values of the region's rows from what is released."""
    cells, hidden = recoded.cells, recoded.suppressed
    lost = 0.0
    for column, (labels, rows) in enumerate(zip(recoded.labels, value_counts, strict=True)):
        before = np.concatenate([[0.0], np.cumsum(rows)])
        of_label = before[labels.high + 1] - before[labels.low]
        # a suppressed row may have any value
        inside = np.full(cells.n_groups, float(rows.sum()))
        inside[~hidden] = of_label[recoded.codes[recoded.group_of[~hidden], column]]
        lost += float((cells.sizes * np.log2(inside / rows[cells.keys[:, column]])).sum())
    return lost


class Totals(NamedTuple):
    """Sums over all regions."""

    n_rows: int
    n_suppressed: int
    n_groups: int
    ncp: Floats
    loss: float
    height: float
    levels: float
    bits: float
    cells: GroupFigures
    lines: dict[str, LineLoss]


def add_regions(figures: Sequence[Mapping[str, Any]]) -> Totals:
    """Sums over all regions, the same in whichever order they come."""
    cells = [
        GroupFigures(
            {int(size): n for size, n in one["cells"].items()},
            {name: tuple(top) for name, top in one["tops"].items()},
        )
        for one in figures
    ]
    # `fsum` rounds once, at the end: regions in another order give the same digits
    return Totals(
        n_rows=sum(one["rows"] for one in figures),
        n_suppressed=sum(one["suppressed"] for one in figures),
        n_groups=sum(one["groups"] for one in figures),
        ncp=np.array([fsum(column) for column in zip(*(o["ncp"] for o in figures), strict=True)]),
        loss=fsum(one["loss"] for one in figures),
        height=fsum(one["height"] for one in figures),
        levels=fsum(one["levels"] for one in figures),
        bits=fsum(one["bits"] for one in figures),
        cells=add_figures(cells),
        lines=add_line_losses(
            {name: LineLoss(*loss) for name, loss in one["lines"].items()} for one in figures
        ),
    )


def metrics_of(
    names: Sequence[str],
    totals: Totals,
    groups: GroupFigures,
    value_counts: Sequence[Counts],
    target: str | None,
    *,
    is_raw: bool = False,
) -> Metrics:
    """The measures of a release, or of the raw table, from sums."""
    n, columns = totals.n_rows, len(names)
    sizes = np.array([*groups.sizes], np.int64)
    counts = np.array([*groups.sizes.values()], np.int64)
    hidden, kept = (0, 0.0) if is_raw else (totals.n_suppressed, 1.0)
    share = totals.ncp * kept / n
    squares = sum(size * size * number for size, number in groups.sizes.items())
    majority = groups.tops[target][0] if target in groups.tops else None
    return Metrics(
        n_rows=n,
        n_suppressed=hidden,
        n_groups=int(counts.sum()),
        smallest_group=int(sizes.min(initial=n)) if len(sizes) else 0,
        largest_group=int(sizes.max(initial=0)),
        average_group_size=float((sizes * counts).sum() / counts.sum()) if len(sizes) else 0.0,
        discernibility=squares + hidden * n,
        classification_metric=None if majority is None else (n - majority) / n,
        ncp=dict(zip(names, share.tolist(), strict=True)),
        gcp=float(share.mean()),
        loss=kept * totals.loss / (n * columns),
        information_loss=kept * totals.height,
        information_loss_share=kept * totals.height / (n * columns),
        precision=1.0 - kept * totals.levels / (n * columns),
        non_uniform_entropy=kept * totals.bits / _most_bits(value_counts) if kept else 0.0,
        suppressed_share=hidden / n,
    )


def _most_bits(value_counts: Sequence[Counts]) -> float:
    """Bits that it takes to guess all values from nothing."""
    most = 0.0
    for rows in value_counts:
        share = rows[rows > 0] / max(1, rows.sum())
        most += float(-(share * np.log2(share)).sum() * rows.sum())
    return most if most > 0 else 1.0


def risk_of(groups: GroupFigures, sensitive: Sequence[str]) -> Risk:
    """The risk of a table from how many groups have each size."""
    sizes = np.array([*groups.sizes], np.int64)
    counts = np.array([*groups.sizes.values()], np.int64)
    rows = int((sizes * counts).sum())
    per_row = max(rows, 1)
    exposed = int((sizes * counts)[1 / np.maximum(sizes, 1) > THRESHOLD].sum())
    person = Reidentification(
        float(1 / sizes.min()) if len(sizes) else 0.0,
        float(counts.sum() / per_row),
        exposed / per_row,
    )
    pairs = rows * (rows - 1)
    alike = sum(size * (size - 1) * n for size, n in groups.sizes.items())
    return Risk(
        n_rows=rows,
        n_groups=int(counts.sum()),
        threshold=THRESHOLD,
        prosecutor=person,
        journalist=person,
        marketer=float(counts.sum() / per_row),
        sample_uniques=groups.sizes.get(1, 0),
        distinct_ratio=float(counts.sum() / per_row),
        separation_ratio=(pairs - alike) / pairs if pairs else 1.0,
        population_uniques=None,
        inference={
            name: Inference(certain, certain / per_row, share, top / per_row)
            for name, (top, certain, share) in groups.tops.items()
            if name in sensitive
        },
    )
