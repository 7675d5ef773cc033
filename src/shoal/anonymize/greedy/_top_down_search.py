"""Greedy top-down specialization on cells: the groups of the current cut and their best split."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.anonymize.cuts._cut_kernels import sum_classes, sum_groups
from shoal.anonymize.cuts._cut_problem import CutProblem, CutState, ceiling_cut
from shoal.anonymize.greedy._steps import Step, cut_metrics
from shoal.anonymize.greedy._top_down_kernels import split_groups
from shoal.typing import Codes, Counts


class Split(NamedTuple):
    """A node that may be replaced by its children, with its score."""

    score: float
    gain: float
    loss: float
    column: int
    node: int
    state: CutState


class TopDownSearch:
    """The groups that the current cut makes, split step by step."""

    def __init__(self, problem: CutProblem) -> None:
        self.problem = problem
        self.cut = ceiling_cut(problem)
        self.group_of, n_groups = problem.group(self.cut)
        self.sizes: Counts = sum_groups(problem.cells.sizes, self.group_of, n_groups)
        if problem.projected is not None:
            problem.projected.settle(self.cut)
        self.state = problem.assess(self.group_of, self.sizes, self.cut)
        self.candidates: set[tuple[int, int]] = set()
        for column in range(len(problem.columns)):
            self._add(column, np.unique(self.cut[column]))

    def _add(self, column: int, nodes: Codes) -> None:
        n_leaves = self.problem.columns[column].tree.n_leaves
        rows = self.problem.columns[column].rows_of_node
        self.candidates |= {
            (column, node) for node in nodes.tolist() if node >= n_leaves and rows[node]
        }

    def gain(self, column: int, node: int) -> float:
        """What splitting a node wins by the metric."""
        own = self.problem.columns[column]
        if self.problem.metric == "information":
            return float(own.information[node])
        rows, loss, below = own.rows_of_node, own.loss_of_node, own.tree.children(node)
        return float((rows[below] * (loss[node] - loss[below])).sum()) / self.problem.cells.n_rows

    def try_split(self, column: int, node: int) -> tuple[CutState, NDArray[np.int64], int]:
        """State after splitting a node, without doing it."""
        problem = self.problem
        tree = problem.columns[column].tree
        child_of = np.full(tree.n_leaves, -1, np.int32)
        below = tree.children(node)
        for number, child in enumerate(below):
            child_of[tree.start[child] : tree.stop[child]] = number
        child_of[self.cut[column] != node] = -1  # leaves that a limit holds below the node
        new, n_new = split_groups(
            np.ascontiguousarray(problem.cells.keys[:, column]),
            child_of,
            self.group_of,
            len(self.sizes),
            len(below),
        )
        sizes = sum_groups(problem.cells.sizes, new, n_new)
        cut = self.cut if problem.projected is None else self._cut_after(column, node)
        return problem.assess(new, sizes, cut, problem.budget), new, n_new

    def _cut_after(self, column: int, node: int) -> list[Codes]:
        tree, cut = self.problem.columns[column].tree, list(self.cut)
        cut[column] = cut[column].copy()
        for child in tree.children(node):
            inside = slice(tree.start[child], tree.stop[child])
            cut[column][inside][cut[column][inside] == node] = child
        return cut

    def lost(self, column: int, after: CutState) -> float:
        """Anonymity lost by splitting a node of a column.

        Where something is asked of some columns at a time, the mean over the sets that the column
        is in; all columns are such a set if something is asked of them together.
        """
        problem, before = self.problem, self.state
        whole = float(max(before.anonymity - after.anonymity, 0))
        if problem.projected is None:
            return whole
        asked_of_all = problem.k > 1 or not problem.compiled.size_only
        losses = [whole] if asked_of_all else []
        for one, a, b in zip(problem.projected.sets, before.by_set, after.by_set, strict=True):
            if column in one.columns:
                losses.append(float(max(a - b, 0)))
        return float(np.mean(losses)) if losses else 0.0

    def best(self) -> Split | None:
        """The allowed split of best score; None when none is left.

        The score is at most the gain, so candidates are tried by falling gain until none can win.
        A split that is not allowed now never will be, if the model is monotone.
        """
        ranked = sorted(
            ((self.gain(column, node), column, node) for column, node in self.candidates),
            key=lambda entry: (-entry[0], entry[1], entry[2]),
        )
        best: Split | None = None
        # squares are known only after a trial, so no gain bounds a score and nothing stops early
        by_squares = self.problem.metric == "discernibility"
        for gain, column, node in ranked:
            if best is not None and gain <= best.score and not by_squares:
                break
            state, _, _ = self.try_split(column, node)
            if state.failing > self.problem.budget:
                if self.problem.privacy.is_monotone and self.problem.budget == 0:
                    self.candidates.discard((column, node))
                continue
            if by_squares:
                gain = (self.state.squares - state.squares) / self.problem.cells.n_rows
            lost = self.lost(column, state)
            # one more, so that a split that costs no anonymity is scored by its gain
            split = Split(gain / (lost + 1), gain, lost, column, node, state)
            if best is None or split.score > best.score + 1e-15:
                best = split
        return best

    def make(self, split: Split, number: int) -> Step:
        """Carry a split out and tell about it."""
        problem, column, node = self.problem, split.column, split.node
        tree = problem.columns[column].tree
        # tried once more: to keep the groups of every candidate would take their memory
        self.state, self.group_of, n_new = self.try_split(column, node)
        self.sizes = sum_groups(problem.cells.sizes, self.group_of, n_new)
        below = tree.children(node)
        self.cut = self._cut_after(column, node)
        if problem.projected is not None:
            problem.projected.settle(self.cut)
        self.candidates.discard((column, node))
        self._add(column, below)
        classes = sum_classes(problem.classes, self.group_of, n_new)
        return Step(
            number,
            problem.cells.names[column],
            str(tree.labels[node]),
            tuple(str(tree.labels[child]) for child in below),
            split.score,
            split.gain,
            float(split.loss),
            self.state.anonymity,
            self.state.failing,
            n_new,
            cut_metrics(problem, self.cut, self.state.squares, classes),
        )
