"""Coefficients of a Cox model, and nothing else: what a study with thousands of fits needs."""

import numpy as np

from shoal.errors import InfeasibleError
from shoal.typing import Floats

MAX_STEPS = 50
GRADIENT_PER_ROW = (
    1e-9  # norm of the gradient per row, as in lifelines' default precision or better
)


def cox_coefficients(rows: Floats, target: Floats, ridge: float = 0.0) -> Floats:
    """Log hazard ratios with Efron's ties and lifelines' ridge penalty, by Newton's method.

    `target` has the columns time and event.  The penalty is ``n ridge |b|^2 / 2`` on standardised
    features, as lifelines defines it; the result equals its ``CoxPHFitter(penalizer=ridge)``.
    """
    spread = rows.std(axis=0, ddof=1)
    if not target[:, 1].any() or not (spread > 0).all():
        raise InfeasibleError(
            "Cox regression: no event, or a constant feature",
            required=1,
            achieved=0,
            hint="Add rows.",
        )
    Z = (rows - rows.mean(axis=0)) / spread
    order = np.lexsort((-target[:, 1], -target[:, 0]))  # latest first: risk sets are prefixes
    Z, time, event = Z[order], target[order, 0], target[order, 1] == 1
    ties = [np.flatnonzero(event & (time == t)) for t in np.unique(time[event])]
    last = [int(np.flatnonzero(time >= time[dead[0]])[-1]) for dead in ties]
    beta, value = np.zeros(rows.shape[1]), -np.inf
    step = np.zeros_like(beta)
    for _ in range(MAX_STEPS):
        found = _derivatives(Z, ties, last, beta + step, ridge)
        if not found[0] >= value - 1e-12:
            step /= 2  # overshot
            if np.abs(step).max() < 1e-12:
                break
            continue
        beta, (value, gradient, curvature) = beta + step, found
        if np.linalg.norm(gradient) / len(Z) < GRADIENT_PER_ROW:
            return beta / spread
        try:
            step = np.linalg.solve(curvature, gradient)
        except np.linalg.LinAlgError:
            break
    raise InfeasibleError(
        f"Cox regression on {len(rows)} rows with ridge={ridge:g} did not converge",
        required=1,
        achieved=0,
        hint="Raise ridge, use fewer components, or add sites.",
    )


def _derivatives(
    Z: Floats, ties: list[np.ndarray], last: list[int], beta: Floats, ridge: float
) -> tuple[float, Floats, Floats]:
    """Penalised log-likelihood, its gradient, and minus its Hessian."""
    score = Z @ beta
    if np.abs(score).max() > 500:
        return -np.inf, beta, np.eye(len(beta))
    weight = np.exp(score)
    sums = np.cumsum(weight)
    firsts = np.cumsum(weight[:, None] * Z, axis=0)
    seconds = np.cumsum(weight[:, None, None] * Z[:, :, None] * Z[:, None, :], axis=0)
    n = len(Z)
    value = -n * ridge / 2 * float(beta @ beta)
    gradient = -n * ridge * beta
    curvature = n * ridge * np.eye(len(beta))
    for dead, end in zip(ties, last, strict=True):
        own, Zd = weight[dead], Z[dead]
        tied = (own.sum(), own @ Zd, np.einsum("i,ij,ik->jk", own, Zd, Zd))
        value += score[dead].sum()
        gradient = gradient + Zd.sum(axis=0)
        for k in range(len(dead)):
            share = k / len(dead)
            total = sums[end] - share * tied[0]
            mean = (firsts[end] - share * tied[1]) / total
            value -= np.log(total)
            gradient = gradient - mean
            curvature += (seconds[end] - share * tied[2]) / total - np.outer(mean, mean)
    return float(value), gradient, curvature
