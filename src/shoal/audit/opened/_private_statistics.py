"""What encoders keep of a private column: names of values, cuts between them, means.

Each of them may be a few people's: a category that one person has, bins with a person each, the
mean of a column that is 0 for everybody else.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.audit._training_table import TrainingTable
from shoal.schema._text import text
from shoal.typing import Floats

FEW_VALUES = 10
"""Values of a column that are no more than a scale, which everybody knows."""
NAMES = {"categories_", "pandas_categorical"}
"""Attributes that list values of a column."""
CUTS = {"bin_thresholds_", "bin_edges_", "quantiles_"}
"""Attributes that cut a column into bins."""
MEANS = {"mean_", "var_", "scale_", "statistics_", "variances_"}
"""Attributes with a number for each column that is summed over people."""
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
            return None
        if attribute in CUTS:
            return self._cuts(array.astype(np.float64))
        return self._means(array.astype(np.float64)) if attribute in MEANS else None

    @cached_property
    def _values(self) -> dict[str, dict[str, int]]:
        """How many people have each value, by column."""
        found = {}
        for name in self.table.attributes:
            codes, values = self.table.frame.factorize(name)
            sizes = np.bincount(codes[codes >= 0], minlength=len(values)).tolist()
            found[name] = {str(text(v)): n for v, n in zip(values, sizes, strict=True)}
        return found

    def _names(self, array: NDArray[Any]) -> str | None:
        """A list of what is there, and not of what could be: it names values that few people have.

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
        found = {}
        for name in self.table.private:
            if frame.types[name] == "number":
                own = np.asarray(frame.numbers(name), np.float64)
                found[name] = np.sort(own[np.isfinite(own)])
        return found

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

    def _means(self, array: Floats) -> str | None:
        """Means and the like of columns in which fewer than k people differ from all others."""
        for name, known in self._numbers.items():
            _, counts = np.unique(known, return_counts=True)
            apart = len(known) - int(counts.max(initial=0))
            if not apart or (apart >= self.k and len(known) >= self.k):
                continue
            told = np.array([known.mean(), known.var(), known.std()])
            if np.isclose(array.ravel()[:, None], told, rtol=1e-9, atol=0).any():
                return f"tells a mean of private column {name!r} which fewer than {self.k} decide"
        return None
