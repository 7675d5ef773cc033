"""Greedy bottom-up generalization on cells: the state, the valid moves and their scores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.anonymize.cuts._cut_problem import CutProblem, CutState, leaf_cut
from shoal.anonymize.greedy._bottom_up_kernels import (
    CutGroups,
    Join,
    gather_groups,
    join_groups,
    keeps_one_alone,
    nodes_of_smallest,
)
from shoal.anonymize.greedy._bottom_up_moves import Move, OpenMoves
from shoal.anonymize.greedy._steps import Step, cut_metrics
from shoal.typing import Codes, Counts


class Joined(NamedTuple):
    """New group of each group, and the sizes of the new groups."""

    new: NDArray[np.int64]
    sizes: Counts


class Scored(NamedTuple):
    """A move with I(G), P(G) and their ratio; `score` is infinite when P(G) is 0."""

    move: Move
    score: float
    information: float
    privacy: float


class BottomUpSearch:
    """The groups that the current cut makes, kept up to date move by move.

    This is the TEA index of the paper laid flat: every distinct combination once, with its count,
    addressed by a packed word per group; a move touches the groups that it generalizes.
    """

    def __init__(self, problem: CutProblem, *, partial: bool = False) -> None:
        self.problem = problem
        self.open = OpenMoves(problem, partial=partial)
        self.cut = leaf_cut(problem)
        cells = problem.cells
        self.group_of = np.arange(cells.n_groups, dtype=np.int64)
        self.groups = CutGroups(
            nodes=np.ascontiguousarray(cells.keys.T),
            words=problem.pack(self.cut),
            sizes=cells.sizes.copy(),
            classes=problem.classes,
        )
        if problem.projected is not None:
            problem.projected.settle(self.cut)
        self.state = problem.assess(self.group_of, self.groups.sizes, self.cut)
        self._tried: dict[Move, Joined] = {}

    # -- scores -----------------------------------------------------------------------------

    def try_move(self, move: Move) -> CutState:
        """State after a move, without making it."""
        new, sizes = self._join(move)
        if self.problem.size_only:  # decide without the cells' groups: spare the indexing
            return self.problem.assess(self.group_of, sizes, self.cut)
        return self.problem.assess(new[self.group_of], sizes, self._cut_after(move))

    def _cut_after(self, move: Move) -> list[Codes]:
        column, node, children = move
        tree, cut = self.problem.columns[column].tree, list(self.cut)
        cut[column] = cut[column].copy()
        for child in children:
            cut[column][tree.start[child] : tree.stop[child]] = node
        return cut

    def _join(self, move: Move) -> Joined:
        if move in self._tried:
            return self._tried[move]
        joined = Joined(*join_groups(self.groups, self._arrays(move)))
        if len(self._tried) < len(self.groups.nodes):  # one a column: what pruning leaves
            self._tried[move] = joined
        return joined

    def _arrays(self, move: Move) -> Join:
        """A move as the kernels read it."""
        column, node, children = move
        word, weight = self.problem.packing
        is_joined = np.zeros(self.problem.columns[column].tree.n_nodes, np.bool_)
        is_joined[list(children)] = True
        return Join(column, is_joined, node, int(word[column]), weight[column])

    def gain(self, after: CutState) -> float:
        """P(G): anonymity won, capped at k; with suppression or other models, allowed rows won."""
        problem = self.problem
        if problem.size_only and problem.budget == 0:
            return float(min(after.anonymity, problem.k) - self.state.anonymity)
        return float(self.state.failing - after.failing)

    def may_be_critical(self, move: Move) -> bool:
        """Whether a move could raise the anonymity; False is certain, True has to be tried.

        Theorem 1 of the paper: every smallest group has to be joined with another one.  So a move
        must touch all of them, which at most one generalization per column does, and must leave
        none of them alone.
        """
        column, node, children = move
        if not self._smallest[column] <= {*children, node}:
            return False
        return not keeps_one_alone(self.groups, self.state.anonymity, self._arrays(move))

    def _nodes_of_smallest(self) -> list[set[int]]:
        least, sizes = self.state.anonymity, self.groups.sizes
        occurs = [
            nodes_of_smallest(nodes, sizes, least, column.tree.n_nodes)
            for nodes, column in zip(self.groups.nodes, self.problem.columns, strict=True)
        ]
        return [set(np.flatnonzero(flags).tolist()) for flags in occurs]

    def score(self, move: Move) -> Scored:
        """Score a move by trying it."""
        after = self.try_move(move)
        lost = self.open.information(move)
        if self.problem.metric == "discernibility":
            lost = (after.squares - self.state.squares) / self.problem.cells.n_rows
        won = self.gain(after)
        return Scored(move, lost / won if won > 0 else np.inf, lost, won)

    def best(self, *, prune: bool = True) -> Scored | None:
        """The valid move of least score, None when there is no move."""
        if not self.open:
            return None
        counts_only = self.problem.size_only and self.problem.budget == 0
        if not prune:
            tried = [self.score(move) for move in self.open]
        elif counts_only:
            tried = [self.score(move) for move in self._critical()]
        else:
            tried = self._promising()
        useful = [scored for scored in tried if scored.privacy > 0]
        if useful:
            return min(useful, key=_order)
        if self.problem.metric == "discernibility":
            return min((self.score(move) for move in self.open), key=_order)
        move = self.open.cheapest()
        return Scored(move, np.inf, self.open.information(move), 0.0)

    def _critical(self) -> Iterator[Move]:
        """Moves that could raise the anonymity: they lead to a smallest group's node or parent."""
        self._smallest = self._nodes_of_smallest()
        for column, nodes in enumerate(self._smallest):
            one = min(nodes)
            for node in (one, int(self.problem.columns[column].tree.parent[one])):
                yield from (m for m in self.open.to(column, node) if self.may_be_critical(m))

    def _promising(self) -> list[Scored]:
        """Moves tried in the order of a bound on their score, until no other can be better.

        Only groups that a move touches can change from failing to allowed, and none that stays
        below the smallest allowed size, so P(G) is at most the failing rows touched, and 0 when
        all rows of the node are too few.  A move's score is at least I(G) over that.
        """
        failing = self._failing_by_node()
        least = self.problem.compiled.minimum_size
        any_loss = self.problem.metric == "discernibility"  # known only after a trial: at least 0
        bounds: list[tuple[float, Move]] = []
        for move in self.open:
            column, node, children = move
            if self.problem.columns[column].rows_of_node[node] < least:
                continue
            here = failing[column]
            most = here[node] + sum(here[child] for child in children)
            if most > 0:
                lost = 0.0 if any_loss else self.open.information(move)
                bounds.append((lost / most, move))
        tried: list[Scored] = []
        best = np.inf
        for bound, move in sorted(bounds):
            if bound > best:
                break
            tried.append(self.score(move))
            best = min(best, tried[-1].score)
        return tried

    def _failing_by_node(self) -> list[list[float]]:
        """Rows in groups that are not allowed, by the node of each column they stand at."""
        groups = self.groups
        fails = ~self.problem.allowed(self.group_of, groups.sizes, self.cut)
        rows = np.where(fails, groups.sizes, 0)
        return [
            np.bincount(nodes, weights=rows, minlength=column.tree.n_nodes).tolist()
            for nodes, column in zip(groups.nodes, self.problem.columns, strict=True)
        ]

    # -- carrying out -----------------------------------------------------------------------

    def make(self, scored: Scored, number: int) -> Step:
        """Carry a move out and tell about it."""
        new, sizes = self._join(scored.move)
        self.groups = CutGroups(*gather_groups(self.groups, self._arrays(scored.move), new, sizes))
        self.group_of = new[self.group_of]
        self._tried.clear()
        self.cut = self._cut_after(scored.move)
        self.open.make(scored.move)
        if self.problem.projected is not None:
            self.problem.projected.settle(self.cut)
        self.state = self.problem.assess(self.group_of, sizes, self.cut)
        return self._step(scored, number)

    def _step(self, scored: Scored, number: int) -> Step:
        problem, (column, node, children) = self.problem, scored.move
        labels = problem.columns[column].tree.labels
        return Step(
            number,
            problem.cells.names[column],
            str(labels[node]),
            tuple(str(labels[child]) for child in children),
            float(scored.score),
            float(scored.information),
            float(scored.privacy),
            self.state.anonymity,
            self.state.failing,
            len(self.groups.sizes),
            cut_metrics(problem, self.cut, self.state.squares, self.groups.classes),
        )


def _order(scored: Scored) -> tuple[float, float, float, Move]:
    return (scored.score, scored.information, -scored.privacy, scored.move)
