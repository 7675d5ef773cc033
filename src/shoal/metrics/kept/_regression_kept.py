"""Does a regression on the release tell the same story: coefficients and their intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.metrics.kept._features import FeaturePair, make_features
from shoal.metrics.kept._fit import Fit, fit_linear, fit_logistic
from shoal.metrics.kept._table_pair import TablePair
from shoal.typing import Flags, Floats

_Z = 1.959963984540054  # 95 % of a normal distribution lie within


@dataclass(frozen=True)
class RegressionKept:
    """One regression, on the raw table and on the release.

    Parameters
    ----------
    target : str
        Column that is explained by all the others.
    kind : {"linear", "logistic"}
        Of a number, or of its most frequent value against all others.
    overlap : float
        Mean overlap of the 95 % intervals of coefficients [KKORS06]_: 1 the same, 0 side by side,
        negative apart.  A coefficient that the release does not determine counts 0.
    same_conclusion : float
        Share of coefficients that are above 0, below 0 or neither (at 5 %) in both.
    n_coefficients, n_lost : int
        Coefficients that the raw table determines, and those of them that the release does not.
    by_column : dict of str to float
        Mean overlap of the coefficients of each column.

    References
    ----------
    .. [KKORS06] A. F. Karr, C. N. Kohnen, A. Oganian, J. P. Reiter, A. P. Sanil.  A framework for
       evaluating the utility of data altered to protect confidentiality.  The American
       Statistician 60(3), 2006.
    """

    target: str
    kind: str
    overlap: float
    same_conclusion: float
    n_coefficients: int
    n_lost: int
    by_column: dict[str, float]


def compare_regressions(pair: TablePair, target: str) -> RegressionKept | None:
    """Explain a column by all others in both tables; None where the raw table determines nothing.

    Rows without a target that is a number are left out.
    """
    explained = pair.column(target)
    others = [column for column in pair.columns if column.name != target]
    if not others:
        return None
    features = make_features(others)
    if explained.is_number:
        kind, fit = "linear", fit_linear
        wanted = explained.raw_numbers, explained.released_numbers
    else:
        kind, fit = "logistic", fit_logistic
        usual = int(np.argmax(explained.raw.sum(axis=0)))
        wanted = explained.raw[:, usual], explained.released[:, usual]
    fits = []
    tables = ((features.raw, pair.raw_weights), (features.released, pair.released_weights))
    for (rows, weights), y in zip(tables, wanted, strict=True):
        assert y is not None
        known = ~np.isnan(y) & (weights > 0)
        if known.sum() < 2:
            return None
        fits.append(fit(rows[known], y[known], weights[known]))
    return _sum_up(target, kind, features, fits[0], fits[1])


def interval_overlap(raw: Fit, released: Fit) -> Floats:
    """Overlap of the 95 % intervals of each coefficient, over the length of the one and the other.

    The mean of both shares; negative where the intervals do not meet.  Two points that are the same
    overlap wholly.

    Examples
    --------
    >>> known = np.array([True])
    >>> one = Fit(np.array([0.0]), np.array([1.0]), known)
    >>> two = Fit(np.array([2 * 1.959963984540054]), np.array([1.0]), known)
    >>> interval_overlap(one, one).tolist(), interval_overlap(one, two).round(9).tolist()
    ([1.0], [0.0])
    """
    low = np.maximum(
        raw.coefficients - _Z * raw.errors, released.coefficients - _Z * released.errors
    )
    high = np.minimum(
        raw.coefficients + _Z * raw.errors, released.coefficients + _Z * released.errors
    )
    lengths = [np.maximum(2 * _Z * fit.errors, 1e-12) for fit in (raw, released)]
    same = np.isclose(raw.coefficients, released.coefficients, rtol=1e-9, atol=1e-12)
    same &= np.isclose(raw.errors, released.errors, rtol=1e-6, atol=1e-12)
    common = (high - low) / 2
    return np.where(same, 1.0, np.maximum(-1.0, common / lengths[0] + common / lengths[1]))


def _conclusion(fit: Fit) -> Floats:
    return np.sign(fit.coefficients) * (np.abs(fit.coefficients) > _Z * fit.errors)


def _sum_up(
    target: str, kind: str, features: FeaturePair, raw: Fit, released: Fit
) -> RegressionKept | None:
    asked = raw.is_known[1:]  # not the intercept
    if not asked.any():
        return None
    lost: Flags = ~released.is_known[1:]
    overlap = np.where(lost, 0.0, interval_overlap(raw, released)[1:])
    same = ~lost & (_conclusion(raw)[1:] == _conclusion(released)[1:])
    names = np.array(features.column_of)
    return RegressionKept(
        target,
        kind,
        float(overlap[asked].mean()),
        float(same[asked].mean()),
        int(asked.sum()),
        int((asked & lost).sum()),
        {
            name: float(overlap[asked & (names == name)].mean())
            for name in dict.fromkeys(features.column_of)
            if (asked & (names == name)).any()
        },
    )
