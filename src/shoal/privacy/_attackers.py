"""How likely an attacker is to find the person behind a row, by what the attacker knows."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from shoal._checks import check_choice, check_number
from shoal.errors import ParameterError
from shoal.privacy._condition import TOLERANCE
from shoal.privacy._model import PrivacyModel
from shoal.privacy._population_model import PopulationModel
from shoal.privacy.models._k_anonymity import KAnonymity
from shoal.privacy.models._k_map import KMap
from shoal.typing import Floats

if TYPE_CHECKING:
    from shoal.tables import FrequencyTable

ATTACKERS = ("prosecutor", "journalist", "marketer")
"""One knows that the person is in the table, one does not, and one wants as many as possible."""


class AttackerModel(PopulationModel):
    """A condition on the risk of rows: one over the people who may be behind a row.

    To a prosecutor these are the rows of the group.  To a journalist or a marketer they are the
    people of the population who are in the group: counted in a population, or estimated as rows
    over the share of the population that is in the table.
    """

    attacker: str | None
    fraction: float | None

    def _settle_attacker(self) -> None:
        """Check the attacker, or infer it from the other parameters."""
        name = type(self).__name__
        given = self.fraction is not None or self.population is not None
        if self.attacker is None:
            # frozen: what follows from the other parameters is stored as if it had been given
            object.__setattr__(self, "attacker", ATTACKERS[given])
        check_choice(f"{name}: attacker", self.attacker, ATTACKERS)
        if self.fraction is not None:
            check_number(f"{name}: fraction", self.fraction, 0, 1, above=True)
        if given and self.attacker == "prosecutor":
            raise ParameterError(
                f"{name}: a prosecutor knows who is in the table, whatever the population. Leave "
                "out fraction and population, or name another attacker."
            )

    @property
    def counts_population(self) -> bool:
        """Whether the attacker looks at a population, and no fraction stands in for it."""
        return self.attacker != "prosecutor" and self.fraction is None

    def row_risks(self, groups: FrequencyTable) -> Floats:
        """Risk of a row of each group; 0 for a group without rows."""
        if self.counts_population:
            people = self._people(groups).sums(np.ones(1))
        else:
            people = groups.sizes / (self.fraction or 1.0)
        risks = np.where(groups.sizes > 0, 1.0, 0.0)  # who is not in the population at all is found
        return np.divide(1.0, people, out=risks, where=(people > 0) & (groups.sizes > 0))

    def _ladder(self, risk: float) -> tuple[PrivacyModel, ...]:
        """Ever larger groups, up to those whose risk is at most `risk`."""
        if self.counts_population:
            return tuple(KMap(k) for k in _sizes(ceil(1 / risk - TOLERANCE)))
        most = ceil((self.fraction or 1.0) / risk - TOLERANCE)
        return tuple(KAnonymity(k) for k in _sizes(most))

    def _seen_by(self) -> str:
        """Who the attacker is, for sentences."""
        if self.fraction is None:
            return f"to a {self.attacker}"
        return f"to a {self.attacker}, if {self.fraction:g} of the population are in the table,"


def _sizes(most: int) -> list[int]:
    """1 to `most`, in steps that grow with the number, so that a search among them is short."""
    sizes = [1]
    while sizes[-1] < most:
        sizes.append(min(most, max(sizes[-1] + 1, ceil(sizes[-1] * 1.1))))
    return sizes
