"""The Newton-Lagrangian SVM's problem solved as the quadratic programme that it is."""

import numpy as np
from scipy.optimize import nnls


def quadratic_programme(rows, signs, nu, weights=None):
    """(w, gamma) from the dual: min a'Qa/2 - e'a, a >= 0, by an active-set method."""
    weights = np.ones(len(rows)) if weights is None else weights
    H = signs[:, None] * np.column_stack([rows, -np.ones(len(rows))])
    Q = np.diag(1 / (nu * weights)) + H @ H.T
    L = np.linalg.cholesky(Q)
    multipliers, _ = nnls(L.T, np.linalg.solve(L, np.ones(len(rows))), maxiter=100 * len(rows))
    z = H.T @ multipliers
    return z[:-1], z[-1]


def objective(rows, signs, nu, w, gamma, weights=None):
    weights = np.ones(len(rows)) if weights is None else weights
    slack = np.maximum(1 - signs * (rows @ w - gamma), 0)
    return nu / 2 * (weights * slack**2).sum() + (w @ w + gamma**2) / 2
