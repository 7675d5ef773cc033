"""beta-likeness: no value becomes much more likely in a group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal._checks import check_number
from shoal.privacy._column_model import ColumnModel, check_column
from shoal.privacy._condition import Condition
from shoal.privacy._model import Word
from shoal.privacy.compiled._condition_kernels import CAP
from shoal.privacy.models._group_values import largest, overall
from shoal.typing import Floats

if TYPE_CHECKING:
    from shoal.tables import FrequencyTable


@dataclass(frozen=True)
class BetaLikeness(ColumnModel):
    """No sensitive value gains more than `beta` of its overall share in any group [CK12]_.

    With p the share of a value in the whole table and q its share in a group,
    (q - p) / p <= beta wherever q > p.

    Parameters
    ----------
    beta : float
        Above 0.
    column : str, optional
        The sensitive column; by default every one.
    enhanced : bool
        Bound the gain by min(beta, -ln p): frequent values may gain less.

    Notes
    -----
    **Guarantee.**  Knowing a person's group raises an attacker's confidence in any value at most
    1 + `beta` times.  Unlike t-closeness it protects rare values as much as frequent ones.

    **Departures from the paper.**  The whole is what is released, without its suppressed rows.

    References
    ----------
    .. [CK12] J. Cao, P. Karras.  Publishing microdata with a robust privacy guarantee.
       PVLDB 5(11), 2012.  doi:10.14778/2350229.2350255

    Examples
    --------
    >>> BetaLikeness(1.5, "illness").describe()
    "no value of column 'illness' gains more than 1.5 of its overall share in a group"
    """

    beta: float
    column: str | None = None
    enhanced: bool = False

    word = Word("beta", {"beta": float}, "1.5")
    leaves_open = (
        "What the whole release tells of everybody is not limited, only what a group adds to it."
    )
    judges_groups_alone = False
    larger_is_better = False

    def __post_init__(self) -> None:
        check_number("BetaLikeness: beta", self.beta, 0, above=True)
        check_column("BetaLikeness", self.column)

    @property
    def required(self) -> float:
        """`beta`."""
        return float(self.beta)

    def describe(self) -> str:
        """Say what every group has to be."""
        bound = f"min({self.beta:g}, -ln(share))" if self.enhanced else f"{self.beta:g}"
        what = f"no value of {self._where('any')}"
        return f"{what} gains more than {bound} of its overall share in a group"

    def column_levels(self, groups: FrequencyTable, column: str) -> Floats:
        """Largest relative gain of each group (scaled to `beta` where the bound is tighter)."""
        histogram = groups.histograms[column]
        before = overall(histogram)[histogram.codes]
        now = histogram.counts / groups.sizes[histogram.group_of_entry]
        gain = now / before - 1
        if self.enhanced:
            bound = np.minimum(self.beta, -np.log(before))
            gain = np.divide(gain * self.beta, bound, out=np.zeros_like(gain), where=bound > 0)
        return largest(histogram, gain)

    def column_condition(self, cells: FrequencyTable, column: str) -> Condition:
        share = overall(cells.histograms[column])
        gain = np.full(len(share), float(self.beta))
        if self.enhanced:
            present = share > 0
            gain[present] = np.minimum(self.beta, -np.log(share[present]))
        return Condition(CAP, column, self.beta, floats=(1 + gain) * share)
