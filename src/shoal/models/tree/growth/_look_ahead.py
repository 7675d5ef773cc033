"""Looking one step further where the best split of a node would leave a branch that cannot grow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.models.tree.growth._divide_kernels import route_rows
from shoal.models.tree.growth._kernel_types import Segments
from shoal.typing import Codes, Counts

if TYPE_CHECKING:
    from shoal.models.tree.growth._grow import Grower
    from shoal.models.tree.growth._grown import Candidate, Split

LOOKED_AT = 6
"""Splits of a node, those of largest gain, whose next splits are looked at."""


@dataclass(frozen=True)
class Place:
    """Where a split is looked for: the rows of a node, and the spans that reach it."""

    rows: Counts
    spans: Segments


def look_ahead(grower: Grower, here: Place, first: Candidate) -> Candidate:
    """The split that gains most together with the splits after it.

    Only where `first`, the split of largest gain, starves: some branch has rows of several classes
    and no allowed split.  Else `first` is kept.  Every split that is compared is an allowed one, so
    the choice among them decides how good the tree is, never whether it is safe.
    """
    best = first
    most, starves = _gain_of_two(grower, here, first)
    if not starves:
        return first
    for other in _candidates(grower, here)[:LOOKED_AT]:
        gain, _ = _gain_of_two(grower, here, other)
        if gain > most + 1e-9:
            best, most = other, gain
    return best


def _candidates(grower: Grower, here: Place) -> list[Candidate]:
    """Allowed splits of every column, each way and at each level; those of largest gain first."""
    columns = grower.columns
    candidates: dict[tuple[int, int], Candidate] = {}
    for column in range(len(columns.ordered)):
        for level in range(1 if columns.ordered[column] else int(columns.n_levels[column]) + 1):
            only = np.full(len(columns.ordered), -1, np.int64)  # -1: not to be split
            only[column] = level
            candidate = grower.find(here, only)
            if candidate is not None:
                candidates.setdefault((column, candidate.split.level), candidate)
    return sorted(candidates.values(), key=lambda candidate: -candidate.gain)


def _gain_of_two(grower: Grower, here: Place, candidate: Candidate) -> tuple[float, bool]:
    """Gain of a split and of the best next ones, and whether some branch has none and wants one."""
    gain, starves = candidate.gain, False
    whole = grower.mass(here.rows).sum()
    for branch in _branches(grower, here, candidate.split):
        mass = grower.mass(branch.rows)
        if np.count_nonzero(mass) < 2:
            continue
        following = grower.find(branch, grower.first_level)
        if following is None:
            starves = True
        else:
            gain += following.gain * mass.sum() / whole
    return gain, starves


def _branches(grower: Grower, here: Place, split: Split) -> list[Place]:
    """The branches that a split would make."""
    grower.recall(split)
    side = _route(grower, split, here.rows)
    branches = [(group, here.rows[side == group]) for group in np.unique(side).tolist()]
    if grower.forest is None:
        return [Place(rows, _alone(rows)) for _, rows in branches]
    if not grower.columns.public[split.column]:  # nobody is told apart, spans get more bins
        several = np.zeros(len(here.spans.start), np.bool_)
        spans = here.spans._replace(single=several, own=False)
        return [Place(rows, spans) for _, rows in branches]
    return [Place(rows, _reaching(grower, here, split, group)) for group, rows in branches]


def _route(grower: Grower, split: Split, rows: Counts) -> Codes:
    side: Codes = route_rows(grower.columns, split.column, split.level, split.cut, rows)
    return side


def _alone(rows: Counts) -> Segments:
    return Segments(rows, np.zeros(1, np.int64), np.array([len(rows)]), np.zeros(1, bool), True)


def _reaching(grower: Grower, here: Place, split: Split, group: int) -> Segments:
    """Spans that reach a branch of a public split; rows whose value is missing reach them all."""
    columns, spans = grower.columns, here.spans
    missing = columns.missing[split.column]
    runs: list[Counts] = []
    single: list[bool] = []
    for start, stop, one in zip(spans.start, spans.stop, spans.single, strict=True):
        rows = spans.order[start:stop]
        lost = columns.codes[split.column, rows] == missing
        side = _route(grower, split, rows)
        # a row whose value is missing may be in any branch: such a span has several bins
        for part, alone in ((rows[(side == group) & ~lost], bool(one)), (rows[lost], False)):
            if len(part):
                runs.append(part)
                single.append(alone)
    stops = np.cumsum([len(run) for run in runs], dtype=np.int64)
    starts = stops - np.array([len(run) for run in runs], np.int64)
    return Segments(np.concatenate(runs), starts, stops, np.array(single, np.bool_), False)
