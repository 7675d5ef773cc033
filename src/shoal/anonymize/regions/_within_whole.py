"""A privacy model asked of a part of a table, with the figures of the whole.

A model such as t-closeness compares a group with the whole table.  Whoever sees one region only
would compare it with that region.  Here the whole stays what it is: conditions are made from the
table's figures, and groups are judged beside everybody else, gathered in one more group.

*Why one more group is enough.*  Of the whole, a model uses how many rows there are and how many of
them have each sensitive value.  Groups of the region and the group of all others add up to these,
however the others are grouped.  (Models about the mean over all groups are not of this kind; they
are searched for by the last of their rungs, which judges every group alone.)
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.privacy import PrivacyModel
from shoal.privacy._condition import Condition
from shoal.tables import FrequencyTable
from shoal.tables._frequency import Histogram
from shoal.typing import Counts, Flags, Floats

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, eq=False)
class WithinWhole(PrivacyModel):
    """A model about groups of a region, compared with the whole table.

    Parameters
    ----------
    model : PrivacyModel
        Bound; each group has to meet it.
    whole : FrequencyTable
        The whole table as one group, with histograms of its sensitive columns.
    """

    model: PrivacyModel
    whole: FrequencyTable = field(repr=False)

    @property
    def is_monotone(self) -> bool:  # type: ignore[override]
        """That of the model."""
        return self.model.is_monotone

    @property
    def judges_groups_alone(self) -> bool:  # type: ignore[override]
        """That of the model."""
        return self.model.judges_groups_alone

    @property
    def larger_is_better(self) -> bool:  # type: ignore[override]
        """That of the model."""
        return self.model.larger_is_better

    @property
    def required(self) -> float:
        """That of the model."""
        return self.model.required

    @property
    def minimum_size(self) -> int:
        """That of the model."""
        return self.model.minimum_size

    @property
    def parts(self) -> tuple[PrivacyModel, ...]:
        """Those of the model, each with the whole."""
        return tuple(WithinWhole(part, self.whole) for part in self.model.parts)

    def describe(self) -> str:
        """As the model does."""
        return self.model.describe()

    def to_dict(self, *, private: bool = False) -> dict[str, Any]:
        """The model, as plain values: the whole is data and stays out."""
        return self.model.to_dict(private=private)

    def bind(self, sensitive: Sequence[str]) -> PrivacyModel:
        """The model is bound already."""
        return self

    def conditions(self, cells: FrequencyTable) -> list[Condition]:
        """The conditions of the whole, whichever cells are looked at."""
        return self.model.conditions(self.whole)

    def levels(self, groups: FrequencyTable) -> Floats:
        """What each group reaches beside all others."""
        return self.model.levels(self._beside_others(groups))[: groups.n_groups]

    def holds(self, groups: FrequencyTable) -> Flags:
        """Which groups are allowed beside all others."""
        return self.model.holds(self._beside_others(groups))[: groups.n_groups]

    def _beside_others(self, groups: FrequencyTable) -> FrequencyTable:
        """The groups and one more: every other row of the whole table."""
        keys = np.vstack([groups.keys, np.zeros((1, groups.keys.shape[1]), np.int32)])
        others = max(0, self.whole.n_rows - groups.n_rows)
        histograms = {
            name: _add_group(histogram, self.whole.histograms[name].totals)
            for name, histogram in groups.histograms.items()
            if name in self.whole.histograms
        }
        sizes = np.append(groups.sizes, others)
        return replace(groups, keys=keys, sizes=sizes, histograms=histograms, rows=None)


def _add_group(histogram: Histogram, totals: Counts) -> Histogram:
    left = np.maximum(totals - histogram.totals, 0)
    codes = np.flatnonzero(left).astype(np.int32)
    return Histogram(
        histogram.coding,
        np.append(histogram.start, histogram.start[-1] + len(codes)),
        np.concatenate([histogram.codes, codes]),
        np.concatenate([histogram.counts, left[codes]]),
    )
