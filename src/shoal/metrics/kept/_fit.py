"""Linear and logistic regression with weights, and intervals that need no equal variance."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.typing import Flags, Floats

_ROUNDS = 50
_RIDGE = 1e-9  # of the rows: keeps steps finite where classes are told apart without error


class Fit(NamedTuple):
    """Coefficients with standard errors, and which of them the rows determine."""

    coefficients: Floats
    errors: Floats
    is_known: Flags


def fit_linear(features: Floats, target: Floats, weights: Floats) -> Fit:
    """Least squares with weights; the first coefficient is the intercept.

    Standard errors are White's (HC0), which stay right when variances differ and when weights are
    those of a sample.
    """
    x = np.column_stack([np.ones(len(features)), features])
    information = x.T @ (x * weights[:, None])
    inverse = np.linalg.pinv(information, rcond=1e-9, hermitian=True)
    beta = inverse @ (x.T @ (weights * target))
    scores = x * (weights * (target - x @ beta))[:, None]
    return Fit(beta, _errors(inverse, scores), _known(information))


def fit_logistic(features: Floats, target: Floats, weights: Floats) -> Fit:
    """Maximum likelihood by Newton's method; a target between 0 and 1 counts in part.

    Standard errors are those of the sandwich, as in :func:`fit_linear`.
    """
    x = np.column_stack([np.ones(len(features)), features])
    beta = np.zeros(x.shape[1])
    ridge = _RIDGE * weights.sum() * np.eye(len(beta))
    for _ in range(_ROUNDS):
        chance = logistic(x @ beta)
        information = x.T @ (x * (weights * chance * (1 - chance))[:, None]) + ridge
        step = np.linalg.pinv(information, rcond=1e-12, hermitian=True) @ (
            x.T @ (weights * (target - chance)) - ridge @ beta
        )
        longest = float(np.abs(step).max())
        beta = beta + step * min(1.0, 5.0 / max(longest, 1e-300))  # no leap over the maximum
        if longest < 1e-8:
            break
    chance = logistic(x @ beta)
    information = x.T @ (x * (weights * chance * (1 - chance))[:, None])
    scores = x * (weights * (target - chance))[:, None]
    inverse = np.linalg.pinv(information, rcond=1e-9, hermitian=True)
    return Fit(beta, _errors(inverse, scores), _known(x.T @ (x * weights[:, None])))


def logistic(score: Floats) -> Floats:
    """Chance from a score."""
    return np.asarray(1 / (1 + np.exp(-np.clip(score, -500, 500))))


def _errors(inverse: NDArray[np.floating[Any]], scores: Floats) -> Floats:
    return np.asarray(np.sqrt(np.maximum(0, np.diag(inverse @ (scores.T @ scores) @ inverse))))


def _known(information: Floats) -> Flags:
    """Coefficients that no other choice fits as well: none in the null space has a part there."""
    scale = np.sqrt(np.maximum(np.diag(information), 1e-300))
    values, vectors = np.linalg.eigh(information / np.outer(scale, scale))
    free = vectors[:, values < 1e-9 * max(float(values.max()), 1e-300)]
    return np.asarray((np.abs(free) < 1e-6).all(axis=1) & (np.diag(information) > 0))
