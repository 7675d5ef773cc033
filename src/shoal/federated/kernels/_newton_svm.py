"""The Newton-Lagrangian support vector machine in (components + 1) dimensions."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from shoal.errors import ConvergenceError
from shoal.typing import Flags, Floats

ROWS_FOR_ONE_BLAS_THREAD = 20_000  # from this many rows on, one BLAS thread beats several
BLOCK = 65536  # rows whose active part is copied at a time
SHORTEST_STEP = 1e-10  # a line search gives up below this share of the Newton step


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


class _Problem(NamedTuple):
    """Rows, their classes as -1 and +1, and the price of each row's squared error."""

    rows: Floats
    signs: Floats
    cost: Floats


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
    system in components + 1 unknowns and costs one pass over the rows.  Why this is not
    scikit-learn's ``LinearSVC``: docs/decisions/libraries.md.

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
    problem = _Problem(rows, signs, cost)
    if len(rows) < ROWS_FOR_ONE_BLAS_THREAD:
        return _solve(problem, tol, max_iter)
    # The matrices are tall and narrow: several BLAS threads spend more time waiting for one
    # another than multiplying, and take several times as long as one.
    with threadpool_limits(1, user_api="blas"):
        return _solve(problem, tol, max_iter)


def _solve(problem: _Problem, tol: float, max_iter: int) -> Plane:
    n_rows, n_components = problem.rows.shape
    z = np.zeros(n_components + 1)
    slack = np.ones(n_rows)
    active: Flags = np.zeros(n_rows, np.bool_)
    curvature = np.eye(len(z))
    gradient = _gradient(problem, slack, z)
    enough = tol * (1 + 1e-6 * float(np.linalg.norm(gradient)))
    for step in range(max_iter + 1):
        norm = float(np.linalg.norm(gradient))
        if norm <= enough:
            # Slacks were updated from step to step, and rounding adds up: recompute them from the
            # rows before the result is called optimal.
            slack = 1 - problem.signs * _scores(problem.rows, z)
            gradient = _gradient(problem, slack, z)
            norm = float(np.linalg.norm(gradient))
            if norm <= enough:
                return Plane(z[:-1].copy(), float(z[-1]), _value(problem, slack, z), norm, step)
        now = slack > 0
        # Few rows change sides in a late step, so the Hessian is corrected, not computed anew.
        curvature = curvature + _curvature_change(problem, active, now)
        active = now
        direction: Floats = np.negative(np.linalg.solve(curvature, gradient), dtype=np.float64)
        z, slack = _line_search(problem, z, slack, float(gradient @ direction), direction)
        gradient = _gradient(problem, slack, z)
    raise ConvergenceError(
        f"Newton SVM with tol={tol:g} in {max_iter} steps (gradient "
        f"{float(np.linalg.norm(gradient)):.3g})",
        "Raise max_iter or tol, or lower nu.",
    )


def _scores(rows: Floats, z: Floats) -> Floats:
    return rows @ z[:-1] - z[-1]


def _value(problem: _Problem, slack: Floats, z: Floats) -> float:
    positive = np.maximum(slack, 0)
    return float(z @ z / 2 + (problem.cost * positive) @ positive / 2)


def _gradient(problem: _Problem, slack: Floats, z: Floats) -> Floats:
    pull = problem.cost * np.maximum(slack, 0) * problem.signs
    return z - np.append(problem.rows.T @ pull, -pull.sum())


def _curvature_change(problem: _Problem, old: Flags, new: Flags) -> Floats:
    """What rows that became active add to the Hessian, less those that stopped being so."""
    rows, cost = problem.rows, problem.cost
    size = rows.shape[1] + 1
    change = np.zeros((size, size))
    for start in range(0, len(rows), BLOCK):  # a copy of all moved rows could double the memory
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
    problem: _Problem, z: Floats, slack: Floats, slope: float, direction: Floats
) -> tuple[Floats, Floats]:
    """Armijo steps along the Newton direction; the full step is tried first."""
    # Slacks are linear in z: one product with the rows serves every length that is tried.
    change = -problem.signs * _scores(problem.rows, direction)
    before = _value(problem, slack, z)
    length = 1.0
    while length > SHORTEST_STEP:
        tried = _value(problem, slack + length * change, z + length * direction)
        # The last term forgives rounding, which exceeds the expected gain near the optimum.
        if tried <= before + 1e-4 * length * slope + 1e-13 * abs(before):
            break
        length /= 2
    return z + length * direction, slack + length * change
