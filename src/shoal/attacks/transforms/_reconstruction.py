"""Reconstruction: what random-kernel projections say about the rows behind them."""

from collections.abc import Sequence
from itertools import product

import numpy as np

from shoal.attacks._attack_result import AttackResult, percentiles
from shoal.errors import ParameterError
from shoal.metrics._wilson import wilson
from shoal.typing import Counts, Floats

MOST_COMBINATIONS = 200_000
NEAR = 0.05  # of a feature's range: what counts as found


def linear_view(basis: Floats, projection: Floats, gamma: float | None) -> tuple[Floats, Floats]:
    """Linear equations ``matrix @ x = right`` that a projection gives to someone with B.

    A Gaussian kernel gives the squared distance to every row of B; differences of those are linear,
    so one equation fewer remains.  `gamma` None means a linear kernel.
    """
    if gamma is None:
        return basis, projection
    squared = -np.log(projection) / gamma
    lengths = (basis**2).sum(axis=1)
    return 2 * (basis[1:] - basis[0]), lengths[1:] - lengths[0] - squared[:, 1:] + squared[:, :1]


def feature_bounds(matrix: Floats, right: Floats) -> tuple[Floats, Floats]:
    """Smallest and largest value of each feature in ``{x in [0, 1]^n : matrix x = right}``.

    `right` has one row per person.  With n - 1 equations the set is a segment and the answer is in
    closed form; otherwise a linear programme is solved per feature.
    """
    n = matrix.shape[1]
    if np.linalg.matrix_rank(matrix) == n - 1:
        return _segments(matrix, right)
    from scipy.optimize import linprog  # noqa: PLC0415  slow to import

    low, high = np.zeros((len(right), n)), np.ones((len(right), n))
    for i, target in enumerate(right):
        for j in range(n):
            aim = np.zeros(n)
            aim[j] = 1.0
            for sign, bound in ((1, low), (-1, high)):
                solved = linprog(sign * aim, A_eq=matrix, b_eq=target, bounds=(0, 1))
                if solved.success:
                    bound[i, j] = sign * solved.fun
    return low, high


def _segments(matrix: Floats, right: Floats) -> tuple[Floats, Floats]:
    start, direction = right @ np.linalg.pinv(matrix).T, np.linalg.svd(matrix)[2][-1]
    moving = np.abs(direction) > 1e-12
    ends = np.stack([(0 - start[:, moving]), (1 - start[:, moving])]) / direction[moving]
    first = ends.min(axis=0).max(axis=1, keepdims=True)
    last = ends.max(axis=0).min(axis=1, keepdims=True)
    a, b = start + first * direction, start + last * direction
    return np.clip(np.minimum(a, b), 0, 1), np.clip(np.maximum(a, b), 0, 1)


def possible_people(
    matrix: Floats, right: Floats, grids: Sequence[Floats], tolerance: float = 1e-6
) -> tuple[Counts, Floats]:
    """How many rows made of agreed values have each projection, and the first of them.

    Features hold whole numbers, scores, codes: `grids` lists the scaled values each can take.  As
    many features as equations are missing are tried out, those with the fewest values; the rest
    follow and must fall on their grids.
    """
    n, equations = matrix.shape[1], matrix.shape[0]
    by_size = sorted(range(n), key=lambda j: len(grids[j]))
    free, rest = by_size[: n - equations], by_size[n - equations :]
    combinations = int(np.prod([len(grids[j]) for j in free]))
    if combinations > MOST_COMBINATIONS:
        raise ParameterError(
            f"{combinations} combinations of values would have to be tried; "
            f"at most {MOST_COMBINATIONS} are."
        )
    inverse = np.linalg.inv(matrix[:, rest])
    counts, first = np.zeros(len(right), np.int64), np.full((len(right), n), np.nan)
    for values in product(*(grids[j] for j in free)):
        others = (right - matrix[:, free] @ np.array(values)) @ inverse.T
        fits = np.ones(len(right), np.bool_)
        snapped = np.empty_like(others)
        for column, j in enumerate(rest):
            snapped[:, column] = _nearest(grids[j], others[:, column])
            fits &= np.abs(snapped[:, column] - others[:, column]) <= tolerance
        new = fits & (counts == 0)
        first[np.ix_(new, rest)] = snapped[new]
        first[np.ix_(new, free)] = values
        counts += fits
    return counts, first


def _nearest(grid: Floats, values: Floats) -> Floats:
    above = np.clip(np.searchsorted(grid, values), 1, max(len(grid) - 1, 1))
    left, right = grid[above - 1], grid[np.minimum(above, len(grid) - 1)]
    return np.where(values - left <= right - values, left, right)


def exact_attack(
    rows: Floats, matrix: Floats, right: Floats, grids: Sequence[Floats], *, who: str = "known B"
) -> AttackResult:
    """Share of people whose whole row is the only possible one behind their projection.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_features)
        The truth, scaled to [0, 1].
    matrix, right : ndarray
        Equations that the projections give: ``matrix @ row == right``.
    grids : sequence of ndarray
        Scaled values that each feature can take.
    who : str
        What the attacker knows, for the report.

    Examples
    --------
    Age and a yes or no, published as one weighted sum.

    >>> ages, flags = np.linspace(0, 1, 41), np.array([0.0, 1.0])
    >>> rows = np.array([[0.25, 0.0], [0.5, 1.0], [1.0, 1.0]])
    >>> matrix = np.array([[1.0, 0.37]])
    >>> exact_attack(rows, matrix, rows @ matrix.T, [ages, flags]).risk
    1.0
    """
    counts, first = possible_people(matrix, right, grids)
    recovered = (counts == 1) & (np.abs(first - rows) < 1e-9).all(axis=1)
    low, high = wilson(int(recovered.sum()), len(rows))
    distinct = np.unique(rows, axis=0, return_counts=True)[1]
    return AttackResult(
        attack=f"{who}, features stored as whole numbers",
        measure="share of rows recovered exactly",
        risk=float(recovered.mean()),
        low=low,
        high=high,
        baseline=float(distinct.max() / len(rows)),
        trials=len(rows),
        details={"possible_rows_median": float(np.median(counts))},
    )


def estimate_basis(known: Floats, projection: Floats) -> Floats | None:
    """Recover B from at least as many known rows as there are features; None from fewer.

    A linear projection is ``B x``: each known row is one equation for every row of B.
    """
    if np.linalg.matrix_rank(known) < known.shape[1]:
        return None
    return np.asarray(np.linalg.lstsq(known, projection, rcond=None)[0].T, np.float64)


def reconstruction_attack(
    rows: Floats,
    matrix: Floats | None,
    projection: Floats,
    n_known: int,
    *,
    is_linear: bool = True,
    repeats: int = 50,
    random_state: int = 0,
) -> AttackResult:
    """Recover people's features from projections, with `n_known` known rows.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_features)
        The truth, scaled to [0, 1].
    matrix : ndarray of shape (n_components, n_features) or None
        B, for an attacker who has it (any site, or whoever a site tells); None for one who has
        only the published projections and known rows.
    projection : ndarray of shape (n_rows, n_components)
        What was published; with a known B and a Gaussian kernel, what `linear_view` gives.
    n_known : int
        Randomly chosen rows that the attacker knows in full.
    is_linear : bool, default=True
        Whether the attacker without B may take the projection for a linear one, and solve for B.
    repeats : int
        Random choices behind the interval.
    random_state : int
        Seed of the choices.

    Returns
    -------
    AttackResult
        `risk` is the share of the other people's feature values found within 5 % of the range;
        the baseline guesses the mean of the known rows (the middle of the range without any).
        ``details`` has the root mean squared errors of both.

    Examples
    --------
    Three numbers per person, of four features: half of the values can be worked out.

    >>> rng = np.random.default_rng(0)
    >>> rows, basis = rng.random((100, 4)), rng.normal(size=(3, 4))
    >>> found = reconstruction_attack(rows, basis, rows @ basis.T, n_known=0)
    >>> found.risk > 2 * found.baseline
    True
    """
    if not 0 <= n_known < len(rows):
        raise ParameterError(f"n_known must be from 0 to {len(rows) - 1}, got {n_known}.")
    rng = np.random.default_rng(random_state)
    successes, guessed, errors, plain = [], [], [], []
    for _ in range(repeats):
        known = rng.choice(len(rows), n_known, replace=False)
        others = np.setdiff1d(np.arange(len(rows)), known)
        centre = rows[known].mean(axis=0) if n_known else np.full(rows.shape[1], 0.5)
        solved = matrix
        if matrix is None and is_linear:
            solved = estimate_basis(rows[known], projection[known])
        estimate = _estimate(rows[known], projection[known], projection[others], solved, centre)
        truth = rows[others]
        successes.append((np.abs(estimate - truth) <= NEAR).mean())
        guessed.append((np.abs(centre - truth) <= NEAR).mean())
        errors.append(np.sqrt(((estimate - truth) ** 2).mean()))
        plain.append(np.sqrt(((centre - truth) ** 2).mean()))
    low, high = percentiles(np.array(successes))
    risk = float(np.mean(successes))
    who = "known B" if matrix is not None else "unknown B"
    return AttackResult(
        attack=f"{who}, {n_known} known rows",
        measure="share of feature values found",
        risk=risk,
        low=min(low, risk),
        high=max(high, risk),
        baseline=float(np.mean(guessed)),
        trials=repeats,
        details={
            "n_known": n_known,
            "error": float(np.mean(errors)),
            "error_baseline": float(np.mean(plain)),
        },
    )


def _estimate(
    known: Floats, known_right: Floats, right: Floats, matrix: Floats | None, centre: Floats
) -> Floats:
    """Rows nearest to what is known that have the given projections."""
    if matrix is None:
        # Regression of rows on projections; with fewer known rows than components, of least norm.
        if len(known) == 0:
            return np.tile(centre, (len(right), 1))
        shift = known_right.mean(axis=0)
        weights: Floats = np.linalg.lstsq(known_right - shift, known - centre, rcond=None)[0]
        return np.clip(centre + (right - shift) @ weights, 0, 1)
    start = centre + (right - matrix @ centre) @ np.linalg.pinv(matrix).T
    return np.clip(start, 0, 1)
