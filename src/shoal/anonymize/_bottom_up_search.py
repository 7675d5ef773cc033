"""Greedy bottom-up generalization on cells: the state, the valid moves and their scores."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.anonymize._cut_kernels import (
    entropy_of_counts,
    gather_groups,
    join_groups,
    keeps_one_alone,
    nodes_of_smallest,
    recode_words,
)
from shoal.anonymize._cuts import CutProblem, State, leaf_cut
from shoal.anonymize._steps import Step
from shoal.typing import Codes, Counts, Flags

MOST_PAIRS = 16  # pairs are tried among at most this many children, those most alike in class


class Move(NamedTuple):
    """Join some children of a node into it."""

    column: int
    node: int
    children: tuple[int, ...]


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
        self.partial = partial
        self.node_of = leaf_cut(problem)
        trees = problem.trees
        self.children = [[tree.children(node) for node in range(tree.n_nodes)] for tree in trees]
        self.absorbed: list[Flags] = [np.zeros(tree.n_nodes, np.bool_) for tree in trees]
        self.complete: list[Flags] = [np.arange(t.n_nodes) < t.n_leaves for t in trees]
        cells = problem.cells
        self.group_of = np.arange(cells.n_groups, dtype=np.int64)
        self.sizes: Counts = cells.sizes.copy()
        self.nodes: Codes = np.ascontiguousarray(cells.keys.T)
        self.classes: Counts = problem.classes
        first = np.cumsum([0, *(len(nodes) for nodes in self.node_of)])[:-1].astype(np.int64)
        joined = np.concatenate(self.node_of).astype(np.int32)
        self.words = recode_words(cells.keys, joined, first, *problem.packing)
        self.state = problem.assess(self.group_of, len(self.sizes), self.sizes)
        self._tried: dict[Move, Joined] = {}

    # -- moves ------------------------------------------------------------------------------

    def moves(self) -> Iterator[Move]:
        """Every valid generalization."""
        for column, tree in enumerate(self.problem.trees):
            for node in range(tree.n_leaves, tree.n_nodes):
                if not self.complete[column][node]:
                    yield from self._moves_to(column, node)

    def _moves_to(self, column: int, node: int) -> Iterator[Move]:
        below = self.children[column][node]
        depth = self.problem.trees[column].depth[node]
        within = self.problem.ceiling_depth[column][below] <= depth
        ready = below[self.complete[column][below] & ~self.absorbed[column][below] & within]
        left = int((~self.absorbed[column][below]).sum())
        if len(ready) == left:
            yield Move(column, node, tuple(ready.tolist()))
        if not self.partial or len(ready) == 0:
            return
        if left < len(below):
            singles = ready if left > 1 else ready[:0]
            yield from (Move(column, node, (child,)) for child in singles.tolist())
        elif len(below) > 2:
            pairs = combinations(self._most_alike(column, ready), 2)
            yield from (Move(column, node, tuple(sorted(pair))) for pair in pairs)

    def _most_alike(self, column: int, children: Codes) -> list[int]:
        rows = self.problem.rows_of_node[column][children]
        return children[np.argsort(rows, kind="stable")][:MOST_PAIRS].tolist()

    # -- scores -----------------------------------------------------------------------------

    def information(self, move: Move) -> float:
        """I(G): what the move loses by the metric; discernibility is known only after a trial."""
        problem, (column, node, children) = self.problem, move
        tree = problem.trees[column]
        if problem.metric == "information":
            if len(children) == len(self.children[column][node]):
                return float(problem.information[column][node])
            return self._partial_information(move)
        rows, loss = problem.rows_of_node[column], problem.loss_of_node[column]
        listed = list(children)
        lost = rows[listed] * (loss[node] - loss[listed])
        assert tree.n_nodes > node
        return float(lost.sum()) / problem.cells.n_rows

    def _partial_information(self, move: Move) -> float:
        problem, (column, node, children) = self.problem, move
        tree, counts = problem.trees[column], problem.classes_of_leaf[column]
        inside = [c for c in self.children[column][node].tolist() if self.absorbed[column][c]]
        parts = [counts[tree.start[c] : tree.stop[c]].sum(axis=0) for c in children]
        if inside:
            parts.append(sum(counts[tree.start[c] : tree.stop[c]].sum(axis=0) for c in inside))
        joined = np.sum(parts, axis=0)
        lost = entropy_of_counts(joined) - sum(entropy_of_counts(part) for part in parts)
        return max(float(lost) / max(int(joined.sum()), 1), 0.0)

    def try_move(self, move: Move) -> State:
        """State after a move, without making it."""
        new, sizes = self._join(move)
        group_of = self.group_of if self.problem.rules.size_only else new[self.group_of]
        return self.problem.assess(group_of, len(sizes), sizes)

    def _join(self, move: Move) -> Joined:
        if move in self._tried:
            return self._tried[move]
        column, node, _ = move
        word, weight = self.problem.packing
        joined = Joined(
            *join_groups(
                self.nodes[column],
                self.words,
                self.sizes,
                self._mask(move),
                node,
                int(word[column]),
                weight[column],
            )
        )
        if len(self._tried) < len(self.nodes):  # one a column: what pruning leaves
            self._tried[move] = joined
        return joined

    def _mask(self, move: Move) -> Flags:
        mask = np.zeros(self.problem.trees[move.column].n_nodes, np.bool_)
        mask[list(move.children)] = True
        return mask

    def gain(self, after: State) -> float:
        """P(G): anonymity won, capped at k; with suppression or other models, allowed rows won."""
        problem = self.problem
        if problem.rules.size_only and problem.budget == 0:
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
        word, weight = self.problem.packing
        return not keeps_one_alone(
            self.nodes[column],
            self.words,
            self.sizes,
            self.state.anonymity,
            self._mask(move),
            node,
            int(word[column]),
            weight[column],
        )

    def _nodes_of_smallest(self) -> list[set[int]]:
        least = self.state.anonymity
        found = [
            nodes_of_smallest(nodes, self.sizes, least, tree.n_nodes)
            for nodes, tree in zip(self.nodes, self.problem.trees, strict=True)
        ]
        return [set(np.flatnonzero(flags).tolist()) for flags in found]

    def score(self, move: Move) -> Scored:
        """Score a move by trying it."""
        after = self.try_move(move)
        lost = self.information(move)
        if self.problem.metric == "discernibility":
            lost = (after.squares - self.state.squares) / self.problem.cells.n_rows
        won = self.gain(after)
        return Scored(move, lost / won if won > 0 else np.inf, lost, won)

    def best(self, *, prune: bool = True) -> Scored | None:
        """The valid move of least score, None when there is no move."""
        moves = list(self.moves())
        if not moves:
            return None
        counts_only = self.problem.rules.size_only and self.problem.budget == 0
        if prune and counts_only:
            self._smallest = self._nodes_of_smallest()
            tried = [self.score(move) for move in moves if self.may_be_critical(move)]
        else:
            tried = [self.score(move) for move in moves]
        useful = [scored for scored in tried if scored.privacy > 0]
        if useful:
            return min(useful, key=_order)
        if self.problem.metric == "discernibility":
            return min((self.score(move) for move in moves), key=_order)
        return min((Scored(m, np.inf, self.information(m), 0.0) for m in moves), key=_order)

    # -- carrying out -----------------------------------------------------------------------

    def make(self, scored: Scored, number: int) -> Step:
        """Carry a move out and tell about it."""
        problem, (column, node, children) = self.problem, scored.move
        tree = problem.trees[column]
        new, sizes = self._join(scored.move)
        word, weight = problem.packing
        self.nodes, self.words, self.classes = gather_groups(
            self.nodes,
            self.words,
            self.classes,
            new,
            len(sizes),
            self._mask(scored.move),
            column,
            node,
            int(word[column]),
            weight[column],
        )
        self.sizes = sizes
        self.group_of = new[self.group_of]
        self._tried.clear()
        for child in children:
            self.absorbed[column][child] = True
            self.node_of[column][tree.start[child] : tree.stop[child]] = node
        self.complete[column][node] = self.absorbed[column][self.children[column][node]].all()
        self.state = problem.assess(self.group_of, len(sizes), sizes)
        return self._step(scored, number)

    def _step(self, scored: Scored, number: int) -> Step:
        problem, (column, node, children) = self.problem, scored.move
        labels = problem.trees[column].labels
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
            len(self.sizes),
            problem.measures(self.node_of, self.state.squares, self.classes),
        )


def _order(scored: Scored) -> tuple[float, float, float, Move]:
    return (scored.score, scored.information, -scored.privacy, scored.move)
