"""A lattice of full-domain generalizations: one level per column, assessed node by node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.anonymize.cuts._cut_problem import CutProblem
from shoal.anonymize.lattice._lattice_kernels import (
    additive_loss,
    failing_rows,
    join_halves,
    minorities,
    squares,
)
from shoal.anonymize.lattice._level_losses import code_losses, column_levels, suppression_loss
from shoal.privacy import KAnonymity, PrivacyModel
from shoal.privacy._projection import split_promise
from shoal.privacy.compiled._compile import allowed_groups, compile_model
from shoal.privacy.compiled._condition_kernels import CAP, DISTINCT, EQUAL, ORDERED, TREE
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
    """Groups and loss of the cells at one half of a node."""

    group_of: Codes
    n_groups: int
    loss: Floats


@dataclass(frozen=True, eq=False)
class LatticeProblem:
    """Columns, levels and losses of one table.

    The columns are dealt to two sides.  A node is two halves, one per side, and a half is made
    from the one with a column fewer; both are remembered, so that to assess a node is to join two
    known halves.

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
        """Node of each leaf at each level, per column: never beyond the schema's limits."""
        return [column_levels(column) for column in self.cut.columns]

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
        losses = code_losses(self.cut, self.levels, self.metric)
        return [
            [loss[column.codes] * scale for loss in own]
            for column, own in zip(self.cut.columns, losses, strict=True)
        ]

    @cached_property
    def penalty(self) -> Floats:
        """Loss of one suppressed row of each cell."""
        return suppression_loss(self.cut, self.metric)

    @cached_property
    def column_loss(self) -> list[Floats]:
        """Loss of all rows in each column at each level; a node's add up to a floor."""
        sizes = self.cut.cells.sizes
        return [np.array([float((x * sizes).sum()) for x in column]) for column in self.cell_loss]

    # -- halves -----------------------------------------------------------------------------

    @cached_property
    def _sides(self) -> tuple[list[int], list[int]]:
        """Columns of the two halves: each goes where there are fewer combinations of levels."""
        sides: tuple[list[int], list[int]] = ([], [])
        nodes = [1, 1]
        for column in sorted(range(len(self.shape)), key=lambda column: -self.shape[column]):
            side = int(nodes[0] > nodes[1])
            sides[side].append(column)
            nodes[side] *= self.shape[column]
        return sides

    def _half(self, side: int, node: Sequence[int]) -> Half:
        return self._part(side, tuple(int(node[column]) for column in self._sides[side]))

    def _part(self, side: int, levels: Node) -> Half:
        """Groups over the first columns of a side, from those over one column fewer."""
        known = self._halves.get((side, levels))
        if known is None:
            known = self._halves[side, levels] = self._make_part(side, levels)
        return known

    def _make_part(self, side: int, levels: Node) -> Half:
        cells = self.cut.cells
        if not levels:
            return Half(np.zeros(cells.n_groups, np.int32), 1, np.zeros(cells.n_groups))
        column, level = self._sides[side][len(levels) - 1], levels[-1]
        before = self._part(side, levels[:-1])
        nodes = self.levels[column][level]
        group_of, rows = join_halves(
            before.group_of,
            before.n_groups,
            nodes[cells.keys[:, column]],
            int(nodes.max()) + 1,
            cells.sizes,
        )
        loss = before.loss + self.cell_loss[column][level]
        return Half(group_of.astype(np.int32), len(rows), loss)

    # -- nodes ------------------------------------------------------------------------------

    def assess(self, node: Sequence[int]) -> Assessment:
        """What fails at a node and what it costs."""
        cut, cells = self.cut, self.cut.cells
        first, second = self._half(0, node), self._half(1, node)
        group_of, rows = join_halves(
            first.group_of, first.n_groups, second.group_of, second.n_groups, cells.sizes
        )
        large = rows >= cut.k  # groups only shrink on the way down, whatever else the model asks
        fine = large if cut.size_only else self._allowed(group_of, len(rows), node)
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

    def _allowed(self, group_of: NDArray[np.int64], n_groups: int, node: Sequence[int]) -> Flags:
        """Groups that stay when the others are suppressed.

        To suppress rows changes the table that some models compare groups with, so groups are
        asked again until all that are left stay.
        """
        cut = self.cut
        fine = allowed_groups(cut.compiled, group_of, n_groups)
        while not fine.all() and fine.any() and self._compares:
            compiled = compile_model(_of_all(cut.privacy), cut.cells, kept=fine[group_of])
            kept = np.where(fine[group_of], group_of, -1)
            still = fine & allowed_groups(compiled, kept, n_groups)
            if (still == fine).all():
                break
            fine = still
        return fine if cut.projected is None else self._projected(group_of, fine, node)

    def _projected(self, group_of: NDArray[np.int64], fine: Flags, node: Sequence[int]) -> Flags:
        """The same where something is asked of some columns at a time.

        Groups that fail are left out, which makes the sets of rows smaller that they were in.
        """
        cut, levels = self.cut, self.node_of(node)
        assert cut.projected is not None
        if fine.all():
            cut.projected.settle(levels)
            failing = cut.projected.judge(levels).failing
            if not failing.any():
                return fine
        while True:
            kept = cut.projected.kept(levels, fine[group_of])
            still = np.zeros(len(fine), np.bool_)
            still[group_of[kept]] = True
            if (still == fine).all() or not self._compares:
                return still
            compiled = compile_model(_of_all(cut.privacy), cut.cells, kept=kept)
            fine = still & allowed_groups(compiled, np.where(kept, group_of, -1), len(fine))

    @cached_property
    def _compares(self) -> bool:
        """Whether the model compares groups with the whole table."""
        return bool(np.isin(self.cut.compiled.kind, (EQUAL, ORDERED, TREE, CAP)).any())

    @cached_property
    def tags_all(self) -> bool:
        """Whether everything finer than a node that fails is known to fail.

        Without suppression that is monotonicity.  With it, every superset of an allowed group has
        to be allowed, as with conditions on sizes and on the number of values.
        """
        if self.cut.budget == 0:
            return self.cut.privacy.is_monotone
        sets = () if self.cut.projected is None else self.cut.projected.sets
        conditions = (self.cut.compiled, *(one.compiled for one in sets))
        return all(bool((compiled.kind == DISTINCT).all()) for compiled in conditions)

    def fails(self, assessed: Assessment) -> bool:
        """Whether too many rows would have to be suppressed, or all of them."""
        return assessed.failing > self.cut.budget or assessed.failing == self.cut.cells.n_rows

    def fails_below(self, assessed: Assessment) -> bool:
        """Whether every finer node fails as well."""
        if self.tags_all:
            return self.fails(assessed)
        return assessed.too_small > self.cut.budget

    def node_of(self, node: Sequence[int]) -> list[Codes]:
        """The cut that a node stands for."""
        return [self.levels[column][level] for column, level in enumerate(node)]


def _of_all(privacy: PrivacyModel) -> PrivacyModel:
    """What a promise asks of all columns together."""
    return split_promise(privacy)[0] or KAnonymity(1)
