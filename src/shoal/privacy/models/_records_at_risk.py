"""Limits on how many rows are easy to find."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from shoal._checks import check_number
from shoal.errors import ParameterError
from shoal.privacy._attackers import AttackerModel
from shoal.privacy._condition import TOLERANCE, Condition
from shoal.privacy._model import All, PrivacyModel, Word
from shoal.privacy.models._average_risk import AverageRisk, MeanModel
from shoal.typing import Flags, Floats

if TYPE_CHECKING:
    from shoal.tables import FrequencyTable


@dataclass(frozen=True)
class RecordsAtRisk(MeanModel):
    """At most a share of the rows has a risk above a threshold.

    Parameters
    ----------
    share : float
        0 to 1; 0 makes the threshold a limit on the highest risk.
    threshold : float
        Above 0, at most 1: 0.2 says that at least five people may be behind a row.
    fraction, attacker, population
        As for :class:`AverageRisk`; a marketer has no threshold.

    Notes
    -----
    **Guarantee.**  For all rows but that share, an attacker who knows all quasi-identifiers of a
    person picks the right row with a chance of at most `threshold`.

    **Search.**  As for :class:`AverageRisk`.  Groups in which nobody is at risk always do.

    Examples
    --------
    >>> RecordsAtRisk(0.05, 0.2).describe()
    'at most 0.05 of the rows have a risk above 0.2 to a prosecutor'
    """

    share: float
    threshold: float
    fraction: float | None = None
    attacker: str | None = None
    population: FrequencyTable | None = field(default=None, repr=False, compare=False)

    word = Word(
        "at-risk", {"share": float, "threshold": float, "fraction": float}, "0.05:0.2", optional=1
    )
    leaves_open = "The rows that are above the threshold may be found for certain."

    def __post_init__(self) -> None:
        check_number("RecordsAtRisk: share", self.share, 0, 1)
        check_number("RecordsAtRisk: threshold", self.threshold, 0, 1, above=True)
        self._settle_attacker()
        if self.attacker == "marketer":
            raise ParameterError(
                "RecordsAtRisk: a marketer looks at the mean, not at single rows. Use AverageRisk."
            )

    @property
    def required(self) -> float:
        """`share`."""
        return float(self.share)

    def scores(self, groups: FrequencyTable) -> Floats:
        """1 where a row's risk is above the threshold."""
        return (self.row_risks(groups) > self.threshold + TOLERANCE).astype(np.float64)

    def rungs(self, n_rows: int) -> tuple[PrivacyModel, ...]:
        """Ever larger groups, up to those in which nobody is at risk."""
        return self._ladder(self.threshold)

    def describe(self) -> str:
        """Say what the table has to be."""
        return (
            f"at most {self.share:g} of the rows have a risk above {self.threshold:g} "
            f"{self._seen_by()}".rstrip(",")
        )


@dataclass(frozen=True)
class RiskThresholds(AttackerModel):
    """Few rows at risk and a low success rate, for one attacker: the three thresholds of ARX.

    Parameters
    ----------
    at_risk : float, optional
        Largest share of rows whose risk is above `highest`.
    highest : float, optional
        Largest risk of a row that is not at risk; with `at_risk` 0 of any row.
    success : float, optional
        Largest mean risk.
    fraction, attacker, population
        As for :class:`AverageRisk`.  A marketer has a success rate only.

    Notes
    -----
    **Guarantee.**  That of :class:`RecordsAtRisk` and that of :class:`AverageRisk`.

    Examples
    --------
    >>> [part.describe()[:40] for part in RiskThresholds(0, 0.2, 0.05).parts]
    ['at most 0 of the rows have a risk above ', 'the mean risk of all rows to a prosecuto']
    """

    at_risk: float | None = None
    highest: float | None = None
    success: float | None = None
    fraction: float | None = None
    attacker: str | None = None
    population: FrequencyTable | None = field(default=None, repr=False, compare=False)

    word = Word(
        "thresholds",
        {"at_risk": float, "highest": float, "success": float, "fraction": float},
        "0:0.2:0.05",
        optional=1,
    )
    leaves_open = (
        "The share of rows that may be above the threshold may be found for certain; the mean "
        "hides those who are easy to find."
    )
    judges_groups_alone = False

    def __post_init__(self) -> None:
        self._settle_attacker()
        if (self.at_risk is None) != (self.highest is None):
            raise ParameterError("RiskThresholds: give at_risk and highest together, or neither.")
        if self.at_risk is None and self.success is None:
            raise ParameterError("RiskThresholds: give at_risk and highest, or success, or all.")
        self._models()  # which check their own numbers

    def _models(self) -> All:
        seen = (self.fraction, self.attacker, self.population)
        models: list[PrivacyModel] = []
        if self.at_risk is not None and self.highest is not None:
            models.append(RecordsAtRisk(self.at_risk, self.highest, *seen))
        if self.success is not None:
            models.append(AverageRisk(self.success, *seen))
        return All(tuple(models))

    @property
    def parts(self) -> tuple[PrivacyModel, ...]:
        """The condition on rows at risk and the one on the mean."""
        return self._models().parts

    @property
    def required(self) -> float:
        """One: all of them have to hold."""
        return 1.0

    def levels(self, groups: FrequencyTable) -> Floats:
        """Share of the conditions that each group meets."""
        return self._models().levels(groups)

    def holds(self, groups: FrequencyTable) -> Flags:
        """Which groups are allowed by all of them."""
        return self._models().holds(groups)

    def rungs(self, n_rows: int) -> tuple[PrivacyModel, ...]:
        """Those of the conditions, side by side."""
        return self._models().rungs(n_rows)

    def conditions(self, cells: FrequencyTable) -> list[Condition]:
        """Those of the rung that implies the model."""
        return self.rungs(cells.n_rows)[-1].conditions(cells)

    def describe(self) -> str:
        """Say what the table has to be."""
        return self._models().describe()
