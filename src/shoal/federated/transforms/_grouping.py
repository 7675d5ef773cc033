"""Graded grouping as a scikit-learn transformer."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from shoal.errors import ParameterError
from shoal.federated.transforms._ranges import GradedRanges
from shoal.typing import Floats


class GradedGrouping(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Replace numbers by a range's name plus the place within the range [PP10]_.

    Parameters
    ----------
    n_groups : int, default=5
        Number of equal ranges where `ranges` is None.
    ranges : sequence of GradedRanges or None, default=None
        The agreed ranges, one per column.  None takes them from the smallest to the largest value
        seen in `fit`: right for one table, not for several sites, which must agree.
    decimals : int or None, default=None
        Decimals that values are stored with; None finds them in `fit`.

    Attributes
    ----------
    ranges_ : tuple of GradedRanges
        Ranges of each column.

    Notes
    -----
    **Guarantee.**  `inverse_transform` gives back every value exactly and order is kept.  A value
    outside the ranges is an error.

    **Does not protect** order: who knows some people's values brackets everyone else's.  With
    uniform ranges two known values give the rest away.

    **Departures from the paper.**  See `GradedRanges` for the upper end of wide ranges.

    References
    ----------
    .. [PP10] E. Poovammal, M. Ponnavaikko.  Utility independent privacy preserving data mining:
       horizontally partitioned data.  Data Science Journal 9, 2010.

    Examples
    --------
    >>> grouping = GradedGrouping(n_groups=5).fit([[15], [90]])
    >>> grouping.transform([[58], [73]]).round(3).ravel().tolist()
    [3.867, 4.867]
    >>> grouping.inverse_transform(grouping.transform([[58], [73]])).ravel().tolist()
    [58.0, 73.0]
    """

    def __init__(
        self,
        n_groups: int = 5,
        *,
        ranges: Sequence[GradedRanges] | None = None,
        decimals: int | None = None,
    ) -> None:
        self.n_groups = n_groups
        self.ranges = ranges
        self.decimals = decimals

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Take the agreed ranges, or make uniform ones from `X`."""
        X = validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan")
        if self.ranges is None:
            self.ranges_ = tuple(self._uniform(X[:, j], j) for j in range(X.shape[1]))
        elif len(self.ranges) != X.shape[1]:
            raise ParameterError(f"{len(self.ranges)} ranges were given for {X.shape[1]} columns.")
        else:
            self.ranges_ = tuple(self.ranges)
        return self

    def transform(self, X: ArrayLike) -> Floats:
        """Published form of `X`."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=False)
        names = names_of(self)
        return np.column_stack([r.encode(X[:, j], names[j]) for j, r in enumerate(self.ranges_)])

    def inverse_transform(self, X: ArrayLike) -> Floats:
        """Exact values behind the published form."""
        check_is_fitted(self)
        X = np.asarray(X, np.float64)
        names = names_of(self)
        return np.column_stack([r.decode(X[:, j], names[j]) for j, r in enumerate(self.ranges_)])

    def __sklearn_tags__(self):  # type: ignore[no-untyped-def]
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _uniform(self, values: Floats, column: int) -> GradedRanges:
        known = values[~np.isnan(values)]
        if len(known) == 0 or known.min() == known.max():
            raise ParameterError(f"column x{column} is constant: there is nothing to grade.")
        decimals = _decimals_of(known) if self.decimals is None else self.decimals
        if decimals < 0:
            raise ParameterError(
                f"column x{column} has more than 9 decimals. Round it, or give decimals."
            )
        return GradedRanges.uniform(known.min(), known.max(), self.n_groups, decimals=decimals)


def names_of(fitted: Any) -> Sequence[str]:
    """Names of the columns in errors: their own, if the fitted table had names."""
    return getattr(fitted, "feature_names_in_", [f"x{j}" for j in range(fitted.n_features_in_)])


def _decimals_of(values: Floats, most: int = 9) -> int:
    """Fewest decimals that hold every value; -1 when `most` are not enough."""
    for decimals in range(most + 1):
        scale = 10.0**decimals
        if (np.rint(values * scale) / scale == values).all():
            return decimals
    return -1
