"""The generalizations that are open to a bottom-up search, kept up to date move by move."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np

from shoal.anonymize.greedy._cut_kernels import entropy_of_counts
from shoal.anonymize.greedy._cuts import CutProblem
from shoal.typing import Codes, Flags

MOST_PAIRS = 16  # pairs are tried among at most this many children, those most alike in class


class Move(NamedTuple):
    """Join some children of a node into it."""

    column: int
    node: int
    children: tuple[int, ...]


class OpenMoves:
    """Valid generalizations by the node they lead to, each with I(G).

    A move changes what is valid for the node it makes and for that node's parent only, so a search
    over hierarchies with thousands of leaves does not list all moves again at every step.
    """

    def __init__(self, problem: CutProblem, *, partial: bool) -> None:
        self.problem = problem
        self.partial = partial
        trees = problem.trees
        self.children = [[tree.children(node) for node in range(tree.n_nodes)] for tree in trees]
        self.absorbed: list[Flags] = [np.zeros(tree.n_nodes, np.bool_) for tree in trees]
        self.complete: list[Flags] = [np.arange(t.n_nodes) < t.n_leaves for t in trees]
        self._open: dict[tuple[int, int], dict[Move, float]] = {}
        self._cheap: list[tuple[float, Move]] = []  # a heap; moves that are gone stay until seen
        for column, tree in enumerate(trees):
            for node in range(tree.n_leaves, tree.n_nodes):
                self._list(column, node)

    def __iter__(self) -> Iterator[Move]:
        """Every valid generalization."""
        for moves in self._open.values():
            yield from moves

    def __bool__(self) -> bool:
        """Whether anything can be generalized."""
        return bool(self._open)

    def to(self, column: int, node: int) -> list[Move]:
        """The valid generalizations that lead to a node."""
        return list(self._open.get((column, node), ()))

    def information(self, move: Move) -> float:
        """I(G): what the move loses by the metric; discernibility is known only after a trial."""
        return self._open[move.column, move.node][move]

    def cheapest(self) -> Move:
        """The move that loses least; the first of several."""
        while True:
            lost, move = self._cheap[0]
            if self._open.get((move.column, move.node), {}).get(move) == lost:
                return move
            heapq.heappop(self._cheap)

    def make(self, move: Move) -> None:
        """Note that a move was carried out."""
        column, node, children = move
        self.absorbed[column][list(children)] = True
        self.complete[column][node] = self.absorbed[column][self.children[column][node]].all()
        self._list(column, node)
        parent = int(self.problem.trees[column].parent[node])
        if parent > node:
            self._list(column, parent)

    def _list(self, column: int, node: int) -> None:
        self._open.pop((column, node), None)
        moves = () if self.complete[column][node] else tuple(self._moves_to(column, node))
        if not moves:
            return
        self._open[column, node] = found = {move: self._lost(move) for move in moves}
        for move, lost in found.items():
            heapq.heappush(self._cheap, (lost, move))

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

    def _lost(self, move: Move) -> float:
        problem, (column, node, children) = self.problem, move
        if problem.metric == "information":
            if len(children) == len(self.children[column][node]):
                return float(problem.information[column][node])
            return self._partial_information(move)
        rows, loss = problem.rows_of_node[column], problem.loss_of_node[column]
        listed = list(children)
        lost = rows[listed] * (loss[node] - loss[listed])
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
