"""What a table reaches with a privacy model, without a word about anybody in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

from shoal.privacy._model import PrivacyModel

if TYPE_CHECKING:
    from shoal.tables import FrequencyTable


@dataclass(frozen=True)
class Level:
    """How far a table goes with one model.

    Parameters
    ----------
    model : dict
        The model, as plain values.
    description : str
        The model, as a sentence.
    required, reached : float
        What the model asks of the worst group, and what the worst group has.
    failing_groups, failing_rows : int
        Groups that are not allowed, and the rows in them.

    Examples
    --------
    >>> from shoal.privacy import KAnonymity
    >>> from shoal.schema import Schema
    >>> from shoal.tables import open_table
    >>> schema = Schema({"city": {"role": "quasi-identifier"}})
    >>> groups = open_table({"city": ["Ulm", "Ulm", "Kiel"]}).compress(schema).cells
    >>> (level,) = check(KAnonymity(2), groups)
    >>> level.required, level.reached, level.failing_rows, level.holds
    (2.0, 1.0, 1, False)
    """

    model: Mapping[str, Any]
    description: str
    required: float
    reached: float
    failing_groups: int
    failing_rows: int

    @property
    def holds(self) -> bool:
        """Whether every group is allowed."""
        return self.failing_groups == 0

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON (infinite levels become None)."""
        return {
            "model": dict(self.model),
            "description": self.description,
            "required": float(self.required) if isfinite(self.required) else None,
            "reached": float(self.reached) if isfinite(self.reached) else None,
            "holds": self.failing_groups == 0,
            "failing_groups": self.failing_groups,
            "failing_rows": self.failing_rows,
        }


def check(model: PrivacyModel, groups: FrequencyTable) -> tuple[Level, ...]:
    """What a table reaches with each part of a model; values of people are not in it."""
    levels = []
    for part in model.parts:
        failing = ~part.holds(groups)
        levels.append(
            Level(
                part.to_dict(),
                part.describe(),
                part.required,
                part.value(groups),
                int(failing.sum()),
                int(groups.sizes[failing].sum()),
            )
        )
    return tuple(levels)
