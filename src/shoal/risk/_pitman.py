"""Pitman's model of how people fall into groups, fitted to a sample."""

from __future__ import annotations

import numpy as np
from scipy.special import digamma, expit, gammaln

from shoal.risk._size_counts import SizeCounts
from shoal.typing import Floats

_FLAT = 1e-4


def estimate_pitman(counts: SizeCounts, fraction: float) -> float:
    """People alone in the population, by the most likely Ewens-Pitman model [Hos01]_.

    With parameters theta and alpha of the most likely model, gamma(theta + 1) /
    gamma(theta + alpha) * N^alpha of the N people are alone.  NaN where no model is the most
    likely one.

    References
    ----------
    .. [Hos01] N. Hoshino.  Applying Pitman's sampling formula to microdata disclosure risk
       assessment.  Journal of Official Statistics 17(4), 2001.
    """
    if counts.sizes.max() == 1:  # everybody is alone: the likelihood grows without end
        return float("nan")
    point = _top(counts)
    if point is None:
        return float("nan")
    theta, alpha = float(np.exp(point[0])), float(expit(point[1]))
    people = counts.n_rows / fraction
    alone = gammaln(theta + 1) - gammaln(theta + alpha) + alpha * np.log(people)
    return float(np.exp(alone))


def _top(counts: SizeCounts) -> Floats | None:
    """Where the likelihood is largest: where its slope is zero, from a start or from uphill."""
    from scipy.optimize import minimize, root  # noqa: PLC0415  slow to import

    for start in _starts(counts):
        near = root(lambda point: _cost(point, counts)[1], start, tol=1e-12)
        if near.success and _cost(near.x, counts)[0] <= _cost(start, counts)[0]:
            return near.x
        uphill = minimize(
            _cost, start, args=(counts,), jac=True, method="L-BFGS-B", bounds=[(-20, 30), (-30, 30)]
        )
        near = root(lambda point: _cost(point, counts)[1], uphill.x, tol=1e-12)
        flat = np.abs(_cost(near.x, counts)[1]).max() < _FLAT
        if flat and _cost(near.x, counts)[0] <= uphill.fun + 1e-6 * abs(uphill.fun):
            return near.x
    return None


def _starts(counts: SizeCounts) -> list[Floats]:
    share = counts.of(1) / counts.n_groups
    alpha = min(max(share, 0.05), 0.95)
    theta = max(1.0, counts.n_groups * (1 - alpha))
    return [np.array([np.log(theta), np.log(alpha / (1 - alpha))]), np.zeros(2)]


# a step of the search may leave what numbers can hold: it is NaN there, and not taken
@np.errstate(divide="ignore", over="ignore", invalid="ignore")
def _cost(point: Floats, counts: SizeCounts) -> tuple[float, Floats]:
    """Minus the log-likelihood, by log(theta) and logit(alpha), and its slope."""
    theta, alpha = np.exp(point[0]), expit(point[1])
    n, u = counts.n_rows, counts.n_groups
    sizes, groups = counts.sizes, counts.groups
    ratio = theta / alpha
    # sums of log(theta + i alpha), i < u; of log(theta + i), i < n; of log(j - alpha), j < size
    opened = (u - 1) * np.log(alpha) + gammaln(ratio + u) - gammaln(ratio + 1)
    rows = gammaln(theta + n) - gammaln(theta + 1)
    joined = (groups * (gammaln(sizes - alpha) - gammaln(1 - alpha))).sum()
    by_ratio = digamma(ratio + u) - digamma(ratio + 1)
    by_theta = by_ratio / alpha - (digamma(theta + n) - digamma(theta + 1))
    by_alpha = (u - 1) / alpha - ratio / alpha * by_ratio
    by_alpha -= (groups * (digamma(sizes - alpha) - digamma(1 - alpha))).sum()
    slope = np.array([by_theta * theta, by_alpha * alpha * (1 - alpha)])
    return -float(opened - rows + joined), -slope
