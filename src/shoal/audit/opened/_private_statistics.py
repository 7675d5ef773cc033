"""What encoders keep of a private column: names of values, cuts between them, means.

Each of them may be a few people's: a category that one person has, bins with a person each, the
mean of a column that is 0 for everybody else.
"""

from __future__ import annotations

import warnings
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import PowerTransformer

from shoal.audit._training_table import TrainingTable
from shoal.audit.fits._lone_numbers import tells_of_few
from shoal.audit.trees._lone_thresholds import FEW_VALUES
from shoal.schema._text import text
from shoal.typing import Floats

NAMES = {"categories_", "pandas_categorical"}
"""Attributes that list values of a column."""
CUTS = {"bin_thresholds_", "bin_edges_", "quantiles_"}
"""Attributes that cut a column into bins."""
MEANS = {"mean_", "var_", "scale_", "statistics_", "variances_"}
"""Attributes with a number for each column that is summed over people."""
ENDS = {
    "data_min_", "data_max_", "data_range_", "max_abs_", "scale_", "bin_edges_", "quantiles_",
    "center_", "statistics_", "variances_", "lambdas_",
}  # fmt: skip
"""Attributes that follow from the least and the largest value of a column, or from each of them."""
SMALL = 10  # whole numbers up to here are a scale
FEWEST_CUTS = 3
ON_CUTS = 0.9
"""Share of cuts at a column's values, or half-way between two, by which they are known as its."""


class PrivateStatistics:
    """Private columns as encoders may tell them.

    Parameters
    ----------
    table : TrainingTable
        The rows.
    k : int
        Fewer people are too few.
    """

    def __init__(self, table: TrainingTable, k: int) -> None:
        self.table, self.k = table, k

    def told(self, attribute: str, array: NDArray[Any]) -> str | None:
        """What an attribute tells of fewer than k people, in words without their values."""
        if attribute in NAMES and array.ndim == 1:
            return self._names(array)
        if array.dtype.kind not in "iuf":
            lone = array.reshape(-1, 1) if attribute in MEANS and array.dtype.kind in "OU" else ()
            return next(filter(None, map(self._names, lone)), None)
        own = array.astype(np.float64)
        if attribute in CUTS and (message := self._cuts(own) or self._cuts_at_values(own)):
            return message
        if attribute in MEANS and (message := self._mean_of_few(own)):
            return message
        return self._ends(own) if attribute in ENDS else None

    @cached_property
    def _values(self) -> dict[str, dict[str, int]]:
        """How many people have each value, by column."""
        counts_by_name = {}
        for name in self.table.attributes:
            codes, values = self.table.frame.factorize(name)
            sizes = np.bincount(codes[codes >= 0], minlength=len(values)).tolist()
            counts_by_name[name] = {str(text(v)): n for v, n in zip(values, sizes, strict=True)}
        return counts_by_name

    def _names(self, array: NDArray[Any]) -> str | None:
        """Report a list of values that occur, not of those that could: it names rare ones.

        A list with values that nobody has comes from elsewhere.
        """
        own = {str(text(v)) for v in array.tolist() if v is not None and v == v}
        at_home = [name for name, known in self._values.items() if own and own <= known.keys()]
        if any(name not in self.table.private for name in at_home):
            return None  # the values of a column that everybody knows
        for name in at_home:
            known = self._values[name]
            few = sum(known[value] < self.k for value in own)
            is_list = self.table.schema[name].kind not in ("numeric", "date")
            if few and is_list and len(known) > FEW_VALUES:
                return f"names {few:,} values of private column {name!r} {self._few}"
        return None

    @property
    def _few(self) -> str:
        return f"that fewer than {self.k} people have"

    @cached_property
    def _numbers(self) -> dict[str, Floats]:
        frame = self.table.frame
        numbers_by_name = {}
        for name in self.table.private:
            if frame.types[name] == "number":
                own = np.asarray(frame.numbers(name), np.float64)
                numbers_by_name[name] = np.sort(own[np.isfinite(own)])
        return numbers_by_name

    def _cuts(self, array: Floats) -> str | None:
        for own in array.reshape(len(array), -1).T:
            for name, known in self._numbers.items():
                cuts, values = np.unique(own[np.isfinite(own)]), np.unique(known)
                if len(cuts) < FEWEST_CUTS or len(values) < 2:
                    continue
                near = np.concatenate([values, (values[1:] + values[:-1]) / 2])
                if np.isin(cuts, near).mean() < ON_CUTS:
                    continue
                people = np.diff(np.searchsorted(known, cuts, side="right"))
                if ((people > 0) & (people < self.k)).any():
                    return f"cuts private column {name!r} into bins with fewer than {self.k} people"
        return None

    def _cuts_at_values(self, array: Floats) -> str | None:
        """Cuts that are numbers of few people, and none of a column that everybody knows."""
        cuts = np.unique(array[np.isfinite(array)])
        known = (self.table.frame.numbers(name) for name in self._public)
        if not len(cuts) or any(np.isin(cuts, one).all() for one in known):
            return None
        for name, own in self._numbers.items():
            values, counts = np.unique(own, return_counts=True)
            few = values[counts < self.k]
            if len(values) > FEW_VALUES and 2 * int(np.isin(cuts, few).sum()) > len(cuts):
                return f"cuts private column {name!r} at numbers {self._few}"
        return None

    @property
    def _public(self) -> list[str]:
        """Columns of numbers that everybody knows."""
        table = self.table
        names = (name for name in table.attributes if name not in table.private)
        return [name for name in names if table.frame.types[name] == "number"]

    @cached_property
    def _apart(self) -> dict[str, Floats]:
        """Numeric columns in which fewer than k people differ from all others, with their values.

        Or by much, or by their digits.
        """
        apart_by_name = {}
        for name, known in self._numbers.items():
            values, counts = np.unique(known, return_counts=True)
            others = np.delete(values, counts.argmax()) if len(values) else values
            is_scale = bool((known == np.round(known)).all()) and np.ptp(known) <= SMALL
            if is_scale:
                continue
            if 0 < len(known) - int(counts.max(initial=0)) < self.k:
                apart_by_name[name] = others
            elif tells_of_few(known, self.k):
                apart_by_name[name] = known[[0, -1]]
        return apart_by_name

    def _ends(self, array: Floats) -> str | None:
        """Ends of such columns, and exponents by which they were made even."""
        for name, others in self._apart.items():
            known = self._numbers[name]
            told = np.array([others[0], others[-1], np.ptp(known), 1 / np.ptp(known)])
            powers = np.array([_power(known)])
            if (
                np.isclose(array.ravel()[:, None], told, rtol=1e-9, atol=0).any()
                or np.isclose(array.ravel()[:, None], powers, rtol=1e-6, atol=0).any()
            ):
                return f"follows from values of private column {name!r} {self._few}"
        return None

    def _mean_of_few(self, array: Floats) -> str | None:
        """Means and variances of columns in which fewer than k people differ from the rest."""
        for name, known in self._numbers.items():
            _, counts = np.unique(known, return_counts=True)
            apart = len(known) - int(counts.max(initial=0))
            is_many = apart >= self.k and len(known) >= self.k and name not in self._apart
            if not apart or is_many:
                continue
            told = np.array([known.mean(), known.var(), known.std()])
            if np.isclose(array.ravel()[:, None], told, rtol=1e-9, atol=0).any():
                return f"tells a mean of private column {name!r} which fewer than {self.k} decide"
        return None


def _power(known: Floats) -> float:
    """The exponent of Yeo and Johnson for a column, as scikit-learn finds it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return float(PowerTransformer().fit(known[:, None]).lambdas_[0])
        except (ValueError, FloatingPointError):  # whatever a solver stumbles over
            return float("nan")
