"""A lattice of full-domain generalizations: one level per column, assessed node by node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.anonymize.greedy._cuts import CutProblem
from shoal.anonymize.lattice._lattice_kernels import (
    additive_loss,
    failing_rows,
    join_halves,
    minorities,
    squares,
)
from shoal.metrics._labels import label_loss, label_ncp
from shoal.privacy.compiled._compile import allowed_groups, compile_model
from shoal.privacy.compiled._condition_kernels import CAP, DISTINCT, EQUAL, ORDERED, TREE
from shoal.schema._coding import Coding
from shoal.tables._recoded import node_labels
from shoal.typing import Codes, Flags, Floats

METRICS = ("loss", "ncp", "precision", "entropy", "discernibility", "classification")
ADDS_UP = ("loss", "ncp", "precision", "entropy")

Node = tuple[int, ...]


class Assessment(NamedTuple):
    """What a node costs (a mean between 0 and 1), and a floor under all that are coarser."""

    failing: int  # rows to suppress
    too_small: int  # rows in groups below the minimum size
    loss: float
    floor: float


class Half(NamedTuple):
    """Classes and loss of the cells at one half of a node."""

    classes: Codes
    n_classes: int
    loss: Floats


@dataclass(frozen=True, eq=False)
class LatticeProblem:
    """Columns, levels and losses of one table.

    Parameters
    ----------
    cut : CutProblem
        Cells, hierarchies, the privacy model, the rows that may be suppressed.
    metric : str
        One of ``METRICS``.
    """

    cut: CutProblem
    metric: str
    _halves: dict[tuple[int, Node], Half] = field(default_factory=dict)

    @cached_property
    def levels(self) -> list[list[Codes]]:
        """Node of each leaf at each level, per column: never beyond the schema's limits.

        Levels that change nothing for the values present are left out.
        """
        found = []
        for at, coding in enumerate(self.cut.cells.codings):
            present = np.unique(self.cut.cells.keys[:, at])
            own: list[Codes] = []
            for nodes in _limited_levels(coding):
                if not own or not np.array_equal(nodes[present], own[-1][present]):
                    own.append(nodes)
            found.append(own)
        return found

    @property
    def shape(self) -> Node:
        """Number of levels of each column."""
        return tuple(len(levels) for levels in self.levels)

    @property
    def n_nodes(self) -> int:
        """Nodes of the lattice."""
        return prod(self.shape)

    @property
    def top(self) -> Node:
        """The coarsest node."""
        return tuple(n - 1 for n in self.shape)

    @cached_property
    def cell_loss(self) -> list[list[Floats]]:
        """Loss of one row of each cell in each column at each level, over columns and rows."""
        scale = 1.0 / (self.cut.cells.n_rows * len(self.shape))
        return [
            [loss[self.cut.cells.keys[:, at]] * scale for loss in losses]
            for at, losses in enumerate(self._code_loss)
        ]

    @cached_property
    def _code_loss(self) -> list[list[Floats]]:
        losses = [
            [self._level_loss(at, nodes) for nodes in levels]
            for at, levels in enumerate(self.levels)
        ]
        if self.metric != "entropy":
            return losses
        most = sum(
            float((self.cut.rows_of_leaf[at] * self._bits(at, None)).sum())
            for at in range(len(losses))
        )
        scale = self.cut.cells.n_rows * len(losses) / most if most > 0 else 0.0
        return [[loss * scale for loss in column] for column in losses]

    def _level_loss(self, at: int, nodes: Codes) -> Floats:
        coding = self.cut.cells.codings[at]
        if self.metric == "entropy":
            return self._bits(at, nodes)
        if self.metric == "precision":
            return _level_shares(coding, nodes)
        cost = label_ncp if self.metric == "ncp" else label_loss
        return cost(node_labels(coding))[nodes]

    def _bits(self, at: int, nodes: Codes | None) -> Floats:
        rows = self.cut.rows_of_leaf[at]
        inside = self.cut.cells.n_rows if nodes is None else self.cut.rows_of_node[at][nodes]
        return np.log2(np.maximum(inside, 1) / np.maximum(rows, 1)) * (rows > 0)

    @cached_property
    def penalty(self) -> Floats:
        """Loss of one suppressed row of each cell."""
        cells, d = self.cut.cells, len(self.shape)
        if self.metric != "entropy":
            return np.full(cells.n_groups, 1.0 / cells.n_rows)
        bits = [self._bits(at, None)[cells.keys[:, at]] for at in range(d)]
        most = sum(float((b * cells.sizes).sum()) for b in bits)
        return np.sum(bits, axis=0) / most if most > 0 else np.zeros(cells.n_groups)

    @cached_property
    def column_loss(self) -> list[Floats]:
        """Loss of all rows in each column at each level; a node's add up to a floor."""
        sizes = self.cut.cells.sizes
        return [np.array([float((x * sizes).sum()) for x in column]) for column in self.cell_loss]

    @cached_property
    def _sides(self) -> tuple[list[int], list[int]]:
        sides: tuple[list[int], list[int]] = ([], [])
        nodes = [1, 1]
        for at in sorted(range(len(self.shape)), key=lambda at: -self.shape[at]):
            side = int(nodes[0] > nodes[1])
            sides[side].append(at)
            nodes[side] *= self.shape[at]
        return sides

    def _half(self, side: int, node: Sequence[int]) -> Half:
        return self._part(side, tuple(int(node[at]) for at in self._sides[side]))

    def _part(self, side: int, levels: Node) -> Half:
        """Classes over the first columns of a side, from those over one column fewer."""
        known = self._halves.get((side, levels))
        if known is None:
            known = self._halves[side, levels] = self._make_part(side, levels)
        return known

    def _make_part(self, side: int, levels: Node) -> Half:
        cells = self.cut.cells
        if not levels:
            return Half(np.zeros(cells.n_groups, np.int32), 1, np.zeros(cells.n_groups))
        at, level = self._sides[side][len(levels) - 1], levels[-1]
        before = self._part(side, levels[:-1])
        nodes = self.levels[at][level]
        classes, rows = join_halves(
            before.classes,
            before.n_classes,
            nodes[cells.keys[:, at]],
            int(nodes.max()) + 1,
            cells.sizes,
        )
        return Half(classes.astype(np.int32), len(rows), before.loss + self.cell_loss[at][level])

    # -- nodes ------------------------------------------------------------------------------

    def assess(self, node: Sequence[int]) -> Assessment:
        """What fails at a node and what it costs."""
        cut, cells = self.cut, self.cut.cells
        first, second = self._half(0, node), self._half(1, node)
        group_of, rows = join_halves(
            first.classes, first.n_classes, second.classes, second.n_classes, cells.sizes
        )
        large = rows >= cut.k
        fine = large if cut.rules.size_only else self._allowed(group_of, len(rows))
        failing = int(failing_rows(rows, fine))
        if self.metric == "discernibility":
            loss, floor = squares(rows, fine, cells.n_rows)
            scale = 1.0 / float(cells.n_rows) ** 2
        elif self.metric == "classification":
            loss, floor = minorities(group_of, rows, fine, cut.classes)
            scale = 1.0 / cells.n_rows
        else:
            scale, floor = 1.0, 0.0
            loss = additive_loss(group_of, fine, cells.sizes, first.loss, second.loss, self.penalty)
        return Assessment(
            failing, int(failing_rows(rows, large)), float(loss * scale), float(floor * scale)
        )

    def _allowed(self, group_of: NDArray[np.int64], n_groups: int) -> Flags:
        """Groups that stay when the others are suppressed, which may change the whole."""
        cut = self.cut
        fine = allowed_groups(cut.rules, group_of, n_groups)
        while not fine.all() and fine.any() and self._compares:
            rules = compile_model(cut.privacy, cut.cells, kept=fine[group_of])
            still = fine & allowed_groups(rules, np.where(fine[group_of], group_of, -1), n_groups)
            if (still == fine).all():
                break
            fine = still
        return fine

    @cached_property
    def _compares(self) -> bool:
        """Whether the model compares groups with the whole table."""
        return bool(np.isin(self.cut.rules.kind, (EQUAL, ORDERED, TREE, CAP)).any())

    @cached_property
    def tags_all(self) -> bool:
        """Whether everything finer than a node that fails is known to fail.

        Without suppression that is monotonicity.  With it, every superset of an allowed group has
        to be allowed, as with conditions on sizes and on the number of values.
        """
        if self.cut.budget == 0:
            return self.cut.privacy.is_monotone
        return bool((self.cut.rules.kind == DISTINCT).all())

    def fails(self, found: Assessment) -> bool:
        """Whether too many rows would have to be suppressed, or all of them."""
        return found.failing > self.cut.budget or found.failing == self.cut.cells.n_rows

    def fails_below(self, found: Assessment) -> bool:
        """Whether every finer node fails as well."""
        if self.tags_all:
            return self.fails(found)
        return found.too_small > self.cut.budget

    def node_of(self, node: Sequence[int]) -> list[Codes]:
        """The cut that a node stands for."""
        return [self.levels[at][level] for at, level in enumerate(node)]


def _limited_levels(coding: Coding) -> list[Codes]:
    """Node of each leaf at each level, held back at its limit."""
    tree = coding.hierarchy
    assert tree is not None
    depth = tree.depth
    found = []
    for level in range(tree.n_levels):
        node = tree.levels[:, level]
        beyond = depth[node] < depth[coding.ceiling]
        found.append(np.where(beyond, coding.ceiling, node).astype(np.int32))
    return found


def _level_shares(coding: Coding, nodes: Codes) -> Floats:
    """Share of the levels that each leaf is raised to become its node."""
    tree = coding.hierarchy
    assert tree is not None
    reached = tree.levels == nodes[:, None]
    share = np.argmax(reached, axis=1) / max(1, tree.n_levels - 1)
    share[nodes == tree.root] = 1.0
    share[node_labels(coding).is_raw[nodes]] = 0.0
    return share
