"""Growing a tree under a privacy model: one queue of splits over all nodes, best first."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from shoal.models.tree.growth._allow_kernels import breaks_model
from shoal.models.tree.growth._divide_kernels import count_classes, divide_node, route_rows
from shoal.models.tree.growth._grown import Candidate, Grown, Split, missing_group
from shoal.models.tree.growth._kernel_types import (
    GAIN_RATIO,
    LEFT,
    RIGHT,
    Segments,
    Settings,
    Target,
    TreeColumns,
)
from shoal.models.tree.growth._look_ahead import Place, look_ahead
from shoal.models.tree.growth._memory import make_state, make_work
from shoal.models.tree.growth._span_forest import SpanForest
from shoal.models.tree.growth._split_kernels import best_split
from shoal.privacy.compiled._condition_kernels import CompiledModel
from shoal.typing import Codes, Counts, Floats

LEAF = -1


@dataclass(frozen=True)
class Plan:
    """How far a tree grows, and which split comes next.

    Parameters
    ----------
    most_deep, most_leaves : float
        Limits of depth and of leaves.
    best_first : bool
        Take next what gains most over all rows of the table; else what gains most per row of its
        node, as in the papers.
    look_ahead : bool
        Look at the splits after a split, where that would leave a branch that cannot grow.
    """

    most_deep: float = np.inf
    most_leaves: float = np.inf
    best_first: bool = False
    look_ahead: bool = False


class Grower:
    """The state of one run: rows sorted by node, spans, and the queue."""

    def __init__(
        self,
        columns: TreeColumns,
        target: Target,
        settings: Settings,
        compiled: CompiledModel,
        *,
        class_is_public: bool,
        plan: Plan | None = None,
    ) -> None:
        self.columns, self.target, self.settings = columns, target, settings
        self.compiled = compiled
        self.plan = plan or Plan()
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
        self.work = make_work(columns, target, compiled)
        self.state = make_state(columns)

    def run(self) -> Grown:
        """Split the best candidate of all nodes until none is left."""
        self.search(0)
        n_leaves = 1
        while self.queue:
            _, _, node, split = heappop(self.queue)
            # too many leaves: a later split with fewer branches may still fit
            if n_leaves + self.n_branches(node, split) - 1 > self.plan.most_leaves:
                continue
            if self.is_still_allowed(node, split):
                children = self.apply(node, split)
                n_leaves += len(children) - 1
                for child in children:
                    self.search(child)
            else:
                # a split elsewhere has divided its spans since it was queued: queue the node's next
                # best
                self.search(node)
        return self.tree

    def search(self, node: int) -> None:
        """Queue the best allowed split of a node."""
        depth, mass = self.tree.depth[node], self.tree.mass[node]
        if depth >= self.plan.most_deep or np.count_nonzero(mass) < 2:  # pure: nothing to gain
            return
        levels = self.levels.get(node)
        here = Place(self.rows(node), self.segments(node))
        candidate = self.find(here, self.first_level if levels is None else levels)
        for index in range(self.state.n_refused[0]):
            refused_column, level = self.state.refused[index].tolist()
            cut = float(self.state.cuts_refused[index])
            self.tree.refused.append((len(self.tree.taken), node, refused_column, level, cut))
        if candidate is None:
            return
        if self.forest is not None:
            # should this split be forbidden later on, the search goes on from these levels
            self.levels[node] = self.state.level.copy()
        if self.plan.look_ahead and depth + 1 < self.plan.most_deep:
            candidate = look_ahead(self, here, candidate)
        rank = (candidate.below, -candidate.score)
        if self.plan.best_first:
            rank = (False, -candidate.gain * mass.sum())
        # ties go to the older node; a node is queued once, so splits are never compared
        heappush(self.queue, (*rank, node, candidate.split))

    def find(self, here: Place, levels: Counts) -> Candidate | None:
        """The best allowed split of some rows; `levels` says how far each column is generalized."""
        state = self.state
        state.level[:] = levels
        state.n_refused[0] = 0
        best, average = best_split(
            self.columns,
            self.target,
            self.settings,
            self.compiled,
            here.spans,
            here.rows,
            self.work,
            state,
        )
        column = int(best)
        if column == LEAF:
            return None
        gain, score = float(state.gain[column]), float(state.score[column])
        below = self.settings.criterion == GAIN_RATIO and gain < average - 1e-3
        ordered = bool(self.columns.ordered[column])
        split = Split(
            column,
            0 if ordered else int(state.level[column]),
            int(state.cut[column]) if ordered else 0,
            float(state.threshold[column]) if ordered else np.nan,
            np.empty(0, np.int32),
            range(0),
        )
        if not ordered and split.level == self.columns.n_levels[column]:
            self.note_sets(split, int(state.cut[column]))
        return Candidate(split, gain, score, below)

    def n_branches(self, node: int, split: Split) -> int:
        """Number of children that a split would make; only asked for where leaves are limited."""
        if self.plan.most_leaves == np.inf:
            return 2
        self.recall(split)
        side = route_rows(self.columns, split.column, split.level, split.cut, self.rows(node))
        return len(np.unique(side))

    def mass(self, rows: Counts) -> Floats:
        """Weight of each class among some rows."""
        return count_classes(self.target, rows)[1]

    def spare_level(self, column: int) -> Codes:
        """Where the kernels read the two sets of a categorical column; other nodes have others."""
        n_codes = int(self.columns.n_codes[column])
        first = int(self.columns.map_first[column] + self.columns.n_levels[column] * n_codes)
        return self.columns.group[first : first + n_codes]

    def note_sets(self, split: Split, level: int) -> None:
        """Keep the two sets that the kernels wrote down, in codes and in labels."""
        columns, c = self.columns, split.column
        split.subsets, split.labels_at = self.spare_level(c).copy(), level
        first, n_codes = int(columns.map_first[c]), int(columns.n_codes[c])
        labels = columns.group[first + level * n_codes : first + (level + 1) * n_codes]
        split.sets = tuple(np.unique(labels[split.subsets == side]) for side in (LEFT, RIGHT))

    def recall(self, split: Split) -> None:
        """Lay a split's two sets out for the kernels again."""
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
        return not breaks_model(
            self.columns,
            self.settings,
            self.compiled,
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


def grow(
    columns: TreeColumns,
    target: Target,
    settings: Settings,
    compiled: CompiledModel,
    *,
    class_is_public: bool,
    plan: Plan | None = None,
) -> tuple[Grown, int]:
    """Grow a tree; also tell how many spans were kept in mind (0: spans are leaves)."""
    grower = Grower(
        columns,
        target,
        settings,
        compiled,
        class_is_public=class_is_public,
        plan=plan,
    )
    tree = grower.run()
    return tree, 0 if grower.forest is None else grower.forest.n_spans
