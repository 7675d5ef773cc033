"""Whether coefficients tell more about a private column than there is to know.

The coefficients of a linear model are as good as sums over people, of a feature times the target.
An attacker who knows the feature of everybody and one such sum to 50 bits asks which targets add up
to it: of 44 people with two classes each, one combination does.  No single person need weigh much.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.typing import Floats

MOST_BITS = 50.0
"""Bits of a double that survive a sum over people."""
SPARE_BITS = 20.0
"""Bits that have to stay unknown beside those that are told: a million combinations."""
DECIMALS = 6
GRID = 1e-6
"""How far from whole multiples of a step values may lie that were scaled."""


def tells_too_much(
    matrix: Floats,
    steps: float,
    gaps: Floats,
    unknown: float,
    n_outputs: int,
    n_beside: int = 0,
) -> bool:
    """Whether sums over all people, or over those whom one feature sets apart, tell everything.

    Parameters
    ----------
    matrix : ndarray of shape (n_rows, n_features)
        Features of the rows.
    steps : float
        How many values the other factor of the sums has, less one: 1 for classes.
    gaps : ndarray of shape (n_features,)
        How far a solver stopped from the sums: nobody knows them better.
    unknown : float
        Bits that are not known about a person.
    n_outputs : int
        Sums for each feature.
    n_beside : int, default=0
        Other numbers that were computed of everybody, to all their digits.

    Examples
    --------
    >>> ages = np.random.default_rng(0).uniform(18, 80, (44, 1))
    >>> tells_too_much(ages, 1.0, np.zeros(1), 1.0, 1)
    True
    >>> tells_too_much(np.round(ages), 1.0, np.zeros(1), 1.0, 1)
    False
    """
    n_rows = len(matrix)
    total = np.log2(1 + n_rows * steps)
    for column, gap in zip(matrix.T, gaps, strict=True):
        known = column[np.isfinite(column)]
        values, counts = np.unique(known, return_counts=True)
        if len(values) < 2:
            continue
        away = np.abs(known - values[counts.argmax()])
        whole = float(away.sum()) * steps
        least = max(step_of(values), gap, whole * 2.0**-MOST_BITS)
        bits = float(np.log2(1 + whole / least))
        total += bits
        if _exceeds(bits * n_outputs, int((away > 0).sum()) * unknown):
            return True
    return _exceeds(total * n_outputs + n_beside * MOST_BITS, n_rows * unknown)


def _exceeds(told: float, unknown: float) -> bool:
    """Whether so few combinations are left that most of them have much in common."""
    return bool(told + min(told, SPARE_BITS) >= unknown)


def bits_of_classes(codes: NDArray[np.integer]) -> float:
    """Bits that are not known of a person's class.

    Examples
    --------
    >>> bits_of_classes(np.array([0, 0, 1, 1]))
    1.0
    """
    share = np.unique(codes, return_counts=True)[1] / max(1, len(codes))
    return float(-(share * np.log2(share)).sum())


def bits_of_numbers(numbers: Floats, steps: float) -> float:
    """Bits that are not known of a person's number: few where nearly everybody has the same.

    Examples
    --------
    >>> bits_of_numbers(np.array([0.0, 0.0, 0.0, 0.0]), 255.0)
    0.0
    >>> bits_of_numbers(np.array([0.0, 0.0, 3.5, 7.25]), 255.0)
    5.0
    """
    _, counts = np.unique(numbers[np.isfinite(numbers)], return_counts=True)
    if not len(counts):
        return 0.0
    other = 1.0 - float(counts.max()) / float(counts.sum())
    most = float(np.log2(1 + steps))
    if other in (0.0, 1.0):
        return other * most
    share = np.array([other, 1.0 - other])
    return min(most, other * most - float((share * np.log2(share)).sum()))


def steps_of(numbers: Floats) -> float:
    """How many steps lie between the smallest and the largest of some numbers.

    Examples
    --------
    >>> steps_of(np.array([0.5, 1.0, 3.0]))
    5.0
    """
    values = np.unique(numbers[np.isfinite(numbers)])
    if len(values) < 2:
        return 1.0
    wide = float(values[-1] - values[0])
    return float(np.round(wide / max(step_of(values), wide * 2.0**-MOST_BITS)))


def step_of(values: Floats) -> float:
    """The common step of rising values: all distances are multiples of it; 0 without one."""
    distances = np.diff(values)
    least = float(distances.min())
    steps = distances / least
    if np.abs(steps - np.round(steps)).max() <= GRID * np.abs(steps).max():
        return least
    for decimals in range(DECIMALS + 1):
        if np.allclose(values, np.round(values, decimals), rtol=1e-12, atol=0):
            return float(10.0**-decimals)
    return 0.0
