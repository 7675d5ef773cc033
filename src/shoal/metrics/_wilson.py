"""Wilson's interval: between which bounds a share lies that was counted on few."""

from math import sqrt

Z95 = 1.959963984540054  # two-sided 95 % point of the normal distribution


def wilson(successes: float, trials: int) -> tuple[float, float]:
    """95 % interval of a share (Wilson's score interval).

    The same as ``binomtest(...).proportion_ci(method="wilson")`` of scipy.stats, with two
    differences: expected numbers of successes need not be whole (ties are broken by luck), and the
    import does not take a second.

    Examples
    --------
    >>> low, high = wilson(8, 10)
    >>> round(low, 3), round(high, 3)
    (0.49, 0.943)
    """
    if trials == 0:
        return 0.0, 1.0
    share, square = successes / trials, Z95**2
    centre = (share + square / (2 * trials)) / (1 + square / trials)
    spread = sqrt(share * (1 - share) / trials + square / (4 * trials**2))
    half = Z95 * spread / (1 + square / trials)
    return max(0.0, centre - half), min(1.0, centre + half)
