"""What a search over cuts is given: cells, hierarchies, a privacy model, a budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shoal.anonymize.cuts._cut_column import CutColumn
from shoal.anonymize.cuts._cut_kernels import pack_nodes, size_summary
from shoal.anonymize.cuts._packing import Packing, make_packing
from shoal.anonymize.cuts._projected import ProjectedConditions
from shoal.errors import ParameterError, SchemaError
from shoal.privacy import KAnonymity, PrivacyModel
from shoal.privacy._projection import split_promise
from shoal.privacy.compiled._compile import allowed_groups, compile_model
from shoal.privacy.compiled._condition_kernels import CompiledModel
from shoal.tables import FrequencyTable
from shoal.tables._count_kernels import pack_groups
from shoal.typing import Codes, Counts, Flags, Floats

Metric = Literal["information", "ncp", "discernibility", "weighted"]
METRICS = ("information", "ncp", "discernibility", "weighted")


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
    by_set : tuple of int
        Fewest rows that agree on each set of columns that something is asked of.
    """

    anonymity: int
    failing: int
    squares: float
    by_set: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class CutProblem:
    """Cells and a privacy model, prepared for searches over cuts.

    A cut is a list with an array per column: the node that each leaf is released as.
    """

    cells: FrequencyTable
    privacy: PrivacyModel
    compiled: CompiledModel  # what is asked of all columns together
    classes: Counts  # (n_cells, n_classes); no columns without a target
    budget: int  # rows that may be suppressed
    metric: Metric
    weights: Floats
    projected: ProjectedConditions | None = None  # what is asked of some columns at a time

    @cached_property
    def columns(self) -> list[CutColumn]:
        """The quasi-identifiers, each with its hierarchy."""
        cells = self.cells
        return [
            CutColumn(coding, cells.keys[:, column], cells.sizes, self.classes, weight)
            for column, (coding, weight) in enumerate(
                zip(cells.codings, self.weights.tolist(), strict=True)
            )
        ]

    @property
    def k(self) -> int:
        """Smallest group that the model can allow."""
        return self.privacy.minimum_size

    @property
    def size_only(self) -> bool:
        """Whether the sizes of groups over all columns are all that is asked for."""
        return self.compiled.size_only and self.projected is None

    @cached_property
    def packing(self) -> Packing:
        """How the nodes of a group are packed into words."""
        return make_packing([column.tree.n_nodes for column in self.columns])

    def pack(self, cut: Sequence[Codes]) -> NDArray[np.uint64]:
        """Words of the nodes that each cell is released as."""
        first = np.cumsum([0, *(len(nodes) for nodes in cut)])[:-1].astype(np.int64)
        joined = np.concatenate(cut).astype(np.int32)
        return pack_nodes(self.cells.keys, joined, first, *self.packing)

    def group(self, cut: Sequence[Codes]) -> tuple[NDArray[np.int64], int]:
        """Groups that a cut makes of the cells."""
        return pack_groups(self.pack(cut))

    def assess(
        self,
        group_of: NDArray[np.int64],
        sizes: Counts,
        cut: Sequence[Codes],
        most: int | None = None,
    ) -> CutState:
        """Evaluate a cut, given the groups that it puts cells into.

        With `most` failing rows may be counted only until there are more of them.
        """
        smallest, failing, squares = size_summary(sizes, self.k)
        if self.size_only:
            return CutState(int(smallest), int(failing), float(squares))
        fine, by_set = self._allowed(group_of, sizes, cut, most)
        return CutState(int(smallest), int(sizes[~fine].sum()), float(squares), by_set)

    def allowed(self, group_of: NDArray[np.int64], sizes: Counts, cut: Sequence[Codes]) -> Flags:
        """Whether the privacy model allows each group that a cut puts cells into."""
        return self._allowed(group_of, sizes, cut)[0]

    def _allowed(
        self,
        group_of: NDArray[np.int64],
        sizes: Counts,
        cut: Sequence[Codes],
        most: int | None = None,
    ) -> tuple[Flags, tuple[int, ...]]:
        if self.compiled.size_only:
            fine = np.asarray(sizes >= self.k, np.bool_)
        else:
            fine = allowed_groups(self.compiled, group_of, len(sizes))
        if self.projected is None:
            return fine, ()
        outcome = self.projected.judge(cut, most)
        fine[group_of[outcome.failing]] = False
        return fine, outcome.smallest

    def total_loss(self, cut: Sequence[Codes]) -> float:
        """Mean NCP of a cut."""
        total = sum(
            float((column.loss_of_node[nodes] * column.rows_of_leaf).sum())
            for column, nodes in zip(self.columns, cut, strict=True)
        )
        return total / (max(self.cells.n_rows, 1) * max(float(self.weights.sum()), 1e-12))


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
        raise ParameterError(
            f"max_suppression must be between 0 and 1, got {max_suppression}: 5 % is 0.05."
        )
    if target is None:
        classes = np.zeros((cells.n_groups, 0), np.int64)
    else:
        classes = cells.histograms[target].dense()
    given = np.array(weights, np.float64) if metric == "weighted" else np.ones(len(cells.codings))
    whole, projected = split_promise(privacy)
    return CutProblem(
        cells,
        privacy,
        compile_model(whole or KAnonymity(1), cells),
        classes,
        int(max_suppression * cells.n_rows + 1e-9),  # 0.1 of 30 rows is 3, whatever floats say
        metric,  # type: ignore[arg-type]
        given,
        ProjectedConditions(cells, projected) if projected else None,
    )


def leaf_cut(problem: CutProblem) -> list[Codes]:
    """Nothing generalized."""
    return [np.arange(column.tree.n_leaves, dtype=np.int32) for column in problem.columns]


def ceiling_cut(problem: CutProblem) -> list[Codes]:
    """Everything as coarse as the limits allow."""
    return [coding.ceiling.copy() for coding in problem.cells.codings]
