"""The Newton-Lagrangian support vector machine in (components + 1) dimensions."""

from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from shoal.errors import InfeasibleError
from shoal.typing import Flags, Floats

ROWS_FOR_ONE_BLAS_THREAD = 20_000  # rows from which it pays to calm BLAS down
BLOCK = 65536  # rows whose active part is copied at a time


@dataclass(frozen=True)
class Plane:
    """The plane ``x'w = gamma`` and how exactly it was found.

    Because the objective is strongly convex with modulus 1, `gradient_norm` bounds the Euclidean
    distance of (w, gamma) from the optimum.
    """

    w: Floats
    gamma: float
    objective: float
    gradient_norm: float
    n_iter: int


def newton_svm(
    rows: Floats,
    signs: Floats,
    nu: float,
    weights: Floats | None = None,
    *,
    tol: float = 1e-8,
    max_iter: int = 100,
) -> Plane:
    """Minimise ``nu/2 |y|^2 + (w'w + gamma^2)/2`` with ``signs (rows w - gamma) + y >= 1``.

    Eliminating y leaves a piecewise quadratic function of (w, gamma).  Each Newton step solves a
    system in components + 1 unknowns and costs one pass over the rows.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_components)
        Projected rows.
    signs : ndarray of shape (n_rows,)
        Classes as -1 and +1.
    nu : float
        Weight of the errors.
    weights : ndarray of shape (n_rows,) or None
        Weight of each row's squared error; None is 1.
    tol : float
        Largest gradient norm accepted, relative to 1 + the gradient norm at zero times 1e-6.
    max_iter : int
        Newton steps before giving up.

    Returns
    -------
    Plane
        The optimum.
    """
    cost = np.full(len(rows), float(nu)) if weights is None else nu * weights
    if len(rows) < ROWS_FOR_ONE_BLAS_THREAD:
        return _solve(rows, signs, cost, tol, max_iter)
    # Products of tall, narrow matrices run several times faster on one BLAS thread than on two.
    with threadpool_limits(1, user_api="blas"):
        return _solve(rows, signs, cost, tol, max_iter)


def _solve(rows: Floats, signs: Floats, cost: Floats, tol: float, max_iter: int) -> Plane:
    z = np.zeros(rows.shape[1] + 1)
    slack = np.ones(len(rows))
    active: Flags = np.zeros(len(rows), np.bool_)
    curvature = np.eye(len(z))
    gradient = _gradient(rows, signs, cost, slack, z)
    enough = tol * (1 + 1e-6 * float(np.linalg.norm(gradient)))
    for step in range(max_iter + 1):
        norm = float(np.linalg.norm(gradient))
        if norm <= enough:
            # Slacks were carried along from step to step: compute them anew before believing.
            slack = 1 - signs * _scores(rows, z)
            gradient = _gradient(rows, signs, cost, slack, z)
            norm = float(np.linalg.norm(gradient))
            if norm <= enough:
                value = _value(z, cost, slack)
                return Plane(z[:-1].copy(), float(z[-1]), value, norm, step)
        now = slack > 0
        curvature = curvature + _curvature_change(rows, cost, active, now)
        active = now
        direction: Floats = np.negative(np.linalg.solve(curvature, gradient), dtype=np.float64)
        z, slack = _line_search(rows, signs, cost, z, slack, gradient, direction)
        gradient = _gradient(rows, signs, cost, slack, z)
    raise InfeasibleError(
        f"Newton SVM with tol={tol:g} in {max_iter} steps",
        required=enough,
        achieved=float(np.linalg.norm(gradient)),
        hint="Raise max_iter or tol, or lower nu.",
    )


def _scores(rows: Floats, z: Floats) -> Floats:
    return rows @ z[:-1] - z[-1]


def _value(z: Floats, cost: Floats, slack: Floats) -> float:
    positive = np.maximum(slack, 0)
    return float(z @ z / 2 + (cost * positive) @ positive / 2)


def _gradient(rows: Floats, signs: Floats, cost: Floats, slack: Floats, z: Floats) -> Floats:
    pull = cost * np.maximum(slack, 0) * signs
    return z - np.append(rows.T @ pull, -pull.sum())


def _curvature_change(rows: Floats, cost: Floats, old: Flags, new: Flags) -> Floats:
    """What rows that became active add to the Hessian, less those that stopped being so."""
    size = rows.shape[1] + 1
    change = np.zeros((size, size))
    for start in range(0, len(rows), BLOCK):
        block = slice(start, start + BLOCK)
        moved = np.flatnonzero(old[block] != new[block])
        if len(moved) == 0:
            continue
        whole = len(moved) == len(old[block])
        part = rows[block] if whole else rows[block][moved]
        signed = np.where(new[block][moved], cost[block][moved], -cost[block][moved])
        weighted = part * signed[:, None]
        change[:-1, :-1] += part.T @ weighted
        change[:-1, -1] -= weighted.sum(axis=0)
        change[-1, -1] += signed.sum()
    change[-1, :-1] = change[:-1, -1]
    return change


def _line_search(
    rows: Floats,
    signs: Floats,
    cost: Floats,
    z: Floats,
    slack: Floats,
    gradient: Floats,
    direction: Floats,
) -> tuple[Floats, Floats]:
    """Armijo steps along the Newton direction; the full step is tried first."""
    slope = float(gradient @ direction)
    change = -signs * _scores(rows, direction)
    before = _value(z, cost, slack)
    length = 1.0
    while length > 1e-10:
        tried = z + length * direction
        value = _value(tried, cost, slack + length * change)
        if value <= before + 1e-4 * length * slope + 1e-13 * abs(before):
            break
        length /= 2
    return z + length * direction, slack + length * change
