"""Large groups whose sensitive values are also bounded: (alpha, k) and p-sensitive."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal._checks import check_integer, check_number
from shoal.errors import ParameterError, SchemaError
from shoal.privacy._column_model import ColumnModel, check_column
from shoal.privacy._condition import TOLERANCE, Condition
from shoal.privacy._model import PrivacyModel, Word
from shoal.privacy.compiled._condition_kernels import CAP, DISTINCT
from shoal.privacy.models._diversity import DistinctDiversity
from shoal.privacy.models._group_values import largest, n_distinct
from shoal.privacy.models._k_anonymity import KAnonymity
from shoal.typing import Flags, Floats

if TYPE_CHECKING:
    from shoal.tables import FrequencyTable


_WITHHELD = "(a protected value, withheld)"
"""Stands for each protected value in a model that was pickled."""


@dataclass(frozen=True)
class AlphaKAnonymity(ColumnModel):
    """Every group has at least `k` rows, and no sensitive value a share above `alpha` [WLFW06]_.

    Parameters
    ----------
    alpha : float
        Largest share of a value in a group, above 0 and at most 1.
    k : int
        Smallest size of a group, at least 1.
    column : str, optional
        The sensitive column; by default every one.
    values : tuple of str, optional
        The values to protect; every value of the column when not given.  They say what somebody
        has to hide: manifests and pickles tell how many they are, not which.

    Notes
    -----
    **Guarantee.**  k-anonymity, and no protected value can be told with more confidence than
    `alpha`.

    References
    ----------
    .. [WLFW06] R. Wong, J. Li, A. Fu, K. Wang.  (alpha, k)-anonymity: an enhanced k-anonymity model
       for privacy preserving data publishing.  KDD 2006.  doi:10.1145/1150402.1150499

    Examples
    --------
    >>> print(AlphaKAnonymity(0.5, 4, "illness").describe())  # doctest: +NORMALIZE_WHITESPACE
    every group has at least 4 rows, and no value of column 'illness' has a share
    above 0.5 in a group
    """

    alpha: float
    k: int
    column: str | None = None
    values: tuple[str, ...] | None = field(default=None, repr=False)

    word = Word("alpha", {"alpha": float}, "0.7")
    leaves_open = (
        "Values below the limit are not protected further, nor are values outside the "
        "protected ones where such were named."
    )
    larger_is_better = False

    def __post_init__(self) -> None:
        check_number("AlphaKAnonymity: alpha", self.alpha, 0, 1, above=True)
        check_integer("AlphaKAnonymity: k", self.k, 1)
        check_column("AlphaKAnonymity", self.column)
        if self.values is not None and self.column is None:
            raise ParameterError("AlphaKAnonymity: name the column that the values belong to.")

    @property
    def required(self) -> float:
        """`alpha`."""
        return float(self.alpha)

    @property
    def minimum_size(self) -> int:
        """`k`, or the rows that it takes to keep every share at `alpha`."""
        rows = 1 if self.values is not None else ceil(1 / self.alpha - TOLERANCE)
        return max(int(self.k), rows)

    @property
    def parts(self) -> tuple[PrivacyModel, ...]:
        """The size and the share."""
        return (self,) if self.k == 1 else (KAnonymity(self.k), replace(self, k=1))

    def describe(self) -> str:
        """Say what every group has to be."""
        which = "no value" if self.values is None else f"none of {len(self.values)} values"
        share = f"{which} of {self._where('any')} has a share above {self.alpha:g} in a group"
        return share if self.k == 1 else f"every group has at least {self.k} rows, and {share}"

    def holds(self, groups: FrequencyTable) -> Flags:
        """Which groups are allowed."""
        return super().holds(groups) & ((groups.sizes >= self.k) | (groups.sizes == 0))

    def column_levels(self, groups: FrequencyTable, column: str) -> Floats:
        """Largest share of a protected value in each group; a value that nobody has has none."""
        histogram = groups.histograms[column]
        counts = np.where(self._protected(groups, column)[histogram.codes], histogram.counts, 0)
        return largest(histogram, counts) / np.maximum(groups.sizes, 1)

    def column_condition(self, cells: FrequencyTable, column: str) -> Condition:
        protected = self._protected(cells, column)
        known = cells.histograms[column].coding.code_of
        if unknown := sum(value not in known for value in self.values or ()):
            # a release may lack a value whose people are suppressed; the table itself may not
            raise SchemaError(
                f"AlphaKAnonymity: {unknown} of the protected values do not occur in column "
                f"{column!r}. Remove them or correct their spelling."
            )
        caps = np.where(protected, float(self.alpha), np.inf)
        return Condition(CAP, column, self.alpha, floats=caps)

    def to_dict(self, *, private: bool = False) -> dict[str, Any]:
        """Name and parameters; of the protected values, unless `private`, only how many."""
        plain = super().to_dict()
        named = None if private else plain.pop("values", None)
        return plain if named is None else plain | {"protected_values": len(named)}

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: how many values are protected, not which."""
        withheld = None if self.values is None else (_WITHHELD,) * len(self.values)
        return {**vars(self), "values": withheld}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)

    def __deepcopy__(self, memo: dict[int, Any]) -> AlphaKAnonymity:
        return self  # frozen; a copy in memory is no file that leaves the house

    def _protected(self, groups: FrequencyTable, column: str) -> Flags:
        coding = groups.histograms[column].coding
        if self.values is not None and _WITHHELD in self.values:
            raise ParameterError(
                "AlphaKAnonymity: its protected values were not pickled, since they stay in the "
                "house. Make the model again with values=."
            )
        if self.values is None:
            return np.ones(coding.n_codes, np.bool_)
        protected = np.zeros(coding.n_codes, np.bool_)
        for value in self.values:
            if (code := coding.find(value)) >= 0:
                protected[code] = True
        return protected


@dataclass(frozen=True)
class PSensitive(ColumnModel):
    """Every group has at least `k` rows and at least `p` different sensitive values [TV06]_.

    Parameters
    ----------
    p, k : int
        At least 1; `p` is at most `k`.
    column : str, optional
        The sensitive column; by default every one.

    Notes
    -----
    **Guarantee.**  k-anonymity, and `p` values are possible for everybody, each as often as it
    happens to be.

    References
    ----------
    .. [TV06] T. Truta, B. Vinay.  Privacy protection: p-sensitive k-anonymity property.  ICDE
       Workshops 2006.  doi:10.1109/ICDEW.2006.116

    Examples
    --------
    >>> PSensitive(2, 4, "illness").describe()
    "every group has at least 4 rows and 2 different values of column 'illness'"
    """

    p: int
    k: int
    column: str | None = None

    word = Word("p-sensitive", {"p": int}, "2")
    leaves_open = (
        "Different values are counted, not weighed: one may be far more frequent than the others."
    )

    def __post_init__(self) -> None:
        check_integer("PSensitive: p", self.p, 1)
        check_integer("PSensitive: k", self.k, 1)
        check_column("PSensitive", self.column)
        if self.p > self.k:
            raise ParameterError(f"PSensitive: p must be at most k, got p={self.p}, k={self.k}.")

    @property
    def required(self) -> float:
        """`p`."""
        return float(self.p)

    @property
    def minimum_size(self) -> int:
        """`k`."""
        return int(self.k)

    @property
    def parts(self) -> tuple[PrivacyModel, ...]:
        """The size and the number of values."""
        return (KAnonymity(self.k), DistinctDiversity(self.p, self.column))

    def describe(self) -> str:
        """Say what every group has to be."""
        return (
            f"every group has at least {self.k} rows and {self.p} different values of "
            f"{self._where()}"
        )

    def holds(self, groups: FrequencyTable) -> Flags:
        """Which groups are allowed."""
        return super().holds(groups) & ((groups.sizes >= self.k) | (groups.sizes == 0))

    def column_levels(self, groups: FrequencyTable, column: str) -> Floats:
        """Number of values in each group."""
        return n_distinct(groups.histograms[column]).astype(np.float64)

    def column_condition(self, cells: FrequencyTable, column: str) -> Condition:
        return Condition(DISTINCT, column, float(self.p))
