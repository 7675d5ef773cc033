"""Limits on how many rows are alone, in the table or in the population."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from shoal._checks import check_number
from shoal.errors import ParameterError
from shoal.privacy._model import PrivacyModel, Word
from shoal.privacy.models._average_risk import MeanModel
from shoal.privacy.models._k_anonymity import KAnonymity
from shoal.privacy.models._k_map import KMap
from shoal.typing import Floats

if TYPE_CHECKING:
    from shoal.tables import FrequencyTable


@dataclass(frozen=True)
class Uniqueness(MeanModel):
    """At most a share of the rows is alone in its group, or alone in the population.

    Parameters
    ----------
    share : float
        0 to 1.
    fraction : float, optional
        Share of the population that is in the table: then rows that are alone in the population
        are limited, and their number is estimated (:func:`shoal.risk.estimate_uniques`).
    attacker : {"prosecutor", "journalist"}, optional
        Prosecutor: alone in the table.  Journalist: alone in the population.
    population : FrequencyTable, optional
        The quasi-identifiers of everybody who might be in the table, including those who are; then
        rows that are alone in it are counted.

    Notes
    -----
    **Guarantee.**  At most this share of the rows is alone.  With `fraction` the share is only an
    estimate, by the decision rule of Dankar and others, and need not fall when groups are joined.

    **Search.**  The condition is about the whole table.  Methods first search without it, and then
    for groups without any row that is alone, which is always enough; the release itself is checked
    against `share`.

    Examples
    --------
    >>> Uniqueness(0.01).describe()
    'at most 0.01 of the rows are alone in their group'
    """

    share: float
    fraction: float | None = None
    attacker: str | None = None
    population: FrequencyTable | None = field(default=None, repr=False, compare=False)

    word = Word("unique", {"share": float, "fraction": float}, "0.01", optional=1)
    leaves_open = "Groups of two are not limited; whoever is in one is found with a chance of half."

    def __post_init__(self) -> None:
        check_number("Uniqueness: share", self.share, 0, 1)
        self._settle_attacker()
        if self.attacker == "marketer":
            raise ParameterError(
                "Uniqueness: a marketer looks at the mean risk. Use AverageRisk, or the journalist."
            )

    @property
    def is_monotone(self) -> bool:  # type: ignore[override]
        """Whether rows that are alone are counted, not estimated."""
        return self.fraction is None

    @property
    def required(self) -> float:
        """`share`."""
        return float(self.share)

    def scores(self, groups: FrequencyTable) -> Floats:
        """1 where a row is alone; its estimated chance to be, where the population is not known."""
        alone = groups.sizes == 1
        if self.fraction is not None:
            return alone * self._chance(groups)
        if self.counts_population:
            alone = (groups.sizes > 0) & (self._people(groups).sums(np.ones(1)) <= 1)
        return alone.astype(np.float64)

    def rungs(self, n_rows: int) -> tuple[PrivacyModel, ...]:
        """Anything, then no row that is alone."""
        kind = KMap if self.counts_population else KAnonymity
        return (kind(1), kind(2))

    def describe(self) -> str:
        """Say what the table has to be."""
        if self.attacker == "prosecutor":
            return f"at most {self.share:g} of the rows are alone in their group"
        what = f"at most {self.share:g} of the rows are alone in the population"
        if self.fraction is None:
            return what
        return f"{what}, as estimated with {self.fraction:g} of it in the table"

    def _chance(self, groups: FrequencyTable) -> float:
        """Estimated chance that a row that is alone in the table is alone in the population."""
        from shoal.risk import estimate_uniques  # noqa: PLC0415  slow to load

        sizes = groups.sizes[groups.sizes > 0]
        alone = int((sizes == 1).sum())
        if not alone or self.fraction is None:
            return 0.0
        estimate = estimate_uniques(sizes, self.fraction)
        return min(1.0, estimate.share * int(sizes.sum()) / alone)
