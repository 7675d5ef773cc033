"""Limits on the mean risk of all rows, and on how many people are found in the end."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from shoal._checks import check_number
from shoal.privacy._attackers import AttackerModel
from shoal.privacy._condition import TOLERANCE, Condition
from shoal.privacy._model import PrivacyModel, Word
from shoal.typing import Flags, Floats

if TYPE_CHECKING:
    from shoal.tables import FrequencyTable


class MeanModel(AttackerModel):
    """A limit on the mean, over all rows, of a score that the rows of a group share.

    The score never rises when groups are joined, so neither does the mean: the model is monotone.
    A table whose mean is too high has a group whose score is; such groups are what fails.
    """

    judges_groups_alone = False
    larger_is_better = False

    @abstractmethod
    def scores(self, groups: FrequencyTable) -> Floats:
        """Score of a row of each group, 0 to 1."""

    def limit(self, n_rows: int) -> float:
        """Largest mean score that is allowed."""
        return self.required

    def mean(self, groups: FrequencyTable) -> float:
        """Mean score of all rows; 0 for a table without rows."""
        return float((self.scores(groups) * groups.sizes).sum() / max(1, groups.n_rows))

    def levels(self, groups: FrequencyTable) -> Floats:
        """Score of each group."""
        return np.where(groups.sizes > 0, self.scores(groups), 0.0)

    def value(self, groups: FrequencyTable) -> float:
        """Mean score of all rows."""
        return self.mean(groups)

    def holds(self, groups: FrequencyTable) -> Flags:
        """Every group, if the mean is low enough; else those whose own score is."""
        most = self.limit(groups.n_rows) + TOLERANCE
        if self.mean(groups) <= most:
            return np.ones(groups.n_groups, np.bool_)
        return (self.scores(groups) <= most) | (groups.sizes == 0)

    def conditions(self, cells: FrequencyTable) -> list[Condition]:
        """Those of the rung that implies the model."""
        return self.rungs(cells.n_rows)[-1].conditions(cells)


@dataclass(frozen=True)
class AverageRisk(MeanModel):
    """The mean over all rows of one over the people who may be behind a row is at most `risk`.

    Parameters
    ----------
    risk : float
        Above 0, at most 1.  With rows as candidates it is groups per row: at most 0.1 says that
        groups have 10 rows on average.
    fraction : float, optional
        Share of the population that is in the table: people are estimated as rows over it.
    attacker : {"prosecutor", "journalist", "marketer"}, optional
        Prosecutor unless a fraction or a population is given, then journalist.  The marketer's
        success rate is the same mean.
    population : FrequencyTable, optional
        The quasi-identifiers of everybody who might be in the table, those who are included.

    Notes
    -----
    **Guarantee.**  An attacker who picks, for every row, one of the people who may be behind it is
    right for a share of at most `risk` of the rows, on average.

    **Search.**  The condition is about the whole table.  Methods search with groups of at least so
    many rows or people, ever more, until the mean is low enough; what is released is asked the
    mean itself.  Groups of 1/`risk` always do.

    Examples
    --------
    >>> AverageRisk(0.1).describe()
    'the mean risk of all rows to a prosecutor is at most 0.1'
    """

    risk: float
    fraction: float | None = None
    attacker: str | None = None
    population: FrequencyTable | None = field(default=None, repr=False, compare=False)

    word = Word("average-risk", {"risk": float, "fraction": float}, "0.1", optional=1)
    leaves_open = "Some people may be easy to find, as long as most are not."

    def __post_init__(self) -> None:
        check_number("AverageRisk: risk", self.risk, 0, 1, above=True)
        self._settle_attacker()

    @property
    def required(self) -> float:
        """`risk`."""
        return float(self.risk)

    def scores(self, groups: FrequencyTable) -> Floats:
        """Risk of a row."""
        return self.row_risks(groups)

    def rungs(self, n_rows: int) -> tuple[PrivacyModel, ...]:
        """Ever larger groups."""
        return self._ladder(self.risk)

    def describe(self) -> str:
        """Say what the table has to be."""
        return f"the mean risk of all rows {self._seen_by()} is at most {self.risk:g}"


@dataclass(frozen=True)
class CorrectGuesses(MeanModel):
    """An attacker who guesses at every row is right for at most `guesses` of them, on average.

    Parameters
    ----------
    guesses : float
        Above 0.  To a prosecutor one row of every group is guessed right, so it is the largest
        number of groups.
    fraction, attacker, population
        As for :class:`AverageRisk`.

    Notes
    -----
    **Guarantee.**  The expected number of right guesses, one per row among the people who may be
    behind it, is at most `guesses`.

    **Search.**  As for :class:`AverageRisk`, with the limit over the number of rows.

    Examples
    --------
    >>> CorrectGuesses(20, fraction=0.1).describe()[:51]
    'the expected number of right guesses at all rows to'
    """

    guesses: float
    fraction: float | None = None
    attacker: str | None = None
    population: FrequencyTable | None = field(default=None, repr=False, compare=False)

    word = Word("guesses", {"guesses": float, "fraction": float}, "20", optional=1)
    leaves_open = "Those few who are found may be found for certain."

    def __post_init__(self) -> None:
        check_number("CorrectGuesses: guesses", self.guesses, 0, above=True)
        self._settle_attacker()

    @property
    def required(self) -> float:
        """`guesses`."""
        return float(self.guesses)

    def limit(self, n_rows: int) -> float:
        """The guesses as a share of the rows."""
        return self.guesses / max(1, n_rows)

    def scores(self, groups: FrequencyTable) -> Floats:
        """Risk of a row."""
        return self.row_risks(groups)

    def levels(self, groups: FrequencyTable) -> Floats:
        """Right guesses in each group."""
        return self.scores(groups) * groups.sizes

    def value(self, groups: FrequencyTable) -> float:
        """Right guesses in all groups."""
        return float(self.levels(groups).sum())

    def rungs(self, n_rows: int) -> tuple[PrivacyModel, ...]:
        """Ever larger groups."""
        return self._ladder(min(1.0, self.limit(n_rows)))

    def describe(self) -> str:
        """Say what the table has to be."""
        return (
            f"the expected number of right guesses at all rows {self._seen_by()} is at most "
            f"{self.guesses:g}"
        )
