"""Cuts through hierarchies, and what each node costs: where bottom-up and top-down meet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.anonymize._recoding import CutRecoding
from shoal.anonymize.greedy._cut_kernels import (
    best_cut,
    class_summary,
    entropy_of_counts,
    middle_cut,
    recode_words,
    rows_by_node,
    size_summary,
)
from shoal.errors import InfeasibleError, ParameterError, SchemaError
from shoal.privacy import PrivacyModel
from shoal.privacy.compiled._compile import allowed_groups, compile_model
from shoal.privacy.compiled._condition_kernels import CompiledModel
from shoal.schema import Hierarchy
from shoal.schema._band_labels import range_label
from shoal.schema._coding import Coding
from shoal.tables import FrequencyTable
from shoal.tables._count_kernels import pack_groups
from shoal.tables._frequency import group_keys
from shoal.typing import Codes, Counts, Flags, Floats

Metric = Literal["information", "ncp", "discernibility", "weighted"]
METRICS = ("information", "ncp", "discernibility", "weighted")


class Packing(NamedTuple):
    """Which word each column is packed into, and its place value there."""

    word: Codes
    weight: NDArray[np.uint64]


@dataclass(frozen=True)
class CutState:
    """How good a set of groups is.

    Parameters
    ----------
    anonymity : int
        Rows of the smallest group.
    failing : int
        Rows in groups that the privacy model does not allow.
    squares : float
        Sum of squared group sizes.
    """

    anonymity: int
    failing: int
    squares: float


@dataclass(frozen=True, eq=False)
class CutProblem:
    """Cells, hierarchies and a privacy model, prepared for the two greedy methods."""

    cells: FrequencyTable
    privacy: PrivacyModel
    rules: CompiledModel
    classes: Counts  # (n_cells, n_classes); no columns without a target
    budget: int  # rows that may be suppressed
    metric: Metric
    weights: Floats

    @cached_property
    def trees(self) -> list[Hierarchy]:
        """Hierarchy of each column."""
        return [tree_of(coding) for coding in self.cells.codings]

    @property
    def k(self) -> int:
        """Smallest group that the model can allow."""
        return self.privacy.minimum_size

    @cached_property
    def packing(self) -> Packing:
        """Mixed radix over the nodes of all columns."""
        word: list[int] = []
        weight: list[int] = []
        room = 0
        for tree in self.trees:
            if not word or room * tree.n_nodes > 2**62:
                word.append(word[-1] + 1 if word else 0)
                room = 1
            else:
                word.append(word[-1])
            weight.append(room)
            room *= tree.n_nodes
        return Packing(np.array(word, np.int32), np.array(weight, np.uint64))

    @cached_property
    def rows_of_leaf(self) -> list[Counts]:
        """Rows with each leaf, per column."""
        return [
            np.bincount(
                self.cells.keys[:, at], weights=self.cells.sizes, minlength=tree.n_leaves
            ).astype(np.int64)
            for at, tree in enumerate(self.trees)
        ]

    @cached_property
    def rows_of_node(self) -> list[Counts]:
        """Rows below each node, per column."""
        return [
            rows_by_node(rows, tree.start, tree.stop)
            for rows, tree in zip(self.rows_of_leaf, self.trees, strict=True)
        ]

    @cached_property
    def classes_of_leaf(self) -> list[Counts]:
        """Class counts of the rows with each leaf, per column."""
        return [
            _classes_by(self.cells.keys[:, at], self.classes, tree.n_leaves)
            for at, tree in enumerate(self.trees)
        ]

    @cached_property
    def bits_of_node(self) -> list[Floats]:
        """Class entropy of the rows below each node, times their number."""
        found = []
        for counts, tree in zip(self.classes_of_leaf, self.trees, strict=True):
            bits = np.zeros(tree.n_nodes)
            for node in range(tree.n_nodes):
                bits[node] = entropy_of_counts(
                    counts[tree.start[node] : tree.stop[node]].sum(axis=0)
                )
            found.append(bits)
        return found

    @cached_property
    def information(self) -> list[Floats]:
        """I(G) of joining the children of each node: information lost per row, in bits."""
        found = []
        for at, tree in enumerate(self.trees):
            bits, rows = self.bits_of_node[at], self.rows_of_node[at]
            below = np.zeros(tree.n_nodes)
            np.add.at(below, tree.parent[:-1], bits[:-1])
            lost = np.where(np.arange(tree.n_nodes) >= tree.n_leaves, bits - below, 0.0)
            found.append(np.maximum(lost / np.maximum(rows, 1), 0.0))
        return found

    @cached_property
    def loss_of_node(self) -> list[Floats]:
        """NCP of one row released as each node, weighted as the metric asks."""
        found = []
        for at, tree in enumerate(self.trees):
            loss = tree.n_leaves_below / max(tree.n_values, 1)
            loss[: tree.n_leaves] = 0.0
            found.append(loss * self.weights[at])
        return found

    @cached_property
    def ceiling_depth(self) -> list[Codes]:
        """Depth of the lowest limit that values below each node must stay under, per column.

        Values below a node may be generalized to any ancestor at this depth or deeper.
        """
        found = []
        for coding, tree in zip(self.cells.codings, self.trees, strict=True):
            depth = np.zeros(tree.n_nodes, np.int32)
            depth[: tree.n_leaves] = tree.depth[coding.ceiling]
            for node in range(tree.n_nodes - 1):
                above = tree.parent[node]
                depth[above] = max(depth[above], depth[node])
            found.append(depth)
        return found

    def assess(self, group_of: NDArray[np.int64], n_groups: int, sizes: Counts) -> CutState:
        """Evaluate the groups that cells are put into."""
        smallest, failing, squares = size_summary(sizes, self.k)
        if not self.rules.size_only:
            failing = int(sizes[~self.allowed(group_of, sizes)].sum())
        return CutState(int(smallest), int(failing), float(squares))

    def allowed(self, group_of: NDArray[np.int64], sizes: Counts) -> Flags:
        """Whether the privacy model allows each group that cells are put into."""
        if self.rules.size_only:
            return np.asarray(sizes >= self.k, np.bool_)
        return allowed_groups(self.rules, group_of, len(sizes))

    def measures(
        self, node_of: Sequence[Codes], squares: float, classes: Counts
    ) -> dict[str, float]:
        """What a step reports: loss, discernibility, and class loss when there is a target."""
        found = {"ncp": self.total_loss(node_of), "discernibility": squares}
        if classes.shape[1]:
            bits, errors = class_summary(classes)
            found |= {"class_entropy": bits / self.cells.n_rows, "classification_errors": errors}
        return found

    def total_loss(self, node_of: Sequence[Codes]) -> float:
        """Mean NCP of a cut."""
        total = sum(
            float((self.loss_of_node[at][nodes] * self.rows_of_leaf[at]).sum())
            for at, nodes in enumerate(node_of)
        )
        return total / (max(self.cells.n_rows, 1) * max(float(self.weights.sum()), 1e-12))

    def group(self, node_of: Sequence[Codes]) -> tuple[NDArray[np.int64], int]:
        """Groups that a cut makes of the cells."""
        first = np.cumsum([0, *(len(nodes) for nodes in node_of)])[:-1].astype(np.int64)
        joined = np.concatenate(node_of).astype(np.int32)
        words = recode_words(self.cells.keys, joined, first, *self.packing)
        return pack_groups(words)

    def recoding(self, node_of: Sequence[Codes]) -> CutRecoding:
        """The recoding of a cut, with the groups that fail suppressed."""
        codes = np.column_stack(
            [nodes[self.cells.keys[:, at]] for at, nodes in enumerate(node_of)]
        ).astype(np.int32)
        hidden = suppress_failing(self, codes)
        return CutRecoding(
            self.cells.codings, tuple(np.asarray(n, np.int32) for n in node_of), hidden
        )


def suppress_failing(problem: CutProblem, codes: Codes) -> Codes:
    """Combinations to suppress so that the rest is allowed, by the models' plain definitions.

    Suppressing rows changes the whole that some models compare groups with, so it is repeated
    until nothing fails; what is suppressed in the end may exceed the budget, which is an error.
    """
    cells, privacy = problem.cells, problem.privacy
    group_of, n_groups = group_keys(codes)
    kept = np.ones(n_groups, np.bool_)
    first = np.zeros(n_groups, np.int64)
    first[group_of[::-1]] = np.arange(len(codes))[::-1]
    while True:
        number = np.where(kept, np.cumsum(kept) - 1, -1)
        groups = cells.merge(number[group_of], int(kept.sum()))
        fine = privacy.holds(groups)
        if fine.all():
            break
        kept[np.flatnonzero(kept)[~fine]] = False
    lost = cells.n_rows - groups.n_rows
    if lost > problem.budget or not kept.any():
        share = problem.budget / max(cells.n_rows, 1)
        raise InfeasibleError(
            f"{privacy.describe()} with at most {share:.2%} of rows suppressed",
            required=problem.budget,
            achieved=lost,
            hint=f"Allow {lost} suppressed rows or relax the privacy model.",
        )
    return codes[first[~kept]].astype(np.int32).reshape(-1, codes.shape[1])


def make_problem(
    cells: FrequencyTable,
    privacy: PrivacyModel,
    *,
    target: str | None,
    metric: str | None,
    max_suppression: float,
    weights: Sequence[float],
) -> CutProblem:
    """Check the parameters against the cells and prepare the problem."""
    metric = metric or ("information" if target is not None else "ncp")
    if metric not in METRICS:
        raise ParameterError(f"metric must be one of {', '.join(METRICS)}, got {metric!r}.")
    if metric == "information" and target is None:
        raise SchemaError(
            "metric='information' needs a class column. Mark one with target = true in the "
            "schema, or choose metric='ncp'."
        )
    if not 0 <= max_suppression <= 1:
        raise ParameterError(f"max_suppression must be between 0 and 1, got {max_suppression}.")
    if target is None:
        classes = np.zeros((cells.n_groups, 0), np.int64)
    else:
        classes = cells.histograms[target].dense()
    given = np.array(weights, np.float64) if metric == "weighted" else np.ones(len(cells.codings))
    return CutProblem(
        cells,
        privacy,
        compile_model(privacy, cells),
        classes,
        int(max_suppression * cells.n_rows + 1e-9),
        metric,  # type: ignore[arg-type]
        given,
    )


def tree_of(coding: Coding) -> Hierarchy:
    """A column's hierarchy; every column of a problem has one."""
    assert coding.hierarchy is not None
    return coding.hierarchy


def _classes_by(codes: Codes, classes: Counts, n_codes: int) -> Counts:
    table = np.zeros((n_codes, classes.shape[1]), np.int64)
    np.add.at(table, codes, classes)
    return table


# -- hierarchies grown from the data ------------------------------------------------------------


def grow_hierarchies(cells: FrequencyTable, target: str | None, least: int) -> FrequencyTable:
    """Give every column without a hierarchy one of its own.

    Numeric, date and ordinal columns are split in two again and again: at the point of best
    information gain for the target, or into halves without one, as long as both parts keep
    `least` rows.  Other columns go straight to the root.
    """
    if all(coding.hierarchy is not None for coding in cells.codings):
        return cells
    codings = []
    for at, coding in enumerate(cells.codings):
        if coding.hierarchy is None:
            tree = _grow(cells, at, target, least) if coding.is_ordered else _flat(coding)
            ceiling = np.full(tree.n_leaves, tree.root, np.int32)
            coding = replace(coding, hierarchy=tree, ceiling=ceiling)
        codings.append(coding)
    return replace(cells, codings=tuple(codings))


def _flat(coding: Coding) -> Hierarchy:
    values = [str(value) for value in coding.texts if value is not None]
    tree = Hierarchy.flat(values)
    return tree.with_missing() if coding.missing >= 0 else tree


def _grow(cells: FrequencyTable, at: int, target: str | None, least: int) -> Hierarchy:
    coding = cells.codings[at]
    n_values = coding.n_codes - (coding.missing >= 0)
    codes = cells.keys[:, at]
    rows = np.bincount(codes, weights=cells.sizes, minlength=coding.n_codes).astype(np.int64)
    classes = None
    if target is not None:
        classes = _classes_by(codes, cells.histograms[target].dense(), coding.n_codes)
    texts = coding.texts
    parents: dict[str, str] = {}
    todo = [(0, n_values - 1, "*")]
    while todo:
        low, high, name = todo.pop()
        cut = -1
        if high > low:
            if classes is not None:
                cut = best_cut(classes, low, high, least)[1]
            else:
                cut = middle_cut(rows, low, high, least)
        if cut < 0:
            parents |= {str(texts[code]): name for code in range(low, high + 1)}
            continue
        for a, b in ((low, cut - 1), (cut, high)):
            label = range_label(texts[a], texts[b])
            parents[label] = name
            if a < b:
                todo.append((a, b, label))
    tree = Hierarchy.from_parents(parents, column=coding.name)
    order = {str(value): code for code, value in enumerate(texts[:n_values])}
    tree = tree.sorted_by([order[str(label)] for label in tree.labels[: tree.n_leaves]])
    return tree.with_missing() if coding.missing >= 0 else tree


def infeasible(problem: CutProblem, state: CutState) -> InfeasibleError:
    """What to say when nothing coarser is left and the model still fails."""
    limited = [coding.name for coding in problem.cells.codings if coding.is_limited]
    share = state.failing / problem.cells.n_rows
    advice = f"Suppressing {state.failing} rows ({share:.2%}, max_suppression) would do"
    if limited:
        shown = ", ".join(map(repr, limited))
        advice += f", or raise the limit of {shown}, which binds"
    size_only = problem.rules.size_only
    return InfeasibleError(
        problem.privacy.describe() if not size_only else f"k={problem.k}",
        required=problem.k if size_only else problem.budget,
        achieved=state.anonymity if size_only else state.failing,
        hint=advice + ".",
    )


def leaf_cut(problem: CutProblem) -> list[Codes]:
    """Nothing generalized."""
    return [np.arange(tree.n_leaves, dtype=np.int32) for tree in problem.trees]


def ceiling_cut(problem: CutProblem) -> list[Codes]:
    """Everything as coarse as the limits allow."""
    return [coding.ceiling.copy() for coding in problem.cells.codings]
