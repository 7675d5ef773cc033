"""Split cells into regions, level by level, on all cores."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.anonymize.mondrian._choice_kernels import TIE, cut_best
from shoal.anonymize.mondrian._columns import make_columns, make_scratch, rank_keys
from shoal.anonymize.mondrian._partition_kernels import (
    bound_regions,
    divide,
    entropy_drops,
    loss_drops,
    region_losses,
)
from shoal.anonymize.mondrian._region_arrays import Frontier, RegionWork
from shoal.privacy.compiled._condition_kernels import CompiledModel
from shoal.tables import FrequencyTable
from shoal.tables._frequency import Histogram
from shoal.typing import Codes, Flags, Floats, Progress

THREADS = 2
"""More hardly pay: a level ends when its slowest thread does."""

_WORTH_THREADS = 20_000  # cells: below, starting threads costs more than it saves
LEAST_STAKE = 0.01
"""Least weight of a column in the loss: what nobody asked for still breaks ties."""

STEPS = 8
"""Spread is measured in so many steps: to be a little wider is no reason to be cut first."""

_ROUNDING = 1e-9  # halves go up, however they were computed

LEAF = -1


@dataclass(frozen=True, eq=False)
class Preferences:
    """What decides where a region is split.

    Parameters
    ----------
    weight : ndarray of float
        Priority of each column, the largest being 1.
    spread, gain, priority, loss : float
        Weights of the four scores.
    target : Histogram, optional
        The class of each cell's rows, for `gain`.
    cuts : mapping of str to ndarray of bool
        For ordered columns: after which codes a cut is wanted.
    partial, relaxed : bool
        Let small siblings stay together; cut inside equal values.
    """

    weight: Floats
    spread: float = 1.0
    gain: float = 0.0
    priority: float = 1.0
    loss: float = 0.0
    target: Histogram | None = None
    cuts: Mapping[str, Flags] = field(default_factory=dict)
    partial: bool = True
    relaxed: bool = False


class Regions(NamedTuple):
    """A tree of regions as parallel arrays; node 0 is the whole, parents precede their children.

    A code of the split column leads to the first child that has it between `low` and `high`, to
    the last child when none has.  Where `pivot` names a row of `pivots`, the code `low` of the
    first child leads there only for combinations that do not sort before that row.
    """

    column: Codes  # split here; LEAF where the region is released
    first_child: NDArray[np.int64]
    n_children: NDArray[np.int64]
    low: Codes
    high: Codes
    pivot: NDArray[np.int64]
    pivots: Codes


class Level(NamedTuple):
    """Regions at one depth: their cells, and the codes that lead there."""

    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    low: Codes
    high: Codes


def partition(
    cells: FrequencyTable, rules: CompiledModel, preferences: Preferences, progress: Progress
) -> tuple[Regions, Codes, Codes]:
    """Split the cells until no split is allowed; the regions, and each one's codes.

    Codes are the least and the largest of the cells in a region, by column; zeros where the region
    was split.

    Columns with limits are split by them first, whatever comes out: who calls this has made sure
    that those parts are allowed.
    """
    growth = _Growth(cells, rules, preferences)
    n = cells.n_groups
    none = np.zeros(1, np.int32)
    level = Level(np.zeros(1, np.int64), np.full(1, n, np.int64), none, none)
    for column, coding in enumerate(cells.codings):
        if coding.is_limited:
            level = growth.close(level, growth.by_ceiling(level, column))
    with ThreadPoolExecutor(THREADS) as pool:
        while len(level.begin):
            found = growth.best_cuts(level, pool)
            still = (level.end - level.begin)[found.n_parts > 0].sum()
            progress(n - int(still), n, "partitioning")
            level = growth.close(level, found)
    return growth.regions()


class _Growth:
    """Regions while they grow, and the arrays that the kernels work on."""

    def __init__(
        self, cells: FrequencyTable, rules: CompiledModel, preferences: Preferences
    ) -> None:
        self.cells, self.rules, self.preferences = cells, rules, preferences
        self.columns = make_columns(cells, preferences.cuts)
        n = cells.n_groups
        order = rank_keys(cells.keys) if preferences.relaxed else np.arange(n, dtype=np.int64)
        self.work = RegionWork(
            order, np.zeros(n, np.int64), np.zeros(n, np.int64),
            np.zeros(n, np.int32), np.zeros(n, np.int32),
        )  # fmt: skip
        self.scratch = [make_scratch(self.columns) for _ in range(THREADS)]
        self.counts = [np.zeros((2, rules.n_codes), np.int64) for _ in range(THREADS)]
        self.stakes = np.maximum(preferences.weight, LEAST_STAKE)
        self.done: list[tuple[Level, Frontier]] = []

    # -- one level ------------------------------------------------------------------------------

    def by_ceiling(self, level: Level, column: int) -> Frontier:
        """Split by the schema's limits: the cells of a part may be generalized equally far."""
        coding, work = self.cells.codings[column], self.work
        tree = coding.hierarchy
        assert tree is not None
        found = _frontier(level, column)
        for region, (begin, end) in enumerate(zip(level.begin, level.end, strict=True)):
            ceilings = coding.ceiling[self.columns.keys[column, work.order[begin:end]]]
            nodes = np.unique(ceilings)
            nodes = nodes[np.argsort(-tree.depth[nodes], kind="stable")]  # the deepest goes first
            place = np.zeros(tree.n_nodes, np.int64)
            place[nodes] = np.arange(len(nodes))
            work.part[begin:end] = place[ceilings]
            work.part_low[begin : begin + len(nodes)] = tree.start[nodes]
            work.part_high[begin : begin + len(nodes)] = tree.stop[nodes] - 1
            found.n_parts[region] = len(nodes)
        return found

    def best_cuts(self, level: Level, pool: ThreadPoolExecutor) -> Frontier:
        """The allowed cut with the highest score in every region, if there is one."""
        found = _frontier(level)
        total = np.append(0, np.cumsum(self.rules.sizes[self.work.order]))
        large = total[level.end] - total[level.begin] >= 2 * self.rules.minimum_size
        if large.any():
            cut = self._best_cuts(Level(*(entry[large] for entry in level)), pool)
            for entry, own in zip(found[2:], cut[2:], strict=True):
                entry[large] = own
        return found

    def _best_cuts(self, level: Level, pool: ThreadPoolExecutor) -> Frontier:
        """The same where there are rows enough for two parts."""
        low, high = bound_regions(self.columns.keys, self.work.order, level.begin, level.end)
        chosen = self.preferences
        score = chosen.spread * coarse_spread(region_losses(self.columns, low, high))
        score += chosen.priority * chosen.weight
        score[low == high] = -np.inf
        if chosen.gain > 0 and chosen.target is not None:
            score = _only(self._best_columns(level, low, high, score, pool), score.shape)
            score[low == high] = -np.inf
        return self._cut(level, low, high, score, pool)

    def _best_columns(
        self, level: Level, low: Codes, high: Codes, score: Floats, pool: ThreadPoolExecutor
    ) -> NDArray[np.int64]:
        """Column with the highest score in every region when information gain is part of it."""
        chosen, classes = self.preferences, self.preferences.target
        assert classes is not None
        best = np.zeros(len(score), np.int64)
        most, largest = np.full(len(score), -np.inf), np.full(len(score), -1.0)
        for column in range(score.shape[1]):
            only = _only(np.full(len(score), column), score.shape)
            only[low == high] = -np.inf
            trial = self._cut(level, low, high, only, pool)
            drop = loss_drops(
                self.columns, self.rules.sizes, self.work, trial, low, high, self.stakes
            )
            own = score[:, column] + chosen.loss * drop
            own += chosen.gain * entropy_drops(
                self.work, trial, classes.coding.n_codes,
                classes.start, classes.codes, classes.counts,
            )  # fmt: skip
            own[trial.n_parts == 0] = -np.inf
            better = (own > most + TIE) | ((own >= most - TIE) & (drop > largest + TIE))
            best[better], most[better], largest[better] = column, own[better], drop[better]
        return best

    def _cut(
        self, level: Level, low: Codes, high: Codes, score: Floats, pool: ThreadPoolExecutor
    ) -> Frontier:
        """Cut regions along the columns with the highest scores."""
        chosen, rules, found = self.preferences, self.rules, _frontier(level)
        least, asked = max(1, rules.minimum_size), None if rules.size_only else rules

        def cut(thread: int, which: slice) -> None:
            cut_best(
                self.columns, rules.sizes, least, asked, self.work, _take(found, which),
                low[which], high[which], score[which], chosen.loss, self.stakes,
                self.scratch[thread], self.counts[thread], chosen.partial, chosen.relaxed,
            )  # fmt: skip

        cells = np.cumsum(found.end - found.begin)
        if not len(cells) or cells[-1] < _WORTH_THREADS:
            cut(0, slice(None))
            return found
        edges = np.searchsorted(cells, np.arange(1, THREADS) * cells[-1] / THREADS) + 1
        bounds = [0, *edges.tolist(), len(cells)]
        slices = [slice(a, b) for a, b in itertools.pairwise(bounds) if a < b]
        for future in [pool.submit(cut, *job) for job in enumerate(slices)]:
            future.result()
        return found

    # -- the tree -------------------------------------------------------------------------------

    def close(self, level: Level, found: Frontier) -> Level:
        """Record a level and divide its regions; the level below."""
        self.done.append((level, found))
        split = _take(found, found.n_parts > 0)
        begin, end = divide(self.work, split)
        earlier = np.cumsum(split.n_parts) - split.n_parts
        at = np.repeat(split.begin - earlier, split.n_parts) + np.arange(len(begin))
        return Level(begin, end, self.work.part_low[at], self.work.part_high[at])

    def regions(self) -> tuple[Regions, Codes, Codes]:
        """All levels as one tree, and the least and largest code of each leaf."""
        levels, cuts = zip(*self.done, strict=True)
        begin, end, low, high = (np.concatenate(arrays) for arrays in zip(*levels, strict=True))
        n_children = np.concatenate([cut.n_parts for cut in cuts])
        column = np.where(n_children > 0, np.concatenate([cut.column for cut in cuts]), LEAF)
        pivot = np.concatenate([cut.pivot for cut in cuts])
        cutting = np.flatnonzero(pivot >= 0)
        pivots = self.cells.keys[pivot[cutting]]
        pivot[cutting] = np.arange(len(cutting))
        tree = Regions(
            column.astype(np.int32),
            1 + np.cumsum(n_children) - n_children,
            n_children,
            low,
            high,
            pivot,
            pivots,
        )
        least, most = np.zeros((2, len(begin), len(self.columns.keys)), np.int32)
        leaf = np.flatnonzero(n_children == 0)
        least[leaf], most[leaf] = bound_regions(
            self.columns.keys, self.work.order, begin[leaf], end[leaf]
        )
        return tree, least, most


def _take(frontier: Frontier, which: Any) -> Frontier:
    arrays: list[Any] = [entry[which] for entry in frontier]
    return Frontier(*arrays)


def _frontier(level: Level, column: int = 0) -> Frontier:
    n = len(level.begin)
    return Frontier(
        level.begin,
        level.end,
        np.full(n, column, np.int64),
        np.zeros(n, np.int64),
        np.full(n, -1, np.int64),
    )


def _only(column: NDArray[np.int64], shape: tuple[int, int]) -> Floats:
    """Scores that let each region be cut along one column only."""
    score = np.full(shape, -np.inf)
    score[np.arange(len(column)), column] = 0.0
    return score


def coarse_spread(share: Floats) -> Floats:
    """Shares of a domain rounded to steps."""
    rounded: Floats = np.floor(share * STEPS + 0.5 + _ROUNDING) / STEPS
    return rounded
