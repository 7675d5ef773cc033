"""The risk of every row of a survey, from sampling weights or a sampling fraction."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import hyp2f1

from shoal._checks import check_number
from shoal.errors import ParameterError, SchemaError
from shoal.risk._size_counts import SizeCounts
from shoal.tables import FrequencyTable
from shoal.tables._frequency import Histogram
from shoal.typing import Floats

_LARGE, _TERMS = 20.0, 40
"""Rows of a group from which the series is summed up, and its terms."""


@dataclass(frozen=True, eq=False)
class IndividualRisk:
    """Chance that the right person is picked for a row, where people are in a sample.

    Parameters
    ----------
    n_rows : int
        Rows of the sample.
    highest, average : float
        For the row easiest to find, and over all rows.
    expected : float
        Rows that are found when every row is guessed at.
    threshold, share_above : float
        Share of rows whose risk is above the threshold.
    n_households : int or None
        Households; None when no column names them.
    highest_household, average_household : float or None
        Chance that somebody of a household is found, and with them all of it: of the household
        easiest to find, and over all rows.
    risks : ndarray of float
        Risk of a row of each group.  It stays in the house.  Of groups that stay on a cluster, one
        for each size of a group, or none where rows have weights.
    """

    n_rows: int
    highest: float
    average: float
    expected: float
    threshold: float
    share_above: float
    n_households: int | None
    highest_household: float | None
    average_household: float | None
    risks: Floats = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; nothing of a single row."""
        return {name: value for name, value in vars(self).items() if name != "risks"}


def individual_risk(
    groups: FrequencyTable,
    *,
    weight: str | None = None,
    fraction: float | None = None,
    household: str | None = None,
    threshold: float = 0.2,
) -> IndividualRisk:
    """Risk of every row, with people of the population estimated from the sample [FP04]_.

    Parameters
    ----------
    groups : FrequencyTable
        Groups of the sample; `weight` and `household` are counted in them as sensitive columns are
        (:func:`shoal.risk.read_survey`).
    weight : str, optional
        Column with the number of people of the population that each row stands for.
    fraction : float, optional
        Share of the population that is in the sample, where there are no weights.
    household : str, optional
        Column that names the household of each row.
    threshold : float
        Risk above which a row counts in `share_above`.

    Notes
    -----
    A group of f rows is taken to have a number F of people that is negative binomial with success
    probability p = f / sum of weights; the risk is the mean of 1 / F, which is
    (p / f) 2F1(1, 1; f + 1; 1 - p).  With rows of one household, somebody is found with
    probability 1 - product of (1 - risk), and then the others are known.

    References
    ----------
    .. [FP04] L. Franconi, S. Polettini.  Individual risk estimation in mu-Argus: a review.
       Privacy in Statistical Databases, LNCS 3050, 2004.

    Examples
    --------
    >>> from shoal.schema import Schema
    >>> from shoal.tables import open_table
    >>> schema = Schema({"city": {"role": "quasi-identifier"}})
    >>> groups = open_table({"city": ["Ulm", "Ulm", "Kiel"]}).compress(schema).cells
    >>> round(individual_risk(groups, fraction=0.1).highest, 3)
    0.256
    """
    if (weight is None) == (fraction is None):
        raise ParameterError("individual_risk: give weights or a sampling fraction, one of them.")
    check_number("individual_risk: threshold", threshold, 0, 1)
    if fraction is not None:
        check_number("individual_risk: fraction", fraction, 0, 1, above=True)
    sizes = groups.sizes.astype(np.float64)
    people = sizes / fraction if fraction else weight_sums(groups, str(weight))
    risks = row_risks(sizes, people)
    n_rows = groups.n_rows
    families = None if household is None else _households(_column(groups, household), risks)
    return IndividualRisk(
        n_rows=n_rows,
        highest=float(risks.max(initial=0.0)),
        average=float((risks * sizes).sum() / max(1, n_rows)),
        expected=float((risks * sizes).sum()),
        threshold=float(threshold),
        share_above=float(sizes[risks > threshold].sum() / max(1, n_rows)),
        n_households=None if families is None else len(families[0]),
        highest_household=None if families is None else float(families[0].max(initial=0.0)),
        average_household=None if families is None else families[1],
        risks=risks,
    )


def risk_of_sizes(counts: SizeCounts, fraction: float, threshold: float) -> IndividualRisk:
    """The same from how many groups have each size; `risks` has one entry for every size."""
    check_number("individual_risk: threshold", threshold, 0, 1)
    check_number("individual_risk: fraction", fraction, 0, 1, above=True)
    sizes = counts.sizes.astype(np.float64)
    risks, rows = row_risks(sizes, sizes / fraction), sizes * counts.groups
    expected, n_rows = float((risks * rows).sum()), counts.n_rows
    return IndividualRisk(
        n_rows=n_rows,
        highest=float(risks.max(initial=0.0)),
        average=expected / max(1, n_rows),
        expected=expected,
        threshold=float(threshold),
        share_above=float(rows[risks > threshold].sum() / max(1, n_rows)),
        n_households=None,
        highest_household=None,
        average_household=None,
        risks=risks,
    )


def row_risks(rows: Floats, people: Floats) -> Floats:
    """Mean of one over the people of a group, given its rows and the people they stand for."""
    filled = rows > 0
    f = np.where(filled, rows, 1.0)
    p = np.minimum(1.0, f / np.maximum(people, f))
    small = np.minimum(f, _LARGE)
    mean = np.where(f < _LARGE, hyp2f1(1.0, 1.0, small + 1.0, 1.0 - p), _series(f, 1.0 - p))
    return np.where(filled, p / f * mean, 0.0)


def _series(f: Floats, q: Floats) -> Floats:
    """2F1(1, 1; f + 1; q) for large f, term by term: SciPy has no answer from f = 100 on.

    Term n is q^n over the binomial coefficient of f + n and n, so that 40 are enough from f = 20.
    """
    term = np.ones_like(f)
    total = term.copy()
    for n in range(_TERMS):
        term = term * q * (n + 1) / (f + n + 1)
        total += term
    return total


def weight_sums(groups: FrequencyTable, weight: str) -> Floats:
    """Sum of the weights of each group's rows; an error where a weight is missing or below 1."""
    histogram = _column(groups, weight)
    numbers = histogram.coding.numbers
    used = numbers[np.unique(histogram.codes)]
    if not (used >= 1).all():  # NaN is not either
        raise weight_error(weight)
    return histogram.sums(np.nan_to_num(numbers))


def weight_error(weight: str) -> SchemaError:
    """What is said of a column that holds no weights."""
    return SchemaError(
        f"column {weight!r} holds weights that are missing, no numbers or below 1. A row "
        'stands for at least itself: mend the column, and give it kind = "numeric".'
    )


def household_misses(rows: Floats, people: Floats) -> Floats:
    """Logarithm of the chance that a row is not found, given rows and people of its group."""
    return _misses(row_risks(rows, people))


def _misses(risks: Floats) -> Floats:
    # a certain find would be minus infinity, which times no rows is no number
    return np.log1p(-np.minimum(risks, 1.0 - 1e-16))


def _households(histogram: Histogram, risks: Floats) -> tuple[Floats, float]:
    """Risk of every household, and its mean over rows."""
    safe = _misses(risks)[histogram.group_of_entry] * histogram.counts
    room = histogram.coding.n_codes
    rows = np.bincount(histogram.codes, weights=histogram.counts, minlength=room)
    missed = np.exp(np.bincount(histogram.codes, weights=safe, minlength=room))
    families = (1.0 - missed)[rows > 0]
    return families, float((families * rows[rows > 0]).sum() / max(1.0, rows.sum()))


def _column(groups: FrequencyTable, name: str) -> Histogram:
    if name not in groups.histograms:
        raise SchemaError(f"column {name!r} is not counted in this table. Use read_survey.")
    return groups.histograms[name]
