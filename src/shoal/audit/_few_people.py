"""Numbers of a model that too few people decide, where the target is private.

Spans say whom a model tells apart by what it *asks*.  Coefficients and centroids also tell what
they were *fitted* to: one for each postcode, say, is the class of the one person who lives there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.audit._training_table import TrainingTable
from shoal.typing import Floats

MOST_CELLS = 50_000_000
"""Cells of features up to which leverages are computed: three copies of them are held."""
MOST_WORK = 2e11
"""Multiplications up to which they are."""
BY_FEW = ("LinearSV", "PassiveAggressive", "Perceptron", "Quantile", "SGD", "TheilSen")
"""Linear models that few rows decide, whatever their leverage: those that a loss with a bend is
zero at, those that were mistaken, those that were looked at last."""
EXACT = 1e-7
"""Share of the targets' range within which a prediction is the target: no chance hits that."""

SOLVED = 1e-3
"""How far from the best fit solvers may stop, relative to what is left over."""


def small_classes(table: TrainingTable, k: int) -> tuple[str, ...]:
    """What is not known to be safe since a class has few people: means and coefficients are theirs.

    Empty where the target is no secret.
    """
    if not table.target_is_private:
        return ()
    codes = table.frame.factorize(str(table.schema.target))[0]
    sizes = np.bincount(codes[codes >= 0])
    few = int(((sizes > 0) & (sizes < k)).sum())
    if not few:
        return ()
    return (f"numbers that were fitted to {few:,} classes with fewer than {k} people each",)


def few_behind_coefficients(matrix: Floats, table: TrainingTable, k: int) -> tuple[str, ...]:
    """What is not known to be safe since fewer than k people decide what is said about some.

    The measure is leverage: in least squares it is the weight of a person's own target in what the
    model says about that person, and a feature that m people share gives each of them 1 / m.
    """
    if not table.target_is_private:
        return ()
    weight = _leverages(matrix)
    if weight is None:
        return (f"numbers for {matrix.shape[1]:,} features, too many to see whose they are",)
    exposed = int((weight * k > 1 + 1e-9).sum())
    if not exposed:
        return ()
    return (f"numbers by which fewer than {k} people decide what is said about {exposed:,} people",)


def few_behind_fit(
    last: Any, matrix: Floats, table: TrainingTable, k: int, *, check_table: bool = True
) -> tuple[str, ...]:
    """What is not known to be safe of a linear model that is not least squares over the rows.

    Leverage measures those only.  A model by quantiles passes through some people's targets, and
    whoever predicts for everybody finds targets that are whole numbers; weights make leverages of
    their own.
    """
    if not table.target_is_private or not hasattr(last, "coef_"):
        return ()
    kind = type(last).__name__
    found = []
    if kind.startswith(BY_FEW):
        found.append(f"coefficients of {kind}, which few people may decide")
    target = str(table.schema.target)
    if not hasattr(last, "classes_") and table.frame.types[target] == "number":
        said = matrix @ np.ravel(last.coef_) + float(np.ravel(last.intercept_)[0])
        wanted = np.asarray(table.frame.numbers(target), np.float64)
        if people := _told_exactly(said, wanted, k):
            found.append(f"predictions that are exactly the target of {people:,} people")
        if check_table and _is_weighted(last, matrix, said, wanted):
            found.append(
                f"coefficients of {kind} to which people do not count alike: it was fitted with "
                "weights, or to another table"
            )
    return tuple(found)


def _told_exactly(said: Floats, wanted: Floats, k: int) -> int:
    """People whose target is predicted to the last digit, and that of fewer than k of them."""
    known = np.isfinite(wanted) & np.isfinite(said)
    if not known.any():
        return 0
    near = EXACT * float(np.ptp(wanted[known]))
    with np.errstate(over="ignore"):  # of models that predict logarithms
        hit = known & ((np.abs(said - wanted) <= near) | (np.abs(np.exp(said) - wanted) <= near))
    _, group, sizes = np.unique(np.round(said, 9), return_inverse=True, return_counts=True)
    return int((hit & (sizes[group.ravel()] < k)).sum())


def _is_weighted(last: Any, matrix: Floats, said: Floats, wanted: Floats) -> bool:
    """Whether what least squares leaves over is not as least squares leaves it over."""
    if type(last).__name__ not in ("LinearRegression", "Ridge") or getattr(last, "positive", False):
        return False
    known = np.isfinite(wanted) & np.isfinite(matrix).all(axis=1)
    middle = matrix[known].mean(axis=0) if last.fit_intercept else 0.0
    design, rest = matrix[known] - middle, (wanted - said)[known]
    penalty = np.ravel(getattr(last, "alpha", 0.0)) * np.ravel(last.coef_)
    slope = design.T @ rest - penalty
    rounding = 1e-9 * np.abs(said[known]).max(initial=0.0)
    lengths = np.linalg.norm(design, axis=0) * (np.linalg.norm(rest) + rounding)
    tilted = bool((np.abs(slope) > SOLVED * (lengths + np.abs(penalty))).any())
    uneven = abs(rest.sum()) > SOLVED * (np.abs(rest) + rounding).sum()
    return tilted or (last.fit_intercept and bool(uneven))


def few_behind_centroids(own: NDArray[np.int64], table: TrainingTable, k: int) -> tuple[str, ...]:
    """What is not known to be safe since a centroid is the mean of few people, or of one.

    `own` is the centroid nearest to each row.  Spans do not see it: they say who may be in a
    cluster, and a mean of one row is that row, private columns and all.
    """
    if not table.private:
        return ()
    sizes = np.bincount(own)
    few = int(((sizes > 0) & (sizes < k)).sum())
    if not few:
        return ()
    return (f"private coordinates of {few:,} centroids that fewer than {k} people have each",)


def _leverages(matrix: Floats) -> Floats | None:
    """Diagonal of the projection onto the features and a constant; None if it takes too long."""
    n_rows, width = matrix.shape
    if n_rows * width > MOST_CELLS or n_rows * width * min(n_rows, width) > MOST_WORK:
        return None
    known = np.where(np.isfinite(matrix), matrix, 0.0)
    spread = np.abs(known).max(axis=0, initial=0.0)
    design = np.column_stack([np.ones(n_rows), known / np.where(spread > 0, spread, 1.0)])
    basis, sizes, _ = np.linalg.svd(design, full_matrices=False)
    kept = sizes > sizes.max() * max(design.shape) * np.finfo(np.float64).eps
    leverages: Floats = (basis[:, kept] ** 2).sum(axis=1)
    return leverages
