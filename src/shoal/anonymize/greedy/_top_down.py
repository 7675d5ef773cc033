"""Top-down specialization: from the root down, as long as the privacy model holds."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.anonymize._anonymizer import Anonymizer
from shoal.anonymize._recoding import CutRecoding
from shoal.anonymize.greedy._cut_history import CutHistory
from shoal.anonymize.greedy._cut_kernels import split_groups, sum_classes, sum_groups
from shoal.anonymize.greedy._cuts import (
    CutProblem,
    CutState,
    ceiling_cut,
    infeasible,
)
from shoal.anonymize.greedy._sequence import SequenceMixin
from shoal.anonymize.greedy._steps import Step
from shoal.errors import InfeasibleError
from shoal.privacy import PrivacyModel
from shoal.schema import Schema
from shoal.tables import FrequencyTable
from shoal.typing import Codes, Counts, Progress


class Split(NamedTuple):
    """A node that may be replaced by its children, with its score."""

    score: float
    gain: float
    loss: float
    column: int
    node: int
    state: CutState


class TopDownSpecialization(SequenceMixin, Anonymizer):
    """Specialize step by step, each time gaining most information for the anonymity lost.

    Parameters
    ----------
    schema : Schema
        Roles, hierarchies, limits; the target, if the release is for classification.
    privacy : PrivacyModel
        What every released group has to meet.
    metric : {"information", "ncp", "discernibility", "weighted"}, optional
        What a step gains: class information (default with a target), or a fall of the normalised
        certainty penalty (default without one), of squared group sizes, or of NCP weighted by the
        schema's weights.
    max_suppression : float, default=0.0
        Share of rows that may be left out so that others can be released in more detail.

    Attributes
    ----------
    release_ : Release
        The release, re-checked when it is handed out.
    steps_ : list of Step
        Every step with its scores and what it reached.
    recoding_ : CutRecoding
        The recoding; :meth:`transform` applies it to new rows.

    Notes
    -----
    **Guarantee.**  Every group of the released rows satisfies `privacy`; the output is counted
    again by code that shares nothing with the search.

    **Departures from the paper.**  A numeric column without a hierarchy is split in two at the
    point of best gain; since gain depends on that column alone, the whole tree of splits is grown
    before the search and the search then treats it like any other.  There is one group of
    quasi-identifiers, so the anonymity lost needs no averaging.

    References
    ----------
    .. [FWY05] B. C. M. Fung, K. Wang, P. S. Yu.  Top-down specialization for information and
       privacy preservation.  ICDE 2005.  doi:10.1109/ICDE.2005.143
    """

    def __init__(
        self,
        schema: Schema,
        privacy: PrivacyModel,
        *,
        metric: str | None = None,
        max_suppression: float = 0.0,
    ) -> None:
        self.schema = schema
        self.privacy = privacy
        self.metric = metric
        self.max_suppression = max_suppression

    def _solve(
        self, cells: FrequencyTable, privacy: PrivacyModel, progress: Progress
    ) -> CutRecoding:
        problem = self._prepare(cells, privacy)
        search = TopDownSearch(problem)
        if search.state.failing > problem.budget:
            raise infeasible(problem, search.state)
        self.steps_ = []
        self._cuts = CutHistory(search.node_of)
        while (chosen := search.best()) is not None:
            self.steps_.append(search.make(chosen, len(self.steps_) + 1))
            self._cuts.append(search.node_of)
            progress(len(self.steps_), len(self.steps_) + len(search.candidates), "specializing")
        for cut in reversed(self._cuts):
            # leaving rows out changes the whole that some models compare groups with
            with suppress(InfeasibleError):
                return problem.recoding(cut)
        raise infeasible(problem, search.state)


class TopDownSearch:
    """The groups that the current cut makes, split step by step."""

    def __init__(self, problem: CutProblem) -> None:
        self.problem = problem
        self.node_of = ceiling_cut(problem)
        self.group_of, n_groups = problem.group(self.node_of)
        self.sizes: Counts = sum_groups(problem.cells.sizes, self.group_of, n_groups)
        self.state = problem.assess(self.group_of, n_groups, self.sizes)
        self.candidates: set[tuple[int, int]] = set()
        for column in range(len(problem.trees)):
            self._add(column, np.unique(self.node_of[column]))

    def _add(self, column: int, nodes: Codes) -> None:
        tree = self.problem.trees[column]
        rows = self.problem.rows_of_node[column]
        self.candidates |= {
            (column, node) for node in nodes.tolist() if node >= tree.n_leaves and rows[node]
        }

    def gain(self, column: int, node: int) -> float:
        """What splitting a node wins by the metric."""
        problem = self.problem
        if problem.metric == "information":
            return float(problem.information[column][node])
        rows, loss = problem.rows_of_node[column], problem.loss_of_node[column]
        below = problem.trees[column].children(node)
        return float((rows[below] * (loss[node] - loss[below])).sum()) / problem.cells.n_rows

    def try_split(self, column: int, node: int) -> tuple[CutState, NDArray[np.int64], int]:
        """State after splitting a node, without doing it."""
        problem = self.problem
        tree = problem.trees[column]
        child_of = np.full(tree.n_leaves, -1, np.int32)
        below = tree.children(node)
        for number, child in enumerate(below):
            child_of[tree.start[child] : tree.stop[child]] = number
        child_of[self.node_of[column] != node] = -1
        new, n_new = split_groups(
            np.ascontiguousarray(problem.cells.keys[:, column]),
            child_of,
            self.group_of,
            len(self.sizes),
            len(below),
        )
        sizes = sum_groups(problem.cells.sizes, new, n_new)
        return problem.assess(new, n_new, sizes), new, n_new

    def best(self) -> Split | None:
        """The allowed split of best score; None when none is left.

        The score is at most the gain, so candidates are tried by falling gain until none can win.
        A split that is not allowed now never will be, if the model is monotone.
        """
        ranked = sorted(
            ((self.gain(column, node), column, node) for column, node in self.candidates),
            key=lambda entry: (-entry[0], entry[1], entry[2]),
        )
        found: Split | None = None
        by_squares = self.problem.metric == "discernibility"
        for gain, column, node in ranked:
            if found is not None and gain <= found.score and not by_squares:
                break
            state, _, _ = self.try_split(column, node)
            if state.failing > self.problem.budget:
                if self.problem.privacy.is_monotone and self.problem.budget == 0:
                    self.candidates.discard((column, node))
                continue
            if by_squares:
                gain = (self.state.squares - state.squares) / self.problem.cells.n_rows
            lost = max(self.state.anonymity - state.anonymity, 0)
            split = Split(gain / (lost + 1), gain, lost, column, node, state)
            if found is None or split.score > found.score + 1e-15:
                found = split
        return found

    def make(self, split: Split, number: int) -> Step:
        """Carry a split out and tell about it."""
        problem, column, node = self.problem, split.column, split.node
        tree = problem.trees[column]
        self.state, self.group_of, n_new = self.try_split(column, node)
        self.sizes = sum_groups(problem.cells.sizes, self.group_of, n_new)
        below = tree.children(node)
        for child in below:
            inside = slice(tree.start[child], tree.stop[child])
            moved = self.node_of[column][inside] == node
            self.node_of[column][inside][moved] = child
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
            problem.measures(self.node_of, self.state.squares, classes),
        )
