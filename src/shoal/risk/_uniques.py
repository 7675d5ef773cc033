"""Population uniques, estimated from a sample."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from threadpoolctl import threadpool_limits

from shoal._checks import check_choice, check_integer, check_number
from shoal.errors import ParameterError
from shoal.risk._pitman import estimate_pitman
from shoal.risk._size_counts import SizeCounts, count_sizes
from shoal.risk._slide_negative_binomial import estimate_slide_negative_binomial
from shoal.risk._zayatz import estimate_zayatz
from shoal.typing import Floats

ESTIMATORS: Mapping[str, Callable[[SizeCounts, float], float]] = {
    "zayatz": estimate_zayatz,
    "pitman": estimate_pitman,
    "slide-negative-binomial": estimate_slide_negative_binomial,
}
"""Each says how many people are alone in the population; NaN where it finds no answer."""

METHODS = ("dankar", *ESTIMATORS)

LARGE_SAMPLE = 0.1
"""Sampling fraction above which the decision rule no longer trusts Pitman's model."""

_LEVEL = 0.95


@dataclass(frozen=True)
class PopulationUniques:
    """People who are alone in the population, as estimated from a sample.

    Parameters
    ----------
    method : str
        The estimator that was asked for.
    used : str
        The one that gave the figure; the decision rule takes one of several.
    fraction : float
        Share of the population that is in the sample.
    n_rows, sample_uniques : int
        Rows of the sample, and those that are alone in it.
    uniques, share : float
        People alone in the population, and the same over all of its people.
    low, high : float or None
        Bootstrap interval of `share`; None when none was asked for.
    estimates : dict of str to (float or None)
        What every estimator says of `share`; None where one found no answer.

    Examples
    --------
    >>> found = estimate_uniques([1] * 30 + [2] * 20 + [5] * 10, 0.2)
    >>> found.used, round(found.share, 3)
    ('slide-negative-binomial', 0.014)
    """

    method: str
    used: str
    fraction: float
    n_rows: int
    sample_uniques: int
    uniques: float
    share: float
    low: float | None
    high: float | None
    estimates: dict[str, float | None]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


def estimate_uniques(
    sizes: ArrayLike | SizeCounts,
    fraction: float,
    *,
    method: str = "dankar",
    bootstrap: int = 0,
    random_state: int | None = 0,
) -> PopulationUniques:
    """Estimate how many people are unique in a population, from the group sizes of a sample.

    Parameters
    ----------
    sizes : array of int
        Rows of each group of the sample.
    fraction : float
        Share of the population that is in the sample; above 0, at most 1.
    method : {"dankar", "zayatz", "pitman", "slide-negative-binomial"}
        The decision rule [DEN12]_, or one estimator.
    bootstrap : int
        How often groups are drawn anew for an interval; 0 for none.
    random_state : int or None
        Seed of the bootstrap.

    Notes
    -----
    **Assumes** a simple random sample, and that group sizes of the population follow the model of
    the estimator.  How far off the estimators are where the truth is known is in the evidence.

    **Decision rule.**  Up to a fraction of 0.1 Pitman's model, Zayatz where that has no answer.
    Above it the smaller one of Zayatz and the slide negative binomial model.

    **Interval.**  Groups of the sample are drawn anew with replacement, as many as there are; the
    middle 95 % of the estimates.  It covers chance in the sample, not a model that does not fit.

    References
    ----------
    .. [DEN12] F. Dankar, K. El Emam, A. Neisa, T. Roffey.  Estimating the re-identification risk
       of clinical data sets.  BMC Medical Informatics and Decision Making 12:66, 2012.

    Examples
    --------
    >>> estimate_uniques([2, 3, 5], 0.1).uniques
    0.0
    """
    check_number("estimate_uniques: fraction", fraction, 0, 1, above=True)
    check_choice("estimate_uniques: method", method, METHODS)
    check_integer("estimate_uniques: bootstrap", bootstrap, 0)
    counts = count_sizes(sizes)
    population = counts.n_rows / fraction
    answers = {name: _answer(name, counts, fraction) for name in ESTIMATORS}
    used = decide(answers, fraction) if method == "dankar" else method
    uniques = answers[used]
    if uniques is None:
        raise ParameterError(
            f"estimate_uniques: {used} finds no answer for these groups. Choose the method dankar."
        )
    low, high = middle_of(draw_shares(counts, fraction, method, bootstrap, random_state))
    return PopulationUniques(
        method=method,
        used=used,
        fraction=float(fraction),
        n_rows=counts.n_rows,
        sample_uniques=counts.of(1),
        uniques=uniques,
        share=uniques / population,
        low=low,
        high=high,
        estimates={
            name: None if answer is None else answer / population
            for name, answer in answers.items()
        },
    )


def decide(answers: Mapping[str, float | None], fraction: float) -> str:
    """The estimator that the decision rule takes; Zayatz always has an answer."""
    if fraction <= LARGE_SAMPLE:
        return "pitman" if answers["pitman"] is not None else "zayatz"
    slide, zayatz = answers["slide-negative-binomial"], answers["zayatz"]
    if slide is None or zayatz is None or zayatz < slide:
        return "zayatz"
    return "slide-negative-binomial"


def _answer(name: str, counts: SizeCounts, fraction: float) -> float | None:
    """The estimate, between none and everybody; exact where the sample is the population."""
    alone = counts.of(1)
    if alone == 0 or fraction == 1:
        return float(alone)
    estimate = ESTIMATORS[name](counts, fraction)
    possible = isfinite(estimate) and 0 <= estimate <= counts.n_rows / fraction
    return float(estimate) if possible else None


def draw_shares(
    counts: SizeCounts, fraction: float, method: str, times: int, random_state: int | None
) -> Floats:
    """Estimated shares of people who are alone, with groups drawn anew; NaN without an answer."""
    rng = np.random.default_rng(random_state)
    shares = np.full(times, np.nan)
    if not times:  # looking for threads takes longer than the estimate
        return shares
    # models of two parameters: threads of BLAS would spin for longer than they compute
    with threadpool_limits(1, user_api="blas"):
        for turn in range(times):
            drawn = rng.multinomial(counts.n_groups, counts.groups / counts.n_groups)
            again = SizeCounts(counts.sizes[drawn > 0], drawn[drawn > 0])
            answers = {name: _answer(name, again, fraction) for name in _needed(method, fraction)}
            uniques = answers[decide(answers, fraction) if method == "dankar" else method]
            if uniques is not None:
                # of the population behind the drawn sample
                shares[turn] = uniques * fraction / again.n_rows
    return shares


def middle_of(shares: Floats) -> tuple[float | None, float | None]:
    """The ends of the middle 95 %."""
    known = shares[np.isfinite(shares)]
    if not len(known):
        return None, None
    low, high = np.quantile(known, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return float(low), float(high)


def _needed(method: str, fraction: float) -> tuple[str, ...]:
    if method != "dankar":
        return (method,)
    small = ("pitman", "zayatz")
    return small if fraction <= LARGE_SAMPLE else ("slide-negative-binomial", "zayatz")
