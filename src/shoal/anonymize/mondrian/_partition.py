"""Split cells into regions, level by level."""

from __future__ import annotations

import math
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
from numpy.typing import NDArray

from shoal.anonymize.mondrian._columns import make_columns, rank_keys
from shoal.anonymize.mondrian._level_cuts import Level, LevelCuts, no_cuts, take
from shoal.anonymize.mondrian._partition_kernels import bound_regions, divide
from shoal.anonymize.mondrian._preferences import Preferences
from shoal.anonymize.mondrian._region_arrays import Frontier, RegionTask, RegionWork
from shoal.anonymize.mondrian._region_kernels import LEAF, Regions
from shoal.privacy.compiled._condition_kernels import CompiledModel
from shoal.tables import FrequencyTable
from shoal.typing import Codes, Progress

LEAST_STAKE = 0.01
"""Least weight of a column in the loss: what nobody asked for still breaks ties."""


def partition(
    cells: FrequencyTable,
    compiled: CompiledModel,
    preferences: Preferences,
    progress: Progress,
    deadline: float = math.inf,
) -> tuple[Regions, Codes, Codes, NDArray[np.int64]]:
    """Split the cells until no split is allowed; the regions, each one's codes, each cell's region.

    After the deadline nothing is split further: regions are allowed at every level.

    Codes are the least and the largest of the cells in a region, by column; zeros where the region
    was split.

    Columns with limits are split by them first, whatever comes out: the caller has made sure that
    those parts are allowed.
    """
    growth = _grow(cells, compiled, preferences, progress, deadline)
    return *growth.regions(), growth.leaves()


def region_groups(
    cells: FrequencyTable,
    compiled: CompiledModel,
    preferences: Preferences,
    deadline: float = math.inf,
) -> NDArray[np.int64]:
    """The region of each cell when they are split until no split is allowed."""
    leaf = _grow(cells, compiled, preferences, None, deadline).leaves()
    is_used = np.zeros(int(leaf.max(initial=-1)) + 1, np.bool_)
    is_used[leaf] = True
    number: NDArray[np.int64] = np.cumsum(is_used, dtype=np.int64) - 1
    return number[leaf]


def _grow(
    cells: FrequencyTable,
    compiled: CompiledModel,
    preferences: Preferences,
    progress: Progress | None,
    deadline: float,
) -> _Growth:
    growth = _Growth(cells, compiled, preferences)
    n = cells.n_groups
    none = np.zeros(1, np.int32)
    level = Level(np.zeros(1, np.int64), np.full(1, n, np.int64), none, none)
    with ThreadPoolExecutor(growth.cuts.n_threads) as pool:
        for column, coding in enumerate(cells.codings):
            if coding.is_limited:
                level = growth.close(level, growth.by_ceiling(level, column), pool)
        while len(level.begin):
            late = time.perf_counter() > deadline
            cuts = no_cuts(level, 0) if late else growth.cuts.best_cuts(level, pool)
            if progress is not None:
                still = (level.end - level.begin)[cuts.n_parts > 0].sum()
                progress(n - int(still), n, "partitioning")
            level = growth.close(level, cuts, pool)
    return growth


class _Growth:
    """Regions while they grow, and the arrays that the kernels work on."""

    def __init__(
        self, cells: FrequencyTable, compiled: CompiledModel, preferences: Preferences
    ) -> None:
        self.cells = cells
        self.columns = make_columns(cells, preferences.cuts)
        n = cells.n_groups
        order = rank_keys(cells.keys) if preferences.relaxed else np.arange(n, dtype=np.int64)
        self.work = RegionWork(
            order=order,
            keys=np.ascontiguousarray(self.columns.keys[:, order]),
            sizes=compiled.sizes[order],
            part=np.zeros(n, np.int64),
            spare=np.zeros(n, np.int64),
            part_low=np.zeros(n, np.int32),
            part_high=np.zeros(n, np.int32),
        )
        task = RegionTask(
            columns=self.columns,
            compiled=compiled,
            stakes=np.maximum(preferences.weight, LEAST_STAKE),
            loss=preferences.loss,
            partial=preferences.partial,
            relaxed=preferences.relaxed,
        )
        self.cuts = LevelCuts(task, self.work, preferences)
        self.done: list[tuple[Level, Frontier]] = []

    def by_ceiling(self, level: Level, column: int) -> Frontier:
        """Split by the schema's limits: the cells of a part may be generalized equally far."""
        coding, work = self.cells.codings[column], self.work
        tree = coding.hierarchy
        assert tree is not None
        cuts = no_cuts(level, column)
        for region, (begin, end) in enumerate(zip(level.begin, level.end, strict=True)):
            ceilings = coding.ceiling[work.keys[column, begin:end]]
            nodes = np.unique(ceilings)
            # a code leads to the first part that holds it: deeper limits before those around them
            nodes = nodes[np.argsort(-tree.depth[nodes], kind="stable")]
            number = np.zeros(tree.n_nodes, np.int64)
            number[nodes] = np.arange(len(nodes))
            work.part[begin:end] = number[ceilings]
            work.part_low[begin : begin + len(nodes)] = tree.start[nodes]
            work.part_high[begin : begin + len(nodes)] = tree.stop[nodes] - 1
            cuts.n_parts[region] = len(nodes)
        return cuts

    def close(self, level: Level, cuts: Frontier, pool: ThreadPoolExecutor) -> Level:
        """Record a level and divide its regions; the level below."""
        self.done.append((level, cuts))
        split = take(cuts, cuts.n_parts > 0)
        own = [take(split, share) for share in self.cuts.shares(split)]
        parts = [*(map if len(own) == 1 else pool.map)(partial(divide, self.work), own)]
        begin, end = map(np.concatenate, zip(*parts, strict=True))
        earlier = np.cumsum(split.n_parts) - split.n_parts
        # the codes of a region's parts were written from the region's own beginning on
        index = np.repeat(split.begin - earlier, split.n_parts) + np.arange(len(begin))
        return Level(begin, end, self.work.part_low[index], self.work.part_high[index])

    def leaves(self) -> NDArray[np.int64]:
        """Node of the tree that each cell is released with."""
        levels, cuts = zip(*self.done, strict=True)
        begin = np.concatenate([level.begin for level in levels])
        end = np.concatenate([level.end for level in levels])
        leaf = np.flatnonzero(np.concatenate([cut.n_parts for cut in cuts]) == 0)
        leaf = leaf[np.argsort(begin[leaf], kind="stable")]  # their runs lie one after another
        leaf_of = np.empty(self.cells.n_groups, np.int64)
        leaf_of[self.work.order] = np.repeat(leaf, end[leaf] - begin[leaf])
        return leaf_of

    def regions(self) -> tuple[Regions, Codes, Codes]:
        """All levels as one tree, and the least and largest code of each leaf."""
        levels, cuts = zip(*self.done, strict=True)
        begin, end, low, high = (np.concatenate(arrays) for arrays in zip(*levels, strict=True))
        n_children = np.concatenate([cut.n_parts for cut in cuts])
        column = np.where(n_children > 0, np.concatenate([cut.column for cut in cuts]), LEAF)
        pivot = np.concatenate([cut.pivot for cut in cuts])
        cutting = np.flatnonzero(pivot >= 0)  # cells until here; from here on rows of `pivots`
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
        least[leaf], most[leaf] = bound_regions(self.work.keys, begin[leaf], end[leaf])
        return tree, least, most
