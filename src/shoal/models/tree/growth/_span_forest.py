"""Which training rows an attacker cannot tell apart, kept up to date while a tree grows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.models.tree.growth._divide_kernels import divide_spans
from shoal.models.tree.growth._kernel_types import Segments, Target, TreeColumns
from shoal.typing import Codes, Counts

if TYPE_CHECKING:
    from shoal.models.tree.growth._grown import Split


class SpanForest:
    """Populated spans of a growing tree: a partition of the rows that only gets finer.

    A public split divides every span that reaches its node, and with it the spans of *other* nodes
    that share them.  Those nodes are not told: a span that was divided remembers its parts, and
    :meth:`current` looks them up when a node is next asked for.

    Parameters
    ----------
    target : Target
        Classes of the rows.
    class_is_public : bool
        Then rows of different classes are told apart from the start, and a span has one bin in
        each node that it reaches; else it has one for every class.
    """

    def __init__(self, target: Target, class_is_public: bool) -> None:
        self.class_is_public = class_is_public
        n_rows = len(target.codes)
        if class_is_public:
            self.order = np.argsort(target.codes, kind="stable")
            sizes = np.bincount(target.codes, minlength=target.n_classes)
        else:
            self.order = np.arange(n_rows)
            sizes = np.array([n_rows])
        stops = np.cumsum(sizes)
        self.start: list[int] = (stops - sizes).tolist()
        self.stop: list[int] = stops.tolist()
        self.n_reached: list[int] = [1] * len(sizes)  # nodes in which the span has bins
        self.parts: list[list[int] | None] = [None] * len(sizes)

    @property
    def n_spans(self) -> int:
        """Number of populated spans."""
        live = zip(self.start, self.stop, self.parts, strict=True)
        return sum(stop > start and parts is None for start, stop, parts in live)

    def roots(self) -> list[int]:
        """Spans that reach the root before any split."""
        return [s for s in range(len(self.start)) if self.stop[s] > self.start[s]]

    def current(self, spans: list[int]) -> list[int]:
        """The same spans, with those that were divided replaced by their parts."""
        if all(self.parts[s] is None for s in spans):
            return spans
        parted: list[int] = []
        todo = spans[::-1]
        while todo:
            s = todo.pop()
            parts = self.parts[s]
            if parts is None:
                parted.append(s)
            else:
                todo.extend(reversed(parts))
        return parted

    def segments(self, spans: list[int]) -> Segments:
        """The rows of some spans, for the kernels."""
        single = [self.class_is_public and self.n_reached[s] == 1 for s in spans]
        own = len(spans) == 1 and self.n_reached[spans[0]] == 1 and not self.class_is_public
        return Segments(
            self.order,
            np.array([self.start[s] for s in spans], np.int64),
            np.array([self.stop[s] for s in spans], np.int64),
            np.array(single, np.bool_),
            own,
        )

    def refine(self, spans: list[int], n_branches: int) -> list[list[int]]:
        """Split a node on a private column: nobody is told apart, but spans get more bins."""
        for s in spans:
            self.n_reached[s] += n_branches - 1
        return [list(spans) for _ in range(n_branches)]

    def divide(
        self, columns: TreeColumns, split: Split, branch_of: Codes, spans: list[int]
    ) -> list[list[int]]:
        """Split a node on a public column; return the spans that reach each branch.

        Values without a branch stop at the node.  A row whose value is missing could be in any
        branch, so that its span reaches all of them.
        """
        n_branches = len(split.groups)
        where = self.segments(spans)
        first: Counts = divide_spans(
            columns,
            split.column,
            split.level,
            split.cut,
            branch_of,
            n_branches,
            self.order,
            where.start,
            where.stop,
        )
        reach: list[list[int]] = [[] for _ in range(n_branches)]
        for s, bounds in zip(spans, first.tolist(), strict=True):
            filled = [p for p in range(n_branches + 2) if bounds[p + 1] > bounds[p]]
            made = self._parts(s, [(bounds[p], bounds[p + 1]) for p in filled])
            for p, part in zip(filled, made, strict=True):
                if p < n_branches:
                    reach[p].append(part)
                elif p > n_branches:
                    self.n_reached[part] += n_branches - 1
                    for branch in reach:
                        branch.append(part)
        return reach

    def _parts(self, span: int, bounds: list[tuple[int, int]]) -> list[int]:
        if len(bounds) == 1:  # nothing was told apart
            return [span]
        made = list(range(len(self.start), len(self.start) + len(bounds)))
        for start, stop in bounds:
            self.start.append(start)
            self.stop.append(stop)
            self.n_reached.append(self.n_reached[span])
            self.parts.append(None)
        self.parts[span] = made
        return made
