"""Growing a tree under a privacy model: one queue of splits over all nodes, best first."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

import numpy as np

from shoal.models.tree.growth._allow_kernels import breaks_rules
from shoal.models.tree.growth._divide_kernels import divide_node
from shoal.models.tree.growth._kernel_types import (
    GAIN_RATIO,
    OTHERS,
    GrowthState,
    GrowthWork,
    Segments,
    Settings,
    Target,
    TreeColumns,
)
from shoal.models.tree.growth._span_forest import SpanForest
from shoal.models.tree.growth._split_kernels import best_split
from shoal.privacy.compiled._condition_kernels import CompiledModel
from shoal.typing import Codes, Counts, Floats

LEAF = -1


@dataclass
class Split:
    """One test of a tree, in codes: which rows go to which branch."""

    column: int
    level: int
    cut: int
    threshold: float
    groups: Codes  # group (or side of the cut: 0, 1, 2 for missing) of each branch
    children: range
    subsets: Codes | None = None  # of a split into two subsets: the group of each code


@dataclass
class Grown:
    """A tree as it grows; node 0 is the root.

    Parameters
    ----------
    counts, mass : list of ndarray
        Rows and weight of each class in each node.
    split : list of Split or None
        None for a leaf.
    depth, parent : list of int
        Of each node.
    taken : list of int
        Nodes in the order in which they were split.
    refused : list of tuple
        Number of splits taken before, node, column, level and threshold of every split that the
        privacy model forbade.  For tests; it never leaves this package, since a refusal says that
        some group is small.
    """

    counts: list[Counts]
    mass: list[Floats]
    split: list[Split | None] = field(default_factory=lambda: [None])
    depth: list[int] = field(default_factory=lambda: [0])
    parent: list[int] = field(default_factory=lambda: [-1])
    taken: list[int] = field(default_factory=list)
    refused: list[tuple[int, int, int, int, float]] = field(default_factory=list)

    def branch(self, node: int, counts: Counts, mass: Floats) -> range:
        """Append the children of a node."""
        first = len(self.counts)
        self.counts.extend(counts)
        self.mass.extend(mass)
        n = len(counts)
        self.split.extend([None] * n)
        self.depth.extend([self.depth[node] + 1] * n)
        self.parent.extend([node] * n)
        return range(first, first + n)


class Grower:
    """The state of one run: rows sorted by node, spans, and the queue."""

    def __init__(
        self,
        columns: TreeColumns,
        target: Target,
        settings: Settings,
        rules: CompiledModel,
        *,
        class_is_public: bool,
        max_depth: int | None = None,
    ) -> None:
        self.columns, self.target, self.settings, self.rules = columns, target, settings, rules
        self.max_depth = np.inf if max_depth is None else max_depth
        n_rows = columns.codes.shape[1]
        self.order = np.arange(n_rows)
        self.segment: list[tuple[int, int]] = [(0, n_rows)]
        counts = np.bincount(target.codes, minlength=target.n_classes)
        weights = target.weights if len(target.weights) else None
        mass = np.bincount(target.codes, weights, minlength=target.n_classes).astype(np.float64)
        self.tree = Grown([counts], [mass])
        # Without private columns and missing values a span is a leaf: no bookkeeping is needed.
        plain = not class_is_public and columns.public.all() and (columns.missing < 0).all()
        self.forest = None if plain else SpanForest(target, class_is_public)
        self.spans: list[list[int]] = [[] if self.forest is None else self.forest.roots()]
        self.levels: dict[int, Counts] = {}
        self.queue: list[tuple[bool, float, int, Split]] = []
        # two subsets are looked for first; a level of the hierarchy is what comes after
        self.first_level = np.where(settings.binary & ~columns.ordered, columns.n_levels, 0)
        self.work = _work(columns, target, rules)
        self.state = _state(columns)

    def run(self) -> Grown:
        """Split the best candidate of all nodes until none is left."""
        self.search(0)
        while self.queue:
            _, _, node, split = heappop(self.queue)
            if self.is_still_allowed(node, split):
                for child in self.apply(node, split):
                    self.search(child)
            else:
                self.search(node)
        return self.tree

    def search(self, node: int) -> None:
        """Queue the best allowed split of a node."""
        if self.tree.depth[node] >= self.max_depth or np.count_nonzero(self.tree.mass[node]) < 2:
            return
        state = self.state
        levels = self.levels.get(node)
        state.level[:] = self.first_level if levels is None else levels
        state.n_refused[0] = 0
        column, average = best_split(
            self.columns,
            self.target,
            self.settings,
            self.rules,
            self.segments(node),
            self.rows(node),
            self.work,
            state,
        )
        for place in range(state.n_refused[0]):
            refused_column, level = state.refused[place].tolist()
            cut = float(state.cuts_refused[place])
            self.tree.refused.append((len(self.tree.taken), node, refused_column, level, cut))
        if column == LEAF:
            return
        if self.forest is not None:
            self.levels[node] = state.level.copy()
        gain, score = float(state.gain[column]), float(state.score[column])
        below = self.settings.criterion == GAIN_RATIO and gain < average - 1e-3
        ordered = bool(self.columns.ordered[column])
        split = Split(
            int(column),
            0 if ordered else int(state.level[column]),
            int(state.cut[column]) if ordered else 0,
            float(state.threshold[column]) if ordered else np.nan,
            np.empty(0, np.int32),
            range(0),
        )
        if not ordered and split.level == self.columns.n_levels[column]:
            split.subsets = self.spare_level(split.column).copy()
        heappush(self.queue, (below, -score, node, split))

    def spare_level(self, column: int) -> Codes:
        """Where the kernels read the subsets of a categorical column; other nodes have others."""
        n_codes = int(self.columns.n_codes[column])
        at = int(self.columns.map_first[column] + self.columns.n_levels[column] * n_codes)
        return self.columns.group[at : at + n_codes]

    def recall(self, split: Split) -> None:
        """Lay a split's subsets out for the kernels again."""
        if split.subsets is not None:
            self.spare_level(split.column)[:] = split.subsets

    def is_still_allowed(self, node: int, split: Split) -> bool:
        """Whether splits of other nodes, which share spans, have left this one allowed."""
        if self.forest is None:
            return True
        before = self.spans[node]
        now = self.spans[node] = self.forest.current(before)
        if now == before:
            return True
        self.recall(split)
        return not breaks_rules(
            self.columns,
            self.settings,
            self.rules,
            self.segments(node),
            split.column,
            split.level,
            split.cut,
            self.rows(node),
            self.work,
        )

    def apply(self, node: int, split: Split) -> range:
        """Split a node: its rows, its bins and, on a public column, the spans that reach it."""
        start, stop = self.segment[node]
        self.recall(split)
        split.groups, first, counts, mass = divide_node(
            self.columns,
            self.target,
            split.column,
            split.level,
            split.cut,
            self.order,
            start,
            stop,
        )
        split.children = children = self.tree.branch(node, counts, mass)
        self.tree.split[node] = split
        self.tree.taken.append(node)
        bounds = first.tolist()
        self.segment.extend(itertools.pairwise(bounds))
        if self.forest is None:
            self.spans.extend([[]] * len(children))
        else:
            reach = self.forest.current(self.spans[node])
            public = bool(self.columns.public[split.column])
            branch_of = self.branch_of(split, counts.sum(axis=1))
            self.spans.extend(
                self.forest.divide(self.columns, split, branch_of, reach)
                if public
                else self.forest.refine(reach, len(children))
            )
            self.levels.pop(node, None)
        self.spans[node] = []
        return children

    def branch_of(self, split: Split, sizes: Counts) -> Codes:
        """Branch of each group of the column; -1 where rows of other nodes would find none."""
        c = split.column
        ordered = bool(self.columns.ordered[c])
        n_groups = 3 if ordered else int(self.columns.n_groups[c, split.level])
        branch_of = np.full(n_groups, -1, np.int32)
        branch_of[split.groups] = np.arange(len(split.groups))
        if self.settings.to_majority:
            known = np.array([not self.is_missing(split, g) for g in split.groups.tolist()])
            if known.any():
                branch_of[branch_of < 0] = np.where(known, sizes, -1).argmax()
        return branch_of

    def is_missing(self, split: Split, group: int) -> bool:
        """Whether a branch holds missing values."""
        return group == missing_group(self.columns, split.column, split.level)

    def rows(self, node: int) -> Counts:
        """Rows of a node."""
        start, stop = self.segment[node]
        return self.order[start:stop]

    def segments(self, node: int) -> Segments:
        """Spans that reach a node."""
        if self.forest is None:
            start, stop = self.segment[node]
            return Segments(
                self.order, np.array([start]), np.array([stop]), np.zeros(1, bool), True
            )
        self.spans[node] = self.forest.current(self.spans[node])
        return self.forest.segments(self.spans[node])


def missing_group(columns: TreeColumns, column: int, level: int) -> int:
    """Group (or side) of missing values; -1 when the column has none."""
    code = int(columns.missing[column])
    if code < 0:
        return -1
    if columns.ordered[column]:
        return 2
    at = columns.map_first[column] + level * columns.n_codes[column]
    return int(columns.group[at + code])


def grow(
    columns: TreeColumns,
    target: Target,
    settings: Settings,
    rules: CompiledModel,
    *,
    class_is_public: bool,
    max_depth: int | None = None,
) -> tuple[Grown, int]:
    """Grow a tree; also tell how many spans were kept in mind (0: spans are leaves)."""
    grower = Grower(
        columns,
        target,
        settings,
        rules,
        class_is_public=class_is_public,
        max_depth=max_depth,
    )
    tree = grower.run()
    return tree, 0 if grower.forest is None else grower.forest.n_spans


def _work(columns: TreeColumns, target: Target, rules: CompiledModel) -> GrowthWork:
    n_codes = int(columns.n_codes.max(initial=OTHERS + 1))
    return GrowthWork(
        total=np.zeros(n_codes, np.int64),
        mass=np.zeros(n_codes * target.n_classes),
        touched=np.empty(n_codes, np.int64),
        group_total=np.zeros(n_codes, np.int64),
        group_mass=np.zeros((n_codes + 1) * target.n_classes),
        part=np.zeros(n_codes, np.int64),
        sizes=np.zeros(n_codes + 3, np.int64),
        histogram=np.zeros((_widest(columns) + 3) * rules.n_codes, np.int64),
        cut_open=np.zeros(n_codes, np.bool_),
    )


def _widest(columns: TreeColumns) -> int:
    widths: Sequence[int] = columns.n_groups[~columns.ordered].ravel().tolist()
    return max(widths, default=0)


def _state(columns: TreeColumns) -> GrowthState:
    n = len(columns.ordered)
    capacity = int(columns.n_levels.sum()) + 3 * n
    return GrowthState(
        level=np.zeros(n, np.int64),
        stale=np.zeros(n, np.bool_),
        settled=np.zeros(n, np.bool_),
        gain=np.zeros(n),
        score=np.zeros(n),
        cut=np.zeros(n, np.int64),
        threshold=np.full(n, np.nan),
        least=np.zeros(n, np.int64),
        refused=np.zeros((capacity, 2), np.int64),
        cuts_refused=np.zeros(capacity),
        n_refused=np.zeros(1, np.int64),
    )
