"""Group sizes of the population as one plus a negative binomial number."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from shoal.risk._size_counts import SizeCounts
from shoal.typing import Floats

_SOLVED = 1e-6


def estimate_slide_negative_binomial(counts: SizeCounts, fraction: float) -> float:
    """People alone in the population, where group sizes less one are negative binomial [CKM98]_.

    With K groups and parameters a and b, a group has one person with probability b^a.  K is
    Shlosser's modified estimate; a and b make the expected numbers of groups that show one row and
    two rows those of the sample.  NaN where no a and b do.

    **Departures.**  ARX 3.9.2 multiplies in the second equation by a power that belongs below the
    line, and puts a bracket of the estimate of K elsewhere; its figures differ.

    References
    ----------
    .. [CKM98] G. Chen, S. Keller-McNulty.  Estimation of identification disclosure risk in
       microdata.  Journal of Official Statistics 14(1), 1998.
    """
    from scipy.optimize import least_squares  # noqa: PLC0415  slow to import

    n_groups = _population_groups(counts, fraction)
    seen = np.array([counts.of(1), counts.of(2)], np.float64)
    if seen[1] == 0 or not np.isfinite(n_groups):
        return float("nan")
    best = None
    for start in ((0.0, 0.0), (-2.0, -3.0), (2.0, 2.0), (-2.0, 2.0), (1.0, -3.0)):
        fit = least_squares(_off, start, args=(n_groups, fraction, seen), xtol=1e-12, ftol=1e-12)
        if best is None or fit.cost < best.cost:
            best = fit
        if best.cost < _SOLVED**2 / 2:
            break
    if best is None or np.abs(best.fun).max() > _SOLVED:
        return float("nan")
    a, b = np.exp(best.x[0]), expit(best.x[1])
    return float(n_groups * b**a)


def expected_groups(a: float, b: float, n_groups: float, fraction: float) -> Floats:
    """Expected numbers of groups that show one row, and two rows, in the sample.

    The generating function of a group's size is G(t) = t (b / (1 - (1 - b) t))^a; the sample shows
    one row with probability f G'(1 - f), two rows with f^2 G''(1 - f) / 2.
    """
    hidden = (1 - fraction) * (1 - b)
    base = (b / (1 - hidden)) ** a
    one = fraction * base * (1 + a * hidden / (1 - hidden))
    two = fraction**2 / 2 * base * a * (1 - b) * (2 + (a - 1) * hidden) / (1 - hidden) ** 2
    return n_groups * np.array([one, two])


def _off(point: Floats, n_groups: float, fraction: float, seen: Floats) -> Floats:
    expected = expected_groups(
        np.exp(np.clip(point[0], -30, 30)), expit(point[1]), n_groups, fraction
    )
    return expected / seen - 1


def _population_groups(counts: SizeCounts, f: float) -> float:
    """Groups of the population, with and without rows in the sample (modified Shlosser)."""
    i, groups = counts.sizes.astype(np.float64), counts.groups
    unseen = ((1 - f) ** i * groups).sum()
    once = (i * f * (1 - f) ** (i - 1) * groups).sum()
    above = (i * f**2 * (1 - f**2) ** (i - 1) * groups).sum()
    below = ((1 - f) ** i * ((1 + f) ** i - 1) * groups).sum()
    return float(counts.n_groups + counts.of(1) * above / below * (unseen / once) ** 2)
