"""The generalizations that are open to a bottom-up search, kept up to date move by move."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np

from shoal.anonymize.cuts._cut_kernels import entropy_of_counts
from shoal.anonymize.cuts._cut_problem import CutProblem
from shoal.typing import Codes, Flags

MOST_PAIRED = 16  # children that are tried in pairs: those with the fewest rows


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
        trees = [column.tree for column in problem.columns]
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
            # a move may have been taken off the list, or put on it again at another loss
            if self._open.get((move.column, move.node), {}).get(move) == lost:
                return move
            heapq.heappop(self._cheap)

    def make(self, move: Move) -> None:
        """Note that a move was carried out."""
        column, node, children = move
        self.absorbed[column][list(children)] = True
        self.complete[column][node] = self.absorbed[column][self.children[column][node]].all()
        self._list(column, node)
        parent = int(self.problem.columns[column].tree.parent[node])
        if parent > node:  # the root has none: -1
            self._list(column, parent)

    def _list(self, column: int, node: int) -> None:
        self._open.pop((column, node), None)
        moves = () if self.complete[column][node] else tuple(self._moves_to(column, node))
        if not moves:
            return
        self._open[column, node] = losses = {move: self._lost(move) for move in moves}
        for move, lost in losses.items():
            heapq.heappush(self._cheap, (lost, move))

    def _moves_to(self, column: int, node: int) -> Iterator[Move]:
        below = self.children[column][node]
        own = self.problem.columns[column]
        within = own.ceiling_depth[below] <= own.tree.depth[node]
        ready = below[self.complete[column][below] & ~self.absorbed[column][below] & within]
        left = int((~self.absorbed[column][below]).sum())
        if len(ready) == left:
            yield Move(column, node, tuple(ready.tolist()))
        if not self.partial or len(ready) == 0:
            return
        if left < len(below):  # the node exists already, so one child at a time can join it
            singles = ready if left > 1 else ready[:0]
            yield from (Move(column, node, (child,)) for child in singles.tolist())
        elif len(below) > 2:  # it takes two to begin a node; of two children that is all
            pairs = combinations(self._fewest_rows(column, ready), 2)
            yield from (Move(column, node, tuple(sorted(pair))) for pair in pairs)

    def _fewest_rows(self, column: int, children: Codes) -> list[int]:
        rows = self.problem.columns[column].rows_of_node[children]
        return children[np.argsort(rows, kind="stable")][:MOST_PAIRED].tolist()

    def _lost(self, move: Move) -> float:
        column, node, children = move
        own = self.problem.columns[column]
        if self.problem.metric == "information":
            if len(children) == len(self.children[column][node]):
                return float(own.information[node])
            return self._partial_information(move)
        rows, loss, listed = own.rows_of_node, own.loss_of_node, list(children)
        lost = rows[listed] * (loss[node] - loss[listed])
        return float(lost.sum()) / self.problem.cells.n_rows

    def _partial_information(self, move: Move) -> float:
        """I(G) of joining some children with those that the node has absorbed before."""
        column, node, children = move
        own = self.problem.columns[column]
        tree, counts = own.tree, own.classes_of_leaf
        inside = [c for c in self.children[column][node].tolist() if self.absorbed[column][c]]
        parts = [counts[tree.start[c] : tree.stop[c]].sum(axis=0) for c in children]
        if inside:
            parts.append(sum(counts[tree.start[c] : tree.stop[c]].sum(axis=0) for c in inside))
        joined = np.sum(parts, axis=0)
        lost = entropy_of_counts(joined) - sum(entropy_of_counts(part) for part in parts)
        return max(float(lost) / max(int(joined.sum()), 1), 0.0)
