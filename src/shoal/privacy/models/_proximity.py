"""(e, m)-proximity: no crowd of similar numbers in a group."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from shoal._checks import check_number
from shoal.errors import SchemaError
from shoal.privacy._column_model import ColumnModel, check_column
from shoal.privacy._condition import TOLERANCE, Condition
from shoal.privacy._model import Word
from shoal.privacy.compiled._condition_kernels import PROXIMITY
from shoal.privacy.models._group_values import largest, natural_order
from shoal.typing import Floats

if TYPE_CHECKING:
    from shoal.tables import FrequencyTable
    from shoal.tables._frequency import Histogram


@dataclass(frozen=True)
class Proximity(ColumnModel):
    """In a group, at most 1/`m` of the rows lie within `e` of any row's number [LTX08]_.

    Parameters
    ----------
    e : float
        Half the width of a neighbourhood, in the unit of the column; at least 0.
    m : float
        At least 1.
    column : str, optional
        The sensitive column, with numbers; by default every one.

    Notes
    -----
    **Guarantee.**  Nobody's number can be told up to `e` with more confidence than 1/`m`.
    A missing value is near missing values only.  Joining two allowed groups can give one that is
    not (a value of one may be near two values of the other), so the model is not monotone.

    References
    ----------
    .. [LTX08] J. Li, Y. Tao, X. Xiao.  Preservation of proximity privacy in publishing numerical
       sensitive data.  SIGMOD 2008.  doi:10.1145/1376616.1376666

    Examples
    --------
    >>> print(Proximity(1000, 2, "income").describe())  # doctest: +NORMALIZE_WHITESPACE
    in every group at most 1/2 of the rows lie within 1000 of any one row's value
    of column 'income'
    """

    e: float
    m: float
    column: str | None = None

    word = Word("proximity", {"e": float, "m": float}, "1000:2")
    leaves_open = "Only closeness of numbers is limited."
    is_monotone = False
    needs_order = True

    def __post_init__(self) -> None:
        check_number("Proximity: e", self.e, 0)
        check_number("Proximity: m", self.m, 1)
        check_column("Proximity", self.column)

    @property
    def required(self) -> float:
        """`m`."""
        return float(self.m)

    @property
    def minimum_size(self) -> int:
        """`m` rounded up: one row is always near itself."""
        return ceil(self.m * (1 - TOLERANCE))

    def describe(self) -> str:
        """Say what every group has to be."""
        return (
            f"in every group at most 1/{self.m:g} of the rows lie within {self.e:g} of any one "
            f"row's value of {self._where('any')}"
        )

    def column_levels(self, groups: FrequencyTable, column: str) -> Floats:
        """One over the share of rows in each group's densest neighbourhood."""
        histogram = groups.histograms[column]
        order = natural_order(histogram)
        numbers = histogram.coding.numbers[order]
        reach = self._reach(histogram)
        real = np.flatnonzero(~np.isnan(numbers))
        first, last = np.arange(len(order)), np.arange(1, len(order) + 1)
        first[real] = np.searchsorted(numbers[real], numbers[real] - reach, "left")
        last[real] = np.searchsorted(numbers[real], numbers[real] + reach, "right")
        # Entries sorted by group and rank; a neighbourhood is then a run of entries.
        rank = np.zeros(histogram.coding.n_codes, np.int64)
        rank[order] = np.arange(len(order))
        group, own = histogram.group_of_entry, rank[histogram.codes]
        width = len(order) + 1
        sort = np.argsort(group * width + own)
        keys = (group * width + own)[sort]
        rows = np.concatenate([[0], np.cumsum(histogram.counts[sort])])
        begin = np.searchsorted(keys, group * width + first[own], "left")
        end = np.searchsorted(keys, group * width + last[own], "left")
        near = largest(histogram, rows[end] - rows[begin])
        return np.divide(groups.sizes, near, out=np.full(len(near), np.inf), where=near > 0)

    def column_condition(self, cells: FrequencyTable, column: str) -> Condition:
        histogram = cells.histograms[column]
        order = natural_order(histogram)
        rank = np.zeros(histogram.coding.n_codes, np.int64)
        rank[order] = np.arange(len(order))
        return Condition(
            PROXIMITY,
            column,
            self._reach(histogram),
            float(self.m),
            floats=histogram.coding.numbers[order],
            codes=np.concatenate([order, rank]),
        )

    def _reach(self, histogram: Histogram) -> float:
        coding = histogram.coding
        if coding.kind == "categorical":
            raise SchemaError(
                f"Proximity: column {coding.name!r} is categorical and has no numbers. "
                "Use it on numeric, date or ordinal columns."
            )
        # Decimal fractions are not exact: 0.8 - 0.7 must count as within 0.1.
        scale = float(np.nanmax(np.abs(coding.numbers), initial=1.0))
        return float(self.e) + 1e-12 * scale
