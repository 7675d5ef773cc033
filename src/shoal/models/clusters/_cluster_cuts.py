"""Cutting a spanning tree, longest edges first, while an attacker learns too little."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import breadth_first_order

from shoal.models.clusters._cluster_kernels import (
    KindSpans,
    OutputScores,
    find_kind_spans,
    has_small_span,
    move_below,
    sum_below,
)
from shoal.models.clusters._mst import spanning_tree
from shoal.privacy.spans._linear_spans import LinearSpans
from shoal.tables._frequency import group_keys
from shoal.typing import Counts, Flags, Floats

Moves: TypeAlias = tuple[Floats, tuple[tuple[Floats, Floats], ...]]
"""What private values can add to a public point: finitely many points, and segments."""

Judge: TypeAlias = Callable[[NDArray[np.int64]], bool]
"""Whether every group of kinds with one number is an allowed group."""


def coarse_means(sums: Floats, rows: Counts, coarse: Floats) -> Floats:
    """Means rounded so that they reveal sums only to multiples of `coarse`; 0 keeps all digits.

    A sum of public values over those whom private values put into a cluster tells who they are: of
    few people one choice alone adds up to it.

    Examples
    --------
    >>> coarse_means(np.array([[31.4, 31.4]]), np.array([4]), np.array([10.0, 0.0]))
    array([[7.5 , 7.85]])
    """
    steps = np.where(coarse > 0, coarse, 1.0)
    told = np.where(coarse > 0, np.round(sums / steps) * steps, sums)
    return told / rows[:, None]


class CutTree:
    """A spanning tree over weighted points, some edges of it cut."""

    def __init__(self, points: Floats, weights: Counts, coarse: Floats) -> None:
        n = len(points)
        a, b, self.length = spanning_tree(points)
        ones = np.ones(len(a))
        graph = coo_matrix((ones, (a, b)), shape=(n, n)).tocsr()
        order, parent = breadth_first_order(graph, 0, directed=False)
        self.points, self.weights, self.coarse = points, weights, coarse
        self.order, self.parent = order.astype(np.int64), parent.astype(np.int64)
        self.parent[0] = 0
        self.below = np.where(self.parent[a] == b, a, b)  # the end of each edge away from the root
        self.cut = np.zeros(n, np.bool_)
        self.label = np.zeros(n, np.int64)
        self.tops = [0]
        self._sum()

    def _sum(self) -> None:
        self.sums, self.rows = sum_below(
            self.order, self.parent, self.cut, self.points, self.weights
        )

    @property
    def n_parts(self) -> int:
        """Number of components."""
        return len(self.tops)

    def parts(self, edge: int) -> tuple[int, Counts, Floats]:
        """What cutting an edge makes of its component: number, rows and means of both parts."""
        low = self.below[edge]
        old = int(self.label[low])
        top = self.tops[old]
        rows = np.array([self.rows[top] - self.rows[low], self.rows[low]])
        sums = np.array([self.sums[top] - self.sums[low], self.sums[low]])
        return old, rows, coarse_means(sums, rows, self.coarse)

    def divide(self, edge: int) -> None:
        """Cut an edge: the part away from the root gets a new number."""
        low = self.below[edge]
        self.cut[low] = True
        move_below(self.order, self.parent, self.cut, low, self.label, self.n_parts)
        self.tops.append(int(low))
        self._sum()

    def join(self) -> None:
        """Put the edge that was cut last back."""
        top = self.tops.pop()
        self.cut[top] = False
        self.label[self.label == self.n_parts] = self.label[self.parent[top]]
        self._sum()

    def mean(self, part: int) -> Floats:
        """Mean of a component."""
        top = self.tops[part]
        mean: Floats = coarse_means(self.sums[[top]], self.rows[[top]], self.coarse)[0]
        return mean


@dataclass
class ClusterReach:
    """Which centroids each kind of public values can be nearest to, kept up to date.

    Parameters
    ----------
    kinds : ndarray of shape (n_kinds, n_dimensions)
        Distinct public points, 0 in private dimensions.
    rows : ndarray of int64
        Rows of each kind.
    moves : tuple
        What private values add: points, and at most one segment.
    tie : float
        Difference of squared distances that counts as none.
    """

    kinds: Floats
    rows: Counts
    moves: Moves
    tie: float
    output: OutputScores = field(init=False)
    spans: KindSpans = field(init=False)

    def __post_init__(self) -> None:
        n, room = len(self.kinds), 4
        shifts = np.zeros((len(self.moves[0]), room))
        self.output = OutputScores(np.zeros((n, room)), np.zeros(room), shifts)
        # a fixed seed: keys only tell sets apart, and equal runs shall give equal clusters
        self._random = np.random.default_rng(0)
        self.keys = self._random.integers(1, 2**63, room, dtype=np.uint64)
        sums = np.full(n, self.keys[0], np.uint64)
        nothing_but_the_first = np.zeros(n, np.int64)
        self.spans = KindSpans(np.arange(n + 1), nothing_but_the_first, sums, np.ones(n, np.int64))

    def put(self, output: int, centre: Floats) -> None:
        """Exchange or add a centroid."""
        if output == len(self.keys):
            self._make_room()
        points, segments = self.moves
        # what |x|^2 exceeds |x - c|^2 by: highest for the nearest centroid, and linear in x
        scores = self.kinds @ (2 * centre) - (centre**2).sum()
        for begin, along in segments:
            scores = scores + 2 * centre @ begin
            self.output.slopes[output] = 2 * centre @ along
        self.output.scores[:, output] = scores
        self.output.shifts[:, output] = points @ (2 * centre)

    def _make_room(self) -> None:
        """Double the room for centroids."""
        self.output = OutputScores(
            *(np.concatenate([one, np.zeros_like(one)], axis=-1) for one in self.output)
        )
        more = self._random.integers(1, 2**63, len(self.keys), dtype=np.uint64)
        self.keys = np.concatenate([self.keys, more])

    def split(self, old: int, n: int) -> KindSpans:
        """Spans after centroids `old` and ``n - 1`` were put."""
        return find_kind_spans(self.output, n, self.spans, old, self.tie, self.keys)

    def keep(self, spans: KindSpans) -> None:
        """Take spans for those of the centroids that were put."""
        self.spans = spans


@dataclass
class GeneralReach:
    """The same for several private ranges, found anew by linear programming for every cut."""

    kinds: Floats
    rows: Counts
    moves: Moves
    tie: float
    centres: dict[int, Floats] = field(default_factory=dict)

    def put(self, output: int, centre: Floats) -> None:
        """Exchange or add a centroid."""
        self.centres[output] = centre

    def split(self, old: int, n: int) -> KindSpans:
        """Spans after centroids `old` and ``n - 1`` were put."""
        centres = np.array([self.centres[output] for output in range(n)])
        flags = LinearSpans.nearest(centres, self.tie).reach(self.kinds, *self.moves)
        span, _ = group_keys(np.packbits(flags, axis=1).astype(np.int32))
        none = np.empty(0, np.int64)
        return KindSpans(none, none, span.astype(np.uint64), flags.sum(axis=1))

    def keep(self, spans: KindSpans) -> None:
        """Nothing is kept but centroids."""


@dataclass
class Search:
    """Cut edges that may go until there are enough clusters or no edge is left.

    Parameters
    ----------
    tree : CutTree
        The spanning tree.
    reach : ClusterReach, GeneralReach or None
        None when no column is private: every cut is allowed.
    judge : callable
        The privacy model: span of each kind to whether all of them are allowed.
    least : int
        No span of several clusters may have fewer rows.
    least_rows : int
        Rows behind every centroid.
    """

    tree: CutTree
    reach: ClusterReach | GeneralReach | None
    judge: Judge
    least: int
    least_rows: int
    n_tried: int = 0
    n_refused: int = 0

    def run(self, n_clusters: int | None, max_tries: int | None) -> None:
        """Try edges, longest first, and again those refused while others still go."""
        edges = np.argsort(-self.tree.length, kind="stable")
        waiting = edges[self.tree.length[edges] > 0].tolist()
        most = np.inf if n_clusters is None else n_clusters
        tries = np.inf if max_tries is None else max_tries
        went = True
        while went:
            went, later = False, []
            for edge in waiting:
                if self.tree.n_parts >= most or self.n_tried >= tries:
                    return
                old, rows, means = self.tree.parts(edge)
                self.n_tried += 1
                if rows.min() < self.least_rows:  # parts only get smaller: never again
                    self.n_refused += 1
                elif self._try(edge, old, means):
                    went = True
                else:
                    self.n_refused += 1
                    later.append(edge)
            waiting = later

    def _try(self, edge: int, old: int, means: Floats) -> bool:
        reach, n = self.reach, self.tree.n_parts
        if reach is not None:
            was = self.tree.mean(old)
            reach.put(old, means[0])
            reach.put(n, means[1])
            spans = reach.split(old, n + 1)
            # counting rows is quick and refuses most cuts; the model is asked about the others
            is_small = has_small_span(spans.sums, spans.sizes, reach.rows, self.least)
            if is_small or not self._judge(spans):
                reach.put(old, was)
                return False
            reach.keep(spans)
        self.tree.divide(edge)
        return True

    def _judge(self, spans: KindSpans) -> bool:
        several: Flags = spans.sizes > 1
        if not several.any():
            return True
        span = np.unique(spans.sums, return_inverse=True)[1].ravel()
        return self.judge(np.where(several, span, -1))  # -1: nothing is told of these
