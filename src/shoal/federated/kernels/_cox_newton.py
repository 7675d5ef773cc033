"""Coefficients of a Cox model, and nothing else: what a study with thousands of fits needs."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ConvergenceError, InfeasibleError
from shoal.typing import Floats

MAX_STEPS = 100
GRADIENT_PER_ROW = 1e-9  # accepted norm of the gradient, as lifelines accepts it or tighter
ROUNDING = 1e-12  # of a log-likelihood, relative: sums of many terms are no more exact
SMALLEST_STEP = 1e-12
FLATTEST = 1e-9  # least curvature per row that an optimum has; less is a slope that never ends


class _Deaths(NamedTuple):
    """Standardised rows, latest first, so that everyone still at risk is a prefix of the rows."""

    rows: Floats
    ridge: float
    dead: NDArray[np.intp]  # rows with the event, by time
    tie: NDArray[np.intp]  # for each of them, which time of death it shares
    share: Floats  # for each of them, how much of its tie Efron counts as gone already
    at_risk: NDArray[np.intp]  # for each of them, the last row still at risk
    weight: Floats  # of each row
    tie_weight: Floats  # for each death, the mean weight of those who share its time


class _Point(NamedTuple):
    """Penalised log-likelihood, its gradient, and minus its Hessian."""

    value: float
    gradient: Floats
    curvature: Floats


def cox_coefficients(
    rows: Floats, target: Floats, ridge: float = 0.0, weights: Floats | None = None
) -> Floats:
    """Log hazard ratios with Efron's ties and lifelines' ridge penalty, by Newton's method.

    `target` has the columns time and event.  The penalty is ``n ridge |b|^2 / 2`` on standardised
    features, as lifelines defines it; the result equals its ``CoxPHFitter(penalizer=ridge)``
    where that converges.  Steps that lead away from the optimum are halved, which lifelines does
    not do.  Why not call that: docs/decisions/libraries.md.
    """
    spread = rows.std(axis=0, ddof=1)
    if not target[:, 1].any() or not (spread > 0).all():
        raise InfeasibleError(
            "Cox regression: no event, or a constant feature",
            required=1,
            achieved=0,
            hint="Add rows.",
        )
    deaths = _deaths((rows - rows.mean(axis=0)) / spread, target, ridge, weights)
    beta = _newton(deaths)
    if beta is None:
        raise not_converged(len(rows), ridge)
    return beta / spread


def is_optimum(
    coefficients: Floats, rows: Floats, target: Floats, ridge: float, weights: Floats | None
) -> bool:
    """Whether coefficients are where the penalised likelihood is largest, whoever found them."""
    spread = rows.std(axis=0, ddof=1)
    deaths = _deaths((rows - rows.mean(axis=0)) / spread, target, ridge, weights)
    point = _derivatives(deaths, coefficients * spread)
    # lifelines stops at coarser gradients than we do: what a whole step would still gain decides
    return np.isfinite(point.value) and _gain_left(point) <= 1e-6 and not _is_flat(point, deaths)


def not_converged(n_rows: int, ridge: float) -> ConvergenceError:
    """The error when no optimum was found."""
    return ConvergenceError(
        f"Cox regression on {n_rows} rows with ridge={ridge:g}",
        "One side of some direction may hold all who had the event, so that its hazard ratio is "
        "without bound. Set ridge to 0.01 or more, use fewer components, or add sites.",
    )


def _deaths(rows: Floats, target: Floats, ridge: float, weights: Floats | None) -> _Deaths:
    order = np.argsort(-target[:, 0], kind="stable")
    time, event = target[order, 0], target[order, 1] == 1
    weight = np.ones(len(rows)) if weights is None else np.asarray(weights, np.float64)[order]
    dead = np.flatnonzero(event)
    _, first, tie, size = np.unique(
        -time[dead], return_index=True, return_inverse=True, return_counts=True
    )
    rank = np.arange(len(dead)) - first[tie]
    at_risk = np.searchsorted(-time, -time[dead], side="right") - 1
    mean = (np.bincount(tie, weight[dead]) / size)[tie]
    return _Deaths(rows[order], ridge, dead, tie, rank / size[tie], at_risk, weight, mean)


def _newton(deaths: _Deaths) -> Floats | None:
    """Coefficients of standardised features; None where Newton's method does not converge."""
    beta = np.zeros(deaths.rows.shape[1])
    step, value = np.zeros_like(beta), -np.inf
    for _ in range(MAX_STEPS):
        point = _derivatives(deaths, beta + step)
        # relative: a log-likelihood of -8,700 is known to 1e-12 of itself at best
        if not point.value >= value - ROUNDING * (1 + abs(point.value)):
            step /= 2  # the step went past the optimum
            if np.abs(step).max() < SMALLEST_STEP:
                return None
            continue
        beta, value = beta + step, point.value
        if _is_flat(point, deaths):
            return None
        if np.linalg.norm(point.gradient) / len(deaths.rows) < GRADIENT_PER_ROW:
            return beta
        step = np.linalg.solve(point.curvature, point.gradient)
    return None


def _is_flat(point: _Point, deaths: _Deaths) -> bool:
    """Whether the likelihood hardly bends in some direction: nothing tells how far to go there."""
    return bool(np.linalg.eigvalsh(point.curvature)[0] < FLATTEST * len(deaths.rows))


def _gain_left(point: _Point) -> float:
    """What a whole Newton step would still add to the log-likelihood."""
    return float(point.gradient @ np.linalg.solve(point.curvature, point.gradient) / 2)


def _derivatives(deaths: _Deaths, beta: Floats) -> _Point:
    Z, n = deaths.rows, len(deaths.rows)
    score = Z @ beta
    highest = float(score.max())
    hazard = deaths.weight * np.exp(score - highest)  # as shares of the highest: no overflow
    own, Zd = hazard[deaths.dead], Z[deaths.dead]
    tied = np.bincount(deaths.tie, own)[deaths.tie]
    total = np.cumsum(hazard)[deaths.at_risk] - deaths.share * tied
    if not (total > 0).all():  # too far out: all who were at risk have a hazard of nothing
        return _Point(-np.inf, beta, np.eye(len(beta)))
    tied_rows = _sums_by_tie(deaths.tie, own[:, None] * Zd)[deaths.tie]
    sums = np.cumsum(hazard[:, None] * Z, axis=0)[deaths.at_risk]
    mean = (sums - deaths.share[:, None] * tied_rows) / total[:, None]
    count, each = deaths.tie_weight, deaths.weight[deaths.dead]
    value = each @ score[deaths.dead] - count @ (np.log(total) + highest)
    gradient = each @ Zd - count @ mean - n * deaths.ridge * beta
    # A row's outer product enters once for every death that it was at risk of: adding up the
    # weights first leaves one product of matrices in place of one per death.
    weight = hazard * _later_sums(deaths.at_risk, count / total, n)
    weight[deaths.dead] -= own * np.bincount(deaths.tie, count * deaths.share / total)[deaths.tie]
    curvature = (Z * weight[:, None]).T @ Z - (mean * count[:, None]).T @ mean
    curvature[np.diag_indices_from(curvature)] += n * deaths.ridge
    return _Point(float(value - n * deaths.ridge / 2 * beta @ beta), gradient, curvature)


def _sums_by_tie(tie: NDArray[np.intp], rows: Floats) -> Floats:
    """Sum of the rows of each tie; ties are numbered in the order of the rows."""
    first = np.flatnonzero(np.diff(tie, prepend=-1))
    return np.add.reduceat(rows, first, axis=0)


def _later_sums(at_risk: NDArray[np.intp], amounts: Floats, n_rows: int) -> Floats:
    """For each row, the sum of `amounts` over the deaths whose risk set holds it."""
    ends: Floats = np.bincount(at_risk, amounts, minlength=n_rows).astype(np.float64, copy=False)
    return np.cumsum(ends[::-1])[::-1]
