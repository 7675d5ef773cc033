"""A transform key as a scikit-learn transformer of whole tables."""

from typing import Any, Self

from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from shoal.federated.transforms._key import TransformKey
from shoal.federated.transforms._tables import decode, encode
from shoal.tables import open_table
from shoal.typing import Native


class KeyTransformer(TransformerMixin, BaseEstimator):
    """Encode the key's columns of a table, and decode them exactly.

    Parameters
    ----------
    key : TransformKey
        The key that all sites share.

    Notes
    -----
    **Guarantee.**  ``inverse_transform(transform(table))`` holds the same values as ``table``.

    **Does not protect** against the attacks that ``shoal attack`` runs, nor columns that the key
    does not name: they pass as they are.

    Examples
    --------
    >>> import polars as pl
    >>> from shoal.federated import GradedRanges
    >>> key = TransformKey.create({"age": GradedRanges.uniform(15, 90)})
    >>> transformer = KeyTransformer(key)
    >>> table = pl.DataFrame({"age": [58, 73], "ward": ["a", "b"]})
    >>> encoded = transformer.fit_transform(table)
    >>> encoded["age"].round(3).to_list()
    [3.867, 4.867]
    >>> transformer.inverse_transform(encoded).equals(table)
    True
    """

    def __init__(self, key: TransformKey) -> None:
        self.key = key

    def fit(self, X: Native, y: object = None) -> Self:
        """Check that the table can be encoded; nothing is learnt from it."""
        encode(X, self.key, clear=self._others(X))
        self.fingerprint_ = self.key.fingerprint
        return self

    def transform(self, X: Native) -> Any:
        """Published form of a table, in its own library."""
        check_is_fitted(self)
        return encode(X, self.key, clear=self._others(X))

    def _others(self, X: Native) -> list[str]:
        """Columns outside the key: a step of a pipeline in the house passes them on."""
        return [name for name in open_table(X).names if name not in self.key.columns]

    def inverse_transform(self, X: Native) -> Any:
        """The table behind its published form."""
        check_is_fitted(self)
        return decode(X, self.key)
