"""Rows that a cut cannot release: which they are, and what to say when they are too many."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.anonymize._recoding import CutRecoding
from shoal.anonymize.bounds._unprotectable import infeasible_as_a_whole
from shoal.anonymize.cuts._cut_problem import CutProblem, CutState
from shoal.errors import InfeasibleError
from shoal.tables._frequency import group_keys
from shoal.typing import Codes


def make_recoding(problem: CutProblem, cut: Sequence[Codes]) -> CutRecoding:
    """The recoding of a cut, with the groups that fail suppressed."""
    keys = problem.cells.keys
    codes = np.column_stack([nodes[keys[:, column]] for column, nodes in enumerate(cut)])
    hidden = suppress_failing(problem, codes.astype(np.int32))
    nodes = tuple(np.asarray(nodes, np.int32) for nodes in cut)
    return CutRecoding(problem.cells.codings, nodes, hidden)


def suppress_failing(problem: CutProblem, codes: Codes) -> Codes:
    """Combinations to suppress so that the rest is allowed, by the models' plain definitions.

    Suppressing rows changes the whole that some models compare groups with, so it is repeated
    until nothing fails; what is suppressed in the end may exceed the budget, which is an error.
    """
    cells, privacy, budget = problem.cells, problem.privacy, problem.budget
    group_of, n_groups = group_keys(codes)
    first = np.zeros(n_groups, np.int64)
    first[group_of[::-1]] = np.arange(len(codes))[::-1]  # the last one written is the first cell
    kept = np.ones(n_groups, np.bool_)
    while True:
        number = np.where(kept, np.cumsum(kept) - 1, -1)
        # keys are what is released: some models ask which groups agree on some columns
        groups = cells.merge(number[group_of], int(kept.sum()), codes[first[kept]])
        fine = privacy.holds(groups)
        if fine.all():
            break
        kept[np.flatnonzero(kept)[~fine]] = False
    n_suppressed = cells.n_rows - groups.n_rows
    if n_suppressed > budget or not kept.any():
        share = budget / max(cells.n_rows, 1)
        raise InfeasibleError(
            f"{privacy.describe()} with at most {share:.2%} of rows suppressed",
            required=budget,
            achieved=n_suppressed,
            hint=f"Allow {n_suppressed} suppressed rows or relax the privacy model.",
        )
    return codes[first[~kept]].astype(np.int32).reshape(-1, codes.shape[1])


def infeasible(problem: CutProblem, state: CutState) -> InfeasibleError:
    """What to say when nothing coarser is left and the model still fails."""
    all_fail = state.failing == problem.cells.n_rows
    whole = infeasible_as_a_whole(problem.cells, problem.privacy) if all_fail else None
    if whole is not None and not problem.size_only:  # to leave all rows out is no advice
        return whole
    limited = [coding.name for coding in problem.cells.codings if coding.is_limited]
    share = state.failing / problem.cells.n_rows
    advice = f"Suppressing {state.failing} rows ({share:.2%}, max_suppression) would do"
    if limited:
        shown = ", ".join(map(repr, limited))
        advice += f", or raise the limit of {shown}, which binds"
    size_only = problem.size_only
    return InfeasibleError(
        problem.privacy.describe() if not size_only else f"k={problem.k}",
        required=problem.k if size_only else problem.budget,
        achieved=state.anonymity if size_only else state.failing,
        hint=advice + ".",
    )
