"""Bracketing: order is published, so a few known people bound everyone else."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.attacks._attack_result import AttackResult, percentiles
from shoal.errors import ParameterError
from shoal.typing import Floats


def bracket(
    published: ArrayLike,
    known: NDArray[np.intp],
    known_values: ArrayLike,
    domain: tuple[float, float],
) -> tuple[Floats, Floats]:
    """Bounds that order alone gives for every row.

    Parameters
    ----------
    published : array-like
        Encoded values of all rows.
    known : ndarray of int
        Rows whose values the attacker knows.
    known_values : array-like
        Those values.
    domain : (low, high)
        What everyone knows the values to lie between.

    Returns
    -------
    low, high : ndarray
        Bounds of each row's value.
    """
    y, x = np.asarray(published, np.float64), np.asarray(known_values, np.float64)
    order = np.argsort(y[known], kind="stable")
    marks, values = y[known][order], x[order]
    below = np.searchsorted(marks, y, side="right") - 1
    above = np.searchsorted(marks, y, side="left")
    padded_low = np.concatenate([[domain[0]], values])
    padded_high = np.concatenate([values, [domain[1]]])
    return padded_low[below + 1], padded_high[above]


def interpolate(published: ArrayLike, known: NDArray[np.intp], known_values: ArrayLike) -> Floats:
    """Best guess from known pairs: straight lines between them, extended beyond the outermost.

    Exact from two pairs on when the ranges are uniform.
    """
    y, x = np.asarray(published, np.float64), np.asarray(known_values, np.float64)
    marks, first = np.unique(y[known], return_index=True)
    values = x[first]
    if len(marks) < 2:
        return np.full(len(y), values[0] if len(values) else np.nan)
    piece = np.clip(np.searchsorted(marks, y) - 1, 0, len(marks) - 2)
    slope = (values[piece + 1] - values[piece]) / (marks[piece + 1] - marks[piece])
    return values[piece] + slope * (y - marks[piece])


def bracketing_attack(
    values: ArrayLike,
    published: ArrayLike,
    n_known: int,
    *,
    column: str = "column",
    tolerance: float = 0.0,
    domain: tuple[float, float] | None = None,
    repeats: int = 100,
    random_state: int = 0,
) -> AttackResult:
    """Share of other people's values that `n_known` known ones give away.

    Parameters
    ----------
    values, published : array-like
        Original and encoded values of the same rows.
    n_known : int
        Randomly chosen people whose values the attacker knows.
    column : str
        Name for the report.
    tolerance : float, default=0.0
        How near counts as found, in the column's unit; half a stored step is always allowed.
    domain : (low, high) or None
        Publicly known limits; None is the smallest and largest value.
    repeats : int
        Random choices of known people behind the interval.
    random_state : int
        Seed of the choices.

    Returns
    -------
    AttackResult
        `risk` is the share of unknown rows found within the tolerance by interpolation; the
        baseline guesses the best single value.  ``details`` has the mean width of the brackets
        that order alone gives, as a share of the domain (1 without known people), and the share of
        rows bracketed to one value.

    Examples
    --------
    Two known people give a straight line away.

    >>> ages = np.arange(20.0, 60.0)
    >>> bracketing_attack(ages, 3 * ages + 7, 2).risk
    1.0
    """
    x, y = np.asarray(values, np.float64), np.asarray(published, np.float64)
    keep = ~(np.isnan(x) | np.isnan(y))
    x, y = x[keep], y[keep]
    if not 0 <= n_known < len(x):
        raise ParameterError(f"n_known must be from 0 to {len(x) - 1}, got {n_known}.")
    limits = (float(x.min()), float(x.max())) if domain is None else domain
    rng = np.random.default_rng(random_state)
    near = tolerance + half_step(x)
    successes, widths, exact = [], [], []
    for _ in range(repeats):
        known = rng.choice(len(x), n_known, replace=False)
        others = np.ones(len(x), np.bool_)
        others[known] = False
        low, high = bracket(y, known, x[known], limits)
        width = (high - low)[others] / max(limits[1] - limits[0], 1e-300)
        widths.append(width.mean())
        exact.append((width <= 0).mean())
        guess = interpolate(y, known, x[known]) if n_known else np.full(len(x), np.mean(limits))
        successes.append((np.abs(guess - x)[others] <= near).mean())
    return values_found(
        f"{n_known} known values of '{column}'",
        successes,
        best_single(x, near),
        {
            "n_known": n_known,
            "bracket_width": float(np.mean(widths)),
            "bracketed_exactly": float(np.mean(exact)),
            "tolerance": near,
        },
    )


def values_found(
    attack: str, shares: Sequence[float], baseline: float, details: Mapping[str, Any]
) -> AttackResult:
    """What an attack came to that found these shares of other people's values, try by try."""
    low, high = percentiles(np.array(shares))
    risk = float(np.mean(shares))
    return AttackResult(
        attack=attack,
        measure="share of other values found",
        risk=risk,
        low=min(low, risk),
        high=max(high, risk),
        baseline=baseline,
        trials=len(shares),
        details=details,
    )


def half_step(values: Floats) -> float:
    """Just less than half of the least difference between two values; 0 where all are one."""
    distinct = np.unique(values)
    return float(np.diff(distinct).min() / 2.001) if len(distinct) > 1 else 0.0


def best_single(values: Floats, near: float) -> float:
    """Largest share of rows within `near` of one value."""
    ordered = np.sort(values)
    count = np.searchsorted(ordered, ordered + near, side="right") - np.searchsorted(
        ordered, ordered - near, side="left"
    )
    return float(count.max() / len(ordered))
