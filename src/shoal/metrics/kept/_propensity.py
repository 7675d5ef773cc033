"""Can a model tell released rows from raw ones: the propensity score's mean squared error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.metrics.kept._features import make_features
from shoal.metrics.kept._fit import fit_logistic, logistic
from shoal.metrics.kept._table_pair import TablePair


@dataclass(frozen=True)
class Propensity:
    """How far a logistic regression tells released rows from raw ones [WRON09]_.

    Parameters
    ----------
    pmse : float
        Mean squared difference of the chance to be released and the share c that is: 0 nothing is
        told apart, c (1 - c) everything.
    most : float
        That largest value, c (1 - c).
    ratio : float
        `pmse` over what it is on average for rows drawn from the very model that describes the raw
        ones, c (1 - c)^2 features / rows [SRNDS18]_.  Another draw of people has 1 / (1 - c), which
        is 2 for tables of one size; a table that is published as it is has 0.
    n_features : int
        Features of the model, without the intercept.

    References
    ----------
    .. [WRON09] M.-J. Woo, J. P. Reiter, A. Oganian, A. F. Karr.  Global measures of data utility
       for microdata masked for disclosure limitation.  Journal of Privacy and Confidentiality
       1(1), 2009.
    .. [SRNDS18] J. Snoke, G. M. Raab, B. Nowok, C. Dibben, A. Slavkovic.  General and specific
       utility measures for synthetic data.  Journal of the Royal Statistical Society A 181(3),
       2018.
    """

    pmse: float
    most: float
    ratio: float
    n_features: int


def compare_propensity(pair: TablePair) -> Propensity:
    """Fit a model of main effects on all rows of both tables."""
    features = make_features(pair.columns)
    rows = np.vstack([features.raw, features.released])
    varies = rows.std(axis=0) > 1e-12
    rows = rows[:, varies]
    is_released = np.repeat([0.0, 1.0], [len(features.raw), len(features.released)])
    weights = np.concatenate([pair.raw_weights, pair.released_weights])
    share = len(features.released) / len(rows)
    beta = fit_logistic(rows, is_released, weights).coefficients
    chance = logistic(beta[0] + rows @ beta[1:])
    pmse = float(np.average((chance - share) ** 2, weights=weights))
    n_features = int(varies.sum())
    expected = n_features * (1 - share) ** 2 * share / len(rows)
    return Propensity(pmse, share * (1 - share), pmse / expected if expected else 0.0, n_features)
