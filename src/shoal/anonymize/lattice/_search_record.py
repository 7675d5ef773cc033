"""What the searches of a lattice share: the nodes looked at so far, and sums over its columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.anonymize.lattice._lattice import Lattice
from shoal.anonymize.lattice._lattice_problem import Assessment, LatticeProblem, Node
from shoal.typing import Floats

SLACK = 1e-12
"""Losses that differ by less differ by rounding only."""


class SearchRecord:
    """Nodes assessed so far, each once, and the best of them."""

    def __init__(self, problem: LatticeProblem) -> None:
        self.problem = problem
        self.assessed: dict[Node, Assessment] = {}
        self.best: Node | None = None
        self.least = np.inf

    def look(self, node: Node) -> Assessment:
        """Assess a node and remember the best."""
        known = self.assessed.get(node)
        if known is None:
            known = self.assessed[node] = self.problem.assess(node)
            if not self.problem.fails(known) and known.loss < self.least - SLACK:
                self.best, self.least = node, known.loss
        return known

    def lattice(self, *, proven: bool, bound: float) -> Lattice:
        """The result; there is a best node."""
        assert self.best is not None
        nodes, assessed = list(self.assessed), list(self.assessed.values())
        return Lattice(
            self.problem.cut.cells.names,
            self.problem.shape,
            np.array(nodes, np.int32),
            np.array([one.loss for one in assessed]),
            np.array([one.failing for one in assessed], np.int64),
            np.array([not self.problem.fails(one) for one in assessed], np.bool_),
            nodes.index(self.best),
            proven,
            bound,
        )


def node_sums(columns: Sequence[Floats]) -> Floats:
    """Sum of one loss per column, for every node of the lattice."""
    total = np.zeros(())
    for losses in columns:
        total = total[..., None] + losses
    return total
