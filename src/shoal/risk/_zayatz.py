"""Zayatz's estimator: the sample's group sizes stand for those of the population."""

from __future__ import annotations

from shoal.risk._size_counts import SizeCounts


def estimate_zayatz(counts: SizeCounts, fraction: float) -> float:
    """People alone in the population.

    The chance that a row that is alone in the sample is alone in the population follows from
    Bayes' rule: a group of i people shows one row with the hypergeometric probability, and groups
    of i people are taken to be as frequent as groups of i rows in the sample [Zay91]_.

    References
    ----------
    .. [Zay91] L. Zayatz.  Estimation of the percent of unique population elements on a microdata
       file using the sample.  Statistical Research Division Report RR-91/08, US Census Bureau.
    """
    from scipy.stats import hypergeom  # noqa: PLC0415  slow to import

    n_rows = counts.n_rows
    population = max(n_rows, round(n_rows / fraction))
    shows_one = hypergeom.pmf(1, population, counts.sizes, n_rows)
    alone = counts.of(1)
    chance = (
        alone * float(shows_one[counts.sizes == 1][0]) / float((counts.groups * shows_one).sum())
    )
    return alone * chance / fraction
