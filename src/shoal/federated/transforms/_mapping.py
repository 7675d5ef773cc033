"""Mapping tables as a scikit-learn transformer."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from shoal.errors import ParameterError
from shoal.federated.transforms._aliases import AliasTable
from shoal.federated.transforms._grouping import names_of
from shoal.schema._text import is_missing


class MappingTable(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Replace categories by random aliases [PP10]_.

    Parameters
    ----------
    tables : sequence of AliasTable or None, default=None
        The agreed tables, one per column.  None draws them for the categories seen in `fit`: right
        for one table, not for several sites, which must share one key.

    Attributes
    ----------
    tables_ : tuple of AliasTable
        Table of each column.

    Notes
    -----
    **Guarantee.**  One alias per category and back: counts, rules and splits are unchanged.

    **Does not protect** against frequency analysis: an alias is as rare as its category.

    References
    ----------
    .. [PP10] E. Poovammal, M. Ponnavaikko.  Utility independent privacy preserving data mining:
       horizontally partitioned data.  Data Science Journal 9, 2010.

    Examples
    --------
    >>> table = MappingTable().fit([["flu"], ["gastritis"]])
    >>> aliases = table.transform([["flu"], ["flu"]])
    >>> bool(aliases[0, 0] == aliases[1, 0])
    True
    >>> table.inverse_transform(aliases).ravel().tolist()
    ['flu', 'flu']
    """

    def __init__(self, tables: Sequence[AliasTable] | None = None) -> None:
        self.tables = tables

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Take the agreed tables, or draw aliases for what `X` holds."""
        X = validate_data(self, X, dtype=object, ensure_all_finite=False)
        if self.tables is None:
            names = names_of(self)
            self.tables_ = tuple(
                AliasTable.random(_known(X[:, j]), str(names[j])) for j in range(X.shape[1])
            )
        elif len(self.tables) != X.shape[1]:
            raise ParameterError(f"{len(self.tables)} tables were given for {X.shape[1]} columns.")
        else:
            self.tables_ = tuple(self.tables)
        return self

    def transform(self, X: ArrayLike) -> NDArray[np.object_]:
        """Aliases of the categories in `X`."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=object, ensure_all_finite=False, reset=False)
        return self._each(X, "encode")

    def inverse_transform(self, X: ArrayLike) -> NDArray[np.object_]:
        """Categories behind the aliases in `X`."""
        check_is_fitted(self)
        return self._each(np.asarray(X, object), "decode")

    def __sklearn_tags__(self):  # type: ignore[no-untyped-def]
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        return tags

    def _each(self, X: NDArray[Any], way: str) -> NDArray[np.object_]:
        result = np.empty(X.shape, object)
        for j, (table, name) in enumerate(zip(self.tables_, names_of(self), strict=True)):
            values = [None if is_missing(v) else v for v in X[:, j].tolist()]
            result[:, j] = getattr(table, way)(values, name)
        return result


def _known(values: NDArray[Any]) -> list[Any]:
    return [v for v in values.tolist() if not is_missing(v)]
