"""l-diversity: the sensitive values of every group are many, in one of three senses."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, exp, log
from typing import TYPE_CHECKING

import numpy as np

from shoal._checks import check_integer, check_number
from shoal.errors import SchemaError
from shoal.privacy._column_model import ColumnModel, check_column
from shoal.privacy._condition import TOLERANCE, Condition
from shoal.privacy._model import Word
from shoal.privacy.compiled._condition_kernels import CAP, DISTINCT, ENTROPY, RECURSIVE
from shoal.privacy.models._group_values import entropies, largest, n_distinct
from shoal.typing import Flags, Floats

if TYPE_CHECKING:
    from shoal.tables import FrequencyTable


@dataclass(frozen=True)
class DistinctDiversity(ColumnModel):
    """Every group has at least `l` different sensitive values [MGK07]_.

    Parameters
    ----------
    l : int
        Least number of values, at least 1.
    column : str, optional
        The sensitive column; by default every one.

    Notes
    -----
    **Guarantee.**  Who knows a person's group cannot tell which of `l` values is theirs, without
    regard to how likely each one is.  A missing value counts as a value.

    References
    ----------
    .. [MGK07] A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam.  l-diversity:
       privacy beyond k-anonymity.  ACM TKDD 1(1), 2007.  doi:10.1145/1217299.1217302

    Examples
    --------
    >>> DistinctDiversity(3, "illness").describe()
    "every group has at least 3 different values of column 'illness'"
    """

    l: int  # noqa: E741  the literature's name
    column: str | None = None

    word = Word("distinct", {"l": int}, "3")
    leaves_open = (
        "Different values are counted, not weighed: 99 of 100 rows of a group may still agree."
    )

    def __post_init__(self) -> None:
        check_integer("DistinctDiversity: l", self.l, 1)
        check_column("DistinctDiversity", self.column)

    @property
    def required(self) -> float:
        """`l`."""
        return float(self.l)

    @property
    def minimum_size(self) -> int:
        """`l`: each value needs a row."""
        return int(self.l)

    def describe(self) -> str:
        """Say what every group has to be."""
        return f"every group has at least {self.l} different values of {self._where()}"

    def column_levels(self, groups: FrequencyTable, column: str) -> Floats:
        """Number of values in each group."""
        return n_distinct(groups.histograms[column]).astype(np.float64)

    def column_condition(self, cells: FrequencyTable, column: str) -> Condition:
        return Condition(DISTINCT, column, float(self.l))


@dataclass(frozen=True)
class EntropyDiversity(ColumnModel):
    """The sensitive values of every group have an entropy of at least log(`l`) [MGK07]_.

    Parameters
    ----------
    l : float
        At least 1; groups are then as uncertain as `l` values of equal frequency.
    column : str, optional
        The sensitive column; by default every one.

    Notes
    -----
    **Guarantee.**  No group is less uncertain about the column than `l` equally frequent values.
    A rare value may still be certain enough to hurt: bound it with :class:`AlphaKAnonymity`.

    See Also
    --------
    ConfidenceLimit : The `l` that limits the confidence about two classes.

    References
    ----------
    .. [MGK07] A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam.  l-diversity:
       privacy beyond k-anonymity.  ACM TKDD 1(1), 2007.  doi:10.1145/1217299.1217302

    Examples
    --------
    >>> EntropyDiversity(1.5, "illness").describe()
    "the entropy of column 'illness' is at least log(1.5) in every group"
    """

    l: float  # noqa: E741  the literature's name
    column: str | None = None

    word = Word("entropy", {"l": float}, "1.5")
    leaves_open = (
        "With more than two sensitive values, one of them may still have a large share of a group."
    )

    def __post_init__(self) -> None:
        check_number("EntropyDiversity: l", self.l, 1)
        check_column("EntropyDiversity", self.column)

    @property
    def required(self) -> float:
        """`l`."""
        return float(self.l)

    @property
    def minimum_size(self) -> int:
        """`l` rounded up: n rows have an entropy of at most log(n)."""
        return ceil(self.l * (1 - TOLERANCE))

    def describe(self) -> str:
        """Say what every group has to be."""
        return f"the entropy of {self._where()} is at least log({self.l:g}) in every group"

    def column_levels(self, groups: FrequencyTable, column: str) -> Floats:
        """Number of equally frequent values with the entropy of each group."""
        return np.exp(entropies(groups.histograms[column], groups.sizes))

    def column_holds(self, groups: FrequencyTable, column: str) -> Flags:
        return entropies(groups.histograms[column], groups.sizes) >= log(self.l) - TOLERANCE

    def column_condition(self, cells: FrequencyTable, column: str) -> Condition:
        return Condition(ENTROPY, column, log(self.l))


@dataclass(frozen=True)
class RecursiveDiversity(ColumnModel):
    """The most frequent value of a group is not too frequent: recursive (c, l) [MGK07]_.

    With r_1 >= r_2 >= ... the rows of each value in a group, r_1 < c (r_l + r_(l+1) + ...).

    Parameters
    ----------
    c : float
        Above 0; smaller is stricter.
    l : int
        At least 1.
    column : str, optional
        The sensitive column; by default every one.

    Notes
    -----
    **Guarantee.**  Who rules out l - 2 values of a group still does not find its most frequent
    value more than c times as likely as the rest together.

    References
    ----------
    .. [MGK07] A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam.  l-diversity:
       privacy beyond k-anonymity.  ACM TKDD 1(1), 2007.  doi:10.1145/1217299.1217302

    Examples
    --------
    >>> print(RecursiveDiversity(3, 2, "illness").describe())  # doctest: +NORMALIZE_WHITESPACE
    in every group the most frequent value of column 'illness' has fewer than 3 times as many
    rows as all other values together
    """

    c: float
    l: int  # noqa: E741  the literature's name
    column: str | None = None

    word = Word("recursive", {"c": float, "l": int}, "3:2")
    leaves_open = "Values that mean nearly the same count as different."
    larger_is_better = False

    def __post_init__(self) -> None:
        check_number("RecursiveDiversity: c", self.c, 0, above=True)
        check_integer("RecursiveDiversity: l", self.l, 1)
        check_column("RecursiveDiversity", self.column)

    @property
    def required(self) -> float:
        """`c`; a group has to stay below it."""
        return float(self.c)

    @property
    def minimum_size(self) -> int:
        """`l`: each value needs a row."""
        return int(self.l)

    def describe(self) -> str:
        """Say what every group has to be."""
        rest = {1: "all values", 2: "all other values"}.get(
            self.l, f"all but the {self.l - 1} most frequent values"
        )
        return (
            f"in every group the most frequent value of {self._where()} has fewer than {self.c:g} "
            f"times as many rows as {rest} together"
        )

    def column_levels(self, groups: FrequencyTable, column: str) -> Floats:
        """Rows of the most frequent value over those from the l-th on; infinite without any."""
        histogram = groups.histograms[column]
        order = np.lexsort((-histogram.counts, histogram.group_of_entry))
        counts, group = histogram.counts[order], histogram.group_of_entry[order]
        rank = np.arange(len(group)) - histogram.start[group]
        late = rank >= self.l - 1
        tail = np.bincount(group[late], weights=counts[late], minlength=histogram.n_groups)
        top = largest(histogram, histogram.counts)
        return np.divide(top, tail, out=np.full(len(top), np.inf), where=tail > 0)

    def column_holds(self, groups: FrequencyTable, column: str) -> Flags:
        return self.column_levels(groups, column) < self.c - TOLERANCE

    def column_condition(self, cells: FrequencyTable, column: str) -> Condition:
        return Condition(RECURSIVE, column, float(self.c), float(self.l))


def confidence_to_l(c: float) -> float:
    """The `l` at which entropy diversity limits the confidence about two classes to `c`.

    Examples
    --------
    >>> round(confidence_to_l(0.85), 3)
    1.526
    """
    check_number("confidence_to_l: c", c, 0.5, 1)
    return 1.0 if c == 1 else exp(-c * log(c) - (1 - c) * log(1 - c))


@dataclass(frozen=True)
class ConfidenceLimit(ColumnModel):
    """Nobody's value, out of two, can be told with more confidence than `c`.

    Parameters
    ----------
    c : float
        From 0.5 to 1.
    column : str, optional
        The sensitive column; by default every one.

    Notes
    -----
    **Guarantee.**  In every group each of the two values has at most a share of `c`.  That is
    entropy diversity with exp(-c ln c - (1-c) ln(1-c)) for `l`, for two values only: with three or
    more an entropy does not bound the largest share, so a column with more values is refused.

    Examples
    --------
    >>> ConfidenceLimit(0.85, "illness").describe()
    "in no group is a value of column 'illness' held by more than 0.85 of rows"
    """

    c: float
    column: str | None = None

    word = Word("confidence", {"c": float}, "0.85")
    leaves_open = "It bounds how sure a guess can be, for columns of two values only."
    larger_is_better = False

    def __post_init__(self) -> None:
        check_number("ConfidenceLimit: c", self.c, 0.5, 1)
        check_column("ConfidenceLimit", self.column)

    @property
    def required(self) -> float:
        """`c`."""
        return float(self.c)

    @property
    def minimum_size(self) -> int:
        """Two rows, unless certainty is allowed."""
        return 2 if self.c < 1 - TOLERANCE else 1

    def describe(self) -> str:
        """Say what every group has to be."""
        return (
            f"in no group is a value of {self._where('any')} held by more than {self.c:.6g} of rows"
        )

    def column_levels(self, groups: FrequencyTable, column: str) -> Floats:
        """Share of the more frequent value of each group."""
        self._check_two(groups, column)
        histogram = groups.histograms[column]
        return largest(histogram, histogram.counts) / np.maximum(groups.sizes, 1)

    def column_condition(self, cells: FrequencyTable, column: str) -> Condition:
        self._check_two(cells, column)
        n_codes = cells.histograms[column].coding.n_codes
        return Condition(CAP, column, self.c, floats=np.full(n_codes, float(self.c)))

    def _check_two(self, groups: FrequencyTable, column: str) -> None:
        n = int((groups.histograms[column].totals > 0).sum())
        if n > 2:
            raise SchemaError(
                f"ConfidenceLimit is for two values, and column {column!r} has {n} (a missing "
                "value counts). Use AlphaKAnonymity to bound the share of each of many values."
            )
