"""Split cells into regions, level by level, each by its best cut, on all cores."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._resources import n_threads
from shoal.anonymize.mondrian._drop_kernels import entropy_drops, loss_drops
from shoal.anonymize.mondrian._partition_kernels import (
    TIE,
    cut_best_by_conditions,
    cut_best_by_size,
    divide,
    measure_regions,
)
from shoal.anonymize.mondrian._preferences import Preferences
from shoal.anonymize.mondrian._region_arrays import (
    Frontier,
    RegionColumns,
    RegionTask,
    RegionWork,
    Scratch,
)
from shoal.anonymize.mondrian._region_kernels import LEAF, Regions
from shoal.privacy.compiled._condition_kernels import CompiledModel
from shoal.schema._coding import Coding
from shoal.tables import FrequencyTable
from shoal.typing import Codes, Flags, Floats, Progress

LEAST_STAKE = 0.01
"""Least weight of a column in the loss: what nobody asked for still breaks ties."""

STEPS = 8
"""Spread is measured in so many steps: to be a little wider is no reason to be cut first."""

_WORTH_THREADS = 20_000  # cells: below, starting threads costs more than it saves
_ROUNDING = 1e-9  # halves go up, however they were computed


class Level(NamedTuple):
    """Regions at one depth: their cells, and the codes that lead there."""

    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    low: Codes
    high: Codes


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
    growth = grow_regions(cells, compiled, preferences, progress, deadline)
    return *growth.regions(), growth.leaves()


def grow_regions(
    cells: FrequencyTable,
    compiled: CompiledModel,
    preferences: Preferences,
    progress: Progress | None,
    deadline: float,
) -> Growth:
    """The same while it can still be asked: for the regions, or for each cell's leaf alone."""
    columns, n = make_columns(cells, preferences.cuts), cells.n_groups
    order = np.arange(n, dtype=np.int64)
    if preferences.relaxed:  # cells in the order of their combinations, first column first
        order = np.lexsort(cells.keys.T[::-1]).astype(np.int64)
    work = RegionWork(
        order=order,
        keys=np.ascontiguousarray(columns.keys[:, order]),
        sizes=compiled.sizes[order],
        part=np.zeros(n, np.int64),
        spare=np.zeros(n, np.int64),
        part_low=np.zeros(n, np.int32),
        part_high=np.zeros(n, np.int32),
    )
    task = RegionTask(
        columns=columns,
        compiled=compiled,
        stakes=np.maximum(preferences.weight, LEAST_STAKE),
        loss=preferences.loss,
        partial=preferences.partial,
        relaxed=preferences.relaxed,
    )
    # counting sort needs one slot more than codes
    widest = int(max(np.diff(columns.first_code).max(), np.diff(columns.first_node).max())) + 2
    scratch = [
        Scratch(
            rows=np.zeros(widest, np.int64),
            slot=np.zeros(widest, np.int64),
            seen=np.zeros(widest, np.int64),
            is_off=np.zeros(widest, np.bool_),
            histograms=np.zeros((2, compiled.n_codes), np.int64),
        )
        for _ in range(n_threads())
    ]
    growth = Growth(cells, preferences, task, work, scratch)
    none = np.zeros(1, np.int32)
    level = Level(np.zeros(1, np.int64), np.full(1, n, np.int64), none, none)
    for column, coding in enumerate(cells.codings):
        if coding.is_limited:
            cuts = growth.by_ceiling(level, column)
            growth.done.append((level, cuts))
            level = growth.divided(cuts)
    with ThreadPoolExecutor(len(scratch)) as pool:
        while len(level.begin):
            late = time.perf_counter() > deadline
            below = growth.split(level, pool, late=late)
            if progress is not None:
                still = int((below.end - below.begin).sum())
                progress(n - still, n, "partitioning")
            level = below
    return growth


@dataclass(frozen=True, eq=False)
class Growth:
    """Regions while they grow, and the arrays that the kernels work on."""

    cells: FrequencyTable
    preferences: Preferences
    task: RegionTask
    work: RegionWork
    scratch: list[Scratch]  # one for each thread
    done: list[tuple[Level, Frontier]] = field(default_factory=list)

    def split(self, level: Level, pool: ThreadPoolExecutor, *, late: bool) -> Level:
        """Record a level and split its regions, each thread some of them; the level below.

        When it is late, nothing is split any more.
        """
        cuts = no_cuts(level)
        self.done.append((level, cuts))
        total = np.append(0, np.cumsum(self.work.sizes))
        least = 2 * self.task.compiled.minimum_size
        large = total[level.end] - total[level.begin] >= least  # rows enough for two parts
        regions = np.flatnonzero(large & (not late))
        shares, cells = [regions], np.cumsum((level.end - level.begin)[regions])
        if len(cells) and cells[-1] >= _WORTH_THREADS:
            # regions stay whole, so threads get about as many cells each
            n = len(self.scratch)
            edges = np.searchsorted(cells, np.arange(1, n) / n * cells[-1]) + 1
            shares = [share for share in np.split(regions, edges) if len(share)]
        own = [Frontier._make(entry[share] for entry in cuts) for share in shares]
        below = [*(map if len(own) == 1 else pool.map)(self.cut_best, own, self.scratch)]
        for share, made in zip(shares, own, strict=True):
            for entry, of_share in zip(cuts[2:], made[2:], strict=True):  # all but begin and end
                entry[share] = of_share
        return Level(*map(np.concatenate, zip(*below, strict=True)))

    def cut_best(self, cuts: Frontier, scratch: Scratch) -> Level:
        """Cut each region by the allowed cut with the highest score, if any; the parts.

        What is cut is written into `cuts`.
        """
        begin, end = cuts.begin, cuts.end
        low, high, spread = measure_regions(self.task.columns, self.work.keys, begin, end)
        chosen = self.preferences
        score = chosen.spread * (np.floor(spread * STEPS + 0.5 + _ROUNDING) / STEPS)
        score += chosen.priority * chosen.weight
        score[low == high] = -np.inf
        cut = cut_best_by_size if self.task.compiled.size_only else cut_best_by_conditions
        cut = partial(cut, self.task, self.work, scratch)
        # gain is known only after a trial, so every column is cut once to learn which is best
        if chosen.gain > 0 and chosen.target is not None:
            score = _only(self._best_columns(cuts, low, high, score, cut), score.shape)
            score[low == high] = -np.inf
        cut(cuts, low, high, score)
        return self.divided(cuts)

    def _best_columns(
        self, cuts: Frontier, low: Codes, high: Codes, score: Floats, cut: Callable[..., None]
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
            trial = no_cuts(cuts)
            cut(trial, low, high, only)
            drop = loss_drops(self.task, self.work, trial, low, high)
            own = score[:, column] + chosen.loss * drop
            own += chosen.gain * entropy_drops(
                self.work, trial, n_classes, classes.start, classes.codes, classes.counts
            )
            own[trial.n_parts == 0] = -np.inf
            better = (own > most + TIE) | ((own >= most - TIE) & (drop > largest + TIE))
            best[better], most[better], largest[better] = column, own[better], drop[better]
        return best

    def divided(self, cuts: Frontier) -> Level:
        """Bring the cells of each part together; the parts, as regions of the level below."""
        split = Frontier._make(entry[cuts.n_parts > 0] for entry in cuts)
        begin, end = divide(self.work, split)
        earlier = np.cumsum(split.n_parts) - split.n_parts
        # the codes of a region's parts were written from the region's own beginning on
        index = np.repeat(split.begin - earlier, split.n_parts) + np.arange(len(begin))
        return Level(begin, end, self.work.part_low[index], self.work.part_high[index])

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
        least, most = np.zeros((2, len(begin), len(self.work.keys)), np.int32)
        leaf = np.flatnonzero(n_children == 0)
        least[leaf], most[leaf], _ = measure_regions(
            self.task.columns, self.work.keys, begin[leaf], end[leaf]
        )
        return tree, least, most


def no_cuts(level: Level | Frontier, column: int = 0) -> Frontier:
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


# -- quasi-identifiers as the arrays that the kernels read ----------------------------------------


def is_tree(coding: Coding) -> bool:
    """Whether a column is split by its hierarchy; ordered columns are split by their order."""
    return coding.hierarchy is not None and not coding.is_ordered


def make_columns(cells: FrequencyTable, wanted: Mapping[str, Flags]) -> RegionColumns:
    """Lay the quasi-identifiers out; `wanted` says after which codes a cut is welcome.

    Codes have coordinates on a line of length 1, as NCP in
    :func:`shoal.metrics._measure.label_loss`: numbers without a hierarchy have a length, other
    codes are counted, and a range of them costs one more than its length.
    """
    none = np.empty(0, np.int32)
    lines, units, trees = [], [], []
    for coding in cells.codings:
        n_values = max(1, coding.n_codes - (coding.missing >= 0))
        if coding.hierarchy is None and coding.kind in ("numeric", "date"):
            numbers, unit = coding.numbers.astype(np.float64), 0.0
            least, most = np.nanmin(numbers, initial=np.inf), np.nanmax(numbers, initial=-np.inf)
            width = most - least if most > least else 1.0
            numbers = (numbers - (least if np.isfinite(least) else 0.0)) / width
        else:
            numbers, unit = np.arange(coding.n_codes) / n_values, 1.0 / n_values
        if coding.missing >= 0:
            numbers[coding.missing] = np.nan
        lines.append(numbers)
        units.append(unit)
        tree = coding.hierarchy
        if tree is None or coding.is_ordered:
            trees.append((none, none, none, none, np.empty(0), none.reshape(0, 0)))
            continue
        share = tree.n_leaves_below / max(1, tree.n_values)
        share[: tree.n_leaves] = 0.0  # a value released as itself loses nothing
        # by depth, so that a kernel finds the child that leads to a leaf without climbing
        path = np.zeros((tree.n_leaves, int(tree.depth.max()) + 2), np.int32)
        node = np.arange(tree.n_leaves, dtype=np.int32)
        while (inside := node >= 0).any():
            leaves = np.flatnonzero(inside)
            path[leaves, tree.depth[node[leaves]]] = node[leaves]
            node = np.where(inside, tree.parent[node], -1)
        trees.append((tree.parent, tree.start, tree.stop, tree.depth, share, path))
    parent, start, stop, depth, shares, paths = zip(*trees, strict=True)
    welcome = [wanted.get(c.name, np.zeros(c.n_codes, np.bool_)) for c in cells.codings]
    return RegionColumns(
        keys=np.ascontiguousarray(cells.keys.T, np.int32),
        is_tree=np.array([len(nodes) > 0 for nodes in parent], np.bool_),
        first_code=np.cumsum([0, *map(len, lines)], dtype=np.int64),
        coordinate=np.concatenate(lines),
        unit=np.array(units),
        wanted=np.cumsum(np.concatenate([[False], *welcome]), dtype=np.int64),
        first_node=np.cumsum([0, *map(len, parent)], dtype=np.int64),
        parent=np.concatenate(parent),
        start=np.concatenate(start),
        stop=np.concatenate(stop),
        depth=np.concatenate(depth),
        share=np.concatenate(shares),
        first_path=np.cumsum([0, *(path.size for path in paths)], dtype=np.int64),
        path=np.concatenate([path.ravel() for path in paths]),
        width=np.array([path.shape[1] for path in paths], np.int64),
    )
