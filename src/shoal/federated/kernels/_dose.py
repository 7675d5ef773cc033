"""Radiotherapy doses made comparable."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from shoal.errors import ParameterError


def eqd2(
    dose: ArrayLike,
    per_fraction: ArrayLike,
    days: ArrayLike,
    *,
    beta: float = 10.0,
    kick_off: float = 28.0,
    loss: float = 0.66,
) -> Any:
    """Equivalent dose in 2 Gy fractions, corrected for overall treatment time.

    ``dose (per_fraction + beta) / (2 + beta) - loss max(0, days - kick_off)``.

    Parameters
    ----------
    dose : array-like
        Total dose D in Gy.
    per_fraction : array-like
        Dose d of one fraction in Gy.
    days : array-like
        Overall treatment time T in days.
    beta : float, default=10.0
        The tissue's ratio of linear to quadratic damage, in Gy.
    kick_off : float, default=28.0
        Day after which the tumour repopulates faster.
    loss : float, default=0.66
        Dose lost to repopulation, in Gy per day.

    Returns
    -------
    float or ndarray
        Equivalent dose in Gy.

    Examples
    --------
    >>> eqd2(60, 2, 28)
    60.0
    >>> round(eqd2(60, 2, 40), 2)
    52.08
    """
    arrays = [np.asarray(a, np.float64) for a in (dose, per_fraction, days)]
    if any((a < 0).any() for a in arrays):
        raise ParameterError("eqd2: dose, dose per fraction and days must not be negative.")
    total, fraction, time = arrays
    result = total * (fraction + beta) / (2 + beta) - loss * np.maximum(0.0, time - kick_off)
    return float(result) if result.ndim == 0 else result
