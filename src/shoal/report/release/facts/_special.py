"""Which columns make rows stand out, in the raw table and in the release."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.errors import ParameterError
from shoal.report.release.facts._recount import Recount
from shoal.risk import special_uniques
from shoal.risk._special_uniques import SpecialUniques
from shoal.tables import FrequencyTable

LARGEST_SET = 3
"""Columns of a set: what somebody easily knows of another, and quickly looked at."""


@dataclass(frozen=True, eq=False)
class Special:
    """Special uniques of the raw table, where it was given, and of the released one."""

    before: SpecialUniques | None
    after: SpecialUniques | None

    @property
    def rows(self) -> list[tuple[str, float | None, float | None]]:
        """Every column with its part in the scores before and after; none where nobody is alone."""
        known = [part for part in (self.before, self.after) if part is not None]
        if not any(sum(part.by_size.values()) for part in known):
            return []
        return [(name, _part(self.before, name), _part(self.after, name)) for name in _names(known)]


def find_special(cells: FrequencyTable | None, seen: Recount | None) -> Special:
    """Look at all sets of a few columns; None where there are too many of them."""
    groups = None if seen is None else seen.groups
    return Special(_look(cells), _look(groups))


def _look(cells: FrequencyTable | None) -> SpecialUniques | None:
    if cells is None or not cells.names:
        return None
    try:
        return special_uniques(cells, max_size=LARGEST_SET)
    except ParameterError:
        return None


def _names(known: list[SpecialUniques]) -> list[str]:
    first = known[0]
    return sorted(first.contributions, key=lambda name: -first.contributions[name])


def _part(special: SpecialUniques | None, name: str) -> float | None:
    if special is None or not sum(special.by_size.values()):
        return None
    return special.contributions.get(name)
