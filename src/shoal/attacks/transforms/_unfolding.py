"""Unfolding: fractions with small denominators tell how many steps each range is wide."""

from fractions import Fraction
from math import gcd

import numpy as np
from numpy.typing import ArrayLike

from shoal.attacks._attack_result import AttackResult
from shoal.attacks.transforms._bracketing import best_single, half_step, values_found
from shoal.errors import ParameterError
from shoal.typing import Floats

MOST_STEPS = 10**6
"""Widest range that is looked for: doubles tell fractions of such denominators apart."""
_NEAR = 1e-11
"""Difference of two fractions that is rounding; those of different values differ by more."""


def unfold(published: ArrayLike) -> Floats:
    """Place of every encoded value in steps from the start of the first range.

    Whoever sees the encoded values alone can do this: in a range of w steps the fractions of two
    values differ by a multiple of 1/w, and the largest number that all differences are multiples of
    is 1/w as soon as there are a few.

    Examples
    --------
    >>> from shoal.federated import GradedRanges
    >>> ages = np.array([17, 18, 22, 23, 40, 41, 44, 47, 48, 90])
    >>> encoded = GradedRanges.from_breaks([17, 23, 46, 90]).encode(ages)
    >>> unfold(encoded).round(6).tolist()
    [0.0, 1.0, 5.0, 6.0, 23.0, 24.0, 27.0, 30.0, 31.0, 73.0]
    """
    y = np.asarray(published, np.float64)
    names = np.floor(y)
    places, start = np.full(len(y), np.nan), 0.0
    for name in np.unique(names[~np.isnan(y)]):
        rows = names == name
        fractions = y[rows] - name
        inner = np.unique(fractions)
        width = 1 / _step_between(inner[:-1])  # the largest may stand for the end
        far = (inner[-1] - inner[0]) * width
        ends = abs(far - round(far)) > _NEAR * width  # published short of its place
        places[rows] = start + np.where(ends & (fractions == inner[-1]), width, fractions * width)
        start += width + ends  # a range with its end meets no other
    return places


def _step_between(fractions: Floats) -> float:
    """The largest number that all differences are multiples of; 1 where nothing tells."""
    if len(fractions) < 2:
        return 1.0 / Fraction(float(fractions.max(initial=0))).limit_denominator(99).denominator
    step = Fraction(0)
    for difference in fractions[1:] - fractions[0]:
        if not step or abs(difference / step - round(difference / step)) > _NEAR / step:
            exact = Fraction(float(difference)).limit_denominator(MOST_STEPS)
            finer = Fraction(
                gcd(step.numerator * exact.denominator, exact.numerator * step.denominator),
                step.denominator * exact.denominator,
            )
            if finer * MOST_STEPS < 1:
                break
            step = finer
    return float(step) or 1.0


def unfolding_attack(
    values: ArrayLike,
    published: ArrayLike,
    n_known: int = 1,
    *,
    column: str = "column",
    repeats: int = 100,
    random_state: int = 0,
) -> AttackResult:
    """Share of other people's values found from the fractions and `n_known` people.

    Parameters
    ----------
    values, published : array-like
        Original and encoded values of the same rows.
    n_known : int, default=1
        Randomly chosen people whose values the attacker knows; one tells where the ranges begin.
    column : str
        Name for the report.
    repeats : int
        Random choices of known people behind the interval.
    random_state : int
        Seed of the choices.

    Returns
    -------
    AttackResult
        `risk` is the share of unknown rows found to half a stored step; the baseline guesses the
        best single value.

    Examples
    --------
    Uneven ranges are undone by one known person.

    >>> from shoal.federated import GradedRanges
    >>> ages = np.arange(17.0, 91.0)
    >>> unfolding_attack(ages, GradedRanges.from_breaks([17, 23, 46, 90]).encode(ages)).risk
    1.0
    """
    x, y = np.asarray(values, np.float64), np.asarray(published, np.float64)
    keep = ~(np.isnan(x) | np.isnan(y))
    x, y = x[keep], y[keep]
    if not 0 < n_known < len(x):
        raise ParameterError(f"n_known must be from 1 to {len(x) - 1}, got {n_known}.")
    rng, near = np.random.default_rng(random_state), half_step(x)
    places, step = unfold(y), _step(x)
    shares = []
    for _ in range(repeats):
        known = rng.choice(len(x), n_known, replace=False)
        known = known[np.argsort(places[known], kind="stable")]
        nearest = np.abs(places[:, None] - places[known]).argmin(axis=1)
        guess = x[known][nearest] + step * (places - places[known][nearest])
        others = np.ones(len(x), np.bool_)
        others[known] = False
        shares.append((np.abs(guess - x)[others] <= near).mean())
    return values_found(
        f"fractions of '{column}', {n_known} known",
        shares,
        best_single(x, near),
        {"n_known": n_known, "tolerance": near},
    )


def _step(values: Floats) -> float:
    """What the column is stored in, as its values show it: 1, 0.1, 0.01 ..."""
    for decimals in range(16):
        if np.allclose(values * 10**decimals, np.rint(values * 10**decimals), rtol=0, atol=1e-7):
            return 10.0**-decimals
    return 2 * half_step(values)
