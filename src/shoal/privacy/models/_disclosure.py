"""delta-disclosure: no value becomes much more or much less likely in a group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal._checks import check_number
from shoal.privacy._column_model import ColumnModel, check_column
from shoal.privacy._condition import Condition
from shoal.privacy._model import Word
from shoal.privacy.compiled._condition_kernels import CAP, FLOOR
from shoal.privacy.models._group_values import overall, shares
from shoal.typing import Floats

if TYPE_CHECKING:
    from shoal.tables import FrequencyTable


@dataclass(frozen=True)
class DeltaDisclosure(ColumnModel):
    """No sensitive value is 2^`delta` times as frequent, or as rare, in a group as overall [BS08]_.

    With p the share of a value in the whole table and q its share in a group,
    abs(log2(q / p)) <= delta for every value of the table.

    Parameters
    ----------
    delta : float
        Above 0.
    column : str, optional
        The sensitive column; by default every one.

    Notes
    -----
    **Guarantee.**  Knowing a person's group changes an attacker's confidence in any value at most
    by the factor 2^`delta`, up or down.  So every group has every value.

    **Departures from the paper.**  A ratio that is exactly 2^`delta` is allowed.  The logarithm is
    to base 2, as in ARX; ARX however looks only at values that a group has, which allows groups
    that exclude a value.  The whole is what is released, without its suppressed rows.

    References
    ----------
    .. [BS08] J. Brickell, V. Shmatikov.  The cost of privacy: destruction of data-mining utility
       in anonymized data publishing.  KDD 2008.  doi:10.1145/1401890.1401904

    Examples
    --------
    >>> DeltaDisclosure(1, "illness").describe()
    "no value of column 'illness' is over 2 times as frequent or as rare in a group as overall"
    """

    delta: float
    column: str | None = None

    word = Word("disclosure", {"delta": float}, "1.5")
    leaves_open = (
        "What the whole release tells of everybody is not limited, only what a group adds to it "
        "or takes from it."
    )
    judges_groups_alone = False
    larger_is_better = False

    def __post_init__(self) -> None:
        check_number("DeltaDisclosure: delta", self.delta, 0, above=True)
        check_column("DeltaDisclosure", self.column)

    @property
    def required(self) -> float:
        """`delta`."""
        return float(self.delta)

    def describe(self) -> str:
        """Say what every group has to be."""
        return (
            f"no value of {self._where('any')} is over {2**self.delta:g} times as frequent or as "
            "rare in a group as overall"
        )

    def column_levels(self, groups: FrequencyTable, column: str) -> Floats:
        """Largest change of each group, in powers of 2; infinite where a value is absent."""
        histogram = groups.histograms[column]
        before = overall(histogram)
        present = before > 0
        change = np.zeros(groups.n_groups)
        for part, share in shares(histogram, groups.sizes):
            with np.errstate(divide="ignore"):
                moved = np.abs(np.log2(share[:, present] / before[present]))
            change[part] = moved.max(axis=1, initial=0.0)
        return np.where(groups.sizes > 0, change, 0.0)

    def conditions(self, cells: FrequencyTable) -> list[Condition]:
        """A largest and a least share for every value."""
        conditions = []
        for name in self.columns(cells):
            share = overall(cells.histograms[name])
            least = share * 2.0**-self.delta
            conditions.append(self.column_condition(cells, name))
            asked = float((least > 0).sum())
            conditions.append(Condition(FLOOR, name, self.delta, asked, floats=least))
        return conditions

    def column_condition(self, cells: FrequencyTable, column: str) -> Condition:
        """The largest share of every value."""
        share = overall(cells.histograms[column])
        return Condition(CAP, column, self.delta, floats=share * 2.0**self.delta)
