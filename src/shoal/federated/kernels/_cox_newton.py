"""Coefficients of a Cox model, and nothing else: what a study with thousands of fits needs."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InfeasibleError
from shoal.typing import Floats

MAX_STEPS = 50
GRADIENT_PER_ROW = 1e-9  # accepted norm of the gradient, as lifelines accepts it or tighter
SMALLEST_STEP = 1e-12
LARGEST_LOG_HAZARD = 500  # exp overflows a double from 709 on; sums of many such need room


class _Deaths(NamedTuple):
    """Standardised rows, latest first, so that everyone still at risk is a prefix of the rows."""

    rows: Floats
    ridge: float
    dead: NDArray[np.intp]  # rows with the event, by time
    tie: NDArray[np.intp]  # for each of them, which time of death it shares
    share: Floats  # for each of them, how much of its tie Efron counts as gone already
    at_risk: NDArray[np.intp]  # for each of them, the last row still at risk


class _Point(NamedTuple):
    """Penalised log-likelihood, its gradient, and minus its Hessian."""

    value: float
    gradient: Floats
    curvature: Floats


def cox_coefficients(rows: Floats, target: Floats, ridge: float = 0.0) -> Floats:
    """Log hazard ratios with Efron's ties and lifelines' ridge penalty, by Newton's method.

    `target` has the columns time and event.  The penalty is ``n ridge |b|^2 / 2`` on standardised
    features, as lifelines defines it; the result equals its ``CoxPHFitter(penalizer=ridge)``.
    Why not call that: docs/decisions/libraries.md.
    """
    spread = rows.std(axis=0, ddof=1)
    if not target[:, 1].any() or not (spread > 0).all():
        raise InfeasibleError(
            "Cox regression: no event, or a constant feature",
            required=1,
            achieved=0,
            hint="Add rows.",
        )
    deaths = _deaths((rows - rows.mean(axis=0)) / spread, target, ridge)
    beta = _newton(deaths)
    if beta is None:
        raise InfeasibleError(
            f"Cox regression on {len(rows)} rows with ridge={ridge:g} did not converge",
            required=1,
            achieved=0,
            hint="Raise ridge, use fewer components, or add sites.",
        )
    return beta / spread


def _deaths(rows: Floats, target: Floats, ridge: float) -> _Deaths:
    order = np.argsort(-target[:, 0], kind="stable")
    time, event = target[order, 0], target[order, 1] == 1
    dead = np.flatnonzero(event)
    _, first, tie, size = np.unique(
        -time[dead], return_index=True, return_inverse=True, return_counts=True
    )
    rank = np.arange(len(dead)) - first[tie]
    at_risk = np.searchsorted(-time, -time[dead], side="right") - 1
    return _Deaths(rows[order], ridge, dead, tie, rank / size[tie], at_risk)


def _newton(deaths: _Deaths) -> Floats | None:
    """Coefficients of standardised features; None where Newton's method does not converge."""
    beta = np.zeros(deaths.rows.shape[1])
    step, value = np.zeros_like(beta), -np.inf
    for _ in range(MAX_STEPS):
        point = _derivatives(deaths, beta + step)
        if not point.value >= value - 1e-12:
            step /= 2  # the step went past the optimum
            if np.abs(step).max() < SMALLEST_STEP:
                return None
            continue
        beta, value = beta + step, point.value
        if np.linalg.norm(point.gradient) / len(deaths.rows) < GRADIENT_PER_ROW:
            return beta
        try:
            step = np.linalg.solve(point.curvature, point.gradient)
        except np.linalg.LinAlgError:
            return None
    return None


def _derivatives(deaths: _Deaths, beta: Floats) -> _Point:
    Z, n = deaths.rows, len(deaths.rows)
    score = Z @ beta
    if np.abs(score).max() > LARGEST_LOG_HAZARD:
        return _Point(-np.inf, beta, np.eye(len(beta)))
    hazard = np.exp(score)
    own, Zd = hazard[deaths.dead], Z[deaths.dead]
    tied = np.bincount(deaths.tie, own)[deaths.tie]
    tied_rows = _sums_by_tie(deaths.tie, own[:, None] * Zd)[deaths.tie]
    total = np.cumsum(hazard)[deaths.at_risk] - deaths.share * tied
    sums = np.cumsum(hazard[:, None] * Z, axis=0)[deaths.at_risk]
    mean = (sums - deaths.share[:, None] * tied_rows) / total[:, None]
    value = score[deaths.dead].sum() - np.log(total).sum() - n * deaths.ridge / 2 * beta @ beta
    gradient = Zd.sum(axis=0) - mean.sum(axis=0) - n * deaths.ridge * beta
    # A row's outer product enters once for every death that it was at risk of: adding up the
    # weights first leaves one product of matrices in place of one per death.
    weight = hazard * _later_sums(deaths.at_risk, 1 / total, n)
    weight[deaths.dead] -= own * np.bincount(deaths.tie, deaths.share / total)[deaths.tie]
    curvature = (Z * weight[:, None]).T @ Z - mean.T @ mean
    curvature[np.diag_indices_from(curvature)] += n * deaths.ridge
    return _Point(float(value), gradient, curvature)


def _sums_by_tie(tie: NDArray[np.intp], rows: Floats) -> Floats:
    """Sum of the rows of each tie; ties are numbered in the order of the rows."""
    first = np.flatnonzero(np.diff(tie, prepend=-1))
    return np.add.reduceat(rows, first, axis=0)


def _later_sums(at_risk: NDArray[np.intp], amounts: Floats, n_rows: int) -> Floats:
    """For each row, the sum of `amounts` over the deaths whose risk set holds it."""
    ends: Floats = np.bincount(at_risk, amounts, minlength=n_rows).astype(np.float64, copy=False)
    return np.cumsum(ends[::-1])[::-1]
