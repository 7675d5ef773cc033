"""A recoding of each of several sets of columns, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from shoal.anonymize._recoding import Recoding, Unseen, match_cells, recoding_of
from shoal.privacy._projection import project_columns
from shoal.schema._coding import Coding
from shoal.tables import FrequencyTable
from shoal.tables._recoded import SUPPRESSED, Labels, Recoded


@dataclass(frozen=True, eq=False)
class JoinedRecoding(Recoding):
    """Sets of columns recoded each on its own; a row is left out when any of them leaves it out.

    Parameters
    ----------
    columns : tuple of tuple of int
        Numbers of the columns in each set; every column is in one.
    parts : tuple of Recoding
        How each set is recoded.
    """

    kind: ClassVar[str] = "joined"

    columns: tuple[tuple[int, ...], ...]
    parts: tuple[Recoding, ...]

    @property
    def codings(self) -> tuple[Coding, ...]:  # type: ignore[override]
        """Those of the parts, in the order of the columns."""
        by_column = {
            column: coding
            for columns, part in zip(self.columns, self.parts, strict=True)
            for column, coding in zip(columns, part.codings, strict=True)
        }
        return tuple(by_column[column] for column in sorted(by_column))

    def recode(self, cells: FrequencyTable, unseen: Unseen = "root") -> Recoded:
        """Release each cell as the parts say."""
        match_cells(self, cells)
        codes = np.zeros((cells.n_groups, len(cells.codings)), np.int32)
        hidden = np.zeros(cells.n_groups, np.bool_)
        labels: dict[int, Labels] = {}
        for columns, part in zip(self.columns, self.parts, strict=True):
            own, of_cell = project_columns(cells, columns)
            recoded = part.recode(own, unseen)
            group = recoded.group_of[of_cell]
            hidden |= group == SUPPRESSED
            codes[:, list(columns)] = recoded.codes[np.maximum(group, 0)]
            labels |= dict(zip(columns, recoded.labels, strict=True))
        ordered = [labels[column] for column in sorted(labels)]
        return Recoded.from_cells(cells, ordered, codes, suppressed=hidden)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "columns": [list(columns) for columns in self.columns],
            "parts": [{"kind": part.kind, **part.to_dict()} for part in self.parts],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> JoinedRecoding:
        """Inverse of :meth:`to_dict`."""
        columns = tuple(tuple(int(c) for c in columns) for columns in data["columns"])
        return cls(columns, tuple(recoding_of(part) for part in data["parts"]))
