"""Groups that were written as means, and what becomes of new rows."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar

from shoal.anonymize._recoding import Unseen
from shoal.anonymize.clusters._group_recoding import GroupRecoding
from shoal.tables import FrequencyTable
from shoal.tables._recoded import Recoded


@dataclass(frozen=True, eq=False)
class MeanRecoding(GroupRecoding):
    """The groups of a release that is written as means.

    Their labels end at values of people, and are never written.  New rows get labels, since there
    is no mean of one row; those end on public lines, and so do the labels of a recoding that was
    saved or pickled.
    """

    kind: ClassVar[str] = "means"

    @classmethod
    def of_groups(cls, recoding: GroupRecoding) -> MeanRecoding:
        """The same groups, to be written as means."""
        return cls(*(getattr(recoding, part.name) for part in fields(recoding)))

    def recode(self, cells: FrequencyTable, unseen: Unseen = "root") -> Recoded:
        """The fitted cells in their groups; new ones with labels that end on public lines."""
        if cells.keys is self.keys:
            return super().recode(cells, unseen)
        return GroupRecoding.from_dict(self.to_dict()).recode(cells, unseen)

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: labels that end on public lines."""
        return super().__getstate__() | {"exact": False}

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; labels that end on public lines."""
        return super().to_dict() | {"exact": False}
