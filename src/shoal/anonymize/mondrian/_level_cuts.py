"""The best cut of every region of one level, on all cores."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._resources import n_threads
from shoal.anonymize.mondrian._choice_kernels import (
    TIE,
    cut_best_by_conditions,
    cut_best_by_size,
)
from shoal.anonymize.mondrian._columns import make_scratch
from shoal.anonymize.mondrian._partition_kernels import (
    bound_regions,
    entropy_drops,
    loss_drops,
    region_losses,
)
from shoal.anonymize.mondrian._preferences import Preferences
from shoal.anonymize.mondrian._region_arrays import Frontier, RegionTask, RegionWork
from shoal.typing import Codes, Floats

_WORTH_THREADS = 20_000  # cells: below, starting threads costs more than it saves

STEPS = 8
"""Spread is measured in so many steps: to be a little wider is no reason to be cut first."""

_ROUNDING = 1e-9  # halves go up, however they were computed


class Level(NamedTuple):
    """Regions at one depth: their cells, and the codes that lead there."""

    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    low: Codes
    high: Codes


class LevelCuts:
    """Finds the cuts of one level after another, with memory for each thread."""

    def __init__(self, task: RegionTask, work: RegionWork, preferences: Preferences) -> None:
        self.task, self.work, self.preferences = task, work, preferences
        n_codes = task.compiled.n_codes
        self.n_threads = n_threads()
        self.scratch = [make_scratch(task.columns, n_codes) for _ in range(self.n_threads)]

    def best_cuts(self, level: Level, pool: ThreadPoolExecutor) -> Frontier:
        """The allowed cut with the highest score in every region, if there is one."""
        cuts = no_cuts(level)
        total = np.append(0, np.cumsum(self.work.sizes))
        least = 2 * self.task.compiled.minimum_size
        large = total[level.end] - total[level.begin] >= least  # rows enough for two parts
        if not large.any():
            return cuts
        level = Level(*(entry[large] for entry in level))
        shares = self.shares(level)
        begin, end = ([side[share] for share in shares] for side in (level.begin, level.end))
        bound = partial(bound_regions, self.work.keys)
        bounds = [*(map if len(shares) == 1 else pool.map)(bound, begin, end)]
        low, high = map(np.concatenate, zip(*bounds, strict=True))
        chosen, spread = self.preferences, region_losses(self.task.columns, low, high)
        score = chosen.spread * (np.floor(spread * STEPS + 0.5 + _ROUNDING) / STEPS)
        score += chosen.priority * chosen.weight
        score[low == high] = -np.inf
        # gain is known only after a trial, so every column is cut once to learn which is best
        if chosen.gain > 0 and chosen.target is not None:
            score = _only(self._best_columns(level, low, high, score, pool), score.shape)
            score[low == high] = -np.inf
        made = self._cut(level, low, high, score, pool)
        for entry, own in zip(cuts[2:], made[2:], strict=True):  # all but begin and end
            entry[large] = own
        return cuts

    def _best_columns(
        self, level: Level, low: Codes, high: Codes, score: Floats, pool: ThreadPoolExecutor
    ) -> NDArray[np.int64]:
        """Column with the highest score in every region when information gain is part of it."""
        chosen, classes = self.preferences, self.preferences.target
        assert classes is not None
        n_classes = classes.coding.n_codes
        best = np.zeros(len(score), np.int64)
        most, largest = np.full(len(score), -np.inf), np.full(len(score), -1.0)
        for column in range(score.shape[1]):
            only = _only(np.full(len(score), column), score.shape)
            only[low == high] = -np.inf
            trial = self._cut(level, low, high, only, pool)
            drop = loss_drops(self.task, self.work, trial, low, high)
            own = score[:, column] + chosen.loss * drop
            own += chosen.gain * entropy_drops(
                self.work, trial, n_classes, classes.start, classes.codes, classes.counts
            )
            own[trial.n_parts == 0] = -np.inf
            better = (own > most + TIE) | ((own >= most - TIE) & (drop > largest + TIE))
            best[better], most[better], largest[better] = column, own[better], drop[better]
        return best

    def _cut(
        self, level: Level, low: Codes, high: Codes, score: Floats, pool: ThreadPoolExecutor
    ) -> Frontier:
        """Cut regions along the columns with the highest scores."""
        cuts = no_cuts(level)
        by_size = self.task.compiled.size_only
        cut_best = cut_best_by_size if by_size else cut_best_by_conditions

        def cut(thread: int, which: slice) -> None:
            own, scratch = take(cuts, which), self.scratch[thread]
            cut_best(self.task, self.work, scratch, own, low[which], high[which], score[which])

        shares = self.shares(level)
        if len(shares) == 1:
            cut(0, shares[0])
            return cuts
        for future in [pool.submit(cut, *job) for job in enumerate(shares)]:
            future.result()
        return cuts

    def shares(self, level: Level | Frontier) -> list[slice]:
        """Regions of each thread; they stay whole, so threads get about as many cells each."""
        cells = np.cumsum(level.end - level.begin)
        if not len(cells) or cells[-1] < _WORTH_THREADS:
            return [slice(None)]
        shares = np.arange(1, self.n_threads) / self.n_threads
        edges = np.searchsorted(cells, shares * cells[-1]) + 1
        bounds = [0, *edges.tolist(), len(cells)]
        return [slice(a, b) for a, b in itertools.pairwise(bounds) if a < b]


def take(frontier: Frontier, which: Any) -> Frontier:
    """Some regions of a frontier; a slice shares its memory."""
    arrays: list[Any] = [entry[which] for entry in frontier]
    return Frontier(*arrays)


def no_cuts(level: Level, column: int = 0) -> Frontier:
    """The regions of a level before any of them is cut."""
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
